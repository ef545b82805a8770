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

/* Returns the distances that are known. A draw has none. */
static treb_value value_of(const treb_tables *tables, const treb_position *pos)
{
    treb_value value = {.wdl = TREB_DRAW};
    if (treb_probe_root(tables, pos, &value, NULL) != TREB_OK) {
        for (int m = 0; m < TREB_METRICS; m++) value.status[m] = TREB_ERR_NO_TABLE;
    }
    return value;
}

static bool has_plies(const treb_value *value, int metric)
{
    return value->status[metric] == TREB_OK && value->wdl != TREB_DRAW;
}

static void print_epd(const treb_tables *tables, const Found *found, const char *fen)
{
    const treb_value value = value_of(tables, &found->pos);
    int fields = 0;
    for (const char *c = fen; *c != '\0' && (fields += *c == ' ') < 4; c++) putchar(*c);
    if (found->move != 0) {
        char san[SAN_SIZE];
        move_to_san(&found->pos, found->move, san);
        printf(" bm %s;", san);
    }
    if (has_plies(&value, TREB_DTM)) {
        int moves = (value.plies[TREB_DTM] + 1) / 2;
        printf(" dm %d;", value.wdl > TREB_DRAW ? moves : -moves);
    }
    const char *zugzwang = zugzwang_text(found);
    printf(" c0 \"%s%s%s\";\n", answer_verdict(found->wdl), *zugzwang ? "; " : "", zugzwang);
}

static void print_tsv(const treb_tables *tables, const Found *found, const char *fen)
{
    static const char *const zugzwangs[] = {"", "half", "full"};
    const treb_value value = value_of(tables, &found->pos);
    char uci[UCI_SIZE] = "";
    if (found->move != 0) move_to_uci(found->move, uci);
    printf("%s\t%s\t%s\t%s", fen, answer_verdict(found->wdl), zugzwangs[found->zugzwang], uci);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        putchar('\t');
        if (has_plies(&value, m)) printf("%d", value.plies[m]);
    }
    putchar('\n');
}

static bool print_json(const treb_tables *tables, const Found *found)
{
    json_t *object = json_object(), *rest = answer_found_json(tables, found);
    json_object_set_new(object, "event", json_string("position"));
    json_object_update(object, rest);
    json_decref(rest);
    return cli_json_line("find", object) == CLI_OK;
}

static bool print_pgn(const treb_tables *tables, const Found *found)
{
    treb_move *moves = malloc(LINE_MOVES * sizeof *moves);
    char note[LINE_NOTE_SIZE], *text = NULL;
    PgnLine line = {.pos = found->pos, .metric = TREB_WDL, .rule = TREB_RULE_50};
    AnswerContext context = {.tables = tables};
    /* For a zugzwang, the line is that of the side that loses if it must move. */
    if (found->zugzwang == FIND_HALF_POINT) line.pos.turn = (uint8_t)found->loser;
    if (moves != NULL) {
        line_fill(&context, &line, moves, LINE_MOVES, note, NULL);
        text = line_pgn(&line);
    }
    bool good = text != NULL;
    if (good) fputs(text, stdout);
    if (good) putchar('\n');
    free(text);
    free(moves);
    return good || cli_no_memory("find") == CLI_OK;
}

void find_print_head(FindForm form, bool counts)
{
    if (form == FIND_TSV)
        puts(counts ? "material\tpositions\tfound\tfull\twhite_loses\tblack_loses"
                    : "fen\tverdict\tzugzwang\tonly_move\tdtz\tdtc\tdtm");
}

bool find_print(FindForm form, const treb_tables *tables, const Found *found)
{
    char fen[TREB_FEN_SIZE];
    position_to_fen(&found->pos, fen);
    switch (form) {
    case FIND_FEN:
        puts(fen);
        break;
    case FIND_EPD:
        print_epd(tables, found, fen);
        break;
    case FIND_TSV:
        print_tsv(tables, found, fen);
        break;
    case FIND_JSON:
        return print_json(tables, found);
    case FIND_PGN:
        return print_pgn(tables, found);
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
    if (form == FIND_TSV) {
        fprintf(out, "%s\t%llu\t%llu\t%llu\t%llu\t%llu\n", material,
                (unsigned long long)counts->looked, (unsigned long long)counts->found,
                (unsigned long long)counts->full, (unsigned long long)counts->half[0],
                (unsigned long long)counts->half[1]);
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
