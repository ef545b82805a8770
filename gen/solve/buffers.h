/* buffers.h - the work space of one thread of a solver. */
#ifndef TREB_GEN_SOLVE_BUFFERS_H
#define TREB_GEN_SOLVE_BUFFERS_H

#include "gen/solve/convert.h"
#include "gen/solve/solve.h"

typedef struct Buffers {
    uint64_t *a, *b; /* sets of one plane */
    LogBuffer log_buffer;
    PlyCounts *counts; /* what the thread has counted of the current metric */
    /* While a slice is set up: */
    Outcomes outcomes; /* of one plane */
    uint32_t *cell;    /* cells of a plane, sorted by what the metric counts for them */
    uint32_t *first;   /* by that number: place of the first such cell in `cell` */
    SolvedBuffer fetched[CONVERTER_BUFFERS]; /* planes of solved slices */
    uint64_t legal[2], zeroing_wins[2];      /* counts, as in SolvedSlice */
    bool late;    /* some conversion counts more than one ply to zeroing */
    void *memory; /* of all arrays but `fetched` */
} Buffers;

/* False: out of memory. With `outcomes` there is memory for setting up slices. */
bool buffers_init(Buffers *t, const Solver *s, bool outcomes);
void buffers_free(Buffers *t);

/* Bytes that buffers with outcomes claim. */
uint64_t buffers_memory(const Layout *layout, unsigned metrics);

#endif
