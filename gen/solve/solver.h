/* solver.h - what the files of the solver share. See solve.c for the method. */
#ifndef TREB_GEN_SOLVER_H
#define TREB_GEN_SOLVER_H

#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/paged.h"
#include "gen/solve/convert.h"
#include "gen/solve/halo.h"
#include "gen/solve/solve.h"

enum { CURSED_START = RULE_PLIES + 1 };

/* Slabs of a pair, which is kept once, are squares of either man: see squares_in. */
typedef struct Frontier {
    uint64_t *set;   /* cells just lost; meaningful in the slabs named */
    uint64_t *slabs; /* by kings: slabs of `set` that are not empty */
    uint64_t *rows;  /* where they are told apart: of each slab the rows (kernel.h) */
} Frontier;

/* What the loop over the plies of a metric works on. By side to move. */
typedef struct PlyLoop {
    uint64_t *unwon[2];        /* legal, not (yet) won */
    uint64_t *open[2];         /* may turn out lost at this ply */
    Frontier lost_at[2][2];    /* by parity of the ply, then side */
    uint64_t *won_slabs[2][2]; /* likewise: slabs in which something was won */
    treb_metric metric;
} PlyLoop;

/* What a look at some moves tells: see plane.h. Tags of Solver.facts. */
enum {
    FACT_STALEMATE,
    FACT_CAPTURE_WINS,
    FACT_CAPTURE_DRAWS,
    FACT_ZEROING_WINS,
    FACT_ENDS_WINS,
    FACT_ENDS, /* the best conversion by mate distance completes bounds */
    FACT_MUST, /* the best conversion loses */
    FACT_OPEN, /* may turn out lost without converting: for a later run */
    FACTS
};

/* Tags of what is decided: plies, and whether it is won. */
static inline unsigned decided_tag(unsigned plies, bool won) { return 2 * plies + won; }
static inline unsigned decided_plies(unsigned tag) { return tag / 2; }
static inline bool decided_won(unsigned tag) { return tag % 2; }

static inline uint32_t stream_of(uint32_t kings, int side) { return 2 * kings + (uint32_t)side; }

/* Of what is due, where a conversion wins or loses; tags are plies. */
static inline uint32_t due_stream(uint32_t kings, int side, bool wins)
{
    return 2 * stream_of(kings, side) + wins;
}

struct Solver {
    SolverPlace place;
    const Shape *shape;
    RankShare share; /* the planes that are solved here */
    Halo halo;       /* what others tell of theirs */
    const Kernel *kernel;
    unsigned metrics;                  /* wanted */
    uint64_t lane_pawns[KERNEL_LANES]; /* with one piece, of the slices; full if there is none */
    size_t slab_count, slab_words;     /* of a plane, as the kernel masks it, */
    size_t row_words;                  /* and of a row; 0: they are not told apart */
    PlyLoop loop;
    LogSpace *space;
    Log *facts;
    Log *due[TREB_METRICS];     /* conversions that win or lose, by when they may */
    Log *decided[TREB_METRICS]; /* cells won or lost, by ply */
    Slice slice;                /* what comes out */
    PlyCounts counts[TREB_METRICS];
    void *sets;         /* the memory of those of the loop, or */
    Paged paged;        /* the file that they are in */
    _Atomic int status; /* of what runs in parallel: what went wrong first */
    treb_error *error;
    SolverWatch *watch;       /* NULL allowed */
    const atomic_bool *stop;  /* the same */
    const SolverSaver *saver; /* the same */
    unsigned next;            /* ply that comes next, when something is saved */
};

/* The work space of one thread. */
typedef struct Buffers {
    uint64_t *a, *b; /* planes */
    LogRoom room;
    PlyCounts *counts;                   /* while plies are counted */
    Outcomes outcomes;                   /* while a slice is set up, */
    uint32_t *cell;                      /* as the rest: cells of a plane by what they count, */
    uint32_t *first;                     /* and where those of each tag begin */
    SolvedRoom fetched[CONVERTER_ROOMS]; /* planes of children */
    uint64_t legal[2], zeroing_wins[2];
    bool late; /* some conversion counts more than one ply to zeroing */
    void *memory;
} Buffers;

/* False: out of memory. With `outcomes` there is room for those of a plane. */
bool buffers_init(Buffers *t, const Solver *s, bool outcomes);
void buffers_free(Buffers *t);

/* One plane for one side to move at ply n. */
typedef struct Task {
    Solver *s;
    uint32_t kings;
    int side;
    unsigned n;
    Buffers *t;
} Task;

