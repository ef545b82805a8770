/* answer_strategies.c - the object of GET /v1/strategies: the built-in strategies, what was proved of
 * them, and what they play in a position. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/position.h"
#include "core/chess/san.h"
#include "find/strategy.h"
#include "json/answer.h"
#include "json/coverage.h"
#include "json/put.h"
#include "json/rule_book.h"
#include "json/words.h"

/* Bound for the positions that a strategy searches. The built-in ones need far fewer: docs/play.md. */
enum { LOOK_MOST = 1 << 21 };

/* A strategy and its plan for a position. `swapped`: colours are exchanged between the plan and the
 * requested position. */
typedef struct Player {
    const Strategy *strategy;
    const Plan *plan;
    bool swapped;
} Player;

static json_t *strategy_json(const RuleText *text, const Strategy *strategy)
{
    static const char *const members[] = {"white_to_move", "black_to_move", "best_longest_moves",
                                          NULL};
    char material[MATERIAL_NAME_SIZE];
    json_t *object = json_object(), *advice = json_array();
    material_name(strategy_material(strategy), material);
    for (int i = 0; i < strategy_advice_count(strategy); i++)
        json_array_append_new(advice, json_string(strategy_advice(strategy, i)));
    put(object, "strategy", json_text(text->name));
    put(object, "material", json_text(material));
    put(object, "about", rule_book_about(text->text));
    put(object, "advice", advice);
    put(object, "figures", rule_book_figures(strategy_figures, text->name, material, members));
    return object;
}

/* ---- A move ---------------------------------------------------------------------------------- */

/* Returns a move of the plan on the requested board. */
static Move move_asked(const Player *player, Move move)
{
    const Move m = plan_move(player->plan, move);
    return player->swapped ? move_make(move_from(m) ^ 56, move_to(m) ^ 56, move_promo(m)) : m;
}

/* The object of a move; sets the position after it. */
static json_t *move_json(const treb_position *pos, Move move, treb_position *next)
{
    char san[SAN_SIZE], uci[UCI_SIZE];
    json_t *object = json_object();
    move_to_san(pos, move, san);
    move_to_uci(move, uci);
    put(object, "uci", json_text(uci));
    put(object, "san", json_text(san));
    position_make(pos, move, next);
    return object;
}

/* The object of a node: the strategy's move, and each reply in the tree with what is played after it.
 * Recursive; the depth of a tree is at most STRATEGY_DEPTH_MAX. */
static json_t *tree_json(const Player *player, const treb_position *pos, uint32_t node)
{
    treb_position reply, next;
    const PlanNode *nodes = player->plan->node;
    json_t *object = move_json(pos, move_asked(player, nodes[node].move), &reply);
    json_t *replies = json_array();
    for (uint32_t r = nodes[node].first; r != 0; r = nodes[r].next) {
        json_t *one = move_json(&reply, move_asked(player, nodes[r].move), &next);
        put(one, "then",
            nodes[r].first != 0 ? tree_json(player, &next, nodes[r].first) : json_null());
        json_array_append_new(replies, one);
    }
    put(object, "replies", replies);
    return object;
}

/* Adds what a strategy plays in `pos`. `in_table` is the same position with the colours of its table. */
static treb_status put_play(const AnswerContext *context, json_t *object, Strategy *strategy,
                            const treb_position *pos, const treb_position *in_table, bool swapped,
                            treb_error *error)
{
    Plan plan = {.advice = -1};
    const Player player = {strategy, &plan, swapped};
    const bool its_turn = in_table->turn == TREB_WHITE && movegen_any(pos);
    strategy_limit(strategy, LOOK_MOST);
    treb_status status =
        its_turn ? strategy_plan(strategy, in_table, context->cancel, &plan, error) : TREB_OK;
    const bool found = status == TREB_OK && its_turn && plan.advice >= 0;
    put(object, "plays", json_text(answer_color(swapped ? TREB_BLACK : TREB_WHITE)));
    put(object, "follows",
        found ? json_string(strategy_advice(strategy, plan.advice)) : json_null());
    put(object, "move", found ? tree_json(&player, pos, 1) : json_null());
    plan_free(&plan);
    return status;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Adds a strategy if it is for the position's material. With `pos` NULL adds it in any case. */
static treb_status add(AnswerContext *context, const RuleText *text, const treb_position *pos,
                       json_t *list, treb_error *error)
{
    Strategy *strategy;
    treb_position in_table;
    char material[MATERIAL_NAME_SIZE];
    treb_status status = strategy_open_text(strategy_book, text->name, &strategy, error);
    if (status != TREB_OK) return status;
    bool swapped = false, fits = true;
    if (pos != NULL) {
        in_table = *pos;
        swapped = rule_book_turn(&in_table, material);
        const Material here = material_of_position(&in_table);
        fits = material_equal(&here, strategy_material(strategy));
    }
    if (fits) {
        json_t *object = strategy_json(text, strategy);
        json_array_append_new(list, object);
        if (pos != NULL)
            status = put_play(context, object, strategy, pos, &in_table, swapped, error);
    }
    strategy_free(strategy);
    return status;
}

json_t *answer_strategies(AnswerContext *context, const treb_position *pos, treb_error *error)
{
    char fen[TREB_FEN_SIZE];
    treb_status status = pos != NULL ? answer_covered(pos) : TREB_OK;
    if (status != TREB_OK) {
        answer_fail_covered(status, error);
        return NULL;
    }
    json_t *object = json_object(), *list = json_array();
    if (pos != NULL) {
        treb_position_to_fen(pos, fen);
        put(object, "fen", json_text(fen));
    }
    put(object, "strategies", list);
    for (const RuleText *text = strategy_book; text->name != NULL && status == TREB_OK; text++)
        status = answer_stopped(context) ? answer_fail_stopped(error)
                                         : add(context, text, pos, list, error);
    answer_note(context, status);
    if (status == TREB_OK) return answer_unless_stopped(context, object, error);
    json_decref(object);
    return NULL;
}
