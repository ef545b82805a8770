/* pairs.h - learns the symbols of a code. A symbol stands for one value, or for a pair of two other
 * symbols. Private to gen/compress and gen/syzygy.
 *
 * The method is Re-Pair (Larsson and Moffat): the most frequent pair of neighbouring symbols becomes
 * a new symbol, and this step is repeated. */
#ifndef TREB_GEN_COMPRESS_PAIRS_H
#define TREB_GEN_COMPRESS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/compress/code_limits.h"
#include "gen/compress/runs.h"
#include "gen/compress/values.h"

enum { PAIRS_LONGEST = CODE_VALUES_MAX /* the most values that a symbol may stand for */ };

/* The symbols, `count` of them. The first `values` symbols stand for one value each. Any other symbol
 * has a higher number than the two symbols of its pair. */
typedef struct Pairs {
    unsigned count, values;
    uint16_t left[CODE_SYMBOLS_MAX];   /* the first symbol of the pair, or the value */
    uint16_t right[CODE_SYMBOLS_MAX];  /* the second symbol of the pair, or CODE_LEAF */
    uint16_t length[CODE_SYMBOLS_MAX]; /* number of values that the symbol stands for */
    uint64_t used[CODE_SYMBOLS_MAX];   /* number of uses in the cells that were counted */
    /* Number of runs, by value and length. The last entry counts all runs longer than PAIRS_LONGEST. */
    uint32_t runs[ENCODE_VALUES][PAIRS_LONGEST + 2];
} Pairs;

/* Parameters of pairs_learn. */
typedef struct PairsParams {
    const bool *present; /* by value: whether it needs a symbol */
    uint32_t least;      /* a pair becomes a symbol only if it occurs at least this often */
    unsigned most;       /* maximum number of symbols; each value gets one even beyond it */
} PairsParams;

/* Learns symbols from `count` runs. Returns false if memory runs out. */
bool pairs_learn(Pairs *pairs, const Run *runs, size_t count, const PairsParams *params);

/* Removes the marked symbols, except symbols for a value and those that a remaining symbol needs.
 * Renumbers the remaining symbols. */
void pairs_drop(Pairs *pairs, const bool *drop);

#endif
