/* report.c - see report.h. */
#include "examples/book-1983/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 120, CLAIM = 4096 };

/* Returns the number of characters in `bytes` bytes of UTF-8. */
static int characters(const char *text, int bytes)
{
    int count = 0;
    for (int i = 0; i < bytes; i++) count += (text[i] & 0xc0) != 0x80;
    return count;
}

/* Prints an item of a list. Breaks its lines at spaces, so that none is longer than LINE. */
static void print_item(const char *text)
{
    int column = 1;
    putchar('*');
    while (*text != '\0') {
        int bytes = (int)strcspn(text, " "), width = characters(text, bytes);
        if (column + 1 + width > LINE) {
            fputs("\n ", stdout);
            column = 1;
        }
        printf(" %.*s", bytes, text);
        column += 1 + width;
        text += bytes + strspn(text + bytes, " ");
    }
    putchar('\n');
}

void report_section(const char *title, const char *text)
{
    fprintf(stderr, "%s ...\n", title);
    printf("\n## %s\n\n%s\n\n", title, text);
    fflush(stdout);
}

void report_claim(Report *report, const char *claim, Agreement agreement, const char *found, ...)
{
    static const char *const words[] = {"agrees", "**differs**", "noted"};
    char text[CLAIM];
    va_list args;
    va_start(args, found);
    int length = snprintf(text, sizeof text, "%s: %s. *Trebuchet*: ", words[agreement], claim);
    length += vsnprintf(text + length, sizeof text - (size_t)length, found, args);
    snprintf(text + length, sizeof text - (size_t)length, ".");
    print_item(text);
    fflush(stdout);
    va_end(args);
    report->agree += agreement == AGREES;
    report->differ += agreement == DIFFERS;
    report->noted += agreement == NOTED;
}

void report_give_up(const treb_error *error, const char *what)
{
    fprintf(stderr, "reproduce: %s: %s\n", what, error->text);
    exit(1);
}

treb_position report_position(const char *fen)
{
    treb_position pos;
    treb_error error;
    if (treb_position_from_fen(fen, &pos, &error) != TREB_OK) report_give_up(&error, fen);
    return pos;
}

treb_distance report_distance(const Report *report, const treb_position *pos, treb_metric metric)
{
    treb_distance out;
    treb_error error;
    if (treb_probe_distance(report->tables, pos, metric, &out, &error) != TREB_OK)
        report_give_up(&error, "a position");
    return out;
}

treb_table_info report_info(const Report *report, const char *material, treb_metric metric)
{
    treb_table_info out;
    treb_error error;
    if (treb_tables_find(report->tables, material, metric, &out, &error) != TREB_OK)
        report_give_up(&error, material);
    return out;
}

void report_moves(const Report *report, const char *fen, treb_metric metric, Moves *out)
{
    treb_error error;
    treb_position pos = report_position(fen);
    if (treb_probe_moves(report->tables, &pos, metric, TREB_RULE_50, out->move, TREB_MOVES_MAX,
                         &out->count, &error) != TREB_OK)
        report_give_up(&error, fen);
}

const treb_move *moves_find(const Moves *moves, const char *san)
{
    for (size_t i = 0; i < moves->count; i++)
        if (strcmp(moves->move[i].san, san) == 0) return &moves->move[i];
    fprintf(stderr, "reproduce: no move %s\n", san);
    exit(1);
}

const char *move_result(const treb_move *move)
{
    return move->value.wdl > TREB_DRAW ? "wins" : move->value.wdl < TREB_DRAW ? "loses" : "draws";
}

int moves_winning(const Moves *moves)
{
    int wins = 0;
    for (size_t i = 0; i < moves->count; i++) wins += moves->move[i].value.wdl > TREB_DRAW;
    return wins;
}

void moves_list_winning(const Moves *moves, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < moves->count; i++) {
        const treb_move *m = &moves->move[i];
        if (m->value.wdl <= TREB_DRAW || at + 24 > size) continue;
        at += (size_t)snprintf(out + at, size - at, "%s%s (%d)", at ? ", " : "", m->san,
                               m->value.plies[TREB_DTC]);
    }
}
