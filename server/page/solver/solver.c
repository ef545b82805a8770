/* solver.c - see solver.h. */
#include "server/page/solver/solver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/chess/movegen.h"
#include "core/system/error.h"
#include "core/system/tool.h"
#include "pawns/solve/solve.h"

enum { TEXT_SIZE = 1 << 17, LINE_MOVES = 512, PIECES = 2 };

static char text[TEXT_SIZE];
static size_t length;

char *solver_text(void) { return text; }

/* Adds to the text. All that is ever written has room. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int size = vsnprintf(text + length, sizeof text - length, format, values);
    va_end(values);
    if (size > 0 && (size_t)size < sizeof text - length) length += (size_t)size;
}

static const char *word(bool is) { return is ? "true" : "false"; }

static void say_value(const PawnValue *value)
{
    static const char *const verdicts[] = {"draw", "white", "black", "open"};
    say("\"verdict\":\"%s\",\"plies\":%d,\"at_most\":%s", verdicts[value->verdict], value->plies,
        word(value->at_most));
}

static void say_move(const treb_position *pos, const PawnMove *move)
{
    treb_position child;
    position_make(pos, move->move, &child);
    say("{\"uci\":\"%s\",\"san\":\"%s\",\"capture\":%s,\"zeroing\":%s,\"conversion\":%s,\"check\":%s,"
        "\"over\":%s,",
        move->uci, move->san,
        word(bit_count(position_occupied(&child)) < bit_count(position_occupied(pos))),
        word(child.halfmove == 0), word(evaluate_converts(pos, move->move)),
        word(position_in_check(&child)), word(!movegen_any(&child)));
    say_value(&move->value);
    say("}");
}

static void say_line(Solve *s)
{
    static PawnMove moves[LINE_MOVES];
    LineEnd end;
    treb_position last;
    const bool won = verdict_winner(s->value.verdict) >= 0;
    const int count = won ? solve_line(s, moves, LINE_MOVES, &end, &last) : 0;
    for (int i = 0; i < count; i++)
        say("%s{\"uci\":\"%s\",\"san\":\"%s\"}", i > 0 ? "," : "", moves[i].uci, moves[i].san);
}

static void say_answer(Solve *s)
{
    static const char *const rules[] = {"no", "maybe", "unknown"};
    length = 0;
    say("{");
    say_value(&s->value);
    say(",\"rule50\":\"%s\",\"structures\":%llu,\"stopped\":%s,\"out_of_memory\":%s,\"moves\":[",
        rules[solve_rule(s)], (unsigned long long)s->graph->structures, word(s->graph->stopped),
        word(s->graph->full));
    for (int i = 0; i < s->moves; i++) {
        if (i > 0) say(",");
        say_move(&s->pos, &s->move[i]);
    }
    say("],\"line\":[");
    say_line(s);
    say("]}");
}

static bool stop(void *context, uint64_t structures, uint64_t bytes)
{
    (void)context, (void)bytes;
    return solver_stop((double)structures) != 0;
}

int solver_solve(double memory)
{
    treb_position pos;
    treb_error error;
    char why[SOLVE_WHY_SIZE] = "";
    const ProofGraphLimits limits = {.memory = (uint64_t)memory, .pieces = PIECES, .stop = stop};
    treb_status status = treb_position_from_fen(text, &pos, &error);
    if (status == TREB_OK && (status = solve_check(&pos, why)) != TREB_OK)
        fail(&error, status, "%s", why);
    Solve *s = status == TREB_OK ? solve_position(&pos, &limits, &error) : NULL;
    if (s == NULL) {
        snprintf(text, sizeof text, "%s", error.text);
        return (int)error.status;
    }
    say_answer(s);
    solve_free(s);
    return 0;
}

/* Advice about large pages does not matter for WebAssembly. */
void tool_large_pages(void *at, size_t size)
{
    (void)at;
    (void)size;
}
