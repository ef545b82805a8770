/* trebuchet-http.h - the public interface of libtrebuchet-http: tables that a web server has.
 *
 * Who gives an address to treb_tables_open needs nothing of this. It is for programs that set the
 * limits themselves, or count:
 *
 *     treb_source source;
 *     treb_http_options options = {.cache = "/var/cache/tables", .timeout = 5};
 *     if (treb_http_source("https://host/tables/", &options, &source, &error) == TREB_OK)
 *         tables = treb_tables_open_sources(&source, 1, &error);
 *
 * A source has a thread of its own that speaks with the server, over connections that all probes
 * share; it takes no signals, and after a fork the child has none and must not use the source. */
#ifndef TREBUCHET_HTTP_H
#define TREBUCHET_HTTP_H

#include "trebuchet.h"

#define TREB_HTTP_LIBRARY "libtrebuchet-http.so.1"

#ifdef __cplusplus
extern "C" {
#endif

/* 0 and NULL stand for what the environment says, or else for the default. */
typedef struct treb_http_options {
    const char *cache;    /* a folder for what was read; "" is none. TREBUCHET_HTTP_CACHE; none */
    uint64_t cache_bytes; /* that it may take. TREBUCHET_HTTP_CACHE_SIZE, as 10GiB; 1 GiB */
    unsigned timeout;     /* seconds that a read may take with all its repetitions.
                             TREBUCHET_HTTP_TIMEOUT; 10 */
    const char *ca_file;  /* certificates to trust, in PEM. TREBUCHET_HTTP_CA; the system's */
} treb_http_options;

/* A folder of a web server as a source. Its file SHA256SUMS, as sha256sum writes it, is read at
 * once: it lists what there is. `options` may be NULL. Failures: TREB_ERR_ARGUMENT (no such address
 * can be), TREB_ERR_NETWORK, TREB_ERR_TIMEOUT, TREB_ERR_IO (the folder for what was read),
 * TREB_ERR_MEMORY. */
TREB_API treb_status treb_http_source(const char *address, const treb_http_options *options,
                                      treb_source *out, treb_error *error);

/* What a source has done since it was opened. */
typedef struct treb_http_counts {
    uint64_t requests; /* sent, each repetition counted */
    uint64_t bytes;    /* of content that came */
    uint64_t kept;     /* pages of 4096 bytes that the folder had */
    uint64_t failures; /* requests without a right answer, repeated or not */
} treb_http_counts;

/* Of a source that treb_http_source made, while its set is open. */
TREB_API void treb_http_get_counts(const treb_source *source, treb_http_counts *out);

#ifdef __cplusplus
}
#endif
#endif
