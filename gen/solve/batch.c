/* batch.c - see batch.h. */
#include "gen/solve/batch.h"

#include <stdlib.h>

#include "core/chess/bitboard.h"

static int advance_of(const uint64_t pawns[2])
{
    int advance = 0;
    for (uint64_t p = pawns[0]; p;) advance += bit_pop(&p) >> 3;
    for (uint64_t p = pawns[1]; p;) advance += 7 - (bit_pop(&p) >> 3);
    return advance;
}

/* Adds the slices of one advance, in the order of their numbers. */
static void add_level(Batches *b, const Shape *shape, const uint8_t *advance, int level)
{
    Batch *batch = NULL;
    for (uint64_t s = 0; s < shape->index.slices; s++) {
        if (advance[s] != level) continue;
        if (batch == NULL || batch->lanes == shape_lanes(shape)) {
            batch = &b->batch[b->count++];
            batch->lanes = 0;
            batch->advance = level;
        }
        batch->number[batch->lanes] = s;
        index_slice_pawns(&shape->index, s, batch->pawns[batch->lanes++]);
    }
}

bool batches_list(Batches *b, const Shape *shape)
{
    enum { MOST = 6 * TREB_MEN_MAX };
    uint64_t slices = shape->index.slices;
    uint8_t *advance = malloc(slices);
    b->count = 0;
    /* Every level may leave one batch that is not full. */
    b->batch = malloc((slices / shape_lanes(shape) + MOST + 2) * sizeof *b->batch);
    if (advance == NULL || b->batch == NULL) {
        free(advance);
        batches_free(b);
        return false;
    }
    for (uint64_t s = 0; s < slices; s++) {
        uint64_t pawns[2];
        bool used = index_slice_pawns(&shape->index, s, pawns);
        advance[s] = used ? advance_of(pawns) : UINT8_MAX;
    }
    for (int level = MOST; level >= 0; level--) add_level(b, shape, advance, level);
    free(advance);
    return true;
}

void batches_free(Batches *b)
{
    free(b->batch);
    b->batch = NULL;
    b->count = 0;
}
