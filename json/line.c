/* line.c - see line.h. */
#include "json/line.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/system/error.h"
#include "json/answer.h"
#include "json/blocked_table.h"
#include "json/coverage.h"
#include "json/line_pgn.h"
#include "json/position_value.h"

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

treb_status line_walk(AnswerContext *context, LineWalk *walk, treb_error *error)
{
    treb_status status = TREB_OK;
    while (status == TREB_OK && line_goes_on(walk)) {
        if (answer_stopped(context)) return answer_fail_stopped(error);
        status = line_step(walk, context->tables, error);
    }
    return status;
}

/* ---- From the tables ------------------------------------------------------------------------- */

static treb_status fill_by_tables(AnswerContext *context, PgnLine *line, treb_move *room,
                                  size_t capacity, treb_error *error)
{
    if (line->metric == TREB_WDL) line->metric = answer_known_metric(&line->value);
    if (line->value.wdl == TREB_DRAW) { /* there are no distances, whichever tables are missing */
        line->end = movegen_any(&line->pos) ? TREB_LINE_DRAW : TREB_LINE_STALEMATE;
        return TREB_OK;
    }
    if (line->metric == TREB_WDL)
        line->metric = TREB_DTZ; /* the error of DTZ says which table is missing */
    LineWalk walk = line_begin(line, room, capacity);
    treb_status status = line_walk(context, &walk, error);
    *line = walk.line;
    line->failed = status != TREB_OK;
    return status;
}

/* ---- From blocked-pawn tables ---------------------------------------------------------------- */

/* A line that goes from one blocked-pawn table to the next. */
typedef struct BlockedWalk {
    AnswerContext *context;
    PgnLine *line;
    treb_move *room;
    size_t capacity;
    treb_position last; /* position after the last move */
    LineEnd end;        /* why the last table's line ends */
} BlockedWalk;

static void take_move(treb_move *out, const PawnMove *move)
{
    *out = (treb_move){0};
    for (int m = 0; m < TREB_METRICS; m++) out->value.status[m] = TREB_ERR_NO_TABLE;
    out->value.dtm50_status = TREB_ERR_NO_TABLE;
    snprintf(out->uci, sizeof out->uci, "%s", move->uci);
    snprintf(out->san, sizeof out->san, "%s", move->san);
}

/* Adds the line of one table. After a capture goes on with the blocked-pawn table of the new position,
 * unless the tables of the context know it. */
static treb_status walk_blocked(BlockedWalk *walk, Blocked *b, treb_error *error)
{
    enum { BLOCKED_MOVES = 1024 };
    PgnLine *line = walk->line;
    PawnMove *list = malloc(BLOCKED_MOVES * sizeof *list);
    int count = list != NULL ? blocked_line(b, list, BLOCKED_MOVES, &walk->end, &walk->last) : -1;
    for (int i = 0; i < count && line->moves < walk->capacity; i++)
        take_move(&walk->room[line->moves++], &list[i]);
    free(list);
    if (count < 0) return fail_memory(error);
    if (walk->end != LINE_END_CAPTURE ||
        answer_tables_go_on(walk->context->tables, walk->end, &walk->last))
        return TREB_OK;
    if (answer_stopped(walk->context)) return answer_fail_stopped(error);
    Blocked *next;
    treb_status status = answer_find_blocked(walk->context, &walk->last, &next, error);
    if (next != NULL) status = walk_blocked(walk, next, error);
    blocked_free(next);
    return status;
}

/* Goes on with the tables of the context if they know the position after the last move. */
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

/* Writes the comment at the end of the line. */
static void describe(const BlockedWalk *walk, PawnVerdict verdict, char out[LINE_NOTE_SIZE])
{
    const PgnLine *line = walk->line;
    const char *winner = verdict == VERDICT_BLACK ? "Black" : "White";
    size_t length = line->moves > 0 ? strlen(line->move[line->moves - 1].san) : 0;
    bool mate = length > 0 && line->move[line->moves - 1].san[length - 1] == '#';
    if (verdict == VERDICT_OPEN)
        snprintf(out, LINE_NOTE_SIZE, "The result of best play is not known");
    else if (verdict == VERDICT_DRAW)
        snprintf(out, LINE_NOTE_SIZE, "A draw with best play");
    else if (mate || walk->end == LINE_END_MATE)
        snprintf(
            out, LINE_NOTE_SIZE,
            "%s mates in %zu plies: by blocked-pawn tables up to a capture, then by other tables. The "
            "50-move rule is ignored",
            winner, line->moves);
    else
        snprintf(out, LINE_NOTE_SIZE,
                 "%s wins; tables for the position after the capture are missing. The 50-move rule "
                 "is ignored",
                 winner);
}

