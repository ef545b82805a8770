/* strategy.h - reads a strategy in Lua, and makes the plans that follow its advice.
 *
 * Strategies resemble Advice Language 0 (Bratko and Michie, 1978-80). A strategy is for White in
 * one material. Its rules say which pieces of advice to try in a position, and in which order. A
 * piece of advice has a better goal, a holding goal, limits on White's moves and on Black's moves,
 * and a depth in plies. It can be followed if there is a forcing tree: a tree with one move for
 * White and all moves for Black, in which the holding goal holds everywhere and the better goal
 * holds at the ends. Shallower trees are preferred, then moves that a limit prefers. See
 * docs/play.md. */
#ifndef TREB_FIND_STRATEGY_H
#define TREB_FIND_STRATEGY_H

#include <stdatomic.h>

#include "core/chess/material.h"
#include "core/chess/movegen.h"
#include "find/rule.h"

enum {
    STRATEGY_DEPTH_MAX = 15,
    STRATEGY_NAME_SIZE = 48,
    STRATEGY_ADVICE_MAX = 64,
    STRATEGY_NODES_MAX = 1 << 16 /* nodes of a tree */
};

typedef struct Strategy Strategy;

/* A node of a tree: a move by White or by Black. Black's replies to a move of White form a
 * chain. */
typedef struct PlanNode {
    Move move;
    /* for a move of White, the first reply; for a move of Black, White's answer; 0: the tree
     * ends */
    uint32_t first;
    uint32_t next; /* for a move of Black, the next reply, or 0 */
} PlanNode;

/* A forcing tree. White's first move is node 1; there is no node 0. */
typedef struct Plan {
    int advice; /* the advice that is followed; -1: no advice can be followed */
    /* the symmetry that maps the position to the one that the tree is for (core/format/index.h) */
    int symmetry;
    PlanNode *node;
    uint32_t nodes, room;
} Plan;

/* Opens a strategy. Returns TREB_ERR_ARGUMENT with file and line, also if `stop` becomes true (NULL
 * allowed), or TREB_ERR_MEMORY. Only one thread at a time may use a strategy. */
treb_status strategy_open(const char *path, const atomic_bool *stop, Strategy **out,
                          treb_error *error);
/* Opens a strategy from a list in memory. Errors are those of strategy_open. */
treb_status strategy_open_text(const RuleText *strategies, const char *name, Strategy **out,
                               treb_error *error);
void strategy_free(Strategy *strategy);

/* Limits the number of positions that a plan may examine, over all its trees. Beyond that,
 * strategy_plan returns TREB_ERR_ARGUMENT. By default there is no limit. */
void strategy_limit(Strategy *strategy, uint64_t positions);

const Material *strategy_material(const Strategy *strategy);

/* Returns the name of a piece of advice. `advice` is less than strategy_advice_count. */
const char *strategy_advice(const Strategy *strategy, int advice);
int strategy_advice_count(const Strategy *strategy);

/* Makes the plan of the strategy for a position of its material with White to move. Positions that
 * a symmetry of the board maps to each other have the same plan. `plan` is overwritten; zero it
 * before its first use. If `stop` becomes true (NULL allowed), it may end with an error that is
 * meaningless. Returns TREB_ERR_ARGUMENT for errors in the file. */
treb_status strategy_plan(Strategy *strategy, const treb_position *pos, const atomic_bool *stop,
                          Plan *plan, treb_error *error);
void plan_free(Plan *plan);

/* Returns a move of the tree as a move on the board of the original position. */
Move plan_move(const Plan *plan, Move move);

/* Returns the node with White's answer to a reply to the move at a node; 0 if the tree has no
 * answer. */
uint32_t plan_answer(const Plan *plan, uint32_t node, Move reply);

#endif
