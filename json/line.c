/* line.c - the best play of both sides. */
#include <stdlib.h>
#include <string.h>

#include "json/answer_blocked.h"
#include "json/line.h"
#include "json/parts.h"

/* ---- Walking --------------------------------------------------------------------------------- */

LineWalk line_begin(const PgnLine *line, treb_move *room, size_t capacity)
{
    LineWalk walk = {.line = *line, .room = room, .capacity = capacity, .last = line->pos};
    walk.line.move = room;
    walk.line.moves = 0;
    walk.line.end = TREB_LINE_CAPACITY;
    return walk;
}

bool line_goes_on(const LineWalk *walk)
{
    return walk->line.end == TREB_LINE_CAPACITY && walk->line.moves < walk->capacity;
}

treb_status line_step(LineWalk *walk, const treb_tables *tables, treb_error *error)
{
    PgnLine *line = &walk->line;
    size_t left = walk->capacity - line->moves, count = 0;
    treb_move *at = walk->room + line->moves;
    treb_status status =
        treb_best_line(tables, &walk->last, line->metric, line->rule, at,
                       left < LINE_STEP ? left : LINE_STEP, &count, &line->end, error);
    line->moves += count;
    for (size_t i = 0; i < count; i++)
        treb_position_play(&walk->last, at[i].uci, &walk->last, NULL);
    return status;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static const char *end_name(const PgnLine *line)
{
    static const char *const names[] = {"mate", "stalemate", "draw", "capacity"};
    return line->failed || line->broken ? "unknown" : names[line->end];
}

/* A verdict by the rule of the line. */
static json_t *verdict_json(const PgnLine *line, const treb_value *value, const treb_position *pos)
{
    if (line->rule == TREB_RULE_50) return answer_rule(value, pos);
    if (value->status[TREB_WDL] != TREB_OK) return json_null();
    treb_wdl wdl = value->wdl > TREB_DRAW   ? TREB_WIN
                   : value->wdl < TREB_DRAW ? TREB_LOSS
                                            : TREB_DRAW;
    return json_text(answer_verdict(wdl));
}

static json_t *winner_json(const PgnLine *line)
{
    int winner = pgn_winner(line);
    return winner >= 0 ? json_text(answer_color(winner)) : json_null();
}

static json_t *moves_json(const PgnLine *line)
{
    json_t *array = json_array();
    treb_position pos = line->pos;
    for (size_t i = 0; i < line->moves; i++) {
        char fen[TREB_FEN_SIZE];
        const treb_move *move = &line->move[i];
        json_t *object = json_object(), *verdict = verdict_json(line, &move->value, &pos);
        if (treb_position_play(&pos, move->uci, &pos, NULL) != TREB_OK) {
            json_decref(object);
            json_decref(verdict);
            break;
        }
        treb_position_to_fen(&pos, fen);
        put(object, "uci", json_text(move->uci));
        put(object, "san", json_text(move->san));
        put(object, "fen", json_text(fen));
        put(object, "verdict", verdict);
        answer_distances(object, &move->value);
        json_array_append_new(array, object);
    }
    return array;
}

json_t *line_json(const PgnLine *line)
{
    char fen[TREB_FEN_SIZE];
    char *pgn = pgn_write(line);
    if (pgn == NULL) return NULL;
    json_t *object = json_object();
    treb_position_to_fen(&line->pos, fen);
    put(object, "fen", json_text(fen));
    put(object, "metric",
        line->metric == TREB_WDL ? json_null() : json_text(treb_metric_text(line->metric)));
    put(object, "rule", json_text(answer_rule_name(line->rule)));
    put(object, "verdict", verdict_json(line, &line->value, &line->pos));
    put(object, "winner", winner_json(line));
    put(object, "end", json_text(end_name(line)));
    put(object, "plies", json_integer((json_int_t)line->moves));
    put(object, "moves", moves_json(line));
    put(object, "pgn", json_text(pgn));
    free(pgn);
    return object;
}

/* ---- From the tables ------------------------------------------------------------------------- */

static treb_status fill_by_tables(AnswerContext *context, PgnLine *line, treb_move *room,
                                  size_t capacity, treb_error *error)
{
    if (line->metric == TREB_WDL) line->metric = answer_known_metric(&line->value);
    if (line->metric == TREB_WDL) line->metric = TREB_DTZ; /* which tells what is missing */
    LineWalk walk = line_begin(line, room, capacity);
    treb_status status = answer_walk(context, &walk, error);
    *line = walk.line;
    line->failed = status != TREB_OK;
    return status;
}

/* ---- From blocked-pawn tables ---------------------------------------------------------------- */

/* A line that goes from one such table to the next, and where it has come to. */
typedef struct BlockedWalk {
    AnswerContext *context;
    PgnLine *line;
    treb_move *room;
    size_t capacity;
    treb_position last;
    BlockedEnd end;
} BlockedWalk;

static void take_move(treb_move *out, const BlockedMove *move)
{
    *out = (treb_move){0};
    for (int m = 0; m < TREB_METRICS; m++) out->value.status[m] = TREB_ERR_NO_TABLE;
    snprintf(out->uci, sizeof out->uci, "%s", move->uci);
    snprintf(out->san, sizeof out->san, "%s", move->san);
}

/* The moves of one table and, unless other tables know the rest, of those of what is left after
 * captures. */
static treb_status walk_blocked(BlockedWalk *walk, Blocked *b, treb_error *error)
{
    enum { BLOCKED_MOVES = 1024 };
    PgnLine *line = walk->line;
    BlockedMove *list = malloc(BLOCKED_MOVES * sizeof *list);
    int count = list != NULL ? blocked_line(b, list, BLOCKED_MOVES, &walk->end, &walk->last) : -1;
    for (int i = 0; i < count && line->moves < walk->capacity; i++)
        take_move(&walk->room[line->moves++], &list[i]);
    free(list);
    if (count < 0) return fail_memory(error);
    if (walk->end != BLOCKED_END_CAPTURE ||
        answer_blocked_goes_on(walk->context->tables, walk->end, &walk->last))
        return TREB_OK;
    if (answer_stopped(walk->context)) return answer_fail_stopped(error);
    Blocked *next;
    treb_status status = answer_instead(walk->context, &walk->last, &next, error);
    if (next != NULL) status = walk_blocked(walk, next, error);
    blocked_free(next);
    return status;
}

/* Plays on by the tables where they know the position after the last move. */
static void play_on(BlockedWalk *walk)
{
    PgnLine *line = walk->line, rest = {.pos = walk->last, .metric = line->metric};
    rest.rule = line->rule;
    if (treb_probe_root(walk->context->tables, &rest.pos, &rest.value, NULL) != TREB_OK) return;
    treb_status status = fill_by_tables(walk->context, &rest, walk->room + line->moves,
                                        walk->capacity - line->moves, NULL);
    line->metric = rest.metric;
    line->moves += rest.moves;
    line->end = rest.end;
    line->broken = status != TREB_OK;
}

static void describe(const BlockedWalk *walk, BlockedVerdict verdict, char out[LINE_NOTE_SIZE])
{
    const PgnLine *line = walk->line;
    const char *winner = verdict == BLOCKED_BLACK ? "Black" : "White";
    size_t length = line->moves > 0 ? strlen(line->move[line->moves - 1].san) : 0;
    bool mate = length > 0 && line->move[line->moves - 1].san[length - 1] == '#';
    if (verdict == BLOCKED_OPEN)
        snprintf(out, LINE_NOTE_SIZE, "What best play leads to is not known");
    else if (verdict == BLOCKED_DRAW)
        snprintf(out, LINE_NOTE_SIZE, "A draw with best play");
    else if (mate || walk->end == BLOCKED_END_MATE)
        snprintf(
            out, LINE_NOTE_SIZE,
            "%s mates in %zu plies: up to captures by blocked-pawn tables, then by others. The "
            "50-move rule is left aside",
            winner, line->moves);
    else
        snprintf(out, LINE_NOTE_SIZE,
                 "%s wins; what comes after the capture takes tables. The 50-move rule "
                 "is left aside",
                 winner);
}

static treb_status fill_by_blocked(AnswerContext *context, PgnLine *line, Blocked *b,
                                   treb_move *room, size_t capacity, char note[LINE_NOTE_SIZE],
                                   treb_error *error)
{
    BlockedWalk walk = {context, line, room, capacity, line->pos, BLOCKED_END_OPEN};
    line->rule = TREB_RULE_NONE; /* as these tables have it */
    line->value = (treb_value){0};
    treb_status status = walk_blocked(&walk, b, error);
    if (status != TREB_OK) return status;
    BlockedVerdict verdict = blocked_value(b, line->pos.turn, position_king(&line->pos, TREB_WHITE),
                                           position_king(&line->pos, TREB_BLACK))
                                 .verdict;
    line->value.rule = line->value.wdl = answer_blocked_wdl(verdict, line->pos.turn);
    line->failed = verdict == BLOCKED_OPEN;
    if (line->failed) line->value.status[TREB_WDL] = TREB_ERR_NO_TABLE;
    line->end = walk.end == BLOCKED_END_MATE ? TREB_LINE_MATE : TREB_LINE_DRAW;
    line->broken = walk.end != BLOCKED_END_MATE && walk.end != BLOCKED_END_DRAW;
    if (walk.end == BLOCKED_END_CAPTURE) play_on(&walk);
    describe(&walk, verdict, note);
    line->note = note;
    return TREB_OK;
}

/* ---- Solved on the spot ---------------------------------------------------------------------- */

static void describe_solved(const Solve *s, BlockedEnd end, const PgnLine *line,
                            char out[LINE_NOTE_SIZE])
{
    const char *winner = s->value.verdict == BLOCKED_BLACK ? "Black" : "White";
    if (s->value.verdict == BLOCKED_OPEN)
        snprintf(out, LINE_NOTE_SIZE, "Who wins is not known");
    else if (s->value.verdict == BLOCKED_DRAW)
        snprintf(out, LINE_NOTE_SIZE, "A draw with best play");
    else if (end == BLOCKED_END_MATE ||
             (end == BLOCKED_END_TABLES && line->end == TREB_LINE_MATE && !line->broken))
        snprintf(
            out, LINE_NOTE_SIZE,
            "%s mates in %zu plies, by the shortest way to each capture or promotion. The 50-move rule is left aside",
            winner, line->moves);
    else
        snprintf(out, LINE_NOTE_SIZE,
                 "%s wins; the play is not followed further. The 50-move rule is left aside",
                 winner);
}

static treb_status fill_solved(AnswerContext *context, PgnLine *line, Solve *s, treb_move *room,
                               size_t capacity, char note[LINE_NOTE_SIZE], treb_error *error)
{
    BlockedWalk walk = {context, line, room, capacity, s->pos, BLOCKED_END_DRAW};
    const bool won = verdict_winner(s->value.verdict) >= 0;
    BlockedMove *list = malloc(capacity * sizeof *list);
    int count = list != NULL && won ? solve_line(s, list, (int)capacity, &walk.end, &walk.last) : 0;
    *line = (PgnLine){.pos = s->pos, .metric = TREB_WDL, .rule = TREB_RULE_NONE, .move = room};
    for (int i = 0; i < count; i++) take_move(&room[line->moves++], &list[i]);
    const bool failed = list == NULL || count < 0;
    free(list);
    if (failed) return fail(error, TREB_ERR_MEMORY, "out of memory, or a table could not be read");
    line->value.rule = line->value.wdl = answer_blocked_wdl(s->value.verdict, s->pos.turn);
    line->failed = s->value.verdict == BLOCKED_OPEN;
    if (line->failed) line->value.status[TREB_WDL] = TREB_ERR_NO_TABLE;
    line->end = walk.end == BLOCKED_END_MATE ? TREB_LINE_MATE : TREB_LINE_DRAW;
    line->broken = walk.end != BLOCKED_END_MATE && walk.end != BLOCKED_END_DRAW;
    if (walk.end == BLOCKED_END_TABLES) play_on(&walk);
    describe_solved(s, walk.end, line, note);
    line->note = note;
    return TREB_OK;
}

char *line_pgn_solved(AnswerContext *context, Solve *s, treb_error *error)
{
    PgnLine line;
    char note[LINE_NOTE_SIZE], *text = NULL;
    treb_move *moves = malloc(ANSWER_LINE_MAX * sizeof *moves);
    treb_status status = moves != NULL ? TREB_OK : fail_memory(error);
    if (status == TREB_OK)
        status = fill_solved(context, &line, s, moves, ANSWER_LINE_MAX, note, error);
    if (status == TREB_OK && (text = pgn_write(&line)) == NULL) fail_memory(error);
    free(moves);
    return text;
}

/* ---- The answer ------------------------------------------------------------------------------ */

treb_status line_fill(AnswerContext *context, PgnLine *line, treb_move *room, size_t capacity,
                      char note[LINE_NOTE_SIZE], treb_error *error)
{
    treb_error why;
    Blocked *b = NULL;
    line->move = room;
    line->moves = 0;
    if (answer_stopped(context)) return answer_fail_stopped(error);
    treb_status status = treb_probe_root(context->tables, &line->pos, &line->value, error);
    if (status == TREB_OK) return fill_by_tables(context, line, room, capacity, error);
    if (!answer_missing_table(status)) return status;
    treb_status looked = answer_instead(context, &line->pos, &b, &why);
    if (looked != TREB_OK) return fail(error, looked, "%s", why.text);
    if (b == NULL) return status;
    status = fill_by_blocked(context, line, b, room, capacity, note, error);
    blocked_free(b);
    return status;
}

json_t *answer_line(AnswerContext *context, const treb_position *pos, treb_metric metric,
                    treb_rule rule, treb_error *error)
{
    PgnLine line = {.pos = *pos, .metric = metric, .rule = rule};
    char note[LINE_NOTE_SIZE];
    json_t *object = NULL;
    treb_move *moves = malloc(ANSWER_LINE_MAX * sizeof *moves);
    if (moves == NULL) {
        fail_memory(error);
        return NULL;
    }
    treb_status status = line_fill(context, &line, moves, ANSWER_LINE_MAX, note, error);
    if (status == TREB_OK) object = line_json(&line);
    if (status == TREB_OK && object == NULL) status = fail_memory(error);
    answer_note(context, status);
    free(moves);
    return answer_unless_stopped(context, object, error);
}
