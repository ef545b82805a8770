/* evaluate.h - what single positions of a proof graph are worth, and their moves. */
#ifndef TREB_PAWNS_SOLVE_EVALUATE_H
#define TREB_PAWNS_SOLVE_EVALUATE_H

#include "core/chess/movegen.h"
#include "core/chess/san.h"
#include "pawns/solve/distance.h"

typedef enum PawnVerdict { VERDICT_DRAW, VERDICT_WHITE, VERDICT_BLACK, VERDICT_OPEN } PawnVerdict;

typedef struct PawnValue {
    PawnVerdict
        verdict;  /* who wins, or who reaches the goal (blocked.h); VERDICT_DRAW if nobody does */
    int plies;    /* distance of a win; -1 if there is none or it is unknown */
    bool at_most; /* the distance may be smaller */
    bool can[2];  /* with VERDICT_OPEN, by winner: a win is not refuted. A draw never is */
} PawnValue;

typedef struct PawnMove {
    Move move;
    char uci[UCI_SIZE], san[SAN_SIZE];
    bool leaves;     /* a capture or a pawn move: the value is of another structure */
    bool goal;       /* reaches the goal (blocked.h) */
    PawnValue value; /* plies count from before the move */
} PawnMove;

/* The winner of a verdict; -1 if there is none. */
static inline int verdict_winner(PawnVerdict verdict)
{
    return verdict == VERDICT_WHITE ? TREB_WHITE : verdict == VERDICT_BLACK ? TREB_BLACK : -1;
}

/* Whether a verdict is a win, or a loss, for a side. */
static inline bool wins_for(PawnVerdict verdict, int side)
{
    return verdict == (side == TREB_WHITE ? VERDICT_WHITE : VERDICT_BLACK);
}

static inline bool loses_for(PawnVerdict verdict, int side) { return wins_for(verdict, !side); }

/* Finds the value of a position, without its distance, as far as the graph's limits allow, with its
 * structure and its cell there. `structure` is NULL if the position is in no structure of the
 * graph. If the graph is stopped, the value is what is known. False on failure. */
bool evaluate_position(ProofGraph *graph, const treb_position *pos, PawnValue *out,
                       Structure **structure, Cell *cell);

/* Like evaluate_position(), but only with what is known now: takes in no structures. False on
 * failure. */
bool evaluate_known(ProofGraph *graph, const treb_position *pos, PawnValue *out);

/* Limits the time for distances to `seconds` if the graph is stopped, which means that its own time
 * is over. */
void evaluate_set_time_limit(const ProofGraph *graph, Distances *distances, unsigned seconds);

/* Sets plies and at_most of a position's value, whose verdict is known. False without memory. */
bool evaluate_distance(Distances *distances, const treb_position *pos, PawnValue *value);

/* Whether a move is a capture or a promotion, which ends the count of plies. */
bool evaluate_converts(const treb_position *pos, Move move);

/* Sets plies and at_most of the value of a move from `pos`, whose verdict is known. False without
 * memory. */
bool evaluate_move_distance(Distances *distances, const treb_position *pos, PawnMove *move);

/* Sets `value` to the better of `value` and `other` for `side`. */
void evaluate_take_better(PawnValue *value, const PawnValue *other, int side);

/* Compares two moves of `side`: below 0 if `a` is better. Among moves with the same verdict, short
 * wins and long losses are better. */
int evaluate_compare_moves(const PawnMove *a, const PawnMove *b, int side);

/* Sorts the moves of `side`, the best first. */
void evaluate_sort_moves(PawnMove *move, int count, int side);

#endif
