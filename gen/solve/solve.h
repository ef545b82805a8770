/* solve.h - solving one slice. */
#ifndef TREB_GEN_SOLVE_H
#define TREB_GEN_SOLVE_H

#include "core/ledger.h"
#include "core/position.h"
#include "core/table.h"
#include "gen/solve/solved.h"

/* Positions of the full board, like men one by one: by side to move, whether won, and plies. */
typedef struct PlyCounts {
    uint64_t of[2][2][PLIES_MOST + 1];
} PlyCounts;

/* A solved slice, or several together (see solved.h), in full. Sets and distances are by side to
 * move; bit i of word w and byte 64 * w + i are the same cell. */
typedef struct Slice {
    const Shape *shape;
    int lanes;
    uint64_t pawns[SLICE_LANES][2];
    uint64_t *legal[2];
    uint64_t *won[2], *lost[2]; /* by the laws of mate, cursed and blessed ones included */
    uint64_t *stalemate[2];
    /* What a look at some moves alone tells; wins are those that count under the 50-move rule,
     * except for `ends_wins`. */
    uint64_t *capture_wins[2];
    uint64_t *capture_draws[2]; /* the best capture draws */
    uint64_t *zeroing_wins[2];
    uint64_t *ends_wins[2]; /* a capture or promotion wins by the laws of mate */
    /* With distances to mate: won or lost, and a move that completes bounds (core/table.h) takes as
     * long as any move may. NULL without. */
    uint64_t *ends_best[2];
    Plies *distance[TREB_METRICS][2]; /* by TREB_DTZ ..; where won or lost; NULL if not wanted */
    bool cursed;                      /* some win takes more than 100 plies to a zeroing move */
    bool dtc_is_dtz;                  /* the two metrics agree everywhere: distance[TREB_DTC] is
                                          that of TREB_DTZ */
    unsigned plies[TREB_METRICS];     /* the longest distance */
    const PlyCounts *counts;          /* by metric, as `distance`; empty where not wanted */
    uint64_t mirrored;                /* lanes whose pawns are their own mirror image */
} Slice;

/* On how many arrangements of the board a cell of plane `kings` stands, and the cells of a word
 * that stand on one fewer. */
unsigned slice_weight(const Slice *slice, uint32_t kings);
uint64_t slice_mirrored(const Slice *slice, size_t word);

/* The work space of a solver, reusable from slice to slice of one shape. */
typedef struct Solver Solver;

/* `metrics` is a bit mask of 1 << TREB_DTZ and so on; distances to zeroing are always solved. The
 * solver's memory comes from `ledger`. NULL: out of memory. */
Solver *solver_new(const Shape *shape, unsigned metrics, Ledger *ledger);
void solver_free(Solver *solver);

/* Turns a solver to another shape, with as many men and, like the first, with or without pawns. */
void solver_adopt(Solver *solver, const Shape *shape);

/* Makes the solver tell the ply it is at, for another thread to see; NULL stops it. */
void solver_watch(Solver *solver, _Atomic unsigned *ply);

/* Bytes that a solver claims at most, with the work space of so many threads. */
uint64_t solver_memory(const Shape *shape, unsigned metrics, int threads);

/* Solves the slices with the given pawns, none of which leads to another. The result belongs to the
 * solver and lasts until its next call. The source's own errors,
 * TREB_ERR_MEMORY, or TREB_ERR_ARGUMENT if a distance exceeds PLIES_MOST plies. Runs in parallel
 * unless called from a parallel region. */
treb_status solver_run(Solver *solver, int lanes, const uint64_t pawns[][2],
                       const SolvedSource *source, const Slice **out, treb_error *error);

/* What parents need of side `side` of a slice beside slice->legal and slice_cursed: the codes of
 * `words` words of cells from `first` on. */
void slice_values(const Slice *slice, int side, size_t first, size_t words, Plies *code);

/* The longest distance to zeroing or conversion that goes into a file; that to mate is halved. */
enum { ZEROING_MOST = PLIES_MOST - 2 };

/* The cells of a word that are won or lost but for the 50-move rule: cursed and blessed. */
static inline uint64_t slice_cursed(const Slice *slice, int side, size_t word)
{
    const Plies *dtz = slice->distance[TREB_DTZ][side] + 64 * word;
    uint64_t over = 0;
    if (!slice->cursed) return 0;
    for (int b = 0; b < 64; b++) over |= (uint64_t)(dtz[b] > RULE_PLIES) << b;
    return over & (slice->won[side][word] | slice->lost[side][word]);
}

#endif