static treb_status fill_by_blocked(AnswerContext *context, PgnLine *line, Blocked *b,
                                   treb_move *room, size_t capacity, char note[LINE_NOTE_SIZE],
                                   treb_error *error)
{
    BlockedWalk walk = {context, line, room, capacity, line->pos, LINE_END_OPEN};
    line->rule = TREB_RULE_NONE; /* which these tables ignore */
    line->value = (treb_value){0};
    treb_status status = walk_blocked(&walk, b, error);
    if (status != TREB_OK) return status;
    PawnVerdict verdict = blocked_value(b, line->pos.turn, position_king(&line->pos, TREB_WHITE),
                                        position_king(&line->pos, TREB_BLACK))
                              .verdict;
    line->value.rule = line->value.wdl = answer_blocked_wdl(verdict, line->pos.turn);
    line->failed = verdict == VERDICT_OPEN;
    if (line->failed) line->value.status[TREB_WDL] = TREB_ERR_NO_TABLE;
    line->end = walk.end == LINE_END_MATE ? TREB_LINE_MATE : TREB_LINE_DRAW;
    line->broken = walk.end != LINE_END_MATE && walk.end != LINE_END_DRAW;
    if (walk.end == LINE_END_CAPTURE) play_on(&walk);
    describe(&walk, verdict, note);
    line->note = note;
    return TREB_OK;
}

/* ---- From a solution ------------------------------------------------------------------------- */

static void describe_solved(const Solve *s, LineEnd end, const PgnLine *line,
                            char out[LINE_NOTE_SIZE])
{
    const char *winner = s->value.verdict == VERDICT_BLACK ? "Black" : "White";
    if (s->value.verdict == VERDICT_OPEN)
        snprintf(out, LINE_NOTE_SIZE, "Who wins is not known");
    else if (s->value.verdict == VERDICT_DRAW)
        snprintf(out, LINE_NOTE_SIZE, "A draw with best play");
    else if (end == LINE_END_MATE ||
             (end == LINE_END_TABLES && line->end == TREB_LINE_MATE && !line->broken))
        snprintf(
            out, LINE_NOTE_SIZE,
            "%s mates in %zu plies, by the shortest way to each capture or promotion. The 50-move rule is ignored",
            winner, line->moves);
    else
        snprintf(out, LINE_NOTE_SIZE,
                 "%s wins; the line is not followed further. The 50-move rule is ignored", winner);
}

static treb_status fill_solved(AnswerContext *context, PgnLine *line, Solve *s, treb_move *room,
                               size_t capacity, char note[LINE_NOTE_SIZE], treb_error *error)
{
    BlockedWalk walk = {context, line, room, capacity, s->pos, LINE_END_DRAW};
    const bool won = verdict_winner(s->value.verdict) >= 0;
    PawnMove *list = malloc(capacity * sizeof *list);
    int count = list != NULL && won ? solve_line(s, list, (int)capacity, &walk.end, &walk.last) : 0;
    *line = (PgnLine){.pos = s->pos, .metric = TREB_WDL, .rule = TREB_RULE_NONE, .move = room};
    for (int i = 0; i < count; i++) take_move(&room[line->moves++], &list[i]);
    const bool failed = list == NULL || count < 0;
    free(list);
    if (failed) return fail(error, TREB_ERR_MEMORY, "out of memory, or a table could not be read");
    line->value.rule = line->value.wdl = answer_blocked_wdl(s->value.verdict, s->pos.turn);
    line->failed = s->value.verdict == VERDICT_OPEN;
    if (line->failed) line->value.status[TREB_WDL] = TREB_ERR_NO_TABLE;
    line->end = walk.end == LINE_END_MATE ? TREB_LINE_MATE : TREB_LINE_DRAW;
    line->broken = walk.end != LINE_END_MATE && walk.end != LINE_END_DRAW;
    if (walk.end == LINE_END_TABLES) play_on(&walk);
    describe_solved(s, walk.end, line, note);
    line->note = note;
    return TREB_OK;
}

char *line_solved_pgn(AnswerContext *context, Solve *s, treb_error *error)
{
    PgnLine line;
    char note[LINE_NOTE_SIZE], *text = NULL;
    treb_move *moves = malloc(ANSWER_LINE_MAX * sizeof *moves);
    treb_status status = moves != NULL ? TREB_OK : fail_memory(error);
    if (status == TREB_OK)
        status = fill_solved(context, &line, s, moves, ANSWER_LINE_MAX, note, error);
    if (status == TREB_OK && (text = line_pgn(&line)) == NULL) fail_memory(error);
    free(moves);
    return text;
}

/* Values the position as all other answers do. */
static treb_status fill_value(AnswerContext *context, PgnLine *line, treb_error *error)
{
    size_t count;
    treb_status status = treb_probe_root(context->tables, &line->pos, &line->value, error);
    if (status != TREB_OK) return status;
    treb_move *moves = malloc(TREB_MOVES_MAX * sizeof *moves);
    if (moves == NULL) return fail_memory(error);
    status = answer_position_value(context, &line->pos, &line->value, moves, &count, error);
    free(moves);
    return status;
}

/* ---- From any of them ------------------------------------------------------------------------ */

treb_status line_fill(AnswerContext *context, PgnLine *line, treb_move *room, size_t capacity,
                      char note[LINE_NOTE_SIZE], treb_error *error)
{
    treb_error why;
    Blocked *b = NULL;
    line->move = room;
    line->moves = 0;
    if (answer_stopped(context)) return answer_fail_stopped(error);
    treb_status status = fill_value(context, line, error);
    if (status == TREB_OK) return fill_by_tables(context, line, room, capacity, error);
    if (!answer_missing_table(status)) return status;
    treb_status looked = answer_find_blocked(context, &line->pos, &b, &why);
    if (looked != TREB_OK) return fail_again(error, &why);
    if (b == NULL) return status;
    status = fill_by_blocked(context, line, b, room, capacity, note, error);
    blocked_free(b);
    return status;
}
