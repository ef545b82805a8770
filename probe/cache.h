/* cache.h - unpacked table bytes in memory, shared by all threads of a set. Private to probe/.
 *
 * The unit is a page of 4 KiB. Tables are packed in blocks of various sizes: an unpacked block is
 * cut into pages, and the cache keeps or drops each page by itself. So one pool of equal frames
 * serves all tables, and a page that is often read stays while the rest of its block is dropped.
 *
 * A table has a slot for each of its pages. A slot is 0, or the number of a frame in the low 32
 * bits and the frame's generation in the high 32 bits. Readers take no lock. They load the slot,
 * the byte, and then the frame's generation. If the generation is still that of the slot, nobody
 * had begun to refill the frame when the byte was read (see cache_read). All bytes are read and
 * written as relaxed atomic words: a reader that loses the race reads nonsense and discards it,
 * without undefined behaviour. When the budget shrinks the memory of frames is released to the
 * system, but its addresses stay reserved until the cache is destroyed, so that a late reader finds
 * zeros and does not crash.
 *
 * A table coded by symbols can decode a single value without unpacking its page. That is done at
 * first. The slot then counts how often (a slot below CACHE_COUNTS is a count, as no frame's
 * generation is 0), and the page is unpacked when single values have cost about as much as
 * unpacking would.
 *
 * Frames are chosen for refilling by the second-chance rule, under a mutex that only misses
 * take. */
#ifndef TREB_PROBE_CACHE_H
#define TREB_PROBE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/thread.h"

/* log2 of the frames of a segment. The default is 64 MiB, of which the system provides what is used. Where memory that
 * is reserved is also taken, as in WebAssembly, a build defines a smaller one. */
#ifndef TREB_CACHE_SEGMENT_BITS
#define TREB_CACHE_SEGMENT_BITS 14
#endif

enum {
    CACHE_PAGE_BITS = 12,
    CACHE_PAGE_SIZE = 1 << CACHE_PAGE_BITS,
    CACHE_PAGE_WORDS = CACHE_PAGE_SIZE / 8,
    CACHE_SEGMENT_BITS = TREB_CACHE_SEGMENT_BITS,
    CACHE_SEGMENT_FRAMES = 1 << CACHE_SEGMENT_BITS,
    CACHE_SEGMENTS_MAX = 4096
};

#define CACHE_COUNTS (UINT64_C(1) << 32) /* a slot of less than this names no frame */

typedef _Atomic(uint64_t) CacheSlot;

typedef struct CacheFrame {
    _Atomic(uint32_t) generation; /* changes before the bytes do; never 0 in a slot */
    _Atomic(uint8_t) referenced;  /* read since the hand last passed */
    CacheSlot *owner;             /* the slot that names the frame; under the mutex */
} CacheFrame;

typedef struct CacheSegment {
    _Atomic(uint64_t) words[CACHE_SEGMENT_FRAMES][CACHE_PAGE_WORDS];
    CacheFrame frame[CACHE_SEGMENT_FRAMES];
} CacheSegment;

typedef struct Cache {
    ThreadMutex mutex;
    _Atomic(uint32_t) limit; /* frames that may be used; written under the mutex, as is: */
    _Atomic(uint32_t) used;  /* frames 0 .. used - 1 hold pages */
    uint32_t hand;           /* the next frame that the second-chance rule looks at */
    _Atomic(CacheSegment *) segment[CACHE_SEGMENTS_MAX]; /* reserved when first needed */
} Cache;

/* `bytes`: the budget. False: the system cannot make a mutex. */
bool cache_init(Cache *cache, uint64_t bytes);
void cache_destroy(Cache *cache);

/* Changes the budget. Drops pages and releases their memory if there are too many. */
void cache_set_limit(Cache *cache, uint64_t bytes);

/* The budget, and how much of it is used, in bytes. */
void cache_sizes(Cache *cache, uint64_t *limit, uint64_t *used);

/* Puts the pages of an unpacked block of `size` bytes, a multiple of 2^page_bits, into slots[0],
 * slots[1], ... Pages that the cache already has are left alone. */
void cache_insert(Cache *cache, CacheSlot *slots, const uint8_t *block, size_t size,
                  unsigned page_bits);

/* Copies a whole page of CACHE_PAGE_SIZE. False if it is not in the cache. */
bool cache_copy(const Cache *cache, CacheSlot *slot, uint8_t out[CACHE_PAGE_SIZE]);

/* Counts that a value was decoded without unpacking its page. Returns true if the page is now worth
 * unpacking. */
bool cache_count(Cache *cache, CacheSlot *slot);

/* Reads the byte at offset `at` of a page and, if `at` is even, the next byte as bits 8 to 15.
 * False if the page is not in the cache. */
static inline bool cache_read(const Cache *cache, CacheSlot *slot, unsigned at, unsigned *out)
{
    uint64_t named = atomic_load_explicit(slot, memory_order_acquire);
    if (named < CACHE_COUNTS) return false;
    uint32_t number = (uint32_t)named, within = number & (CACHE_SEGMENT_FRAMES - 1);
    /* Not NULL: the segment existed before the slot named one of its frames. */
    CacheSegment *segment =
        atomic_load_explicit(&cache->segment[number >> CACHE_SEGMENT_BITS], memory_order_relaxed);
    CacheFrame *frame = &segment->frame[within];
    uint64_t word = atomic_load_explicit(&segment->words[within][at >> 3], memory_order_relaxed);
    /* Pairs with the fence in evict: a reader that has read a word of the new page sees the new
     * generation. */
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&frame->generation, memory_order_relaxed) != named >> 32) return false;
    /* Written only if it changes, else the cache line would move between the cores with every
     * read. */
    if (!atomic_load_explicit(&frame->referenced, memory_order_relaxed))
        atomic_store_explicit(&frame->referenced, 1, memory_order_relaxed);
    *out = (unsigned)(word >> (at & 7) * 8) & 0xffff;
    return true;
}

#endif
