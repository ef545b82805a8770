/* response_cache.h - responses kept for later requests with the same target.
 *
 * The memory is bounded; the least recently used responses are dropped first. The cache is divided
 * into shards, each with its own lock. */
#ifndef TREB_SERVER_RESPONSE_CACHE_H
#define TREB_SERVER_RESPONSE_CACHE_H

#include <stdint.h>

#include "server/response.h"

typedef struct ResponseCache ResponseCache;

typedef struct ResponseCacheInfo {
    uint64_t budget, bytes, entries, hits, misses;
} ResponseCacheInfo;

/* Creates a cache of `bytes`; 0 keeps nothing. Returns NULL if there is no memory. */
ResponseCache *response_cache_create(uint64_t bytes);
void response_cache_free(ResponseCache *cache);

/* Returns the response kept for a target, retained for the caller, and the tag that was stored with
 * it; NULL if there is none. */
Response *response_cache_get(ResponseCache *cache, const char *target, const void **tag);

/* Keeps a response, and retains it. `tag` is any pointer that stays valid as long as the cache. */
void response_cache_put(ResponseCache *cache, const char *target, Response *response,
                        const void *tag);

void response_cache_info(ResponseCache *cache, ResponseCacheInfo *out);

#endif
