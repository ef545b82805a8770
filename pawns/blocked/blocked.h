/* blocked.h - kings among blocked pawns: distances of all placements of the two kings, and what
 * positions are worth.
 *
 * There are two kinds of questions. With a goal (GOAL_TAKE, GOAL_REACH) only the kings move, and a
 * distance is the number of plies until a king reaches the goal. GOAL_EXACT asks for the result of
 * the game: every capture, pawn move and promotion below the position counts, and a distance is the
 * number of plies to mate or to the first capture that keeps the result (docs/metrics.md). */
#ifndef TREB_PAWNS_BLOCKED_BLOCKED_H
#define TREB_PAWNS_BLOCKED_BLOCKED_H

#include <stdio.h>

#include "core/format/table_blocked.h"
#include "pawns/solve/best_line.h"
#include "pawns/solve/squares.h"

enum { BLOCKED_WHY_SIZE = 160 };

typedef struct BlockedRequest {
    treb_position pos;
    TableGoal goal;
    uint64_t from;      /* GOAL_TAKE: squares from which the king may capture; 0: any */
    uint64_t target;    /* GOAL_REACH: the squares to reach */
    bool safe;          /* GOAL_TAKE: only where the other king attacks no pawn */
    bool all;           /* GOAL_EXACT: decide all placements of `region`, not only the position */
    uint64_t region[2]; /* squares of the kings, by colour */
    ProofGraphLimits limits; /* GOAL_EXACT */
} BlockedRequest;

/* The wins of one side, by side to move and white king; the black king is a bit or the last
 * index. */
typedef struct BlockedDistances {
    uint64_t won[2][64];
    uint64_t open[2][64];      /* unknown whether won */
    uint16_t plies[2][64][64]; /* distances of wins; DISTANCE_NONE elsewhere */
} BlockedDistances;

/* The wins of one side after captures: by the side to move then, and the square of its pawn that
 * was captured, on which the other king stands now; the square of its own king is a bit. */
typedef struct BlockedCaptures {
    uint64_t won[2][64], open[2][64];
} BlockedCaptures;

typedef struct Blocked {
    BlockedRequest request;
    CellsKey key;
    uint64_t legal[2][64];         /* by side to move and white king, the black king a bit */
    BlockedDistances by_winner[2]; /* with a goal: by the side that reaches it */
    bool upper_bounds;             /* distances may be too high, as not everything is known */
    BlockedCaptures captures[2];   /* GOAL_EXACT, if captures_known: by winner */
    bool captures_known;  /* what captures lead to is in `captures`, as far as it is known */
    char *file;           /* the blocked-pawn table that it was read from; NULL if it was solved */
    ProofGraph *graph;    /* GOAL_EXACT, if it was solved; else NULL */
    Structure *structure; /* of the position, in the graph */
} Blocked;

/* TREB_OK if the position has kings and blocked pawns only; else TREB_ERR_POSITION, and `why` names
 * the man at fault. */
treb_status blocked_check(const treb_position *pos, char why[BLOCKED_WHY_SIZE]);

/* Solves a request. NULL with the reason on failure; free with blocked_free. */
Blocked *blocked_solve(const BlockedRequest *request, treb_error *error);
void blocked_free(Blocked *blocked);

/* The value of a legal placement. With a goal, the side that reaches it wins; if both can, the one
 * with the smaller distance. */
PawnValue blocked_value(const Blocked *blocked, int side, int white_king, int black_king);
bool blocked_is_legal(const Blocked *blocked, int side, int white_king, int black_king);

/* Decides what all captures lead to, as far as memory allows, and finds the distances again with
 * that knowledge. False on failure. Does nothing without a graph. */
bool blocked_evaluate_captures(Blocked *blocked);

/* Whether the position is decided, and with `all` every placement of the request's region. */
bool blocked_is_decided(const Blocked *blocked, bool all);

/* Lists all legal moves of the position, best first. With GOAL_EXACT, what captures lead to is
 * decided if memory allows. Returns the number of moves, -1 on failure. */
int blocked_moves(Blocked *blocked, PawnMove out[MOVES_MAX]);

/* The best play from the position: the winner on the shortest way, the loser on the longest. `last`
 * gets the final position. Returns the number of moves, at most `capacity`; -1 on failure. */
int blocked_line(Blocked *blocked, PawnMove *out, int capacity, LineEnd *end, treb_position *last);

/* Who wins, or reaches the goal, in all placements. */
void blocked_placements(const Blocked *blocked, Placements *out);

/* The side whose wins are shown: the winner of the position, else the side that wins more
 * placements. */
int blocked_attacker(const Blocked *blocked);

/* Prints the distances of an attacker's wins, with the kings on squares of `region`: one line for
 * each placement, or as a table for one side to move. */
void blocked_print_tsv(FILE *out, const Blocked *blocked, int attacker, const uint64_t region[2]);
void blocked_print_table(FILE *out, const Blocked *blocked, int attacker, int side,
                         const uint64_t region[2]);

/* ---- For the other files of this folder ------------------------------------------------------ */

/* A solution of which only the legal placements are known. NULL without memory. */
Blocked *blocked_new(const BlockedRequest *request);

/* Solves the position's own structure again from what is known of its children, and takes over the
 * values and distances. False on failure. */
bool blocked_take_values(Blocked *blocked);

#endif
