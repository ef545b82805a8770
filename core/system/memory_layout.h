/* memory_layout.h - places several arrays one behind another in one block of memory.
 *
 * A function that places its arrays is called twice: first with base NULL, to find the size of the
 * block, then with the block as base. Each array begins at a multiple of 64 bytes. Between two
 * arrays there is a gap: otherwise, in arrays whose size is a power of two, equal cells would fall
 * into the same place of the processor's caches, which nearly doubles the time to list captures. */
#ifndef TREB_CORE_SYSTEM_MEMORY_LAYOUT_H
#define TREB_CORE_SYSTEM_MEMORY_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum { MEMORY_LAYOUT_GAP = 5 * 64 };

typedef struct MemoryLayout {
    uint8_t *base; /* the block; NULL while its size is being found */
    size_t size;   /* bytes placed so far, with the gaps */
} MemoryLayout;

/* Places an array of `bytes` bytes. Returns its address, or NULL if base is NULL. */
static inline void *memory_layout_place(MemoryLayout *layout, size_t bytes)
{
    void *at = layout->base != NULL ? layout->base + layout->size : NULL;
    layout->size += ((bytes + 63) & ~(size_t)63) + MEMORY_LAYOUT_GAP;
    return at;
}

#endif
