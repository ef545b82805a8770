/* pool.c - see pool.h. */
#include "probe/pool.h"

#include "core/system/features.h"

#include <stdlib.h>

#include "core/system/system.h"

/* How many files a set keeps open: a quarter of what the process is allowed, so that most is left
 * for other files of the process and for another set. */
static unsigned files_limit(void)
{
    enum { LEAST = 16, MOST = 4096 };
    unsigned quarter = system_files_most() / 4;
    if (quarter < LEAST) return LEAST;
    return quarter < MOST ? quarter : (unsigned)MOST;
}

bool pool_init(ProbePool *pool)
{
    pool->files = table_files_new(files_limit());
    if (pool->files == NULL) return false;
    if (TREB_SYZYGY) syzygy_maps_fill(&pool->maps);
    pool->idle = NULL;
    pool->sources = NULL;
    pool->source_count = 0;
    pool->faulty = NULL;
    atomic_init(&pool->faults, 0);
    atomic_init(&pool->misses, 0);
    atomic_init(&pool->pinned, 0);
    if (cache_init(&pool->cache, TREB_MEMORY_DEFAULT)) {
        if (mutex_init(&pool->mutex)) {
            if (fetcher_init(&pool->fetcher)) return true;
            mutex_destroy(&pool->mutex);
        }
        cache_destroy(&pool->cache);
    }
    table_files_free(pool->files);
    return false;
}

static void decoder_free(ProbeDecoder *decoder)
{
    table_decoder_free(decoder->decoder);
    free(decoder->block);
    free(decoder);
}

void pool_destroy(ProbePool *pool)
{
    while (pool->idle != NULL) {
        ProbeDecoder *next = pool->idle->next;
        decoder_free(pool->idle);
        pool->idle = next;
    }
    fetcher_destroy(&pool->fetcher);
    mutex_destroy(&pool->mutex);
    cache_destroy(&pool->cache);
    table_files_free(pool->files);
    free(pool->faulty);
    for (size_t i = 0; i < pool->source_count; i++)
        pool->sources[i].close(pool->sources[i].context);
    free(pool->sources);
}

void pool_give(ProbePool *pool, ProbeDecoder *decoder)
{
    mutex_lock(&pool->mutex);
    decoder->next = pool->idle;
    pool->idle = decoder;
    mutex_unlock(&pool->mutex);
}

ProbeDecoder *pool_take(ProbePool *pool, size_t size, TableWait wait)
{
    mutex_lock(&pool->mutex);
    ProbeDecoder *decoder = pool->idle;
    if (decoder != NULL) pool->idle = decoder->next;
    mutex_unlock(&pool->mutex);
    if (decoder == NULL) {
        decoder = (ProbeDecoder *)calloc(1, sizeof *decoder);
        if (decoder == NULL) return NULL;
        decoder->decoder = table_decoder_new();
    }
    if (decoder->capacity < size) {
        free(decoder->block);
        decoder->block = (uint8_t *)malloc(size);
        decoder->capacity = decoder->block != NULL ? size : 0;
    }
    if (decoder->decoder != NULL && decoder->capacity != 0) {
        table_decoder_set_wait(decoder->decoder, wait);
        return decoder;
    }
    decoder_free(decoder);
    return NULL;
}
