/* find_columns.c - see find_columns.h. */
#include "cli/find_columns.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "core/chess/material.h"
#include "core/chess/position.h"
#include "core/format/index.h"
#include "json/members.h"
#include "json/words.h"

/* ---- What is known --------------------------------------------------------------------------- */

static void need_value(FindRow *row)
{
    if (row->has_value) return;
    row->has_value = true;
    if (treb_probe_root(row->query->tables, &row->found->pos, &row->value, NULL) == TREB_OK) return;
    for (int m = 0; m < TREB_METRICS; m++) row->value.status[m] = TREB_ERR_NO_TABLE;
    row->value.dtm50_status = TREB_ERR_NO_TABLE;
}

/* Lists the moves, the best first: by the query's metric, or if that is not installed by verdict. */
static void need_moves(FindRow *row)
{
    const FindQuery *q = row->query;
    const treb_rule rule = q->rule50 ? TREB_RULE_50 : TREB_RULE_NONE;
    if (row->has_moves) return;
    row->has_moves = true;
    treb_status status = treb_probe_moves(q->tables, &row->found->pos, q->metric, rule, row->move,
                                          TREB_MOVES_MAX, &row->moves, NULL);
    if (status != TREB_OK)
        status = treb_probe_moves(q->tables, &row->found->pos, TREB_WDL, rule, row->move,
                                  TREB_MOVES_MAX, &row->moves, NULL);
    row->moves_known = status == TREB_OK;
}

/* Returns 1 for a win, 0 for a draw, -1 for a loss, under the query's rule. */
static int result_of(const FindQuery *query, treb_wdl wdl)
{
    if (query->rule50) return wdl == TREB_WIN ? 1 : wdl == TREB_LOSS ? -1 : 0;
    return wdl > TREB_DRAW ? 1 : wdl < TREB_DRAW ? -1 : 0;
}

static int moves_with(FindRow *row, int result)
{
    int count = 0;
    need_moves(row);
    for (size_t i = 0; i < row->moves; i++)
        count += result_of(row->query, row->move[i].value.wdl) == result;
    return count;
}

int find_row_plies(FindRow *row, int metric)
{
    need_value(row);
    if (metric == TREB_DTM50) return answer_has_mate50(&row->value) ? row->value.dtm50 : -1;
    const bool known = row->value.status[metric] == TREB_OK && row->value.wdl != TREB_DRAW;
    return known ? row->value.plies[metric] : -1;
}

bool find_row_rounded(FindRow *row, int metric)
{
    if (metric == TREB_DTM50) return false;
    return find_row_plies(row, metric) >= 0 && row->value.rounded[metric] != TREB_EXACT;
}

const treb_move *find_row_best(FindRow *row)
{
    need_moves(row);
    return row->moves_known && row->moves > 0 ? &row->move[0] : NULL;
}

const treb_move *find_row_only(FindRow *row)
{
    const int result = result_of(row->query, row->found->wdl);
    if (result < 0) return NULL;
    need_moves(row);
    if (!row->moves_known || row->moves < 2 || moves_with(row, result) != 1) return NULL;
    size_t i = 0;
    while (result_of(row->query, row->move[i].value.wdl) != result) i++;
    return &row->move[i];
}

/* ---- The columns ----------------------------------------------------------------------------- */

typedef void PutColumn(const FindColumns *columns, FindRow *row, FILE *out);

static void put_fen(const FindColumns *columns, FindRow *row, FILE *out)
{
    char fen[TREB_FEN_SIZE];
    (void)columns;
    position_to_fen(&row->found->pos, fen);
    fputs(fen, out);
}

static void put_verdict(const FindColumns *columns, FindRow *row, FILE *out)
{
    (void)columns;
    fputs(answer_verdict(row->found->wdl), out);
}

static void put_wdl(const FindColumns *columns, FindRow *row, FILE *out)
{
    (void)columns;
    fprintf(out, "%d", (int)row->found->wdl - (int)TREB_DRAW);
}

static void put_cursed(const FindColumns *columns, FindRow *row, FILE *out)
{
    const treb_wdl wdl = row->found->wdl;
    (void)columns;
    fputs(wdl == TREB_CURSED_WIN || wdl == TREB_BLESSED_LOSS ? "true" : "false", out);
}

