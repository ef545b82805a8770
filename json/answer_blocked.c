/* answer_blocked.c - see answer_blocked.h. */
#include "json/answer_blocked.h"

#include <stdlib.h>
#include <string.h>

#include "json/line.h"
#include "json/parts.h"
#include "core/system/io.h"

enum { LINE_MOVES = 512 };

static const char *const verdicts[] = {"draw", "white", "black", "open"};
static const char *const goals[] = {"exact", "take", "reach"};
static const char *const rules[] = {"no", "maybe",
                                    "unknown"}; /* whether the 50-move rule matters */
static const char *const ends[] = {"goal",   "mate", "draw",     "tables",
                                   "pieces", "open", "capacity", "capture"};

Blocked *answer_find_blocked(const AnswerContext *context, const treb_position *pos,
                             treb_error *error)
{
    char why[BLOCKED_WHY_SIZE];
    BlockedRequest request = {.pos = *pos, .goal = GOAL_EXACT};
    treb_status status = blocked_check(pos, why);
    if (status == TREB_OK)
        return blocked_find(context->directories, context->directory_count, &request, error);
    fail(error, status, "%s", why);
    return NULL;
}

treb_status answer_instead(AnswerContext *context, const treb_position *pos, Blocked **out,
                           treb_error *error)
{
    treb_error why;
    *out = answer_find_blocked(context, pos, &why);
    /* A table may come, or a better one. */
    if (*out != NULL || why.status == TREB_ERR_NO_TABLE) context->lacks |= ANSWER_PARTIAL;
    if (*out != NULL || why.status == TREB_ERR_POSITION || why.status == TREB_ERR_NO_TABLE)
        return TREB_OK;
    return fail(error, why.status, "%s", why.text);
}

bool answer_blocked_goes_on(const treb_tables *tables, BlockedEnd end, const treb_position *last)
{
    treb_wdl wdl;
    return end == BLOCKED_END_CAPTURE && tables != NULL &&
           treb_probe_wdl(tables, last, &wdl, NULL) == TREB_OK;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

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

static void put_value(json_t *object, const BlockedValue *value)
{
    put(object, "verdict", json_text(verdicts[value->verdict]));
    put(object, "plies", value->plies >= 0 ? json_integer(value->plies) : json_null());
    if (value->verdict != BLOCKED_OPEN) return;
    put(object, "white_may_win", json_boolean(value->can[TREB_WHITE]));
    put(object, "black_may_win", json_boolean(value->can[TREB_BLACK]));
}

static json_t *moves_json(const BlockedMove *moves, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        json_t *object = json_object();
        put(object, "uci", json_text(moves[i].uci));
        put(object, "san", json_text(moves[i].san));
        put(object, "capture", json_boolean(moves[i].leaves));
        put(object, "goal", json_boolean(moves[i].goal));
        put_value(object, &moves[i].value);
        json_array_append_new(array, object);
    }
    return array;
}

static bool put_moves(json_t *object, Blocked *b, BlockedMove *moves)
{
    int count = blocked_moves(b, moves);
    if (count >= 0) put(object, "moves", moves_json(moves, count));
    return count >= 0;
}

