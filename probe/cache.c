/* cache.c - see cache.h. */
#include "probe/cache.h"

#include <assert.h>
#include <string.h>

#include "core/system/system.h"

static CacheFrame *frame_of(Cache *cache, uint32_t number)
{
    CacheSegment *segment =
        atomic_load_explicit(&cache->segment[number >> CACHE_SEGMENT_BITS], memory_order_relaxed);
    return &segment->frame[number & (CACHE_SEGMENT_FRAMES - 1)];
}

static uint32_t limit_of(uint64_t bytes)
{
    const uint64_t most = (uint64_t)CACHE_SEGMENTS_MAX << CACHE_SEGMENT_BITS;
    uint64_t frames = bytes >> CACHE_PAGE_BITS;
    return (uint32_t)(frames < most ? frames : most);
}

bool cache_init(Cache *cache, uint64_t bytes)
{
    atomic_init(&cache->limit, limit_of(bytes));
    atomic_init(&cache->used, 0);
    cache->hand = 0;
    for (size_t i = 0; i < CACHE_SEGMENTS_MAX; i++) atomic_init(&cache->segment[i], NULL);
    return mutex_init(&cache->mutex);
}

void cache_destroy(Cache *cache)
{
    for (size_t i = 0; i < CACHE_SEGMENTS_MAX; i++) {
        CacheSegment *segment = atomic_load(&cache->segment[i]);
        if (segment) system_pages_free(segment, sizeof *segment);
    }
    mutex_destroy(&cache->mutex);
}

/* Allocates the segment of a frame unless it exists. False: out of memory. */
static bool reserve(Cache *cache, uint32_t number)
{
    _Atomic(CacheSegment *) *at = &cache->segment[number >> CACHE_SEGMENT_BITS];
    if (atomic_load_explicit(at, memory_order_relaxed) != NULL) return true;
    /* Large pages avoid most misses of the TLB. Not with a small budget, which they would round
     * up. */
    void *memory = system_pages(sizeof(CacheSegment), cache->limit >= CACHE_SEGMENT_FRAMES, 0);
    if (memory == NULL) return false;
    atomic_store_explicit(at, (CacheSegment *)memory, memory_order_relaxed);
    return true;
}

/* Drops the page of a frame: clears its slot, and changes the generation, so that readers that
 * loaded the slot before notice. */
static void evict(CacheFrame *frame)
{
    if (frame->owner) atomic_store_explicit(frame->owner, 0, memory_order_relaxed);
    frame->owner = NULL;
    uint32_t next = atomic_load_explicit(&frame->generation, memory_order_relaxed) + 1;
    atomic_store_explicit(&frame->generation, next ? next : 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

/* Chooses a frame to fill, drops its page and gives it a new generation. False if the budget has no
 * frame. */
static bool take_frame(Cache *cache, uint32_t *number)
{
    if (cache->used < cache->limit && reserve(cache, cache->used)) {
        *number = cache->used++;
    } else {
        if (cache->used == 0) return false;
        /* Readers may set marks all the time: the search ends after two rounds. */
        for (uint64_t steps = 0;; steps++) {
            *number = cache->hand;
            cache->hand = cache->hand + 1 < cache->used ? cache->hand + 1 : 0;
            CacheFrame *frame = frame_of(cache, *number);
            if (steps > 2 * (uint64_t)cache->used) break;
            if (!atomic_load_explicit(&frame->referenced, memory_order_relaxed)) break;
            atomic_store_explicit(&frame->referenced, 0, memory_order_relaxed);
        }
    }
    evict(frame_of(cache, *number));
    return true;
}

/* Copies a page of `size` bytes into a frame and points the slot at it. */
static void fill_frame(Cache *cache, uint32_t number, CacheSlot *slot, const uint8_t *bytes, size_t size)
{
    CacheSegment *segment =
        atomic_load_explicit(&cache->segment[number >> CACHE_SEGMENT_BITS], memory_order_relaxed);
    CacheFrame *frame = frame_of(cache, number);
    _Atomic(uint64_t) *words = segment->words[number & (CACHE_SEGMENT_FRAMES - 1)];
    for (size_t i = 0; i < size / 8; i++, bytes += 8) {
        uint64_t word = 0; /* little-endian; compilers turn this into one load */
        for (int k = 0; k < 8; k++) word |= (uint64_t)bytes[k] << 8 * k;
        atomic_store_explicit(&words[i], word, memory_order_relaxed);
    }
    frame->owner = slot;
    atomic_store_explicit(&frame->referenced, 0, memory_order_relaxed);
    uint64_t generation = atomic_load_explicit(&frame->generation, memory_order_relaxed);
    atomic_store_explicit(slot, generation << 32 | number, memory_order_release);
}

void cache_insert(Cache *cache, CacheSlot *slots, const uint8_t *block, size_t size,
                  unsigned page_bits)
{
    size_t page = (size_t)1 << page_bits;
    assert(page_bits <= CACHE_PAGE_BITS && size % page == 0);
    mutex_lock(&cache->mutex);
    for (size_t at = 0; at < size; at += page, slots++) {
        uint32_t number;
        /* Another thread may have unpacked the same block first. */
        if (atomic_load_explicit(slots, memory_order_relaxed) >= CACHE_COUNTS) continue;
        if (!take_frame(cache, &number)) break;
        fill_frame(cache, number, slots, block + at, page);
    }
    mutex_unlock(&cache->mutex);
}

bool cache_copy(const Cache *cache, CacheSlot *slot, uint8_t out[CACHE_PAGE_SIZE])
{
    uint64_t named = atomic_load_explicit(slot, memory_order_acquire);
    if (named < CACHE_COUNTS) return false;
    uint32_t number = (uint32_t)named, within = number & (CACHE_SEGMENT_FRAMES - 1);
    CacheSegment *segment =
        atomic_load_explicit(&cache->segment[number >> CACHE_SEGMENT_BITS], memory_order_relaxed);
    CacheFrame *frame = &segment->frame[within];
    for (size_t i = 0; i < CACHE_PAGE_WORDS; i++) {
        uint64_t word = atomic_load_explicit(&segment->words[within][i], memory_order_relaxed);
        for (int k = 0; k < 8; k++) out[8 * i + (size_t)k] = (uint8_t)(word >> 8 * k);
    }
    /* The order is explained in cache_read. */
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&frame->generation, memory_order_relaxed) != named >> 32) return false;
    if (!atomic_load_explicit(&frame->referenced, memory_order_relaxed))
        atomic_store_explicit(&frame->referenced, 1, memory_order_relaxed);
    return true;
}

