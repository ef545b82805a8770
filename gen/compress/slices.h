/* slices.h - cells in slices, and the symbols that they are cut into, in parallel. Private to code/
 * and export/. */
#ifndef TREB_GEN_SLICES_H
#define TREB_GEN_SLICES_H

#include "core/system/ledger.h"
#include "gen/compress/parse.h"

/* Some cells, and the symbols that they are cut into. No symbol goes over the end. */
typedef struct Slice {
    Stretch cells;
    uint16_t *token;
    size_t tokens;
} Slice;

typedef struct Slices {
    Slice *slice;
    size_t count;
} Slices;

/* Slices of `length` cells of an array, one in `part` of those that there are. False: out of
 * memory. */
bool slices_make(Slices *slices, Stretch array, size_t length, uint64_t part);
void slices_free(Slices *slices);

/* Cells of all slices. */
uint64_t slices_cells(const Slices *slices);

/* Cuts cells into symbols. False: out of memory. */
bool slices_cut(Slices *slices, const Parser *parser, Ledger *ledger, int threads);

/* Counts how often each symbol is used, of `count`. */
void slices_used(const Slices *slices, uint64_t *used, unsigned count);

/* Runs that are listed one by one. */
typedef struct RunList {
    Run *run;
    size_t count, room;
} RunList;

/* How many runs there are, and one for each slice. */
size_t slices_count_runs(const Slices *slices, const RunValues *values);

/* Lists runs as long as they can be, with a break behind each slice. False: out of memory. */
bool slices_runs(const Slices *slices, const RunValues *values, RunList *list);

/* The same as the symbols have them that the slices were cut into. */
bool slices_cut_runs(const Slices *slices, const Parser *parser, RunList *list);

#endif