static void put_line_moves(json_t *object, const BlockedMove *moves, int count, BlockedEnd end,
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

static bool put_line(json_t *object, AnswerContext *context, Blocked *b, BlockedMove *moves)
{
    BlockedEnd end;
    treb_position last;
    int count = blocked_line(b, moves, LINE_MOVES, &end, &last);
    if (count < 0) return false;
    if (answer_blocked_goes_on(context->tables, end, &last)) end = BLOCKED_END_TABLES;
    put_line_moves(object, moves, count, end, &last);
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

static BlockedValue root_value(const Blocked *b)
{
    const treb_position *pos = &b->request.pos;
    return blocked_value(b, pos->turn, position_king(pos, TREB_WHITE),
                         position_king(pos, TREB_BLACK));
}

/* The file's name without its folder, which is the host's own affair. */
static json_t *file_json(const Blocked *b)
{
    return b->file != NULL ? json_text(io_name(b->file)) : json_null();
}

json_t *answer_blocked(AnswerContext *context, Blocked *b, const Squares *squares,
                       treb_error *error)
{
    char fen[TREB_FEN_SIZE];
    BlockedValue value = root_value(b);
    BlockedMove *moves = malloc(LINE_MOVES * sizeof *moves);
    json_t *object = json_object();
    position_to_fen(&b->request.pos, fen);
    put(object, "fen", json_text(fen));
    put(object, "goal", json_text(goals[b->request.goal]));
    put_value(object, &value);
    put(object, "upper_bounds", json_boolean(b->upper_bounds));
    put(object, "file", file_json(b));
    bool good = moves != NULL && object != NULL && put_moves(object, b, moves) &&
                put_line(object, context, b, moves);
    free(moves);
    if (good && squares != NULL) answer_put_squares(object, squares);
    if (good) return object;
    json_decref(object);
    fail(error, TREB_ERR_MEMORY, "out of memory, or a table could not be read");
    return NULL;
}

/* Of how much the answer rests on, and whether more might be known. */
static void put_effort(json_t *object, const Solve *s)
{
    SolveState state;
    solve_state(s, &state);
    put(object, "positions", json_integer((json_int_t)state.positions));
    put(object, "positions_decided", json_integer((json_int_t)state.decided));
    put(object, "structures", json_integer((json_int_t)s->lattice->families));
    put(object, "stopped", json_boolean(s->lattice->stopped));
    put(object, "out_of_memory", json_boolean(s->lattice->full));
}

static void put_solved(json_t *object, const BlockedValue *value)
{
    put_value(object, value);
    put(object, "at_most", json_boolean(value->plies >= 0 && value->at_most));
}

/* What the 50-move rule makes of it. */
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
        const BlockedMove *m = &s->move[i];
        json_t *object = json_object();
        put(object, "uci", json_text(m->uci));
        put(object, "san", json_text(m->san));
        put(object, "capture", json_boolean(move_is_capture(&s->pos, m->move)));
        put(object, "zeroing", json_boolean(move_is_zeroing(&s->pos, m->move)));
        put(object, "conversion", json_boolean(settle_converts(&s->pos, m->move)));
        put_solved(object, &m->value);
        json_array_append_new(array, object);
    }
    return array;
}

/* The winner's play, in words and as a game. */
static bool put_solved_line(json_t *object, AnswerContext *context, Solve *s, treb_error *error)
{
    BlockedEnd end;
    treb_position last;
    BlockedMove *moves = malloc(LINE_MOVES * sizeof *moves);
    int count = moves != NULL ? solve_line(s, moves, LINE_MOVES, &end, &last) : -1;
    if (count >= 0) put_line_moves(object, moves, count, end, &last);
    free(moves);
    char *pgn = count >= 0 ? line_pgn_solved(context, s, error) : NULL;
    if (count < 0) fail(error, TREB_ERR_MEMORY, "out of memory, or a table could not be read");
    if (pgn != NULL) put(object, "pgn", json_text(pgn));
    free(pgn);
    return pgn != NULL;
}

json_t *answer_solve(AnswerContext *context, Solve *s, treb_error *error)
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

json_t *answer_ranks(AnswerContext *context, const treb_position *pos, int attacker,
                     treb_error *error)
{
    const uint64_t everywhere[2] = {UINT64_MAX, UINT64_MAX};
    Squares squares;
    Placements placements;
    if (answer_stopped(context)) return answer_unless_stopped(context, NULL, error);
    Blocked *b = answer_find_blocked(context, pos, error);
    if (b == NULL) return NULL;
    blocked_placements(b, &placements);
    squares_find(&placements, attacker >= 0 ? attacker : blocked_attacker(b), everywhere, &squares);
    json_t *object = answer_stopped(context) ? NULL : answer_blocked(context, b, &squares, error);
    blocked_free(b);
    return answer_unless_stopped(context, object, error);
}

/* ---- In the shape of other answers ----------------------------------------------------------- */

treb_wdl answer_blocked_wdl(BlockedVerdict verdict, int side)
{
    if (verdict == BLOCKED_DRAW || verdict == BLOCKED_OPEN) return TREB_DRAW;
    return (verdict == BLOCKED_WHITE) == (side == TREB_WHITE) ? TREB_WIN : TREB_LOSS;
}

/* The blocked-pawn table of a position that a move leads to, or NULL. What went wrong is noted. */
static Blocked *after_move(AnswerContext *context, const treb_position *pos)
{
    treb_error why;
    Blocked *b;
    answer_note(context, answer_instead(context, pos, &b, &why));
    return b;
}

