/* probe_rows.c - see probe_rows.h. */
#include "cli/probe_rows.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "core/chess/position.h"
#include "json/judge.h"
#include "json/words.h"

const char probe_rows_header[] =
    "fen\tverdict\tdtz\tdtc\tdtm\tdtm50\tbest\tline\tid\tplayed\tjudgement\terror\n";

/* ---- TSV ------------------------------------------------------------------------------------- */

/* Prints a text with a space in place of each character that would end a field. */
static void put_field(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) putc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static void put_plies(FILE *out, const JudgedPosition *judged, const char *member)
{
    int plies = judge_plies(judged->probe, member);
    bool rounded = strcmp(member, "dtz_plies") == 0 &&
                   json_is_true(json_object_get(judged->probe, "dtz_rounded"));
    const int verdict = judged->verdict;
    const bool spoilt = verdict == TREB_CURSED_WIN || verdict == TREB_BLESSED_LOSS;
    if (plies >= 0)
        fprintf(out, "\t%d%s", plies, rounded ? "+" : "");
    else if (verdict == TREB_DRAW || (spoilt && strcmp(member, "dtm50_plies") == 0))
        fputs("\t-", out);
    else
        fputs("\t?", out);
}

/* Returns whether a move is as good as the best one. */
static bool is_as_good(const json_t *move, const json_t *best, const char *metric)
{
    char member[16];
    if (judge_verdict(move) != judge_verdict(best)) return false;
    if (metric == NULL) return true;
    snprintf(member, sizeof member, "%s_plies", metric);
    return judge_plies(move, member) == judge_plies(best, member);
}

/* Prints all moves that are as good as the first one. */
static void put_best(FILE *out, const JudgedPosition *judged)
{
    size_t i;
    const json_t *move, *best = judge_best(judged);
    const char *metric = json_string_value(json_object_get(judged->probe, "metric"));
    const char *between = "";
    if (judged->verdict == JUDGE_UNKNOWN) best = NULL;
    if (best == NULL) fputs(judged->mate || judged->stalemate ? "-" : "?", out);
    json_array_foreach(json_object_get(judged->probe, "moves"), i, move)
    {
        if (best == NULL || !is_as_good(move, best, metric)) continue;
        fprintf(out, "%s%s", between, json_string_value(json_object_get(move, "san")));
        between = " ";
    }
}

/* Returns the error that prevented an answer, or "". A missing table does not count as an error. */
static const char *hindrance(const JudgedPosition *judged)
{
    treb_status status = judged->probe == NULL ? judged->error.status : TREB_OK;
    bool hindered =
        status == TREB_ERR_DAMAGED || status == TREB_ERR_IO || status == TREB_ERR_MEMORY;
    return hindered ? judged->error.text : "";
}

static void put_tsv(FILE *out, const ProbeRow *row)
{
    char fen[TREB_FEN_SIZE];
    const JudgedPosition *judged = row->judged;
    const char *word = row->step != NULL ? judge_word(row->step->judgement) : NULL;
    position_to_fen(&judged->pos, fen);
    fprintf(out, "%s\t%s", fen,
            judged->verdict != JUDGE_UNKNOWN ? answer_verdict((treb_wdl)judged->verdict) : "?");
    put_plies(out, judged, "dtz_plies");
    put_plies(out, judged, "dtc_plies");
    put_plies(out, judged, "dtm_plies");
    put_plies(out, judged, "dtm50_plies");
    putc('\t', out);
    put_best(out, judged);
    fprintf(out, "\t%zu\t", row->line);
    put_field(out, row->id);
    fprintf(out, "\t%s\t%s\t", row->step != NULL ? row->step->san : "", word != NULL ? word : "");
    put_field(out, hindrance(judged));
    putc('\n', out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_new(json_t *object, const char *name, json_t *value)
{
    json_object_set_new(object, name, value);
}

static json_t *row_json(size_t line, const char *id)
{
    json_t *object = json_object();
    put_new(object, "line", json_integer((json_int_t)line));
    if (*id != '\0') put_new(object, "id", cli_json_text(id));
    return object;
}

static void put_object(FILE *out, json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    if (text != NULL) fprintf(out, "%s\n", text);
    free(text);
    json_decref(object);
}

/* Fills the object of a position without any known value, with the members of an ordinary answer. */
static void put_unknown(json_t *object, const JudgedPosition *judged)
{
    char fen[TREB_FEN_SIZE];
    json_t *list = json_array();
    json_t *why = answer_error(answer_code(judged->error.status), judged->error.text);
    bool known = judged->verdict != JUDGE_UNKNOWN;
    position_to_fen(&judged->pos, fen);
    put_new(object, "fen", json_string(fen));
    put_new(object, "verdict",
            known ? json_string(answer_verdict((treb_wdl)judged->verdict)) : json_null());
    put_new(why, "metric", json_string(treb_metric_text(TREB_WDL)));
    json_array_append_new(list, why);
    put_new(object, "unknown", list);
}

static void put_json(FILE *out, const ProbeRow *row)
{
    json_t *object = row_json(row->line, row->id);
    if (row->step != NULL) {
        json_t *played = json_object();
        const char *word = judge_word(row->step->judgement);
        put_new(played, "uci", json_string(row->step->uci));
        put_new(played, "san", json_string(row->step->san));
        put_new(played, "judgement", word != NULL ? json_string(word) : json_null());
        put_new(object, "played", played);
    }
    if (row->judged->probe != NULL)
        json_object_update(object, row->judged->probe);
    else
        put_unknown(object, row->judged);
    put_object(out, object);
}

/* ---- Either ---------------------------------------------------------------------------------- */

void probe_row(FILE *out, ManyOutput output, const ProbeRow *row)
{
    if (output == MANY_JSONL)
        put_json(out, row);
    else
        put_tsv(out, row);
}

void probe_row_fault(FILE *out, ManyOutput output, size_t line, const char *id, const char *text,
                     const treb_error *error)
{
    if (output == MANY_JSONL) {
        json_t *object = row_json(line, id);
        put_new(object, "text", cli_json_text(text));
        put_new(object, "error", answer_error(judge_code(error->status), error->text));
        put_object(out, object);
        return;
    }
    put_field(out, text);
    fprintf(out, "\terror\t\t\t\t\t\t%zu\t", line);
    put_field(out, id);
    fputs("\t\t\t", out);
    put_field(out, error->text);
    putc('\n', out);
}
