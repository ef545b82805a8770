/* learn.h - learns the symbols of a code and their costs from a sample. Private to gen/compress and
 * gen/syzygy. */
#ifndef TREB_GEN_COMPRESS_LEARN_H
#define TREB_GEN_COMPRESS_LEARN_H

#include "core/system/stop.h"
#include "gen/compress/cell_ranges.h"
#include "gen/compress/values.h"

typedef struct Learned {
    CodeLimits limits;               /* set by the caller */
    ParseEffort effort;              /* set by the caller: how thoroughly learned_cut searches */
    bool present[ENCODE_VALUES];     /* by value: whether it needs a symbol */
    RunValues values;                /* how to choose the value of a cell that allows several */
    Pairs pairs;                     /* the symbols, with their numbers of uses */
    uint32_t cost[CODE_SYMBOLS_MAX]; /* by symbol, in bits / PARSE_BIT */
} Learned;

/* Counts the cells by their byte and adds the counts to `times`. */
void learn_count(Stretch cells, uint64_t times[256]);

/* Sets `present` and `values` from the counts of cells; learned->limits must be set. */
void learn_values(Learned *learned, const uint64_t times[256]);

/* The functions below return false if memory runs out. */

/* Learns the symbols of some runs in one pass, without dropping any. For estimates. */
bool learn_once(Learned *learned, const RunList *list);

typedef struct LearnOptions {
    MemoryBudget *budget;
    int threads;
    uint64_t part;  /* the sample has one in `part` cells of the array */
    uint32_t least; /* a pair becomes a symbol only if it occurs this often in the sample */
    /* Number of uses to subtract from the count of each symbol when its worth is judged. The counts are
     * too high, because the symbols were learned from the cells in which they are counted. */
    uint32_t chance;
    const atomic_bool *stop; /* when it becomes true, learn() returns false soon; may be NULL */
} LearnOptions;

/* Learns the symbols of a sample, and drops those that save fewer bits than they take in the file.
 * `list`: the runs of the sample; its contents are overwritten. Also returns false if the caller asked
 * to stop. */
bool learn(Learned *learned, CellRanges *sample, RunList *list, const LearnOptions *options);

/* Cuts cells into the learned symbols, and sets pairs.used to the number of uses of each symbol. */
bool learned_cut(Learned *learned, CellRanges *ranges, MemoryBudget *budget, int threads);

#endif
