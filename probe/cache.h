/* cache.h - unpacked table bytes in memory, shared by all threads of a set.
 *
 * The unit is a page of 4 KiB, whatever the size of the blocks that tables are packed in: a block
 * that was unpacked is cut into pages, and each is kept or dropped on its own merits. So one pool
 * of equal frames serves all tables, and a page that is often read stays while the rest of its
 * block goes.
 *
 * A table has a slot for each of its pages. A slot is 0, or the number of a frame in the low 32
 * bits and that frame's generation in the high ones. Readers take no lock: they load the slot, the
 * byte, and then the frame's generation. If that is still the slot's, the frame had not begun to
 * be refilled when the byte was read (see cache_read). All bytes are read and written as relaxed
 * atomic words, so a reader that loses the race reads nonsense and discards it, without undefined
 * behaviour. Memory of frames is given back to the system when the budget shrinks, but its
 * addresses stay reserved until the end, so that a late reader finds zeros and no fault.
 *
 * Where a single value can be had without unpacking the page it is in, that is done at first: the
 * slot then counts how often (below CACHE_COUNTS, and no frame's generation is 0), and the page is
 * unpacked when that has cost about as much.
 *
 * Frames are chosen for refilling by the second-chance rule, under a mutex that only misses take.
 */
#ifndef TREB_PROBE_CACHE_H
#define TREB_PROBE_CACHE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CACHE_PAGE_BITS = 12,
    CACHE_PAGE_SIZE = 1 << CACHE_PAGE_BITS,
    CACHE_PAGE_WORDS = CACHE_PAGE_SIZE / 8,
    CACHE_SEGMENT_BITS = 14, /* log2 of the frames of a segment: 64 MiB */
    CACHE_SEGMENT_FRAMES = 1 << CACHE_SEGMENT_BITS,
    CACHE_SEGMENTS_MAX = 4096
};

#define CACHE_COUNTS (UINT64_C(1) << 32) /* what is less names no frame */

typedef _Atomic uint64_t CacheSlot;

typedef struct CacheFrame {
    _Atomic uint32_t generation; /* changes before the bytes do; never 0 in a slot */
    _Atomic uint8_t referenced;  /* read since the hand last came by */
    CacheSlot *owner;            /* the slot that names the frame; under the mutex */
} CacheFrame;

typedef struct CacheSegment {
    _Atomic uint64_t words[CACHE_SEGMENT_FRAMES][CACHE_PAGE_WORDS];
    CacheFrame frame[CACHE_SEGMENT_FRAMES];
} CacheSegment;

typedef struct Cache {
    pthread_mutex_t mutex;
    _Atomic uint32_t limit; /* frames that may be used; written, as the next two, under the mutex */
    _Atomic uint32_t used;  /* frames 0 .. used - 1 hold pages */
    uint32_t hand;
    _Atomic(CacheSegment *) segment[CACHE_SEGMENTS_MAX]; /* reserved when first needed */
} Cache;

bool cache_init(Cache *cache, uint64_t bytes);
void cache_destroy(Cache *cache);

void cache_set_limit(Cache *cache, uint64_t bytes);
void cache_sizes(Cache *cache, uint64_t *limit, uint64_t *used); /* bytes */

/* Puts the pages of an unpacked block of `size` bytes, a multiple of 2^page_bits, into slots[0],
 * slots[1], ..., as far as they are not there and there is room. */
void cache_insert(Cache *cache, CacheSlot *slots, const uint8_t *block, size_t size,
                  unsigned page_bits);

/* Copies all of a page of CACHE_PAGE_SIZE. False if it is not in the cache. */
bool cache_copy(const Cache *cache, CacheSlot *slot, uint8_t out[CACHE_PAGE_SIZE]);

/* Counts that a value of a page was had without the page. True: now it is worth unpacking. */
bool cache_count(Cache *cache, CacheSlot *slot);

/* Reads the byte at `at` of a page, and if that is even the one behind it as bits 8 to 15. False
 * if the page is not in the cache. */
static inline bool cache_read(const Cache *cache, CacheSlot *slot, unsigned at, unsigned *out)
{
    uint64_t named = atomic_load_explicit(slot, memory_order_acquire);
    if (named < CACHE_COUNTS) return false;
    uint32_t number = (uint32_t)named, within = number & (CACHE_SEGMENT_FRAMES - 1);
    /* Not null: the segment was there before the slot named one of its frames. */
    CacheSegment *segment =
        atomic_load_explicit(&cache->segment[number >> CACHE_SEGMENT_BITS], memory_order_relaxed);
    CacheFrame *frame = &segment->frame[within];
    uint64_t word = atomic_load_explicit(&segment->words[within][at >> 3], memory_order_relaxed);
    /* Pairs with the fence of the refill: who has read one of its words sees its generation. */
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&frame->generation, memory_order_relaxed) != named >> 32) return false;
    /* Written only where it changes something, or the line would travel between the cores. */
    if (!atomic_load_explicit(&frame->referenced, memory_order_relaxed))
        atomic_store_explicit(&frame->referenced, 1, memory_order_relaxed);
    *out = (unsigned)(word >> (at & 7) * 8) & 0xffff;
    return true;
}

#endif
