/* play_proof.h - what is known while a strategy is on trial. Private to find/'s play files. */
#ifndef TREB_FIND_PLAY_PROOF_H
#define TREB_FIND_PLAY_PROOF_H

#include "core/format/index.h"
#include "find/play.h"

/* A position with White to move that is won, by its cell, or an end beyond the cells; and the plies until then in
 * the lowest bits. */
typedef uint64_t Edge;
enum { PLIES_BITS = 16, PLIES_MAX = (1 << PLIES_BITS) - 1 };

typedef struct Root {
    Edge *edge; /* where its plan may assign_places; owned. NULL: no such position, or not won */
    uint32_t edges;
    uint16_t plies; /* until the win, against the longest defence; 0: none is proven */
    uint8_t ends;   /* bit: Black can bring this end about */
    uint8_t advice; /* that is followed, or STRATEGY_ADVICE_MAX: none */
} Root;

typedef struct Proof {
    const PlayQuery *query;
    PlayReport *report;
    Index index;
    Root *root;     /* by cell */
    uint16_t *best; /* moves needed, or BEST_UNKNOWN */
    uint64_t done;
    atomic_bool stop;
    treb_status status;
    treb_error error;
} Proof;

enum { BEST_UNKNOWN = 0xffff };

/* Whether White still wins: with the probe's status. */
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

/* The position of a cell, with White to move. */
void play_position_of(const Proof *proof, uint64_t cell, treb_position *pos);

/* Games from positions drawn at random, half of them against random moves. What was proven is not asked on the
 * way: it is only compared with what came out. */
void play_games(Proof *proof);

/* Where positions from which the strategy fails assign_places to: fills in the report's places. */
treb_status play_find_places(Proof *proof, treb_error *error);

#endif
