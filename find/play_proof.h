/* play_proof.h - what is known while a strategy is tested. Private to find/'s play files. */
#ifndef TREB_FIND_PLAY_PROOF_H
#define TREB_FIND_PLAY_PROOF_H

#include "core/format/index.h"
#include "find/play.h"

/* A way that the plan of a position may go. The upper bits are the cell of a won position with
 * White to move, or the size of the index plus a PlayEnd. The lowest PLIES_BITS bits are the number
 * of plies until then. */
typedef uint64_t Edge;
enum { PLIES_BITS = 16, PLIES_MAX = (1 << PLIES_BITS) - 1 };

typedef struct Root {
    Edge *
        /* the ways that the plan may go; owned. NULL: there is no such position, or it is not
         * won */
        edge;
    uint32_t edges;
    uint16_t plies; /* plies until the win against the longest defence; 0: no win is proven */
    uint8_t ends;   /* bit: Black can force this PlayEnd */
    uint8_t advice; /* the advice that is followed; STRATEGY_ADVICE_MAX: none */
} Root;

typedef struct Proof {
    const PlayQuery *query;
    PlayReport *report;
    Index index;
    Root *root;     /* by cell */
    uint16_t *best; /* by cell: moves needed, or BEST_UNKNOWN */
    uint64_t done;
    atomic_bool stop;
    treb_status status;
    treb_error error;
} Proof;

enum { BEST_UNKNOWN = 0xffff };

/* Sets *out to whether White wins the position. Returns the status of the probe. */
treb_status play_white_wins(const treb_tables *tables, const treb_position *pos, bool *out,
                            treb_error *error);

static inline bool play_stopped(const PlayQuery *query)
{
    return query->stop != NULL && atomic_load_explicit(query->stop, memory_order_relaxed);
}

static inline bool play_changes_material(const treb_position *pos, Move m)
{
    return move_is_capture(pos, m) || move_promo(m) != 0;
}

/* Returns the position of a cell, with White to move. */
void play_position_of(const Proof *proof, uint64_t cell, treb_position *pos);

/* Plays games from random positions, half of them against random moves. A game does not use what
 * was proven; the result is compared with it afterwards. */
void play_games(Proof *proof);

/* Finds the places where the strategy fails. Fills in the report's places. */
treb_status play_find_places(Proof *proof, treb_error *error);

#endif
