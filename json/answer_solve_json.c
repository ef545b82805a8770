/* answer_solve_json.c - a solved position as JSON; see answer_solve.h. */
#include <stdlib.h>

#include "core/system/error.h"
#include "json/answer_blocked.h"
#include "json/answer_solve.h"
#include "json/blocked_probe.h"
#include "json/line.h"
#include "json/put.h"

enum { LINE_MOVES = 512 };

/* Whether the 50-move rule can change the result, by SolveRule. */
static const char *const rules[] = {"no", "maybe", "unknown"};

/* Adds how much was solved for the answer, and why the search ended if it ended early. */
static void put_effort(json_t *object, const Solve *s)
{
    SolveState state;
    solve_state(s, &state);
    put(object, "positions", json_integer((json_int_t)state.positions));
    put(object, "positions_decided", json_integer((json_int_t)state.decided));
    put(object, "structures", json_integer((json_int_t)s->graph->structures));
    put(object, "stopped", json_boolean(s->graph->stopped));
    put(object, "out_of_memory", json_boolean(s->graph->full));
}

static void put_solved(json_t *object, const PawnValue *value)
{
    answer_put_blocked_value(object, value);
    put(object, "at_most", json_boolean(value->plies >= 0 && value->at_most));
}

/* Adds whether the 50-move rule can change the result. */
static void put_rule(json_t *object, const Solve *s)
{
    const bool won = verdict_winner(s->value.verdict) >= 0;
    const int plies = solve_rule_plies(s);
    put(object, "rule50", json_text(rules[solve_rule(s)]));
    put(object, "rule50_plies", won && plies >= 0 ? json_integer(plies) : json_null());
}

static json_t *solved_moves(const Solve *s)
{
    json_t *array = json_array();
    for (int i = 0; i < s->moves; i++) {
        const PawnMove *m = &s->move[i];
        json_t *object = json_object();
        put(object, "uci", json_text(m->uci));
        put(object, "san", json_text(m->san));
        put(object, "capture", json_boolean(move_is_capture(&s->pos, m->move)));
        put(object, "zeroing", json_boolean(move_is_zeroing(&s->pos, m->move)));
        put(object, "conversion", json_boolean(evaluate_converts(&s->pos, m->move)));
        put_solved(object, &m->value);
        json_array_append_new(array, object);
    }
    return array;
}

/* Adds the winner's play, as a list of moves and as a PGN game. */
static bool put_solved_line(json_t *object, AnswerContext *context, Solve *s, treb_error *error)
{
    LineEnd end;
    treb_position last;
    PawnMove *moves = malloc(LINE_MOVES * sizeof *moves);
    int count = moves != NULL ? solve_line(s, moves, LINE_MOVES, &end, &last) : -1;
    if (count >= 0) answer_put_blocked_line(object, moves, count, end, &last);
    free(moves);
    char *pgn = count >= 0 ? line_solved_pgn(context, s, error) : NULL;
    if (count < 0) fail(error, TREB_ERR_MEMORY, "out of memory, or a table could not be read");
    if (pgn != NULL) put(object, "pgn", json_text(pgn));
    free(pgn);
    return pgn != NULL;
}

json_t *answer_solve_json(AnswerContext *context, Solve *s, treb_error *error)
{
    char fen[TREB_FEN_SIZE];
    const bool won = verdict_winner(s->value.verdict) >= 0;
    json_t *object = json_object();
    position_to_fen(&s->pos, fen);
    put(object, "fen", json_text(fen));
    put_solved(object, &s->value);
    put_rule(object, s);
    put(object, "moves", solved_moves(s));
    if (object == NULL) {
        fail_memory(error);
        return NULL;
    }
    if (won && !put_solved_line(object, context, s, error)) {
        json_decref(object);
        return NULL;
    }
    put_effort(object, s);
    return object;
}

json_t *answer_solve_probe_json(const Solve *s, treb_error *error)
{
    const ProbeSource from = {&s->pos, false, true, "solving does not tell this distance"};
    json_t *object = answer_probe_object(&from, &s->value, s->move, s->moves, true);
    json_t *source = json_object();
    if (object == NULL || source == NULL) {
        json_decref(object);
        fail_memory(error);
        return NULL;
    }
    put_effort(source, s);
    put_rule(source, s);
    put(object, "solved", source);
    return object;
}
