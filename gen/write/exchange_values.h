/* exchange_values.h - sends the values of cells from the processes that have them to those that need them.
 *
 * Each process has the cells of its own planes (gen/solve/partition.h). It turns them into values, takes the part that
 * another process needs, compresses it with zstd and sends it. */
#ifndef TREB_GEN_WRITE_EXCHANGE_VALUES_H
#define TREB_GEN_WRITE_EXCHANGE_VALUES_H

#include "gen/write/side_encoder.h"

/* What one process needs of a batch. */
typedef struct WantedCells {
    size_t first, end;    /* slices of the batch: from `first` to before `end` */
    const Window *window; /* only the cells of this window; NULL: all cells */
} WantedCells;

/* Fills the batch of each process with what it needs: wanted[i] for process i. The slice numbers of the batch must be
 * equal in all processes; `cells` has memory for this process's slices. Collective. */
treb_status exchange_values(const SideEncoder *s, const CellBatch *batch, const WantedCells *wanted,
                            treb_error *error);

/* Fills the same batch in all processes. Collective. */
treb_status exchange_sample(const SideEncoder *s, const CellBatch *batch, treb_error *error);

#endif
