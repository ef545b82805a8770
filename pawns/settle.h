/* settle.h - what positions of a lattice are worth, and the best play from them.
 *
 * A lattice knows sets of positions; here it is asked about one after the other. What it does not know yet it
 * takes in, as far as its limits allow. */
#ifndef TREB_BLOCKED_SETTLE_H
#define TREB_BLOCKED_SETTLE_H

#include "pawns/distance.h"
#include "core/chess/movegen.h"
#include "core/chess/san.h"

typedef enum BlockedVerdict {
    BLOCKED_DRAW,
    BLOCKED_WHITE,
    BLOCKED_BLACK,
    BLOCKED_OPEN
} BlockedVerdict;

typedef struct BlockedValue {
    BlockedVerdict verdict; /* who wins, or who reaches the goal; BLOCKED_DRAW if nobody */
    int plies;              /* the rank of a win; -1 if it is not known */
    bool at_most;           /* fewer may do */
    bool can[2]; /* BLOCKED_OPEN: what is not refuted: a win of White, of Black (a draw always) */
} BlockedValue;

typedef struct BlockedMove {
    Move move;
    char uci[UCI_SIZE], san[SAN_SIZE];
    bool leaves;        /* a capture, or a pawn move: the value is of another structure */
    bool goal;          /* reaches the goal */
    BlockedValue value; /* plies count from before the move */
} BlockedMove;

typedef enum BlockedEnd {
    BLOCKED_END_GOAL, /* the goal is reached */
    BLOCKED_END_MATE,
    BLOCKED_END_DRAW,   /* nobody can win */
    BLOCKED_END_TABLES, /* few enough men for the tables */
    BLOCKED_END_PIECES, /* more pieces than are followed */
    BLOCKED_END_OPEN,   /* not known */
    BLOCKED_END_CAPACITY,
    BLOCKED_END_CAPTURE /* a rank file knows no more than who wins */
} BlockedEnd;

/* Who wins by a verdict; -1 if nobody does, or it is open. */
static inline int verdict_winner(BlockedVerdict verdict)
{
    return verdict == BLOCKED_WHITE ? TREB_WHITE : verdict == BLOCKED_BLACK ? TREB_BLACK : -1;
}

/* Whether a verdict is a win, or a loss, of a side. */
static inline bool wins_for(BlockedVerdict verdict, int side)
{
    return verdict == (side == TREB_WHITE ? BLOCKED_WHITE : BLOCKED_BLACK);
}

static inline bool loses_for(BlockedVerdict verdict, int side) { return wins_for(verdict, !side); }

/* The value of a position, settled as far as the limits allow, with its family and cell there; `family` is NULL if it
 * has none. Of a lattice that was stopped it is what is known. False on failure. */
bool settle_position(Lattice *lattice, const treb_position *pos, BlockedValue *out, Family **family,
                     Cell *cell);

/* What is known of it by now: nothing is taken in. False on failure. */
bool settle_known(Lattice *lattice, const treb_position *pos, BlockedValue *out);

/* If the search was stopped its time is up: distances get so long at most. */
void settle_hurry(const Lattice *lattice, Distances *distances, unsigned seconds);

/* How soon a position is won that has such a verdict, into its value, as far as that is known. False without memory. */
bool settle_plies(Distances *distances, const treb_position *pos, BlockedValue *value);

/* Whether a move is a capture or a promotion, which ends the count. */
bool settle_converts(const treb_position *pos, Move move);

/* The same of a move whose verdict is known. */
bool settle_move_plies(Distances *distances, const treb_position *pos, BlockedMove *move);

/* Makes `value` the better of it and `other` for `side`. */
void settle_take_better(BlockedValue *value, const BlockedValue *other, int side);

/* The best moves first. Those that are worth the same: the shortest wins and the longest losses. */
void settle_sort(BlockedMove *move, int count, int side);

/* A line that is being written. */
typedef struct SettleLine {
    Lattice *lattice;
    Distances *distances, *careful; /* the careful ones go first */
    BlockedMove *out;               /* room for `capacity` */
    int count, capacity;
    int men; /* pieces of a family that is followed, at most: one takes 2 MB, two 128 MB */
    treb_position pos;
} SettleLine;

void settle_line_add(SettleLine *line, const BlockedMove *move);

/* Gives a line the distances it needs. False without memory; settle_line_end in any case. */
bool settle_line_start(SettleLine *line);
void settle_line_end(SettleLine *line);

/* Plays on from a position until there is an end, by distances. False on failure. */
bool settle_line(SettleLine *line, BlockedEnd *end);

#endif
