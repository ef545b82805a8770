/* trebuchet-http.h - the public interface of libtrebuchet-http: tables on a web server.
 *
 * A program that gives an address to treb_tables_open needs nothing of this header. The header is
 * for programs that set limits themselves or read counts:
 *
 *     treb_source source;
 *     treb_http_options options = {.cache = "/var/cache/tables", .timeout = 5};
 *     if (treb_http_source("https://host/tables/", &options, &source, &error) == TREB_OK)
 *         tables = treb_tables_open_sources(&source, 1, &error);
 *
 * A source has its own thread, which communicates with the server over connections that all probes
 * share. The thread blocks all signals. After a fork the child process has no such thread and must
 * not use the source. */
#ifndef TREBUCHET_HTTP_H
#define TREBUCHET_HTTP_H

#include "trebuchet.h"

#if defined(_WIN32)
#define TREB_HTTP_LIBRARY "trebuchet-http.dll"
#elif defined(__APPLE__)
#define TREB_HTTP_LIBRARY "libtrebuchet-http.1.dylib"
#else
#define TREB_HTTP_LIBRARY "libtrebuchet-http.so.1"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Options. 0 and NULL mean the value of the environment variable named below or, without one, the
 * default. */
typedef struct treb_http_options {
    const char *cache;    /* folder that keeps what was read; "" for none. TREBUCHET_HTTP_CACHE;
                             default: none */
    uint64_t cache_bytes; /* largest size of that folder in bytes. TREBUCHET_HTTP_CACHE_SIZE,
                             such as 10GiB; default: 1 GiB */
    unsigned timeout;     /* seconds that a read may take, repetitions included.
                             TREBUCHET_HTTP_TIMEOUT; default: 10 */
    const char *ca_file;  /* file of certificates to trust, in PEM. TREBUCHET_HTTP_CA; default:
                             the system's */
} treb_http_options;

/* Opens a folder of a web server as a source. Reads its file SHA256SUMS, as sha256sum writes it, at
 * once: it lists the tables. `options` may be NULL. Errors: TREB_ERR_ARGUMENT (not a valid
 * address), TREB_ERR_NETWORK, TREB_ERR_TIMEOUT, TREB_ERR_IO (the folder that keeps what was read),
 * TREB_ERR_MEMORY. */
TREB_API treb_status treb_http_source(const char *address, const treb_http_options *options,
                                      treb_source *out, treb_error *error);

/* What a source has done since it was opened. */
typedef struct treb_http_counts {
    uint64_t requests; /* requests sent, repetitions included */
    uint64_t bytes;    /* bytes of content received */
    uint64_t kept;     /* pages of 4096 bytes that were read from the folder */
    uint64_t failures; /* requests that failed, whether repeated or not */
} treb_http_counts;

/* Writes the counts of a source that treb_http_source opened. Its set must still be open. */
TREB_API void treb_http_get_counts(const treb_source *source, treb_http_counts *out);

#ifdef __cplusplus
}
#endif
#endif