/* The result for a side if it is to move; false if it cannot be, as the other is in check. */
static bool result_with(FindRow *row, int turn, int *result)
{
    treb_wdl wdl;
    treb_position pos = row->found->pos;
    pos.turn = (uint8_t)turn;
    pos.ep = 0;
    if (position_check(&pos, NULL) != TREB_OK ||
        treb_probe_wdl(row->query->tables, &pos, &wdl, NULL) != TREB_OK)
        return false;
    *result = result_of(row->query, wdl);
    return true;
}

static void put_passed(const FindColumns *columns, FindRow *row, FILE *out)
{
    static const char *const words[] = {"win", "draw", "loss"};
    int result;
    (void)columns;
    if (result_with(row, !row->found->pos.turn, &result)) fputs(words[1 + result], out);
}

static void put_zugzwang(const FindColumns *columns, FindRow *row, FILE *out)
{
    const int turn = row->found->pos.turn;
    int here, there;
    (void)columns;
    if (!result_with(row, turn, &here) || !result_with(row, !turn, &there)) return;
    if (here + there < 0) fputs(here + there == -2 ? "full" : "half", out);
}

static void put_only(const FindColumns *columns, FindRow *row, FILE *out)
{
    const treb_move *only = find_row_only(row);
    (void)columns;
    if (only != NULL) fputs(only->uci, out);
}

static void put_only_san(const FindColumns *columns, FindRow *row, FILE *out)
{
    const treb_move *only = find_row_only(row);
    (void)columns;
    if (only != NULL) fputs(only->san, out);
}

static void put_best(const FindColumns *columns, FindRow *row, FILE *out)
{
    const treb_move *best = find_row_best(row);
    (void)columns;
    if (best != NULL) fputs(best->uci, out);
}

static void put_best_san(const FindColumns *columns, FindRow *row, FILE *out)
{
    const treb_move *best = find_row_best(row);
    (void)columns;
    if (best != NULL) fputs(best->san, out);
}

static void put_plies(const FindColumns *columns, FindRow *row, int metric, FILE *out)
{
    const int plies = find_row_plies(row, metric);
    const bool negative = columns->negative && row->found->wdl < TREB_DRAW;
    if (plies >= 0) fprintf(out, "%d", negative ? -plies : plies);
}

static void put_dtz(const FindColumns *columns, FindRow *row, FILE *out)
{
    put_plies(columns, row, TREB_DTZ, out);
}

static void put_dtc(const FindColumns *columns, FindRow *row, FILE *out)
{
    put_plies(columns, row, TREB_DTC, out);
}

static void put_dtm(const FindColumns *columns, FindRow *row, FILE *out)
{
    put_plies(columns, row, TREB_DTM, out);
}

static void put_dtm50(const FindColumns *columns, FindRow *row, FILE *out)
{
    put_plies(columns, row, TREB_DTM50, out);
}

static void put_rounded(const FindColumns *columns, FindRow *row, FILE *out)
{
    (void)columns;
    fputs(find_row_rounded(row, TREB_DTZ) ? "true" : "false", out);
}

static void put_material(const FindColumns *columns, FindRow *row, FILE *out)
{
    char name[MATERIAL_NAME_SIZE];
    const Material m = material_of_position(&row->found->pos);
    (void)columns;
    material_name(&m, name);
    fputs(name, out);
}

static void put_turn(const FindColumns *columns, FindRow *row, FILE *out)
{
    (void)columns;
    fputs(answer_color(row->found->pos.turn), out);
}

static void put_moves(const FindColumns *columns, FindRow *row, FILE *out)
{
    Move moves[MOVES_MAX];
    (void)columns;
    fprintf(out, "%d", movegen_legal(&row->found->pos, moves));
}

static void put_count(FindRow *row, int result, FILE *out)
{
    need_moves(row);
    if (row->moves_known) fprintf(out, "%d", moves_with(row, result));
}

static void put_winning(const FindColumns *columns, FindRow *row, FILE *out)
{
    (void)columns;
    put_count(row, 1, out);
}

