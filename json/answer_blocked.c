/* answer_blocked.c - see answer_blocked.h. */
#include "json/answer_blocked.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "json/answer.h"
#include "json/blocked_table.h"
#include "json/put.h"
#include "json/words.h"

enum { LINE_MOVES = 512 };

static const char *const verdicts[] = {"draw", "white", "black", "open"};
static const char *const goals[] = {"exact", "take", "reach"};
static const char *const ends[] = {"goal",   "mate", "draw",     "tables",
                                   "pieces", "open", "capacity", "capture"};

/* ---- Members --------------------------------------------------------------------------------- */

static json_t *square_json(int square)
{
    const char name[] = {(char)('a' + square_file(square)), (char)('1' + square_rank(square)), 0};
    return json_text(name);
}

static json_t *squares_json(uint64_t set)
{
    json_t *array = json_array();
    while (set != 0) json_array_append_new(array, square_json(bit_pop(&set)));
    return array;
}

void answer_put_blocked_value(json_t *object, const PawnValue *value)
{
    put(object, "verdict", json_text(verdicts[value->verdict]));
    put(object, "plies", value->plies >= 0 ? json_integer(value->plies) : json_null());
    if (value->verdict != VERDICT_OPEN) return;
    put(object, "white_may_win", json_boolean(value->can[TREB_WHITE]));
    put(object, "black_may_win", json_boolean(value->can[TREB_BLACK]));
}

static json_t *moves_json(const PawnMove *moves, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        json_t *object = json_object();
        put(object, "uci", json_text(moves[i].uci));
        put(object, "san", json_text(moves[i].san));
        put(object, "capture", json_boolean(moves[i].leaves));
        put(object, "goal", json_boolean(moves[i].goal));
        answer_put_blocked_value(object, &moves[i].value);
        json_array_append_new(array, object);
    }
    return array;
}

static bool put_moves(json_t *object, Blocked *b, PawnMove *moves)
{
    int count = blocked_moves(b, moves);
    if (count >= 0) put(object, "moves", moves_json(moves, count));
    return count >= 0;
}

void answer_put_blocked_line(json_t *object, const PawnMove *moves, int count, LineEnd end,
                             const treb_position *last)
{
    char fen[TREB_FEN_SIZE];
    json_t *san = json_array(), *uci = json_array();
    for (int i = 0; i < count; i++) {
        json_array_append_new(san, json_text(moves[i].san));
        json_array_append_new(uci, json_text(moves[i].uci));
    }
    position_to_fen(last, fen);
    put(object, "line", san);
    put(object, "line_uci", uci);
    put(object, "line_end", json_text(ends[end]));
    put(object, "line_fen", json_text(fen));
}

static bool put_line(json_t *object, AnswerContext *context, Blocked *b, PawnMove *moves)
{
    LineEnd end;
    treb_position last;
    int count = blocked_line(b, moves, LINE_MOVES, &end, &last);
    if (count < 0) return false;
    if (answer_tables_go_on(context->tables, end, &last)) end = LINE_END_TABLES;
    answer_put_blocked_line(object, moves, count, end, &last);
    return true;
}

/* ---- Corresponding squares ------------------------------------------------------------------- */

static json_t *pairs_json(const uint64_t pairs[64])
{
    json_t *object = json_object();
    for (int a = 0; a < 64; a++) {
        if (pairs[a] == 0) continue;
        json_t *square = square_json(a);
        put(object, json_string_value(square), squares_json(pairs[a]));
        json_decref(square);
    }
    return object;
}

void answer_put_squares(json_t *object, const Squares *s)
{
    json_t *groups = json_array();
    for (int i = 0; i < s->groups; i++) {
        char mark[8];
        json_t *group = json_object();
        squares_mark(i, mark);
        put(group, "mark", json_text(mark));
        put(group, "attacker", squares_json(s->group[i].squares));
        put(group, "defender", squares_json(s->group[i].answers));
        json_array_append_new(groups, group);
    }
    put(object, "attacker", json_text(answer_color(s->attacker)));
    put(object, "groups", groups);
    put(object, "zugzwangs", pairs_json(s->zugzwang));
    put(object, "double_zugzwangs", pairs_json(s->double_zugzwang));
    put(object, "placements_open", json_integer(s->open));
}

/* ---- The object ------------------------------------------------------------------------------ */

json_t *answer_blocked_file(const Blocked *b)
{
    return b->file != NULL ? json_text(io_name(b->file)) : json_null();
}

json_t *answer_blocked_json(AnswerContext *context, Blocked *b, const Squares *squares,
                            treb_error *error)
{
    char fen[TREB_FEN_SIZE];
    PawnValue value = answer_blocked_root(b);
    PawnMove *moves = malloc(LINE_MOVES * sizeof *moves);
    json_t *object = json_object();
    position_to_fen(&b->request.pos, fen);
    put(object, "fen", json_text(fen));
    put(object, "goal", json_text(goals[b->request.goal]));
    answer_put_blocked_value(object, &value);
    put(object, "upper_bounds", json_boolean(b->upper_bounds));
    put(object, "file", answer_blocked_file(b));
    bool good = moves != NULL && object != NULL && put_moves(object, b, moves) &&
                put_line(object, context, b, moves);
    free(moves);
    if (good && squares != NULL) answer_put_squares(object, squares);
    if (good) return object;
    json_decref(object);
    fail(error, TREB_ERR_MEMORY, "out of memory, or a table could not be read");
    return NULL;
}

json_t *answer_blocked(AnswerContext *context, const treb_position *pos, int attacker,
                       treb_error *error)
{
    const uint64_t everywhere[2] = {UINT64_MAX, UINT64_MAX};
    Squares squares;
    Placements placements;
    if (answer_stopped(context)) return answer_unless_stopped(context, NULL, error);
    Blocked *b = answer_open_blocked(context, pos, error);
    if (b == NULL) return NULL;
    blocked_placements(b, &placements);
    squares_find(&placements, attacker >= 0 ? attacker : blocked_attacker(b), everywhere, &squares);
    json_t *object =
        answer_stopped(context) ? NULL : answer_blocked_json(context, b, &squares, error);
    blocked_free(b);
    return answer_unless_stopped(context, object, error);
}