bool answer_blocked_value(AnswerContext *context, const treb_position *pos, treb_value *out)
{
    Blocked *b = after_move(context, pos);
    if (b == NULL) return false;
    BlockedValue value = root_value(b);
    bool exact = value.plies >= 0 && !b->upper_bounds;
    blocked_free(b);
    treb_wdl wdl = answer_blocked_wdl(value.verdict, pos->turn);
    *out = (treb_value){.wdl = wdl, .rule = wdl};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        out->status[m] = m == TREB_DTC && exact ? TREB_OK : TREB_ERR_NO_TABLE;
    if (exact) out->plies[TREB_DTC] = value.plies;
    return value.verdict != BLOCKED_OPEN;
}

/* Where values come from that are put into the shape of GET /v1/probe. */
typedef struct ProbeSource {
    const treb_position *pos;
    bool upper_bounds; /* distances are */
    bool distances;    /* there are some */
    const char *why;   /* another is not known */
} ProbeSource;

/* Verdict and distances of the position or a move of it. An upper bound is no distance: it has its
 * own name. */
static void put_probe_value(json_t *object, const ProbeSource *from, const BlockedValue *value)
{
    bool known = from->distances && value->plies >= 0 && value->verdict != BLOCKED_DRAW;
    bool upper = from->upper_bounds || value->at_most;
    treb_wdl wdl = answer_blocked_wdl(value->verdict, from->pos->turn);
    json_t *verdict = value->verdict != BLOCKED_OPEN ? json_text(answer_verdict(wdl)) : json_null();
    put(object, "verdict", verdict);
    put(object, "verdict_clock_zero", json_incref(verdict));
    put(object, "dtz_plies", json_null());
    put(object, "dtc_plies", known && !upper ? json_integer(value->plies) : json_null());
    put(object, "dtm_plies", json_null());
    put(object, "dtz_rounded", json_false());
    put(object, "at_most_plies", known && upper ? json_integer(value->plies) : json_null());
}

static json_t *probe_move(const ProbeSource *from, const BlockedMove *move)
{
    treb_position child;
    json_t *object = json_object();
    position_make(from->pos, move->move, &child);
    bool over = !movegen_any(&child), check = position_in_check(&child);
    int men = bit_count(position_occupied(&child));
    put(object, "uci", json_text(move->uci));
    put(object, "san", json_text(move->san));
    put_probe_value(object, from, &move->value);
    put(object, "capture", json_boolean(men < bit_count(position_occupied(from->pos))));
    put(object, "zeroing", json_boolean(child.halfmove == 0));
    put(object, "conversion", json_boolean(settle_converts(from->pos, move->move)));
    put(object, "check", json_boolean(check));
    put(object, "checkmate", json_boolean(over && check));
    put(object, "stalemate", json_boolean(over && !check));
    return object;
}

static json_t *probe_unknown(const ProbeSource *from)
{
    json_t *array = json_array();
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        if (m == TREB_DTC && from->distances) continue;
        json_t *entry = answer_error(answer_code(TREB_ERR_NO_TABLE), from->why);
        put(entry, "metric", json_text(treb_metric_text((treb_metric)m)));
        json_array_append_new(array, entry);
    }
    return array;
}

static json_t *probe_best(const ProbeSource *from, const BlockedMove *moves, int count)
{
    json_t *object = json_object();
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        bool known =
            m == TREB_DTC && from->distances && count > 0 && moves[0].value.verdict != BLOCKED_OPEN;
        put(object, treb_metric_text((treb_metric)m),
            known ? json_text(moves[0].uci) : json_null());
    }
    return object;
}

/* All but the name of where it comes from. */
static json_t *probe_object(const ProbeSource *from, const BlockedValue *value,
                            const BlockedMove *moves, int count, bool list)
{
    json_t *object = json_object(), *array = json_array();
    answer_position(object, from->pos);
    put_probe_value(object, from, value);
    put(object, "halfmove_clock", json_integer(from->pos->halfmove));
    put(object, "metric", json_text(treb_metric_text(TREB_DTC)));
    put(object, "best", probe_best(from, moves, count));
    for (int i = 0; i < count && list; i++)
        json_array_append_new(array, probe_move(from, &moves[i]));
    if (list) put(object, "moves", json_incref(array));
    put(object, "unknown", probe_unknown(from));
    json_decref(array);
    return object;
}

