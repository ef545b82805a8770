/* learn.h - the symbols of a code, and what they cost, learned from a sample. Private to code/ and
 * export/. */
#ifndef TREB_GEN_COMPRESS_LEARN_H
#define TREB_GEN_COMPRESS_LEARN_H

#include "core/system/stop.h"
#include "gen/compress/cell_ranges.h"
#include "gen/compress/values.h"

typedef struct Learned {
    CodeLimits limits;  /* given, */
    ParseEffort effort; /* and how cells are to be cut */
    bool present[ENCODE_VALUES];
    RunValues values;
    Pairs pairs;
    uint32_t cost[CODE_SYMBOLS_MAX]; /* by symbol, in bits / PARSE_BIT */
} Learned;

/* Adds up how often each cell is there. */
void learn_count(Stretch cells, uint64_t times[256]);

/* Which values there are, and which are the most frequent. */
void learn_values(Learned *learned, const uint64_t times[256]);

/* What follows returns false if memory runs out. */

/* Symbols of some runs, once and as they come: for an estimate. */
bool learn_once(Learned *learned, const RunList *list);

typedef struct LearnOptions {
    MemoryBudget *budget;
    int threads;
    uint64_t part;  /* one in so many cells is in the sample */
    uint32_t least; /* times that a pair must be in it to be a symbol */
    /* So many uses of a symbol are put down to chance: it was learned where they are. */
    uint32_t chance;
    const atomic_bool *stop; /* NULL allowed */
} LearnOptions;

/* Symbols of a sample, and of those the ones that are worth their place. `list`: its runs; changed. False also
 * when it was asked to stop. */
bool learn(Learned *learned, CellRanges *sample, RunList *list, const LearnOptions *options);

/* Cuts cells into the symbols, and counts how often each is used. */
bool learned_cut(Learned *learned, CellRanges *ranges, MemoryBudget *budget, int threads);

#endif
