/* answer_list.c - see answer_list.h. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/material.h"
#include "core/chess/position.h"
#include "core/chess/san.h"
#include "core/system/error.h"
#include "json/answer_list.h"
#include "json/put.h"
#include "json/words.h"

/* ---- One position ---------------------------------------------------------------------------- */

/* Returns the value of a position; all statuses are TREB_ERR_NO_TABLE if the probe fails. */
static treb_value value_of(const treb_tables *tables, const treb_position *pos)
{
    treb_value value = {.wdl = TREB_DRAW};
    if (treb_probe_root(tables, pos, &value, NULL) != TREB_OK) {
        for (int m = 0; m < TREB_METRICS; m++) value.status[m] = TREB_ERR_NO_TABLE;
        value.dtm50_status = TREB_ERR_NO_TABLE;
    }
    return value;
}

/* Adds the known distances. A draw has none. */
static void put_known(json_t *object, const treb_value *value)
{
    static const char *const names[TREB_METRICS] = {NULL, "dtz_plies", "dtc_plies", "dtm_plies"};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (value->status[m] == TREB_OK && value->wdl != TREB_DRAW)
            put(object, names[m], json_integer(value->plies[m]));
}

/* The value of the position with one side to move. */
static json_t *side_json(const treb_tables *tables, const treb_position *pos, int turn)
{
    treb_position here = *pos;
    here.turn = (uint8_t)turn;
    const treb_value value = value_of(tables, &here);
    json_t *object = json_object();
    put(object, "verdict",
        value.status[TREB_WDL] == TREB_OK ? json_text(answer_verdict(value.wdl)) : json_null());
    put_known(object, &value);
    return object;
}

json_t *answer_found_json(const treb_tables *tables, const Found *found)
{
    char fen[TREB_FEN_SIZE];
    const treb_value value = value_of(tables, &found->pos);
    json_t *object = json_object();
    treb_position_to_fen(&found->pos, fen);
    put(object, "fen", json_text(fen));
    put(object, "verdict", json_text(answer_verdict(found->wdl)));
    if (found->zugzwang != FIND_NO_ZUGZWANG) {
        put(object, "zugzwang", json_text(found->zugzwang == FIND_FULL_POINT ? "full" : "half"));
        for (int turn = 0; turn < 2; turn++)
            put(object, answer_color(turn), side_json(tables, &found->pos, turn));
    }
    if (found->move != 0) {
        char uci[UCI_SIZE], san[SAN_SIZE];
        move_to_uci(found->move, uci);
        move_to_san(&found->pos, found->move, san);
        put(object, "only_move", json_text(uci));
        put(object, "only_move_san", json_text(san));
    }
    put_known(object, &value);
    return object;
}

/* ---- The best of them ------------------------------------------------------------------------ */

typedef struct Listed {
    Found found;
    int worth; /* positions of higher worth come first */
} Listed;

typedef struct Collected {
    AnswerContext *context;
    FindProgress progress;
    void *progress_context;
    size_t count;
    Listed listed[ANSWER_LIST_SHOWN];
} Collected;

/* Returns the worth of a zugzwang: full-point ones come first, then those that take longest to win by
 * the best metric that is installed, with the side to move that loses. */
static int worth_of(const treb_tables *tables, const Found *found)
{
    enum { FULL = 1 << 20 };
    treb_position pos = found->pos;
    treb_distance distance;
    if (found->zugzwang == FIND_HALF_POINT) pos.turn = (uint8_t)found->loser;
    for (int m = TREB_DTM; m >= TREB_DTZ; m--)
        if (treb_probe_distance(tables, &pos, (treb_metric)m, &distance, NULL) == TREB_OK)
            return distance.plies + (found->zugzwang == FIND_FULL_POINT ? FULL : 0);
    return found->zugzwang == FIND_FULL_POINT ? FULL : 0;
}

/* Inserts a position after those of the same worth, so that equal ones keep the order of the table. */
static bool collect(void *context, const Found *found)
{
    Collected *c = context;
    const int worth = found->zugzwang != FIND_NO_ZUGZWANG ? worth_of(c->context->tables, found) : 0;
    size_t at = c->count;
    while (at > 0 && c->listed[at - 1].worth < worth) at--;
    if (at == ANSWER_LIST_SHOWN) return true;
    if (c->count < ANSWER_LIST_SHOWN) c->count++;
    memmove(&c->listed[at + 1], &c->listed[at], (c->count - 1 - at) * sizeof *c->listed);
    c->listed[at] = (Listed){*found, worth};
    return true;
}

