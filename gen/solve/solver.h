/* solver.h - what the files of the solver share. See solve.c for the method. */
#ifndef TREB_GEN_SOLVER_H
#define TREB_GEN_SOLVER_H

#include "core/bitboard.h"
#include "gen/solve/convert.h"
#include "gen/solve/solve.h"

enum { NEVER = CODE_OPEN, CURSED_START = SOLVE_RULE_PLIES + 1 };

typedef struct Frontier {
    uint64_t *set;  /* cells just lost; meaningful in the rows named */
    uint64_t *rows; /* by kings: rows of `set` that are not empty */
} Frontier;

struct Solver {
    Slice slice;
    const Shape *shape;
    size_t words, kings;               /* of the shape */
    uint64_t lane_pawns[KERNEL_LANES]; /* with one piece, of the slices; full if there is none */
    const Kernel *kernel;
    unsigned metrics, has;    /* wanted; with memory for distances */
    size_t slabs, slab_words; /* of a plane, as kernel rows are masked */
    uint64_t *unwon[2];       /* legal, not (yet) won */
    uint64_t *open[2];        /* may yet turn out lost */
    uint64_t *pending[2];     /* a conversion wins in distance[...] plies */
    uint64_t *held[2];        /* lost, if at all, not before distance[...] plies */
    uint64_t *converts[2];    /* some conversion wins */
    uint64_t *must[2];        /* the best conversion loses */
    uint64_t *mated[2];
    uint64_t *losable[2];                  /* what `open` starts from */
    Frontier lost_at[2][2];                /* by parity of the ply, side */
    uint64_t *won_rows[2][2];              /* likewise: rows in which something was won */
    Plies *next_pending[2], *next_held[2]; /* by kings and slab */
    Plies *plies[2];                       /* of the metric being solved */
    PlyCounts counts[TREB_METRICS];
    _Atomic unsigned *watch; /* told the ply; NULL allowed */
};

/* Buffers of one thread. */
typedef struct Scratch {
    uint64_t *a, *b, *c; /* planes */
    Outcomes outcomes;
    PlyCounts *counts; /* while plies are counted */
} Scratch;

/* False: out of memory. With `outcomes` there is room for those of a plane. */
bool scratch_init(Scratch *t, const Solver *s, bool outcomes);
void scratch_free(Scratch *t);

/* Gets memory for distances to conversion, unless it is there. False: out of memory. */
bool solver_add_dtc(Solver *s);

/* Fills in what a slice starts from: legal positions, mates and stalemates, conversions. */
treb_status solver_setup(Solver *s, const SolvedSource *source);

static inline uint64_t *plane_at(const Solver *s, uint64_t *set, uint32_t kings)
{
    return set + (size_t)kings * s->shape->plane_words;
}

static inline KernelPlane plane_of(const Solver *s, uint32_t kings)
{
    const uint8_t *king = s->shape->king[kings];
    uint64_t squares = square_bit(king[0]) | square_bit(king[1]);
    KernelPlane plane = {.men = s->shape->men,
                         .occupied = squares | s->slice.pawns[0][0] | s->slice.pawns[0][1]};
    if (plane.men == 1)
        for (int i = 0; i < KERNEL_LANES; i++) plane.lane[i] = squares | s->lane_pawns[i];
    return plane;
}

#endif
