/* solve.h - any position of kings and pawns, with few pieces beside them: what it and its moves are worth.
 *
 * What is decided is proven. What time or memory did not decide is open, with what is not refuted. */
#ifndef TREB_BLOCKED_SOLVE_H
#define TREB_BLOCKED_SOLVE_H

#include "pawns/rule50.h"
#include "pawns/settle.h"
#include "pawns/squares.h"

enum { SOLVE_WHY_SIZE = 160 };

typedef struct Solve {
    treb_position pos;
    Lattice *lattice;     /* owned, as the following */
    Distances *distances; /* of what is proven */
    BlockedValue value;
    Rule50 rule;                 /* of a win that is proven */
    BlockedMove move[MOVES_MAX]; /* all legal ones, best first */
    int moves;
} Solve;

/* TREB_OK if there are kings and pawns, and at most one piece on each side; else TREB_ERR_POSITION and `why` says
 * what is too much. */
treb_status solve_check(const treb_position *pos, char why[SOLVE_WHY_SIZE]);

/* Nothing is known of it yet. NULL with the reason on failure; free with solve_free. */
Solve *solve_new(const treb_position *pos, const LatticeLimits *limits, treb_error *error);

/* Solves the position first, then what all its moves lead to. When the limits' stop says so, or memory is used up,
 * what is known by then is the answer. */
treb_status solve_run(Solve *solve, treb_error *error);

/* Both. */
Solve *solve_position(const treb_position *pos, const LatticeLimits *limits, treb_error *error);
void solve_free(Solve *solve);

/* What the 50-move rule makes of the verdict, with the position's own clock. */
typedef enum SolveRule {
    SOLVE_RULE_NO,     /* nothing: it is a draw anyway, or the win is there in time */
    SOLVE_RULE_MAYBE,  /* it may spoil the win */
    SOLVE_RULE_UNKNOWN /* that was not looked at, or the verdict is open */
} SolveRule;

SolveRule solve_rule(const Solve *solve);

/* How far the clock of the rule may run; -1 if that is not known. */
int solve_rule_plies(const Solve *solve);

/* Whether it and all its moves are decided. */
bool solve_complete(const Solve *solve);

/* How far it is. */
typedef struct SolveState {
    uint64_t structures, bytes;
    uint64_t positions, decided;    /* of those with a piece at most that no table answers for */
    int moves;                      /* of which nothing is proven, */
    char open[MOVES_MAX][SAN_SIZE]; /* those */
} SolveState;

void solve_state(const Solve *solve, SolveState *out);

/* What all placements of the kings among its pawns are worth, as far as the limits allow. Kings and pawns must be
 * all there is. False on failure. */
bool solve_placements(Solve *solve, Placements *out);

/* The best play, the winner on the shortest way to each capture or promotion: as blocked_line. */
int solve_line(Solve *solve, BlockedMove *out, int capacity, BlockedEnd *end, treb_position *last);

#endif
