/* batch.h - the slices of a table in the order in which they are solved.
 *
 * Slices with the most advanced pawns come first, as pushes lead there. Small slices are solved
 * several at once, a batch: those that no push leads from one to another, as their pawns have gone
 * equally far. The place of a slice in its batch is its lane. */
#ifndef TREB_GEN_BATCH_H
#define TREB_GEN_BATCH_H

#include "gen/solve/solved.h"

typedef struct Batch {
    int lanes;
    int advance; /* ranks that all pawns have gone */
    uint64_t number[SLICE_LANES];
    uint64_t pawns[SLICE_LANES][2];
} Batch;

typedef struct Batches {
    Batch *batch;
    size_t count;
} Batches;

/* False: out of memory. */
bool batches_list(Batches *batches, const Shape *shape);
void batches_free(Batches *batches);

#endif
