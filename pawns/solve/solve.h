/* solve.h - solves any position of kings and pawns with at most one piece a side: what it and its
 * moves are worth.
 *
 * All that is decided is proven. What could not be decided in the time and memory given is open,
 * with the wins that are not refuted. */
#ifndef TREB_PAWNS_SOLVE_SOLVE_H
#define TREB_PAWNS_SOLVE_SOLVE_H

#include "pawns/solve/best_line.h"
#include "pawns/solve/rule50.h"
#include "pawns/solve/squares.h"

enum { SOLVE_WHY_SIZE = 160 };

typedef struct Solve {
    treb_position pos;
    ProofGraph *graph;    /* owned */
    Distances *distances; /* of proven wins; owned */
    PawnValue value;
    Rule50 rule;              /* of a proven win */
    PawnMove move[MOVES_MAX]; /* all legal moves, best first */
    int moves;
} Solve;

/* TREB_OK for a position of kings, pawns and at most one piece a side; else TREB_ERR_POSITION, and
 * `why` says what is wrong. */
treb_status solve_check(const treb_position *pos, char why[SOLVE_WHY_SIZE]);

/* Prepares to solve a position. NULL with the reason on failure; free with solve_free. */
Solve *solve_new(const treb_position *pos, const ProofGraphLimits *limits, treb_error *error);

/* Solves the position first, then the positions after each of its moves. When limits.stop says so,
 * or the memory is used up, the answer is what is known then. */
treb_status solve_run(Solve *solve, treb_error *error);

/* solve_new() and solve_run() in one call. */
Solve *solve_position(const treb_position *pos, const ProofGraphLimits *limits, treb_error *error);
void solve_free(Solve *solve);

/* What the 50-move rule does to the verdict, with the position's own clock. */
typedef enum SolveRule {
    SOLVE_RULE_NO,     /* nothing: the position is drawn, or the win comes in time */
    SOLVE_RULE_MAYBE,  /* it may spoil the win */
    SOLVE_RULE_UNKNOWN /* it was not examined, or the verdict is open */
} SolveRule;

SolveRule solve_rule(const Solve *solve);

/* The largest number of plies that the rule's clock may reach; -1 if unknown. */
int solve_rule_plies(const Solve *solve);

/* Whether the position and all its moves are decided. */
bool solve_complete(const Solve *solve);

/* The progress of a search. */
typedef struct SolveState {
    uint64_t structures, bytes;
    uint64_t positions, decided;    /* in structures with at most one piece and no oracle */
    int moves;                      /* number of moves of which nothing is proven */
    char open[MOVES_MAX][SAN_SIZE]; /* these moves */
} SolveState;

void solve_state(const Solve *solve, SolveState *out);

/* Finds what all placements of the kings among the position's pawns are worth, as far as the limits
 * allow. The position must have kings and pawns only. False on failure. */
bool solve_placements(Solve *solve, Placements *out);

/* The best play from the position: the winner on the shortest way to each capture or promotion, the
 * loser on the longest. `last` gets the final position. Returns the number of moves, -1 on
 * failure. */
int solve_line(Solve *solve, PawnMove *out, int capacity, LineEnd *end, treb_position *last);

#endif
