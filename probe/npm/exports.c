/* exports.c - see exports.h. */
#include "exports.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/chess/material.h"

static treb_tables *tables;
static treb_error error;
static char text[WEB_TEXT_SIZE];

/* The result of a call: one of these at a time. */
static union {
    WebValue value;
    WebMove moves[TREB_MOVES_MAX];
    struct {
        int32_t count, end;
        WebMove moves[WEB_MOVES_MAX];
    } line;
    treb_table_info info;
    uint64_t counts[WEB_PLIES_MAX];
    char names[1 + MATERIAL_SUB_ENDINGS_MAX][WEB_NAME_SIZE];
    char fen[TREB_FEN_SIZE];
} result;

/* The places at which trebuchet.mjs reads. */
_Static_assert(offsetof(treb_table_info, format) == 28 && offsetof(treb_table_info, count) == 64 &&
                   offsetof(treb_table_info, longest) == 144 &&
                   offsetof(treb_table_info, longest_fen) == 184,
               "a treb_table_info");

static struct {
    treb_position at;
    int32_t count;
} line;

/* ---- The source ------------------------------------------------------------------------------ */

static int number_of(void *handle) { return (int)(uintptr_t)handle - 1; }

/* JavaScript has the reason, and tells the user (trebuchet.mjs). */
static treb_status fail_source(treb_status status, treb_error *why)
{
    snprintf(why->text, sizeof why->text, "%s", treb_status_text(status));
    return why->status = status;
}

static treb_status source_list(void *context, void (*add)(void *to, const char *file), void *to,
                               treb_error *why)
{
    char name[WEB_NAME_SIZE];
    (void)context, (void)why;
    for (int i = 0; i < web_files(); i++) {
        web_name(i, name, sizeof name);
        add(to, name);
    }
    return TREB_OK;
}

static treb_status source_open(void *context, const char *file, void **handle, uint64_t *size,
                               treb_error *why)
{
    (void)context;
    char name[WEB_NAME_SIZE];
    for (int i = 0; i < web_files(); i++) {
        web_name(i, name, sizeof name);
        if (strcmp(name, file) != 0) continue;
        const double bytes = web_size(i);
        *handle = (void *)(uintptr_t)(i + 1);
        if (bytes < 0) return fail_source((treb_status)-bytes, why);
        *size = (uint64_t)bytes;
        return TREB_OK;
    }
    return fail_source(TREB_ERR_NO_TABLE, why);
}

static treb_status source_read(void *context, void *handle, treb_read how, uint64_t offset,
                               size_t size, void *out, treb_error *why)
{
    (void)context;
    treb_status status =
        (treb_status)web_read(number_of(handle), how, (double)offset, (int)size, out);
    return status == TREB_OK ? status : fail_source(status, why);
}

static void source_close_file(void *context, void *handle) { (void)context, (void)handle; }
static void source_close(void *context) { (void)context; }

WEB_EXPORT("open") int web_open(double memory)
{
    const treb_source source = {.name = "web",
                                .list = source_list,
                                .open = source_open,
                                .read = source_read,
                                .close_file = source_close_file,
                                .close = source_close};
    tables = treb_tables_open_sources(&source, 1, &error);
    if (tables == NULL) return -(int)error.status;
    treb_tables_set_memory(tables, (uint64_t)memory);
    return 0;
}

/* ---- Results --------------------------------------------------------------------------------- */

WEB_EXPORT("text") char *web_text(void) { return text; }
WEB_EXPORT("result") const void *web_result(void) { return &result; }
WEB_EXPORT("error") const treb_error *web_error(void) { return &error; }
WEB_EXPORT("memory_of") void web_memory(treb_memory *out) { treb_tables_get_memory(tables, out); }

static WebValue value_of(const treb_value *value, int clock)
{
    WebValue out = {value->wdl,   value->rule,        treb_value_doubt(value, clock), {0}, {0}, {0},
                    value->dtm50, value->dtm50_status};
    for (int m = TREB_WDL; m < TREB_METRICS; m++) {
        out.plies[m] = value->plies[m];
        out.rounded[m] = value->rounded[m];
        out.status[m] = value->status[m];
    }
    return out;
}

static WebMove move_of(const treb_move *move, int clock)
{
    WebMove out = {.flags = move->flags, .value = value_of(&move->value, clock)};
    memcpy(out.uci, move->uci, sizeof move->uci);
    memcpy(out.san, move->san, sizeof move->san);
    return out;
}

