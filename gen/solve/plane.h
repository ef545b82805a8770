/* plane.h - all that is known of the cells of one plane of a solved slice, for one side to move. */
#ifndef TREB_GEN_PLANE_H
#define TREB_GEN_PLANE_H

#include "gen/solve/solve.h"

/* What is wanted beside `legal`, `won`, `lost` and `cursed`. */
enum {
    PLANE_STALEMATE = 1, /* in slices with pawns */
    PLANE_CAPTURES = 2,
    PLANE_ZEROING = 4,
    PLANE_ENDS = 8,
    PLANE_BOUNDS = 16,  /* with the distances to mate */
    PLANE_DISTANCE = 32 /* << TREB_DTZ and so on */
};

/* Bit i of word w and cell 64 * w + i are the same cell. What is not wanted is NULL. */
typedef struct Plane {
    unsigned parts;
    uint64_t *legal;
    uint64_t *won, *lost; /* by the laws of mate, */
    uint64_t *cursed;     /* but drawn by the 50-move rule */
    uint64_t *stalemate;  /* without a legal move, unless there is one en passant */
    /* What a look at some moves alone tells; wins are those that count under the 50-move rule,
     * except for `ends_wins`. */
    uint64_t *capture_wins;
    uint64_t *capture_draws; /* the best capture draws */
    uint64_t *zeroing_wins;
    uint64_t *ends_wins; /* a capture or promotion wins by the laws of mate */
    /* Won or lost, and a move that completes bounds (core/format/table.h) takes as long as any move may. */
    uint64_t *ends_best;
    Plies *distance[TREB_METRICS]; /* by TREB_DTZ ..; where won or lost */
    Plies *due;                    /* for bounds: when conversions are */
    LogRoom room;
    void *memory;
} Plane;

/* Room for planes of a shape. False: out of memory. */
bool plane_init(Plane *plane, const Shape *shape, unsigned parts, Ledger *ledger);
void plane_free(Plane *plane); /* also of zeros */

/* Bytes that it claims. */
uint64_t plane_memory(const Shape *shape, unsigned parts);

/* Brings a plane. Thread-safe. TREB_ERR_IO. */
treb_status plane_read(Plane *plane, const Slice *slice, int side, uint32_t kings,
                       treb_error *error);

/* Whether what is known of a plane is here: of ranks each has that of its own. */
bool plane_here(const Slice *slice, uint32_t kings);

/* Whether some cell of a plane may be won, or lost, in so many plies. */
bool plane_may_decide(const Slice *slice, treb_metric metric, int side, uint32_t kings, bool won,
                      unsigned plies);

#endif
