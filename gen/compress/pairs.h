/* pairs.h - the symbols of a code: each stands for two others, or for a value. Private to code/.
 *
 * They are learned as Re-Pair does it (Larsson and Moffat): again and again, the pair of symbols
 * that is the most frequent becomes a symbol. */
#ifndef TREB_GEN_COMPRESS_PAIRS_H
#define TREB_GEN_COMPRESS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/compress/code_limits.h"
#include "gen/compress/runs.h"
#include "gen/compress/values.h"

enum { PAIRS_LONGEST = CODE_VALUES_MAX /* values that a symbol stands for, at most */ };

/* A symbol comes behind those that it stands for. The first `values` stand for a value. */
typedef struct Pairs {
    unsigned count, values;
    uint16_t left[CODE_SYMBOLS_MAX]; /* a symbol, or the value */
    uint16_t right[CODE_SYMBOLS_MAX];
    uint16_t length[CODE_SYMBOLS_MAX]; /* how many values it stands for */
    uint64_t used[CODE_SYMBOLS_MAX];   /* how often, in what it was learned from */
    /* How often a run was there, by value and length; those that are longer come last. */
    uint32_t runs[ENCODE_VALUES][PAIRS_LONGEST + 2];
} Pairs;

/* What is to be learned. */
typedef struct PairsParams {
    const bool *present; /* by value, whether it needs a symbol */
    uint32_t least;      /* times that a pair is there to become a symbol */
    unsigned most;       /* symbols, unless there are more values */
} PairsParams;

/* Learns symbols from runs. False: out of memory. */
bool pairs_learn(Pairs *pairs, const Run *runs, size_t count, const PairsParams *params);

/* Takes away symbols that are marked and that no other one needs. */
void pairs_drop(Pairs *pairs, const bool *drop);

#endif
