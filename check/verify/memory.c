/* memory.c - see memory.h. */
#include "check/verify/memory.h"

#include <stdlib.h>

#include "core/system/machine.h"
#include "core/system/system.h"
#include "core/system/tool.h"

enum {
    LITTLE = 16 << 20, /* bytes; freeing less is not worth a reclaim */
    MUCH = 256 << 20,  /* bytes; at most this much is kept free */
    TOUCHED = 32
              /* bytes; usually a thread touches at most this much between two calls of
         * verify_memory_reclaim */
              << 20
};

struct VerifyArea {
    void *at;
    uint64_t bytes;
    bool memo; /* anonymous memory; otherwise the pages belong to a file */
};

void verify_memory_open(VerifyMemory *memory, uint64_t limit)
{
    memory->limit = limit;
    memory->held_file = machine_held_open();
    memory->page_bytes = system_page();
}

void verify_memory_close(VerifyMemory *memory)
{
    if (memory->held_file >= 0) system_close(memory->held_file);
    free(memory->area);
}

bool verify_claim(VerifyMemory *memory, uint64_t bytes)
{
    bool claimed = false;
#pragma omp critical(verify_claim)
    if (memory->used <= memory->limit && bytes <= memory->limit - memory->used) {
        memory->used += bytes;
        claimed = true;
    }
    return claimed;
}

void verify_release(VerifyMemory *memory, uint64_t bytes)
{
#pragma omp critical(verify_claim)
    memory->used -= bytes;
}

static bool add(VerifyMemory *memory, const void *at, uint64_t bytes, bool memo)
{
    bool added = false;
#pragma omp critical(verify_reclaim)
    {
        VerifyArea *grown = realloc(memory->area, (memory->areas + 1) * sizeof *grown);
        if (grown != NULL) {
            memory->area = grown;
            grown[memory->areas++] = (VerifyArea){(void *)(uintptr_t)at, bytes, memo};
            atomic_fetch_add(&memory->reclaimable, bytes);
            added = true;
        }
    }
    return added;
}

bool verify_reclaimable_add(VerifyMemory *memory, const void *at, uint64_t bytes)
{
    return at == NULL || add(memory, at, bytes, false);
}

void *verify_reclaimable_new(VerifyMemory *memory, uint64_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX) return NULL;
    void *at = tool_map(-1, 0, bytes);
    if (at == NULL) return NULL;
    if (add(memory, at, bytes, true)) return at;
    tool_unmap(at, bytes);
    return NULL;
}

void verify_reclaimable_free(void *at, uint64_t bytes)
{
    if (at != NULL) tool_unmap(at, bytes);
}

/* Returns the number of bytes that the process holds in memory; 0 if the system does not say. */
static uint64_t resident_bytes(const VerifyMemory *memory)
{
    uint64_t all, mapped;
    return machine_held(memory->held_file, &all, &mapped) ? all : 0;
}

void verify_claim_held(VerifyMemory *memory)
{
    uint64_t bytes = resident_bytes(memory), most = memory->limit / 4;
    verify_claim(memory, bytes < most ? bytes : most);
}

/* Whether the process holds too much memory. An eighth of the limit is kept free for what is
 * touched until the next call. If a reclaim frees little, because most of the memory is not
 * reclaimable, it is not repeated at once. If there is space left, sets how many of the next calls
 * need not check. */
static bool too_much(VerifyMemory *memory)
{
    uint64_t eighth = memory->limit / 8 < MUCH ? memory->limit / 8 : MUCH;
    uint64_t most = memory->limit - eighth, rest = atomic_load(&memory->held_least);
    uint64_t little = memory->limit / 16 < LITTLE ? LITTLE : memory->limit / 16;
    if (most < rest + little) most = rest + little;
    uint64_t held = resident_bytes(memory);
    if (held <= most) atomic_store(&memory->skips, (int64_t)((most - held) / TOUCHED));
    return held > most;
}

void verify_memory_reclaim(VerifyMemory *memory)
{
    uint64_t used = memory->used < memory->limit ? memory->limit - memory->used : 0;
    if (atomic_load_explicit(&memory->reclaimable, memory_order_relaxed) <= used) return;
    if (atomic_fetch_sub(&memory->skips, 1) > 0 || !too_much(memory)) return;
#pragma omp critical(verify_reclaim)
    if (too_much(memory)) {
        for (size_t i = 0; i < memory->areas; i++) {
            const VerifyArea *area = &memory->area[i];
            (area->memo ? tool_map_discard : tool_map_release)(area->at, area->bytes);
        }
        atomic_store(&memory->held_least, resident_bytes(memory));
    }
}
