/* cell_ranges.h - splits an array into ranges of cells, and cuts these into symbols in parallel.
 * Private to gen/compress and gen/syzygy. */
#ifndef TREB_GEN_COMPRESS_CELL_RANGES_H
#define TREB_GEN_COMPRESS_CELL_RANGES_H

#include "core/system/memory_budget.h"
#include "gen/compress/parse.h"

/* Consecutive cells, and the symbols that they are cut into. No symbol extends over the end. */
typedef struct CellRange {
    Stretch cells;   /* owned by the caller */
    uint16_t *token; /* the symbols; NULL: not cut yet */
    size_t tokens;   /* number of symbols */
} CellRange;

typedef struct CellRanges {
    CellRange *range;
    size_t count;
} CellRanges;

/* Splits an array into ranges of `length` cells, and keeps one in `part` of them. Returns false if
 * memory runs out. */
bool cell_ranges_make(CellRanges *ranges, Stretch array, size_t length, uint64_t part);
void cell_ranges_free(CellRanges *ranges);

/* Returns the number of cells of all ranges. */
uint64_t cell_ranges_cells(const CellRanges *ranges);

/* Cuts the cells of each range into symbols. Returns false if memory or the budget runs out. */
bool cell_ranges_cut(CellRanges *ranges, const Parser *parser, MemoryBudget *budget, int threads);

/* Counts the uses of each of `count` symbols. */
void cell_ranges_used(const CellRanges *ranges, uint64_t *used, unsigned count);

/* A list of runs. Initialize it with zeros; the caller frees `run`. */
typedef struct RunList {
    Run *run;
    size_t count, capacity;
} RunList;

/* Returns the number of runs in all ranges, plus one break for each range. */
size_t cell_ranges_count_runs(const CellRanges *ranges, const RunValues *values);

/* Lists the runs of the cells, each as long as possible, and a break after each range. Returns false if
 * memory runs out. */
bool cell_ranges_runs(const CellRanges *ranges, const RunValues *values, RunList *list);

/* Lists the runs of the symbols that the ranges were cut into, and a break after each range. Returns
 * false if memory runs out. */
bool cell_ranges_cut_runs(const CellRanges *ranges, const Parser *parser, RunList *list);

#endif