/* Gives memory back where sets are in a file: after each plane. */
static inline void solver_mind(Solver *s)
{
    paged_mind(&s->paged, s->paged.bytes / s->shape->kings);
}

/* Notes in a solver that something went wrong; of several the first. Thread-safe. */
void solver_fail(Solver *s, treb_status status, const treb_error *error);
bool solver_failed(const Solver *s); /* or is to stop */

/* A distance is too long. */
treb_status fail_plies(const Shape *shape, treb_error *error);

/* Fills in what a slice starts from: legal positions, mates and stalemates, conversions. Leaves the loop
 * where the first metric starts. */
treb_status solver_setup(Solver *s, const SolvedSource *source, treb_error *error);

/* Of that, the legal positions alone. */
void solver_set_legal(Solver *s);

/* Those of any plane; where men that are not to move give check is in `check`. Three sets that differ. */
void solver_legal(const Solver *s, uint32_t kings, int side, uint64_t *legal, uint64_t *check,
                  uint64_t *room);

/* A plane of the halo by its number, both sides' one after the other: nothing is won there yet. */
void solver_halo_legal(Solver *s, uint32_t number, Buffers *t);

/* The log of what is due in the loop that runs. */
Log *solver_due(const Solver *s);

/* When the next conversion of a stream is due; LOG_TAGS if there is none. Without pawns each is one ply
 * from itself. */
unsigned solver_when_due(const Solver *s, uint32_t stream);

/* What is left to a later run: resume.c. Files what logs have in memory of a plane and side; what is due is filed
 * before. Saves, when that was done for all, that ply n comes next. Does both when all is solved. */
void solver_file(Solver *s, uint32_t stream, Buffers *t);
void solver_save(Solver *s, unsigned n);
void solver_save_solved(Solver *s);

/* Takes over what solver_put put. False: it makes no sense. */
bool solver_get(Solver *s, State *state);

/* Brings a plane to where it was after ply task->n. Legal positions are set up. */
void solver_redo(const Task *task);

/* What ranks tell each other: halo.c. Posts what was just decided in a plane at ply n, packed; takes what the others
 * posted, and of it, item by item, the cells that were won; forgets the last of it. */
void solver_post(const Solver *s, uint32_t kings, int side, bool won, unsigned n,
                 const uint8_t *packed, size_t size);
void solver_take(Solver *s, unsigned n);
void solver_take_won(const Solver *s, uint32_t number, Buffers *t);
void solver_take_end(Solver *s);

/* Positions that a set of cells of a plane stands for, in these slabs: see PlyCounts. */
uint64_t solver_positions(const Solver *s, uint32_t kings, const uint64_t *set, uint64_t slabs);

/* Of an own plane. */
static inline uint64_t *plane_at(const Solver *s, uint64_t *set, uint32_t kings)
{
    return set + (size_t)s->share.place[0][kings] * s->shape->plane_words;
}

/* The cells not yet won of an own plane, or of one of the halo. */
static inline uint64_t *unwon_at(const Solver *s, int side, uint32_t kings)
{
    return s->loop.unwon[side] + (size_t)s->share.place[side][kings] * s->shape->plane_words;
}

static inline bool any_cell(const uint64_t *set, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) any |= set[w];
    return any != 0;
}

/* All rows of a plane may have something. */
static inline void frontier_all(Frontier *frontier, uint32_t kings)
{
    frontier->slabs[kings] = KERNEL_ALL;
    if (frontier->rows != NULL) memset(frontier->rows + 64 * kings, 0xff, 64 * sizeof(uint64_t));
}

/* Nothing was decided in a plane at the last two plies. */
static inline void solver_nothing_new(Solver *s, uint32_t kings, int side)
{
    for (int parity = 0; parity < 2; parity++)
        s->loop.lost_at[parity][side].slabs[kings] = s->loop.won_slabs[parity][side][kings] = 0;
}

static inline KernelPlane plane_of(const Solver *s, uint32_t kings)
{
    const uint8_t *king = s->shape->king[kings];
    uint64_t squares = square_bit(king[0]) | square_bit(king[1]);
    KernelPlane plane = {.men = s->shape->men,
                         .pair = s->shape->pair,
                         .occupied = squares | s->slice.pawns[0][0] | s->slice.pawns[0][1]};
    if (plane.men == 1)
        for (int i = 0; i < KERNEL_LANES; i++) plane.lane[i] = squares | s->lane_pawns[i];
    return plane;
}

#endif