/* ---- Probes ---------------------------------------------------------------------------------- */

WEB_EXPORT("wdl") int web_wdl(void)
{
    treb_position pos;
    treb_wdl wdl;
    treb_status status = treb_position_from_fen(text, &pos, &error);
    if (status == TREB_OK) status = treb_probe_wdl(tables, &pos, &wdl, &error);
    return status == TREB_OK ? (int)wdl : -(int)status;
}

WEB_EXPORT("root") int web_root(void)
{
    treb_position pos;
    treb_value value;
    treb_status status = treb_position_from_fen(text, &pos, &error);
    if (status == TREB_OK) status = treb_probe_root(tables, &pos, &value, &error);
    if (status == TREB_OK) result.value = value_of(&value, pos.halfmove);
    return -(int)status;
}

/* Whether a failure leaves moves that can be shown. */
static bool is_partial(treb_status status)
{
    return status == TREB_ERR_NO_TABLE || status == TREB_ERR_MEN || status == TREB_ERR_CASTLING;
}

WEB_EXPORT("moves") int web_moves(int metric, int rule, int known)
{
    static treb_move moves[TREB_MOVES_MAX];
    treb_position pos;
    size_t count;
    treb_status status = treb_position_from_fen(text, &pos, &error);
    if (status != TREB_OK) return -(int)status;
    status = treb_probe_moves(tables, &pos, (treb_metric)metric, (treb_rule)rule, moves,
                              TREB_MOVES_MAX, &count, &error);
    if (status != TREB_OK && !(known && is_partial(status))) return -(int)status;
    for (size_t i = 0; i < count; i++) result.moves[i] = move_of(&moves[i], pos.halfmove);
    return (int)count;
}

WEB_EXPORT("line_begin") int web_line_begin(void)
{
    line.count = 0;
    result.line.count = 0;
    result.line.end = -1;
    return -(int)treb_position_from_fen(text, &line.at, &error);
}

WEB_EXPORT("line") int web_line(int metric, int rule, int most)
{
    treb_status status = TREB_OK;
    if (most > WEB_MOVES_MAX) most = WEB_MOVES_MAX;
    result.line.count = line.count;
    result.line.end = -1;
    while (status == TREB_OK && result.line.end < 0) {
        treb_move moves[32];
        size_t count, room = (size_t)(most - line.count);
        treb_line_end end = TREB_LINE_CAPACITY;
        if (room > sizeof moves / sizeof *moves) room = sizeof moves / sizeof *moves;
        status = treb_best_line(tables, &line.at, (treb_metric)metric, (treb_rule)rule, moves, room,
                                &count, &end, &error);
        for (size_t i = 0; i < count; i++) {
            result.line.moves[line.count++] = move_of(&moves[i], line.at.halfmove);
            treb_position_play(&line.at, moves[i].uci, &line.at, NULL);
        }
        result.line.count = line.count;
        if (status == TREB_OK && (end != TREB_LINE_CAPACITY || line.count >= most))
            result.line.end = end;
    }
    return -(int)status;
}

WEB_EXPORT("play") int web_play(void)
{
    treb_position pos;
    treb_status status = treb_position_from_fen(text, &pos, &error);
    const char *move = text + strlen(text) + 1;
    if (status == TREB_OK) status = treb_position_play(&pos, move, &pos, &error);
    if (status == TREB_OK) treb_position_to_fen(&pos, result.fen);
    return -(int)status;
}

/* ---- Endings --------------------------------------------------------------------------------- */

WEB_EXPORT("endings") int web_endings(void)
{
    Material material, sub_endings[MATERIAL_SUB_ENDINGS_MAX];
    treb_status status = material_read(text, &material, &error);
    if (status != TREB_OK) return -(int)status;
    material_canonical(&material);
    material_name(&material, result.names[0]);
    int count = material_sub_endings(&material, sub_endings, NULL);
    for (int i = 0; i < count; i++) material_name(&sub_endings[i], result.names[1 + i]);
    return 1 + count;
}

WEB_EXPORT("info") int web_info(int metric)
{
    return -(int)treb_tables_find(tables, text, (treb_metric)metric, &result.info, &error);
}

WEB_EXPORT("histogram") int web_histogram(int metric, int turn, int wdl)
{
    size_t count;
    treb_status status =
        treb_tables_histogram(tables, text, (treb_metric)metric, turn, (treb_wdl)wdl, result.counts,
                              WEB_PLIES_MAX, &count, &error);
    return status == TREB_OK ? (int)count : -(int)status;
}
