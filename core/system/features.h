/* features.h - what a build of the library has: -DTREB_ZSTD=0 and so on leave something out. The
 * compiler drops what is then never called. */
#ifndef TREB_CORE_SYSTEM_FEATURES_H
#define TREB_CORE_SYSTEM_FEATURES_H

/* Tables of codec zstd, and solved pawn endings, which are packed by it. */
#ifndef TREB_ZSTD
#define TREB_ZSTD 1
#endif

/* Syzygy's tables. */
#ifndef TREB_SYZYGY
#define TREB_SYZYGY 1
#endif

/* Solved pawn endings. Without this they are not looked for. */
#ifndef TREB_SOLVED
#define TREB_SOLVED 1
#endif

/* Tables on a web server. */
#ifndef TREB_HTTP
#define TREB_HTTP 1
#endif

#endif
