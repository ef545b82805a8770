/* optimal_parse.h - the data that parse.c prepares and optimal_parse.c searches. Private to these two
 * files and their tests. parse.c explains the method. */
#ifndef TREB_GEN_COMPRESS_OPTIMAL_PARSE_H
#define TREB_GEN_COMPRESS_OPTIMAL_PARSE_H

#include "gen/compress/parse.h"

enum {
    WINDOW = 1 << 13,   /* cells of a window */
    MARGIN = 1 << 9,    /* cells at the end of a window: the symbols found there are not final */
    NO_SYMBOL = 0xffff, /* no symbol ends here */
    NO_ID = 0xff,       /* the id of no value */
    COST_MOST = 0x7fff, /* the highest cost in Edge.cost */
    LAST = 0x8000,      /* bit in Edge.cost: the last edge of its group */
    SHORT = 63,         /* the longest run that has a bit in Group.lengths */
    WIDTH = RUNS_SHIFT + 1, /* the most ends that a run may have */
    AHEAD = 2               /* number of runs ahead in which a better path is looked for */
};

/* The limits of the search for one ParseEffort. Costs are in bits / PARSE_BIT. */
typedef struct EffortLimits {
    uint32_t ends;   /* the most ends of a run that are tried */
    uint32_t slack;  /* the most that an end may cost more than the best end */
    int32_t behind;  /* the most that a path may cost more than a path that is further on; if it
                      * is below 0, a path is given up that costs only that much less */
} EffortLimits;

/* An edge of the tree of symbols: it appends a run to the runs on the way from the root. */
typedef struct Edge {
    uint64_t values; /* bits of id % 64, for the values of the next run of longer symbols */
    uint32_t groups; /* Parser.branch: the first group of edges for that next run */
    uint16_t cost;   /* cost of the symbol that ends here, and the bit LAST */
    uint16_t symbol; /* the symbol that ends here, or NO_SYMBOL */
} Edge;

/* The edges from one node whose runs have one value, the shortest run first. */
typedef struct Group {
    uint64_t lengths; /* bits 1 to 63: the lengths of the runs; bit 0: there are longer runs */
    uint32_t first;   /* Parser.branch: the first edge */
    uint8_t id;       /* id of the value */
    bool last;        /* whether it is the last group from its node */
} Group;

/* An element of the tree. The nodes are one after another. Of each node first the groups are listed and
 * then their edges, so that a group and its edges are mostly in one line of the processor's cache. */
typedef union Branch {
    Group group;
    Edge edge;
} Branch;

/* The runs of a symbol: `count` elements of SymbolRunsTable.run, from `first` on. */
typedef struct SymbolRuns {
    uint32_t first, count;
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

/* The builds of optimal_parse.c for different processors. Each does the work of parse_stretch, and all
 * find identical symbols. */
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
    /* By value: its id, a number from 0 to `values` - 1. The arrays below are by id. */
    uint8_t id[ENCODE_VALUES];
    uint32_t lengths[ENCODE_VALUES];         /* the item lengths (powers of two), added up */
    uint16_t longest[ENCODE_VALUES];         /* cells of the longest symbol that has one run only */
    uint16_t longest_symbol[ENCODE_VALUES];  /* this symbol */
    uint16_t (*run_cost)[2 * PAIRS_LONGEST]; /* by length: the estimated cost of a run */
    Edge (*root)[PAIRS_LONGEST + 1]; /* by length: the edge from the root with such a run */
    Branch *branch;                  /* the tree */
    uint16_t *edge_length;           /* by branch that is an edge: the length of its run */
    EffortLimits limits;
    uint32_t symbol_cost;        /* the average cost of a symbol */
    OptimalParse *optimal_parse; /* the build for this processor */
};

/* A run of a window, and the ends that are tried. */
typedef struct ParseSegment {
    uint16_t least; /* the first possible end: a cell of the window */
    uint16_t end;   /* the best end */
    uint16_t most;  /* the last end that is tried */
    uint16_t ends;  /* bits of the ends that are tried; bit 0 is `least` */
    uint8_t id;     /* id of its value */
} ParseSegment;

struct ParseBuffer {
    uint64_t path[WINDOW + 1]; /* the best path to each cell: cost << 32 | its last symbol */
    uint64_t reached[WINDOW / 64 + 1]; /* bits of the cells that a path leads to */
    FlexibleRun flexible[WINDOW];
    ParseSegment run[WINDOW + AHEAD];
    uint32_t estimate[WINDOW + AHEAD];     /* by run: the estimated cost of a path to its end */
    uint32_t reached_cost[WINDOW + AHEAD]; /* by run: the lowest cost so far of a path to its end */
    uint32_t runs;                         /* number of runs in the window */
    uint16_t token[WINDOW];                /* the symbols of the best path, the last one first */
};

/* Returns log2 of the length of the first item in a run of `length` cells. `lengths`: Parser.lengths
 * of its value. */
static inline uint32_t level_of(uint32_t lengths, uint32_t length)
{
    uint32_t all = (UINT32_C(2) << (31 - __builtin_clz(length))) - 1;
    return 31 - (uint32_t)__builtin_clz(lengths & all);
}

#endif
