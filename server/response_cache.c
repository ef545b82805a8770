/* answers.c - see answers.h. */
#include "server/response_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { SHARDS = 16, BUCKETS = 1024 };

typedef struct CachedResponse CachedResponse;
struct CachedResponse {
    CachedResponse *chain;         /* next in its bucket */
    CachedResponse *newer, *older; /* neighbours by time of last use */
    uint64_t hash;
    Response *response;
    const void *tag;
    size_t bytes;
    char target[];
};

typedef struct Shard {
    _Alignas(64) pthread_mutex_t lock;
    CachedResponse *bucket[BUCKETS];
    CachedResponse *newest, *oldest;
    uint64_t bytes, entries, hits, misses;
} Shard;

struct ResponseCache {
    uint64_t budget; /* of one shard */
    Shard shard[SHARDS];
};

ResponseCache *response_cache_create(uint64_t bytes)
{
    ResponseCache *cache = aligned_alloc(64, sizeof *cache);
    if (cache == NULL) return NULL;
    memset(cache, 0, sizeof *cache);
    cache->budget = bytes / SHARDS;
    for (int i = 0; i < SHARDS; i++) pthread_mutex_init(&cache->shard[i].lock, NULL);
    return cache;
}

static void entry_free(CachedResponse *entry)
{
    response_release(entry->response);
    free(entry);
}

void response_cache_free(ResponseCache *cache)
{
    if (cache == NULL) return;
    for (int i = 0; i < SHARDS; i++) {
        Shard *shard = &cache->shard[i];
        for (CachedResponse *entry = shard->newest, *next; entry != NULL; entry = next) {
            next = entry->older;
            entry_free(entry);
        }
        pthread_mutex_destroy(&shard->lock);
    }
    free(cache);
}

/* ---- A shard; the caller holds its lock ------------------------------------------------------ */

static Shard *shard_of(ResponseCache *cache, uint64_t hash) { return &cache->shard[hash % SHARDS]; }

static CachedResponse **bucket_of(Shard *shard, uint64_t hash)
{
    return &shard->bucket[hash / SHARDS % BUCKETS];
}

static void unlink_use(Shard *shard, CachedResponse *entry)
{
    *(entry->newer ? &entry->newer->older : &shard->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &shard->oldest) = entry->newer;
}

static void link_newest(Shard *shard, CachedResponse *entry)
{
    entry->newer = NULL;
    entry->older = shard->newest;
    *(entry->older ? &entry->older->newer : &shard->oldest) = entry;
    shard->newest = entry;
}

static CachedResponse *find(Shard *shard, uint64_t hash, const char *target)
{
    CachedResponse *entry = *bucket_of(shard, hash);
    while (entry != NULL && (entry->hash != hash || strcmp(entry->target, target) != 0))
        entry = entry->chain;
    return entry;
}

static void drop(Shard *shard, CachedResponse *entry)
{
    CachedResponse **at = bucket_of(shard, entry->hash);
    while (*at != entry) at = &(*at)->chain;
    *at = entry->chain;
    unlink_use(shard, entry);
    assert(shard->bytes >= entry->bytes && shard->entries > 0);
    shard->bytes -= entry->bytes;
    shard->entries--;
    entry_free(entry);
}

/* ---- The cache ------------------------------------------------------------------------------- */

Response *response_cache_get(ResponseCache *cache, const char *target, const void **tag)
{
    uint64_t hash = XXH3_64bits(target, strlen(target));
    Shard *shard = shard_of(cache, hash);
    Response *response = NULL;
    pthread_mutex_lock(&shard->lock);
    CachedResponse *entry = find(shard, hash, target);
    if (entry != NULL) {
        if (entry != shard->newest) {
            unlink_use(shard, entry);
            link_newest(shard, entry);
        }
        response = response_retain(entry->response);
        *tag = entry->tag;
        shard->hits++;
    }
    pthread_mutex_unlock(&shard->lock);
    return response;
}

void response_cache_put(ResponseCache *cache, const char *target, Response *response,
                        const void *tag)
{
    size_t length = strlen(target),
           bytes = sizeof(CachedResponse) + length + 1 + response_bytes(response);
    uint64_t hash = XXH3_64bits(target, length);
    Shard *shard = shard_of(cache, hash);
    CachedResponse *entry = bytes <= cache->budget ? malloc(sizeof *entry + length + 1) : NULL;
    if (entry == NULL) {
        pthread_mutex_lock(&shard->lock);
        shard->misses++;
        pthread_mutex_unlock(&shard->lock);
        return;
    }
    entry->hash = hash;
    entry->response = response_retain(response);
    entry->tag = tag;
    entry->bytes = bytes;
    memcpy(entry->target, target, length + 1);
    pthread_mutex_lock(&shard->lock);
    shard->misses++;
    CachedResponse *old = find(shard, hash, target);
    if (old != NULL) drop(shard, old);
    while (shard->bytes + bytes > cache->budget && shard->oldest != NULL)
        drop(shard, shard->oldest);
    entry->chain = *bucket_of(shard, hash);
    *bucket_of(shard, hash) = entry;
    link_newest(shard, entry);
    shard->bytes += bytes;
    shard->entries++;
    pthread_mutex_unlock(&shard->lock);
}

void response_cache_info(ResponseCache *cache, ResponseCacheInfo *out)
{
    *out = (ResponseCacheInfo){.budget = cache->budget * SHARDS};
    for (int i = 0; i < SHARDS; i++) {
        Shard *shard = &cache->shard[i];
        pthread_mutex_lock(&shard->lock);
        out->bytes += shard->bytes;
        out->entries += shard->entries;
        out->hits += shard->hits;
        out->misses += shard->misses;
        pthread_mutex_unlock(&shard->lock);
    }
}
