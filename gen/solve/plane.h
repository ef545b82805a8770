/* plane.h - what is known of the cells of one plane of a solved slice, for one side to move. */
#ifndef TREB_GEN_SOLVE_PLANE_H
#define TREB_GEN_SOLVE_PLANE_H

#include "gen/solve/convert.h"
#include "gen/solve/solve.h"

/* What plane_read reads in addition to `legal`, `won`, `lost` and `cursed`. */
enum {
    PLANE_STALEMATE = 1, /* only in slices with pawns */
    PLANE_CAPTURES = 2,
    PLANE_ZEROING = 4,
    PLANE_ENDS = 8,
    PLANE_BOUNDS = 16, /* includes distances to mate */
    PLANE_PROMOTION = 32,
    PLANE_DISTANCE = 64,                         /* << TREB_DTZ and so on */
    PLANE_MOVES = PLANE_DISTANCE << TREB_METRICS /* the slice is read from files (finished.h) */
};

/* Bit i of word w and cell 64 * w + i are the same cell. Parts that are not read are NULL. */
typedef struct Plane {
    unsigned parts;
    uint64_t *legal;
    uint64_t *won, *lost; /* by mate, without the 50-move rule */
    uint64_t *cursed;     /* won or lost, but drawn by the 50-move rule */
    uint64_t *stalemate;  /* no legal move, except perhaps a capture en passant */
    /* Facts about some of the moves. Wins count under the 50-move rule, except in `ends_wins`. */
    uint64_t *capture_wins;
    uint64_t *capture_draws; /* the best capture draws */
    /* the last pawn's promotion to a queen wins, or draws, where no capture does */
    uint64_t *promotion_wins, *promotion_draws;
    uint64_t *zeroing_wins;
    uint64_t *ends_wins; /* a capture or promotion wins by mate, without the 50-move rule */
    /* won or lost, and the best distance to mate is that of a move that completes bounds (core/format/table.h) */
    uint64_t *ends_best;
    Plies *distance[TREB_METRICS]; /* by TREB_DTZ and so on; defined where won or lost */
    Plies *due;                    /* for PLANE_BOUNDS: plies at which conversions are due */
    /* For PLANE_MOVES: what moves lead to, and planes of other slices. */
    Outcomes outcomes;
    SolvedBuffer fetched[CONVERTER_BUFFERS];
    LogBuffer log_buffer;
    void *memory;
} Plane;

/* Allocates memory for a plane of a layout. False: out of memory. */
bool plane_init(Plane *plane, const Layout *layout, unsigned parts, MemoryBudget *budget);
void plane_free(Plane *plane); /* also allowed for a Plane of zeros */

/* Returns the bytes that a plane claims. */
uint64_t plane_memory(const Layout *layout, unsigned parts);

/* Reads a plane. Thread-safe. TREB_ERR_IO. */
treb_status plane_read(Plane *plane, const SolvedSlice *slice, int side, uint32_t kings,
                       treb_error *error);

/* Whether this process owns a plane. Before solver_gather it can read no other planes. */
bool plane_is_own(const SolvedSlice *slice, uint32_t kings);

/* Whether some cell of a plane may be won, or lost, in exactly `plies` plies. */
bool plane_may_decide(const SolvedSlice *slice, treb_metric metric, int side, uint32_t kings,
                      bool won, unsigned plies);

#endif
