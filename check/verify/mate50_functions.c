/* mate50_functions.c - see mate50_functions.h.
 *
 * A function is packed into words: its head, and a word for each step. Its number is the place of its
 * head. Words are kept in chunks that never move, so that threads may read while others add. A hash
 * table, which one thread uses at a time, finds the functions. */
#include <stdlib.h>
#include <string.h>

#include "check/verify/mate50_functions.h"
#include "core/system/hash.h"

enum {
    CHUNK_BITS = 16,
    CHUNK_WORDS = 1 << CHUNK_BITS,
    CHUNKS = 1 << 14,
    PLIES_BITS = 16,
    FIRST_SLOTS = 1 << 12,
    WORDS_MAX = 1 + MATE50_CLOCKS
};

struct Mate50Functions {
    uint32_t *chunk[CHUNKS];
    uint32_t used;  /* words */
    uint32_t *slot; /* hash table of numbers; 0: empty */
    uint32_t slots, count;
};

static const uint32_t *words_at(const Mate50Functions *f, uint32_t number)
{
    return &f->chunk[number >> CHUNK_BITS][number & (CHUNK_WORDS - 1)];
}

/* Packs a function. Returns the number of words. */
static unsigned pack(const Mate50Function *function, uint32_t out[WORDS_MAX])
{
    out[0] = (uint32_t)function->win << 8 | function->steps;
    for (unsigned i = 0; i < function->steps; i++)
        out[1 + i] = (uint32_t)function->left[i] << PLIES_BITS | function->plies[i];
    return 1u + function->steps;
}

static uint64_t hash_of(const uint32_t *words, unsigned count)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < count; i++) hash = hash_mix(hash ^ words[i]);
    return hash;
}

/* The number of words of a packed function. */
static unsigned words_of(const uint32_t *words) { return 1 + (words[0] & 0xff); }

/* Returns the slot that has a function, or the empty one where it belongs. */
static uint32_t *slot_of(const Mate50Functions *f, const uint32_t *words, unsigned count)
{
    uint64_t at = hash_of(words, count);
    for (;; at++) {
        uint32_t *slot = &f->slot[at & (f->slots - 1)];
        if (*slot == 0) return slot;
        if (memcmp(words_at(f, *slot), words, count * sizeof *words) == 0) return slot;
    }
}

/* Doubles the hash table. */
static bool grow(Mate50Functions *f)
{
    uint32_t *old = f->slot, slots = f->slots;
    f->slot = calloc(2 * (size_t)slots, sizeof *f->slot);
    if (f->slot == NULL) {
        f->slot = old;
        return false;
    }
    f->slots = 2 * slots;
    for (uint32_t i = 0; i < slots; i++) {
        if (old[i] == 0) continue;
        const uint32_t *words = words_at(f, old[i]);
        *slot_of(f, words, words_of(words)) = old[i];
    }
    free(old);
    return true;
}

/* Appends a packed function. Returns its number; 0 if out of memory. */
static uint32_t append(Mate50Functions *f, const uint32_t *words, unsigned count)
{
    if ((f->used & (CHUNK_WORDS - 1)) + count > CHUNK_WORDS)
        f->used = (f->used | (CHUNK_WORDS - 1)) + 1;
    uint32_t **chunk = &f->chunk[f->used >> CHUNK_BITS];
    if (f->used >> CHUNK_BITS >= CHUNKS - 1) return 0;
    if (*chunk == NULL) *chunk = malloc(CHUNK_WORDS * sizeof **chunk);
    if (*chunk == NULL) return 0;
    const uint32_t number = f->used;
    memcpy(*chunk + (number & (CHUNK_WORDS - 1)), words, count * sizeof *words);
    f->used += count;
    return number;
}

static uint32_t find_or_add(Mate50Functions *f, const uint32_t *words, unsigned count)
{
    if (2 * f->count >= f->slots && !grow(f)) return MATE50_FUNCTION_ILLEGAL;
    uint32_t *slot = slot_of(f, words, count);
    if (*slot == 0) {
        *slot = append(f, words, count);
        if (*slot == 0) return MATE50_FUNCTION_ILLEGAL;
        f->count++;
    }
    return *slot;
}

Mate50Functions *mate50_functions_new(void)
{
    Mate50Functions *f = calloc(1, sizeof *f);
    static const uint32_t draw[1] = {0};
    if (f == NULL) return NULL;
    f->slots = FIRST_SLOTS;
    f->slot = calloc(f->slots, sizeof *f->slot);
    /* The draw takes number 0, which stands for an empty slot: it is not in the hash table. */
    if (f->slot != NULL) append(f, draw, 1);
    if (f->used == 1) return f;
    mate50_functions_free(f);
    return NULL;
}

void mate50_functions_free(Mate50Functions *f)
{
    if (f == NULL) return;
    for (int i = 0; i < CHUNKS; i++) free(f->chunk[i]);
    free(f->slot);
    free(f);
}

uint32_t mate50_functions_number(Mate50Functions *f, const Mate50Function *function)
{
    uint32_t words[WORDS_MAX], number;
    if (function->steps == 0) return MATE50_FUNCTION_DRAW;
    const unsigned count = pack(function, words);
#pragma omp critical(functions)
    number = find_or_add(f, words, count);
    return number;
}

void mate50_functions_get(const Mate50Functions *f, uint32_t number, Mate50Function *out)
{
    const uint32_t *words = words_at(f, number);
    out->win = words[0] >> 8;
    out->steps = (uint8_t)words[0];
    for (unsigned i = 0; i < out->steps; i++) {
        out->left[i] = (uint8_t)(words[1 + i] >> PLIES_BITS);
        out->plies[i] = (uint16_t)words[1 + i];
    }
}

int mate50_function_of(const int value[MATE50_CLOCKS], Mate50Function *out)
{
    int last = 0;
    out->win = false;
    out->steps = 0;
    for (int left = 0; left < MATE50_CLOCKS; left++) {
        if (value[left] == last) continue;
        if (last == 0) out->win = value[left] > 0;
        const bool more =
            out->win ? value[left] > last : value[left] < 0 && (last == 0 || value[left] < last);
        if (!more) return left;
        out->left[out->steps] = (uint8_t)left;
        out->plies[out->steps++] = (uint16_t)mate50_plies(value[left]);
        last = value[left];
    }
    return 0;
}

int mate50_function_value(const Mate50Function *function, int left)
{
    int at = function->steps;
    while (at > 0 && function->left[at - 1] > left) at--;
    return at == 0 ? 0 : mate50_in(function->win, function->plies[at - 1]);
}
