/* strategy.h - advice that plays: a strategy in Lua, and the plans that it makes.
 *
 * In the manner of Advice Language 0 (Bratko and Michie, 1978-80). A strategy is for White, in one material. Its
 * rules give, by what a position looks like, pieces of advice in the order in which they are to be tried. A piece
 * of advice has a better goal, a holding goal, limits on White's moves and on Black's, and a depth in plies. It
 * can be followed if there is a forcing tree: of White's moves one, of Black's all, such that the holding goal
 * holds everywhere, and the better goal at the ends. Less deep trees are preferred, then moves that a limit
 * prefers. docs/play.md. */
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
    STRATEGY_NODES_MAX = 1 << 16 /* of a tree */
};

typedef struct Strategy Strategy;

/* White's move and, behind it, Black's replies that the tree has, chained. */
typedef struct PlanNode {
    Move move;
    uint32_t
        first; /* of White's: the first reply; of Black's: White's move then. 0: the tree ends */
    uint32_t next; /* of Black's: the next reply, or 0 */
} PlanNode;

/* A forcing tree. White's move is node 1; there is no node 0. */
typedef struct Plan {
    int advice;   /* that is followed, or -1: none can be */
    int symmetry; /* that took the position to the one that the tree is for (core/format/index.h) */
    PlanNode *node;
    uint32_t nodes, room;
} Plan;

/* TREB_ERR_ARGUMENT with file and line, also when `stop` becomes true (NULL allowed); TREB_ERR_MEMORY. One thread at a
 * time may use a strategy. */
treb_status strategy_open(const char *path, const atomic_bool *stop, Strategy **out,
                          treb_error *error);
/* The same with one of a list in memory. */
treb_status strategy_open_text(const RuleText *strategies, const char *name, Strategy **out,
                               treb_error *error);
void strategy_free(Strategy *strategy);

/* Lets a plan look at no more positions than this, over all trees: to look further is TREB_ERR_ARGUMENT then. By default
 * there is no such limit. */
void strategy_limit(Strategy *strategy, uint64_t positions);

const Material *strategy_material(const Strategy *strategy);

/* The name of a piece of advice, below strategy_advice_count. */
const char *strategy_advice(const Strategy *strategy, int advice);
int strategy_advice_count(const Strategy *strategy);

/* What the strategy does in a position of its material with White to move. Positions that are the same but for a
 * symmetry of the board have the same plan. `plan` is filled in anew, zero before its first use. When `stop` becomes
 * true (NULL allowed) it may end with a failure that means nothing. TREB_ERR_ARGUMENT for what goes wrong in the file. */
treb_status strategy_plan(Strategy *strategy, const treb_position *pos, const atomic_bool *stop,
                          Plan *plan, treb_error *error);
void plan_free(Plan *plan);

/* A move of the tree on the board of the position. */
Move plan_move(const Plan *plan, Move move);

/* The node with White's answer to a reply to White's move at a node, or 0: the tree has none. */
uint32_t plan_answer(const Plan *plan, uint32_t node, Move reply);

#endif