json_t *answer_blocked_probe(Blocked *b, bool list, treb_error *error)
{
    const ProbeSource from = {&b->request.pos, b->upper_bounds, true,
                              "a blocked-pawn table does not know this distance"};
    BlockedMove *moves = malloc(MOVES_MAX * sizeof *moves);
    BlockedValue value = root_value(b);
    int count = moves != NULL ? blocked_moves(b, moves) : -1;
    json_t *object = count >= 0 ? probe_object(&from, &value, moves, count, list) : NULL;
    free(moves);
    if (object == NULL) {
        fail_memory(error);
        return NULL;
    }
    json_t *source = json_object();
    put(source, "file", file_json(b));
    put(source, "upper_bounds", json_boolean(b->upper_bounds));
    put(object, "blocked", source);
    return object;
}

json_t *answer_solve_probe(const Solve *s, treb_error *error)
{
    const ProbeSource from = {&s->pos, false, true, "solving does not tell this distance"};
    json_t *object = probe_object(&from, &s->value, s->move, s->moves, true);
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

/* ---- lila-tablebase's dialect ---------------------------------------------------------------- */

/* Of a position with `side` to move: `plies` from it, -1 if they are not known. */
static Fields fields_of(const Blocked *b, const BlockedValue *value, int plies, int side)
{
    Fields fields = {.category = CATEGORY_DRAW};
    if (value->verdict == BLOCKED_OPEN) fields.category = CATEGORY_UNKNOWN;
    if (value->verdict == BLOCKED_DRAW || value->verdict == BLOCKED_OPEN) {
        fields.known[TREB_DTC] = value->verdict == BLOCKED_DRAW;
        return fields;
    }
    bool won = answer_blocked_wdl(value->verdict, side) == TREB_WIN;
    fields.category = won ? CATEGORY_MAYBE_WIN : CATEGORY_MAYBE_LOSS;
    fields.known[TREB_DTC] = plies >= 0 && !b->upper_bounds;
    fields.plies[TREB_DTC] = won ? plies : -plies;
    return fields;
}

static void note_end(Fields *fields, const treb_position *pos)
{
    if (movegen_any(pos)) return;
    fields->checkmate = position_in_check(pos);
    fields->stalemate = !fields->checkmate;
    if (fields->checkmate) fields->category = CATEGORY_LOSS;
}

bool answer_blocked_fields(AnswerContext *context, const treb_position *pos, Fields *fields)
{
    Blocked *b = after_move(context, pos);
    if (b == NULL) return false;
    BlockedValue value = root_value(b);
    *fields = fields_of(b, &value, value.plies, pos->turn);
    blocked_free(b);
    return true;
}

static json_t *standard_move(const Blocked *b, const BlockedMove *move)
{
    treb_position child;
    json_t *object = json_object();
    position_make(&b->request.pos, move->move, &child);
    /* After a capture another count begins, which is not known here. */
    Fields fields =
        fields_of(b, &move->value, move->leaves ? -1 : move->value.plies - 1, child.turn);
    fields.insufficient = answer_insufficient(&child);
    note_end(&fields, &child);
    put(object, "uci", json_text(move->uci));
    put(object, "san", json_text(move->san));
    put(object, "zeroing", json_boolean(move->leaves));
    put(object, "conversion", json_boolean(move->leaves));
    standard_put_fields(object, &fields);
    return object;
}

json_t *answer_blocked_standard(Blocked *b, treb_error *error)
{
    BlockedMove *moves = malloc(MOVES_MAX * sizeof *moves);
    BlockedValue value = root_value(b);
    int count = moves != NULL ? blocked_moves(b, moves) : -1;
    json_t *object = json_object(), *array = json_array();
    Fields fields = fields_of(b, &value, value.plies, b->request.pos.turn);
    fields.insufficient = answer_insufficient(&b->request.pos);
    note_end(&fields, &b->request.pos);
    standard_put_fields(object, &fields);
    for (int i = 0; i < count; i++) json_array_append_new(array, standard_move(b, &moves[i]));
    put(object, "moves", array);
    free(moves);
    if (count >= 0 && object != NULL) return object;
    json_decref(object);
    fail_memory(error);
    return NULL;
}