static void note_progress(void *context, uint64_t done, uint64_t total)
{
    const Collected *c = context;
    if (c->progress != NULL) c->progress(c->progress_context, done, total);
}

/* ---- The list -------------------------------------------------------------------------------- */

const char *answer_list_kind(const AnswerList *list)
{
    return list->longest ? "longest" : "zugzwang";
}

static json_t *list_json(const Collected *c, const AnswerList *list, const FindCounts *counts)
{
    json_t *object = json_object(), *positions = json_array();
    put(object, "material", json_text(list->material));
    put(object, "kind", json_text(answer_list_kind(list)));
    put(object, "looked", json_integer((json_int_t)counts->looked));
    put(object, "found", json_integer((json_int_t)counts->found));
    if (!list->longest) {
        put(object, "zugzwang_full", json_integer((json_int_t)counts->full));
        put(object, "zugzwang_white_loses", json_integer((json_int_t)counts->half[0]));
        put(object, "zugzwang_black_loses", json_integer((json_int_t)counts->half[1]));
    }
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(positions,
                              answer_found_json(c->context->tables, &c->listed[i].found));
    put(object, "positions", positions);
    return object;
}

json_t *answer_list(AnswerContext *context, const AnswerList *list, FindProgress progress,
                    void *progress_context, treb_error *error)
{
    const FindQuery query = {.tables = context->tables,
                             .kinds = list->longest ? FIND_LONGEST : FIND_ZUGZWANG,
                             .turn = FIND_EITHER,
                             .metric = TREB_DTM,
                             .threads = 1,
                             .stop = context->cancel};
    FindCounts counts = {0};
    json_t *object = NULL;
    Collected *c = calloc(1, sizeof *c);
    if (c == NULL) {
        fail_memory(error);
        return NULL;
    }
    *c =
        (Collected){.context = context, .progress = progress, .progress_context = progress_context};
    const FindListener listener = {
        .found = collect, .progress = note_progress, .context = c};
    treb_status status = find_material(&query, list->material, &listener, &counts, error);
    answer_note(context, status);
    if (status == TREB_OK && !answer_stopped(context)) object = list_json(c, list, &counts);
    free(c);
    return answer_unless_stopped(context, object, error);
}

/* ---- The request ----------------------------------------------------------------------------- */

static treb_status read_request(const json_t *root, AnswerList *out, treb_error *error)
{
    const char *material = json_string_value(json_object_get(root, "material")),
               *kind = json_string_value(json_object_get(root, "kind"));
    Material m;
    _Static_assert(sizeof out->material >= MATERIAL_NAME_SIZE, "room for a name");
    if (material == NULL)
        return fail(error, TREB_ERR_ARGUMENT,
                    "the body must be an object with a string, \"material\", such as KRPvKR");
    out->longest = kind != NULL && strcmp(kind, "longest") == 0;
    if (kind == NULL || strcmp(kind, answer_list_kind(out)) != 0)
        return fail(error, TREB_ERR_ARGUMENT, "\"kind\" must be zugzwang or longest");
    treb_status status = material_read(material, &m, error);
    if (status != TREB_OK) return status;
    material_canonical(&m);
    material_name(&m, out->material);
    out->men = material_men(&m);
    return TREB_OK;
}

treb_status answer_list_read(AnswerContext *context, const char *body, size_t size, AnswerList *out,
                             treb_error *error)
{
    treb_table_info info;
    json_t *root = json_loadb(body != NULL ? body : "", size, JSON_REJECT_DUPLICATES, NULL);
    treb_status status = read_request(root, out, error);
    json_decref(root);
    if (status == TREB_OK)
        status = treb_tables_find(context->tables, out->material, TREB_WDL, &info, error);
    if (status == TREB_OK && out->longest)
        status = treb_tables_find(context->tables, out->material, TREB_DTM, &info, error);
    answer_note(context, status);
    return status;
}
