/* find_print.c - see find_print.h. */
#include "cli/find_print.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/text.h"
#include "core/chess/material.h"
#include "core/chess/position.h"
#include "core/chess/san.h"
#include "json/answer_list.h"
#include "json/line.h"
#include "json/line_pgn.h"
#include "json/words.h"

enum { LINE_MOVES = 2048 };

/* Returns "White to move draws, Black to move loses" for a zugzwang, else "". */
static const char *zugzwang_text(const Found *found)
{
    if (found->zugzwang == FIND_FULL_POINT) return "the side to move loses";
    if (found->zugzwang == FIND_NO_ZUGZWANG) return "";
    return found->loser == TREB_WHITE ? "White to move loses, Black to move draws"
                                      : "White to move draws, Black to move loses";
}

static void print_epd(const FindPrint *print, const Found *found, const char *fen, FILE *out)
{
    FindRow row = {.query = print->query, .found = found};
    const int plies = find_row_plies(&row, TREB_DTM);
    int fields = 0;
    for (const char *c = fen; *c != '\0' && (fields += *c == ' ') < 4; c++) putc(*c, out);
    if (found->move != 0) {
        char san[SAN_SIZE];
        move_to_san(&found->pos, found->move, san);
        fprintf(out, " bm %s;", san);
    }
    if (plies >= 0) {
        int moves = (plies + 1) / 2;
        fprintf(out, " dm %d;", found->wdl > TREB_DRAW ? moves : -moves);
    }
    const char *zugzwang = zugzwang_text(found);
    fprintf(out, " c0 \"%s%s%s\";\n", answer_verdict(found->wdl), *zugzwang ? "; " : "",
            zugzwang);
}

static void put_move(json_t *object, const char *uci, const char *san, const treb_move *move)
{
    if (move == NULL) return;
    json_object_set_new(object, uci, json_string(move->uci));
    json_object_set_new(object, san, json_string(move->san));
}

static bool print_json(const FindPrint *print, const Found *found, FILE *out)
{
    FindRow row = {.query = print->query, .found = found};
    char name[MATERIAL_NAME_SIZE];
    const Material m = material_of_position(&found->pos);
    const treb_wdl wdl = found->wdl;
    json_t *object = json_object(), *rest = answer_found_json(print->query->tables, found);
    material_name(&m, name);
    json_object_set_new(object, "event", json_string("position"));
    json_object_set_new(object, "material", json_string(name));
    json_object_set_new(object, "turn", json_string(answer_color(found->pos.turn)));
    json_object_set_new(object, "cursed",
                        json_boolean(wdl == TREB_CURSED_WIN || wdl == TREB_BLESSED_LOSS));
    put_move(object, "best_move", "best_move_san", find_row_best(&row));
    put_move(object, "only_move", "only_move_san", find_row_only(&row));
    if (find_row_rounded(&row, TREB_DTZ)) json_object_set_new(object, "dtz_rounded", json_true());
    json_object_update(object, rest);
    json_decref(rest);
    const bool good = json_dumpf(object, out, JSON_COMPACT) == 0;
    json_decref(object);
    putc('\n', out);
    return good;
}

static bool print_pgn(const FindPrint *print, const Found *found, FILE *out)
{
    treb_move *moves = malloc(LINE_MOVES * sizeof *moves);
    char note[LINE_NOTE_SIZE], *text = NULL;
    PgnLine line = {.pos = found->pos, .metric = TREB_WDL, .rule = TREB_RULE_50};
    AnswerContext context = {.tables = print->query->tables};
    /* For a zugzwang, the line is that of the side that loses if it must move. */
    if (found->zugzwang == FIND_HALF_POINT) line.pos.turn = (uint8_t)found->loser;
    if (moves != NULL) {
        line_fill(&context, &line, moves, LINE_MOVES, note, NULL);
        text = line_pgn(&line);
    }
    bool good = text != NULL;
    if (good) fprintf(out, "%s\n", text);
    free(text);
    free(moves);
    return good;
}

void find_print_head(const FindPrint *print, bool counts)
{
    static const char *const names[] = {"material", "positions",   "found",
                                        "full",     "white_loses", "black_loses"};
    if (print->form != FIND_TSV && print->form != FIND_CSV) return;
    if (!counts) {
        find_columns_head(&print->columns, stdout);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        printf("%s%c", names[i], i + 1 < sizeof names / sizeof *names ? print->columns.between : '\n');
}

bool find_print(const FindPrint *print, const Found *found, FILE *out)
{
    char fen[TREB_FEN_SIZE];
    switch (print->form) {
    case FIND_FEN:
        position_to_fen(&found->pos, fen);
        fprintf(out, "%s\n", fen);
        break;
    case FIND_EPD:
        position_to_fen(&found->pos, fen);
        print_epd(print, found, fen, out);
        break;
    case FIND_TSV:
    case FIND_CSV:
        find_columns_print(&print->columns, print->query, found, out);
        break;
    case FIND_JSON:
        return print_json(print, found, out);
    case FIND_PGN:
        return print_pgn(print, found, out);
    }
    return true;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Prints how many zugzwangs each side loses. If both sides have the same men, the sides are not
 * distinguished. */
static void print_losers(FILE *out, const char *material, const FindCounts *counts)
{
    Material m;
    unsigned long long full = counts->full, white = counts->half[0], black = counts->half[1];
    fprintf(out, ". In %llu the side to move loses", full);
    if (material_parse(material, &m) && material_symmetric(&m))
        fprintf(out, "; in %llu one side loses if it must move", white + black);
    else
        fprintf(out, "; in %llu White and in %llu Black loses if it must move", white, black);
}

static int print_counts_json(const char *material, const FindCounts *counts)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_string("material"));
    json_object_set_new(object, "material", json_string(material));
    json_object_set_new(object, "positions", json_integer((json_int_t)counts->looked));
    json_object_set_new(object, "found", json_integer((json_int_t)counts->found));
    json_object_set_new(object, "zugzwang_full", json_integer((json_int_t)counts->full));
    json_object_set_new(object, "zugzwang_white_loses", json_integer((json_int_t)counts->half[0]));
    json_object_set_new(object, "zugzwang_black_loses", json_integer((json_int_t)counts->half[1]));
    return cli_json_line("find", object);
}

int find_print_counts(FILE *out, FindForm form, const char *material, const FindQuery *query,
                      const FindCounts *counts, double seconds)
{
    char found[32], looked[32], time[16];
    if (form == FIND_JSON) return print_counts_json(material, counts);
    if (form == FIND_TSV || form == FIND_CSV) {
        const uint64_t number[] = {counts->looked, counts->found, counts->full, counts->half[0],
                                   counts->half[1]};
        fputs(material, out);
        for (size_t i = 0; i < sizeof number / sizeof *number; i++)
            fprintf(out, "%c%llu", form == FIND_TSV ? '\t' : ',', (unsigned long long)number[i]);
        putc('\n', out);
        return CLI_OK;
    }
    cli_format_count(counts->found, found);
    cli_format_count(counts->looked, looked);
    fprintf(out, "%-8s %s of %s positions", material, found, looked);
    if (query->kinds & FIND_ZUGZWANG && counts->found > 0) print_losers(out, material, counts);
    if (seconds >= 0) {
        cli_format_time(seconds, time);
        fprintf(out, " (%s)", time);
    }
    fputc('\n', out);
    return CLI_OK;
}
