/* mate50_functions.c - see mate50_functions.h.
 *
 * Steps are kept in chunks that never move, so that threads may read while others add. A hash table,
 * which one thread uses at a time, finds them. */
#include <stdlib.h>

#include "check/verify/mate50_functions.h"
#include "core/system/hash.h"

enum {
    CHUNK_BITS = 14,
    CHUNK_STEPS = 1 << CHUNK_BITS,
    CHUNKS = 1 << 16,
    FIRST_SLOTS = 1 << 12
};

struct Mate50Functions {
    VerifyMemory *memory;
    uint64_t claimed, more; /* bytes that are claimed and not used; that were claimed since */
    Mate50Step *chunk[CHUNKS];
    uint32_t count; /* steps; step 0 is none */
    uint32_t *slot; /* hash table of numbers; 0: empty */
    uint32_t slots;
};

uint64_t mate50_functions_bytes(uint64_t count)
{
    /* At most half of the slots are full, and while they double the former ones are there too. */
    return (count / CHUNK_STEPS + 1) * CHUNK_STEPS * sizeof(Mate50Step) +
           (FIRST_SLOTS + 6 * count) * sizeof(uint32_t);
}

static void *new_memory(Mate50Functions *f, size_t count, size_t size)
{
    const uint64_t bytes = (uint64_t)count * size;
    const uint64_t more = bytes > f->claimed ? bytes - f->claimed : 0;
    if (!verify_claim(f->memory, more)) return NULL;
    f->more += more;
    f->claimed += more;
    void *memory = calloc(count, size);
    if (memory != NULL) f->claimed -= bytes;
    return memory;
}

static const Mate50Step *step_at(const Mate50Functions *f, uint32_t number)
{
    return &f->chunk[number >> CHUNK_BITS][number & (CHUNK_STEPS - 1)];
}

const Mate50Step *mate50_functions_step(const Mate50Functions *f, uint32_t number)
{
    return step_at(f, number);
}

/* Returns the slot that has a step, or the empty one where it belongs. */
static uint32_t *slot_of(const Mate50Functions *f, const Mate50Step *step)
{
    uint64_t at =
        hash_mix((uint64_t)step->before << 32 | (uint32_t)step->within << 16 | step->delay);
    for (;; at++) {
        uint32_t *slot = &f->slot[at & (f->slots - 1)];
        if (*slot == 0) return slot;
        const Mate50Step *there = step_at(f, *slot);
        if (there->before == step->before && there->within == step->within &&
            there->delay == step->delay)
            return slot;
    }
}

/* Doubles the hash table. */
static bool grow(Mate50Functions *f)
{
    uint32_t *old = f->slot, slots = f->slots;
    uint32_t *slot = new_memory(f, 2 * (size_t)slots, sizeof *f->slot);
    if (slot == NULL) return false;
    f->slot = slot;
    f->slots = 2 * slots;
    for (uint32_t i = 0; i < slots; i++)
        if (old[i] != 0) *slot_of(f, step_at(f, old[i])) = old[i];
    f->claimed += slots * sizeof *old;
    free(old);
    return true;
}

static uint32_t append(Mate50Functions *f, const Mate50Step *step)
{
    Mate50Step **chunk = &f->chunk[f->count >> CHUNK_BITS];
    if (f->count >> CHUNK_BITS >= CHUNKS - 1) return MATE50_NO_NUMBER;
    if (*chunk == NULL) *chunk = new_memory(f, CHUNK_STEPS, sizeof **chunk);
    if (*chunk == NULL) return MATE50_NO_NUMBER;
    (*chunk)[f->count & (CHUNK_STEPS - 1)] = *step;
    return f->count++;
}

static uint32_t find_or_add(Mate50Functions *f, const Mate50Step *step)
{
    if (2 * (uint64_t)f->count >= f->slots && !grow(f)) return MATE50_NO_NUMBER;
    uint32_t *slot = slot_of(f, step);
    if (*slot != 0) return *slot;
    const uint32_t number = append(f, step);
    if (number != MATE50_NO_NUMBER) *slot = number;
    return number;
}

Mate50Functions *mate50_functions_new(VerifyMemory *memory, uint64_t claimed)
{
    Mate50Functions *f = calloc(1, sizeof *f);
    if (f == NULL) return NULL;
    f->memory = memory;
    f->claimed = claimed;
    f->count = 1; /* Number 0 is that of no step. */
    f->slots = FIRST_SLOTS;
    f->slot = new_memory(f, f->slots, sizeof *f->slot);
    if (f->slot != NULL) return f;
    mate50_functions_free(f);
    return NULL;
}

void mate50_functions_free(Mate50Functions *f)
{
    if (f == NULL) return;
    verify_release(f->memory, f->more);
    for (int i = 0; i < CHUNKS; i++) free(f->chunk[i]);
    free(f->slot);
    free(f);
}

static uint32_t number_of(Mate50Functions *f, const Mate50Distances *of,
                          const int delay[MATE50_CLOCKS])
{
    uint32_t number = MATE50_NO_DELAY;
    int last = 0;
    for (int left = of->dtz; left < mate50_end(of) && number != MATE50_NO_NUMBER; left++) {
        if (delay[left] == last) continue;
        const int within = left == of->dtz ? (int)MATE50_FROM_DTZ : of->dtm - left;
        last = delay[left];
        number = find_or_add(f, &(Mate50Step){number, (uint16_t)within, (uint16_t)last});
    }
    return number;
}

uint32_t mate50_functions_number(Mate50Functions *f, const Mate50Distances *of,
                                 const int delay[MATE50_CLOCKS])
{
    uint32_t number;
#pragma omp critical(functions)
    number = number_of(f, of, delay);
    return number;
}
