/* slices.h - cells in slices, and the symbols that they are cut into, in parallel. Private to code/
 * and export/. */
#ifndef TREB_GEN_COMPRESS_CELL_RANGES_H
#define TREB_GEN_COMPRESS_CELL_RANGES_H

#include "core/system/memory_budget.h"
#include "gen/compress/parse.h"

/* Some cells, and the symbols that they are cut into. No symbol goes over the end. */
typedef struct CellRange {
    Stretch cells;
    uint16_t *token;
    size_t tokens;
} CellRange;

typedef struct CellRanges {
    CellRange *range;
    size_t count;
} CellRanges;

/* CellRanges of `length` cells of an array, one in `part` of those that there are. False: out of
 * memory. */
bool cell_ranges_make(CellRanges *ranges, Stretch array, size_t length, uint64_t part);
void cell_ranges_free(CellRanges *ranges);

/* Cells of all slices. */
uint64_t cell_ranges_cells(const CellRanges *ranges);

/* Cuts cells into symbols. False: out of memory. */
bool cell_ranges_cut(CellRanges *ranges, const Parser *parser, MemoryBudget *budget, int threads);

/* Counts how often each symbol is used, of `count`. */
void cell_ranges_used(const CellRanges *ranges, uint64_t *used, unsigned count);

/* Runs that are listed one by one. */
typedef struct RunList {
    Run *run;
    size_t count, capacity;
} RunList;

/* How many runs there are, and one for each slice. */
size_t cell_ranges_count_runs(const CellRanges *ranges, const RunValues *values);

/* Lists runs as long as they can be, with a break behind each slice. False: out of memory. */
bool cell_ranges_runs(const CellRanges *ranges, const RunValues *values, RunList *list);

/* The same as the symbols have them that the slices were cut into. */
bool cell_ranges_cut_runs(const CellRanges *ranges, const Parser *parser, RunList *list);

#endif
