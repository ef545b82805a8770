/* table_zstd.h - what reading tables needs of zstd. Private to core/format/table_read.c. A build
 * without zstd (TREB_ZSTD) opens no table of this codec. */
#ifndef TREB_CORE_FORMAT_TABLE_ZSTD_H
#define TREB_CORE_FORMAT_TABLE_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trebuchet.h"

typedef struct ZSTD_DDict_s ZstdDictionary; /* constant: any number of threads may read it */
typedef struct ZSTD_DCtx_s ZstdContext;     /* for one thread at a time */

/* Writes a dictionary made of bytes, which are copied. Fails if they are damaged or memory is out;
 * `path` is for messages. */
treb_status table_zstd_dictionary(const uint8_t *bytes, size_t size, const char *path,
                                  ZstdDictionary **out, treb_error *error);
void table_zstd_forget(ZstdDictionary *dictionary); /* frees it; NULL is allowed */

/* Writes a new context. False: memory is out. */
bool table_zstd_begin(ZstdContext **out);
void table_zstd_end(ZstdContext *context); /* frees it; NULL is allowed */

/* Unpacks a frame. `dictionary` may be NULL. Returns whether it gives exactly `size` bytes. */
bool table_zstd_unpack(ZstdContext *context, const ZstdDictionary *dictionary, const uint8_t *frame,
                       size_t frame_size, uint8_t *out, size_t size);

#endif
