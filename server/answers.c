/* answers.c - see answers.h. */
#include "server/answers.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { SHARDS = 16, BUCKETS = 1024 };

typedef struct KeptAnswer KeptAnswer;
struct KeptAnswer {
    KeptAnswer *chain;         /* in its bucket */
    KeptAnswer *newer, *older; /* by last use */
    uint64_t hash;
    Served *served;
    const void *tag;
    size_t bytes;
    char target[];
};

typedef struct Shard {
    _Alignas(64) pthread_mutex_t lock;
    KeptAnswer *bucket[BUCKETS];
    KeptAnswer *newest, *oldest;
    uint64_t bytes, entries, hits, misses;
} Shard;

struct AnswerCache {
    uint64_t budget; /* of one shard */
    Shard shard[SHARDS];
};

AnswerCache *answers_create(uint64_t bytes)
{
    AnswerCache *cache = aligned_alloc(64, sizeof *cache);
    if (cache == NULL) return NULL;
    memset(cache, 0, sizeof *cache);
    cache->budget = bytes / SHARDS;
    for (int i = 0; i < SHARDS; i++) pthread_mutex_init(&cache->shard[i].lock, NULL);
    return cache;
}

static void entry_free(KeptAnswer *entry)
{
    served_release(entry->served);
    free(entry);
}

void answers_free(AnswerCache *cache)
{
    if (cache == NULL) return;
    for (int i = 0; i < SHARDS; i++) {
        Shard *shard = &cache->shard[i];
        for (KeptAnswer *entry = shard->newest, *next; entry != NULL; entry = next) {
            next = entry->older;
            entry_free(entry);
        }
        pthread_mutex_destroy(&shard->lock);
    }
    free(cache);
}

/* ---- A shard, locked ------------------------------------------------------------------------- */

static Shard *shard_of(AnswerCache *cache, uint64_t hash) { return &cache->shard[hash % SHARDS]; }

static KeptAnswer **bucket_of(Shard *shard, uint64_t hash)
{
    return &shard->bucket[hash / SHARDS % BUCKETS];
}

static void unlink_use(Shard *shard, KeptAnswer *entry)
{
    *(entry->newer ? &entry->newer->older : &shard->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &shard->oldest) = entry->newer;
}

static void link_newest(Shard *shard, KeptAnswer *entry)
{
    entry->newer = NULL;
    entry->older = shard->newest;
    *(entry->older ? &entry->older->newer : &shard->oldest) = entry;
    shard->newest = entry;
}

static KeptAnswer *find(Shard *shard, uint64_t hash, const char *target)
{
    KeptAnswer *entry = *bucket_of(shard, hash);
    while (entry != NULL && (entry->hash != hash || strcmp(entry->target, target) != 0))
        entry = entry->chain;
    return entry;
}

static void drop(Shard *shard, KeptAnswer *entry)
{
    KeptAnswer **at = bucket_of(shard, entry->hash);
    while (*at != entry) at = &(*at)->chain;
    *at = entry->chain;
    unlink_use(shard, entry);
    assert(shard->bytes >= entry->bytes && shard->entries > 0);
    shard->bytes -= entry->bytes;
    shard->entries--;
    entry_free(entry);
}

/* ---- The cache ------------------------------------------------------------------------------- */

Served *answers_get(AnswerCache *cache, const char *target, const void **tag)
{
    uint64_t hash = XXH3_64bits(target, strlen(target));
    Shard *shard = shard_of(cache, hash);
    Served *served = NULL;
    pthread_mutex_lock(&shard->lock);
    KeptAnswer *entry = find(shard, hash, target);
    if (entry != NULL) {
        if (entry != shard->newest) {
            unlink_use(shard, entry);
            link_newest(shard, entry);
        }
        served = served_retain(entry->served);
        *tag = entry->tag;
        shard->hits++;
    }
    pthread_mutex_unlock(&shard->lock);
    return served;
}

void answers_put(AnswerCache *cache, const char *target, Served *served, const void *tag)
{
    size_t length = strlen(target), bytes = sizeof(KeptAnswer) + length + 1 + served_bytes(served);
    uint64_t hash = XXH3_64bits(target, length);
    Shard *shard = shard_of(cache, hash);
    KeptAnswer *entry = bytes <= cache->budget ? malloc(sizeof *entry + length + 1) : NULL;
    if (entry == NULL) {
        pthread_mutex_lock(&shard->lock);
        shard->misses++;
        pthread_mutex_unlock(&shard->lock);
        return;
    }
    entry->hash = hash;
    entry->served = served_retain(served);
    entry->tag = tag;
    entry->bytes = bytes;
    memcpy(entry->target, target, length + 1);
    pthread_mutex_lock(&shard->lock);
    shard->misses++;
    KeptAnswer *old = find(shard, hash, target);
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

void answers_info(AnswerCache *cache, AnswerCacheInfo *out)
{
    *out = (AnswerCacheInfo){.budget = cache->budget * SHARDS};
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
