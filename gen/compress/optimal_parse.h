/* ways.h - what parse.c makes of the symbols, and ways.c looks at cell by cell. For these two, and their tests. */
#ifndef TREB_GEN_COMPRESS_OPTIMAL_PARSE_H
#define TREB_GEN_COMPRESS_OPTIMAL_PARSE_H

#include "gen/compress/parse.h"

enum {
    WINDOW = 1 << 13,
    MARGIN = 1 << 9, /* at the end of a window: what is found there is not final */
    NO_SYMBOL = 0xffff,
    NO_ID = 0xff, /* of no value */
    COST_MOST = 0x7fff,
    LAST = 0x8000,
    SHORT = 63, /* lengths of which a group has bits */
    WIDTH = RUNS_SHIFT + 1,
    AHEAD = 2 /* runs ahead in which there may be a better way */
};

/* How many ends of a run are tried at most, and how much more they may cost than the best; and what
 * a way may cost more than one further on: in bits / PARSE_BIT. By effort. */
typedef struct EffortLimits {
    uint32_t ends, slack, behind;
} EffortLimits;

/* A way on in the tree of symbols: a run of some cells more. */
typedef struct Edge {
    uint64_t values; /* bits of the ids % 64 of values that longer symbols go on with */
    uint32_t groups; /* the first of those */
    uint16_t cost;   /* of the symbol that ends here; LAST: of its group */
    uint16_t symbol; /* or NO_SYMBOL */
} Edge;

/* Edges with the same value from one place, the shorter first. */
typedef struct Group {
    uint64_t lengths; /* bits 1 to 63: those that there are; bit 0: there are longer ones */
    uint32_t first;   /* edge */
    uint8_t id;       /* of the value */
    bool last;        /* from that place */
} Group;

/* A symbol as runs. */
typedef struct SymbolRuns {
    uint32_t first, count; /* of SymbolRunsTable.run */
} SymbolRuns;

typedef struct SymbolRun {
    uint16_t length;
    uint8_t id;
} SymbolRun;

typedef struct SymbolRunsTable {
    SymbolRuns symbol[CODE_SYMBOLS_MAX];
    SymbolRun *run;
    size_t count, capacity;
} SymbolRunsTable;

/* Builds of ways.c, each of which is parse_stretch: all find the same symbols. */
typedef size_t OptimalParse(const Parser *parser, ParseBuffer *buffer, Stretch stretch,
                            uint16_t *tokens);
OptimalParse optimal_parse_portable;
#if defined(__x86_64__)
OptimalParse optimal_parse_avx2;
#endif

struct Parser {
    const Pairs *pairs;
    const RunValues *run_values;
    unsigned values;
    SymbolRunsTable *symbol_runs;
    uint8_t id[ENCODE_VALUES];       /* by value; what follows is by id */
    uint32_t lengths[ENCODE_VALUES]; /* the sum of those that items have */
    uint16_t longest[ENCODE_VALUES]; /* symbol of one value, in cells */
    uint16_t longest_symbol[ENCODE_VALUES];
    uint16_t (*run_cost)[2 * PAIRS_LONGEST]; /* about what a run costs, by its length */
    uint64_t (*parts)[SHORT + 1]; /* bits: how long the first items of a run are, by its length */
    Edge (*root)[PAIRS_LONGEST + 1]; /* where symbols begin, by the length of the first run */
    Edge *edge;                      /* all of them */
    uint16_t *edge_length;
    Group *group;
    EffortLimits limits;
    uint32_t symbol_cost;        /* on average */
    OptimalParse *optimal_parse; /* for this processor */
};

/* A run, and where it may end: bits of the cells from `least` on; `end` is the best of them, and
 * `most` the last. */
typedef struct ParseSegment {
    uint16_t least, end, most;
    uint16_t ends;
    uint8_t id;
} ParseSegment;

struct ParseBuffer {
    uint64_t path[WINDOW + 1];         /* to a cell: cost << 32 | the last symbol */
    uint64_t reached[WINDOW / 64 + 1]; /* bits of cells that there is a way to */
    FlexibleRun flexible[WINDOW];
    ParseSegment run[WINDOW + AHEAD];
    uint32_t estimate[WINDOW + AHEAD];     /* about what it costs to come to the end of a run */
    uint32_t reached_cost[WINDOW + AHEAD]; /* what it costs */
    uint32_t runs;
    uint16_t token[WINDOW]; /* the last first */
};

/* log2 of the first item's length in a run of `length`. */
static inline uint32_t level_of(uint32_t lengths, uint32_t length)
{
    uint32_t all = (UINT32_C(2) << (31 - __builtin_clz(length))) - 1;
    return 31 - (uint32_t)__builtin_clz(lengths & all);
}

#endif