/* Unpacking a page takes 10 to 20 us. Decoding a single value takes about 0.3 us more than reading
 * it from an unpacked page. While the cache is not full a page is unpacked early (EARLY), later
 * only if it replaces another page with good reason (LATE). */
bool cache_count(Cache *cache, CacheSlot *slot)
{
    enum { EARLY = 4, LATE = 48 };
    uint64_t count = atomic_load_explicit(slot, memory_order_relaxed) + 1;
    uint32_t limit = atomic_load_explicit(&cache->limit, memory_order_relaxed);
    if (limit == 0) return false;
    if (count > LATE) return count < CACHE_COUNTS; /* if not, another thread has filled the slot */
    bool room = atomic_load_explicit(&cache->used, memory_order_relaxed) < limit;
    if (room && count >= EARLY) return true;
    /* If several threads count at the same time some counts may be lost. A page must never be:
     * hence the exchange. */
    uint64_t before = count - 1;
    atomic_compare_exchange_strong_explicit(slot, &before, count, memory_order_relaxed,
                                            memory_order_relaxed);
    return false;
}

/* Releases the memory of the pages of frames `from` .. `to` - 1 to the system. */
static void release(Cache *cache, uint32_t from, uint32_t to)
{
    while (from < to) {
        uint32_t within = from & (CACHE_SEGMENT_FRAMES - 1), count = CACHE_SEGMENT_FRAMES - within;
        if (count > to - from) count = to - from;
        CacheSegment *segment =
            atomic_load_explicit(&cache->segment[from >> CACHE_SEGMENT_BITS], memory_order_relaxed);
        system_pages_drop(segment->words[within], (size_t)count * CACHE_PAGE_SIZE);
        from += count;
    }
}

void cache_set_limit(Cache *cache, uint64_t bytes)
{
    mutex_lock(&cache->mutex);
    cache->limit = limit_of(bytes);
    if (cache->used > cache->limit) {
        for (uint32_t i = cache->limit; i < cache->used; i++) evict(frame_of(cache, i));
        release(cache, cache->limit, cache->used);
        cache->used = (uint32_t)cache->limit;
        cache->hand = 0;
    }
    mutex_unlock(&cache->mutex);
}

void cache_sizes(Cache *cache, uint64_t *limit, uint64_t *used)
{
    mutex_lock(&cache->mutex);
    *limit = (uint64_t)cache->limit << CACHE_PAGE_BITS;
    *used = (uint64_t)cache->used << CACHE_PAGE_BITS;
    mutex_unlock(&cache->mutex);
}
