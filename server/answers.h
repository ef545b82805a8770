/* answers.h - answers kept for the next who asks the same: bounded, in shards with a lock each, the
 * least recently used go first. */
#ifndef TREB_SERVER_ANSWERS_H
#define TREB_SERVER_ANSWERS_H

#include <stdint.h>

#include "server/reply.h"

typedef struct AnswerCache AnswerCache;

typedef struct AnswerCacheInfo {
    uint64_t budget, bytes, entries, hits, misses;
} AnswerCacheInfo;

/* A budget of 0 keeps nothing. NULL without memory. */
AnswerCache *answers_create(uint64_t bytes);
void answers_free(AnswerCache *cache);

/* What was kept for a target, retained for the caller, and the tag given with it; NULL if nothing.
 */
Served *answers_get(AnswerCache *cache, const char *target, const void **tag);

/* Keeps an answer that had to be made; retains it. `tag` is anything that outlives the cache. */
void answers_put(AnswerCache *cache, const char *target, Served *served, const void *tag);

void answers_info(AnswerCache *cache, AnswerCacheInfo *out);

#endif
