/* solver.h - what the files of the solver share. See solve.c for the method. */
#ifndef TREB_GEN_SOLVER_H
#define TREB_GEN_SOLVER_H

#include "core/bitboard.h"
#include "gen/solve/convert.h"
#include "gen/solve/solve.h"

enum { NEVER = PLIES_OPEN, CURSED_START = RULE_PLIES + 1 };

typedef struct Frontier {
    uint64_t *set;   /* cells just lost; meaningful in the slabs named */
    uint64_t *slabs; /* by kings: slabs of `set` that are not empty */
} Frontier;

/* What the loop over the plies of a metric works on. By side to move. */
typedef struct PlyLoop {
    uint64_t *unwon[2];                    /* legal, not (yet) won */
    uint64_t *open[2];                     /* may yet turn out lost */
    uint64_t *pending[2];                  /* a conversion wins in plies[...] */
    uint64_t *held[2];                     /* lost, if at all, not before plies[...] */
    Frontier lost_at[2][2];                /* by parity of the ply, then side */
    uint64_t *won_slabs[2][2];             /* likewise: slabs in which something was won */
    Plies *next_pending[2], *next_held[2]; /* by kings and slab: when the next is due */
    Plies *plies[2];                       /* the distances of the metric */
    bool ends;                             /* which are those to mate: slice.ends_best is wanted */
} PlyLoop;

/* What each metric starts from. By side to move. */
typedef struct Start {
    uint64_t *converts[2]; /* some conversion wins */
    uint64_t *must[2];     /* the best conversion loses */
    uint64_t *mated[2];
    uint64_t *losable[2]; /* may turn out lost; after the first metric: is lost, not mated */
    uint64_t *ends[2];    /* the best conversion by mate distance is no push; NULL if not wanted */
} Start;

struct Solver {
    Ledger *ledger;
    const Shape *shape;
    const Kernel *kernel;
    unsigned metrics;                  /* wanted */
    uint64_t lane_pawns[KERNEL_LANES]; /* with one piece, of the slices; full if there is none */
    size_t slab_count, slab_words;     /* of a plane, as the kernel masks it */
    Start start;
    PlyLoop loop;
    Slice slice; /* what comes out */
    PlyCounts counts[TREB_METRICS];
    void *sets, *dtc;        /* the memory of all of these; of distances to conversion, if needed */
    _Atomic unsigned *watch; /* told the ply; NULL allowed */
};

/* The work space of one thread. */
typedef struct Buffers {
    uint64_t *a, *b; /* planes */
    Outcomes outcomes;
    PlyCounts *counts; /* while plies are counted */
    void *memory;
} Buffers;

/* False: out of memory. With `outcomes` there is room for those of a plane. */
bool buffers_init(Buffers *t, const Solver *s, bool outcomes);
void buffers_free(Buffers *t);

/* Gets memory for distances to conversion, unless it is there. False: out of memory. */
bool solver_add_dtc(Solver *s);

/* Fills in what a slice starts from: legal positions, mates and stalemates, conversions. */
treb_status solver_setup(Solver *s, const SolvedSource *source, treb_error *error);

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