static void put_drawing(const FindColumns *columns, FindRow *row, FILE *out)
{
    (void)columns;
    put_count(row, 0, out);
}

static void put_losing(const FindColumns *columns, FindRow *row, FILE *out)
{
    (void)columns;
    put_count(row, -1, out);
}

/* How many positions of the full board the symmetries make of it. */
static void put_weight(const FindColumns *columns, FindRow *row, FILE *out)
{
    const treb_position *pos = &row->found->pos;
    treb_position image[8];
    int count = 0;
    (void)columns;
    for (int symmetry = 0; symmetry < (pos->by_type[TREB_PAWN] ? 2 : 8); symmetry++) {
        treb_position turned = *pos;
        int i = 0;
        for (int c = 0; c < 2; c++)
            turned.by_color[c] = index_symmetry_board(symmetry, pos->by_color[c]);
        for (int t = 0; t < TREB_TYPES; t++)
            turned.by_type[t] = index_symmetry_board(symmetry, pos->by_type[t]);
        while (i < count && !position_equal(&image[i], &turned)) i++;
        if (i == count) image[count++] = turned;
    }
    fprintf(out, "%d", count);
}

static const struct {
    const char *name;
    PutColumn *put;
    bool usual;
} all[] = {{"fen", put_fen, true},
           {"verdict", put_verdict, true},
           {"zugzwang", put_zugzwang, true},
           {"only_move", put_only, true},
           {"dtz", put_dtz, true},
           {"dtc", put_dtc, true},
           {"dtm", put_dtm, true},
           {"material", put_material, true},
           {"turn", put_turn, true},
           {"cursed", put_cursed, true},
           {"best_move", put_best, true},
           {"wdl", put_wdl, false},
           {"dtm50", put_dtm50, false},
           {"passed", put_passed, false},
           {"only_move_san", put_only_san, false},
           {"best_move_san", put_best_san, false},
           {"moves", put_moves, false},
           {"winning", put_winning, false},
           {"drawing", put_drawing, false},
           {"losing", put_losing, false},
           {"dtz_rounded", put_rounded, false},
           {"weight", put_weight, false}};

enum { ALL = sizeof all / sizeof *all };
_Static_assert((int)ALL <= (int)FIND_COLUMNS_MAX, "room for every column once");

void find_columns_default(FindColumns *columns)
{
    columns->count = 0;
    for (int i = 0; i < ALL; i++)
        if (all[i].usual) columns->column[columns->count++] = (uint8_t)i;
}

static bool refuse_column(const char *name, int length)
{
    char known[400] = "";
    for (int i = 0; i < ALL; i++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", all[i].name);
    }
    cli_error("find", "there is no column '%.*s'; the columns are %s", length < 60 ? length : 60,
              name, known);
    return false;
}

bool find_columns_read(FindColumns *columns, const char *names)
{
    columns->count = 0;
    for (const char *name = names;;) {
        const int length = (int)strcspn(name, ",");
        int i = 0;
        while (i < ALL && (strlen(all[i].name) != (size_t)length ||
                           strncmp(all[i].name, name, (size_t)length) != 0))
            i++;
        if (i == ALL) return refuse_column(name, length);
        if (memchr(columns->column, i, (size_t)columns->count) != NULL) {
            cli_error("find", "the column '%s' is named twice", all[i].name);
            return false;
        }
        columns->column[columns->count++] = (uint8_t)i;
        if (name[length] == '\0') return true;
        name += length + 1;
    }
}

void find_columns_head(const FindColumns *columns, FILE *out)
{
    for (int i = 0; i < columns->count; i++) {
        if (i > 0) putc(columns->between, out);
        fputs(all[columns->column[i]].name, out);
    }
    putc('\n', out);
}

/* No value has a tab, a comma, a quote or the end of a line in it. */
void find_columns_print(const FindColumns *columns, const FindQuery *query, const Found *found,
                        FILE *out)
{
    FindRow row = {.query = query, .found = found};
    for (int i = 0; i < columns->count; i++) {
        if (i > 0) putc(columns->between, out);
        all[columns->column[i]].put(columns, &row, out);
    }
    putc('\n', out);
}
