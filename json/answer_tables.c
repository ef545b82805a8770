/* answer_tables.c - the object of GET /v1/tables: the installed tables, and what their headers say. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/material.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "pawns/blocked/blocked_file.h"
#include "pawns/solve/pawn_file.h"
#include "json/answer.h"
#include "json/material_files.h"
#include "json/put.h"
#include "json/words.h"

/* ---- One material ---------------------------------------------------------------------------- */

static const char *const format_names[] = {"trebuchet", "syzygy"};

static json_t *file_json(const MaterialFiles *files, treb_metric m, uint64_t *bytes)
{
    const treb_table_info *info = &files->info[m];
    json_t *object = json_object(), *stored = json_object();
    put(object, "file", json_string(io_name(info->path)));
    put(object, "format", json_text(format_names[info->format]));
    put(object, "bytes", json_integer((json_int_t)info->file_size));
    put(object, "status", json_text(answer_code(files->status[m])));
    if (files->status[m] != TREB_OK) {
        json_t *why = answer_error("", files->error[m].text);
        put(object, "message", json_incref(json_object_get(why, "message")));
        json_decref(why);
    }
    for (int turn = 0; turn < 2; turn++)
        put(stored, answer_color(turn), json_boolean(info->stored[turn]));
    put(object, "stored", stored);
    *bytes += info->file_size;
    return object;
}

static json_t *material_json(const MaterialFiles *files, const char *name, uint64_t *bytes)
{
    json_t *object = json_object(), *metrics = json_object();
    put(object, "material", json_text(name));
    put(object, "men", json_integer((json_int_t)strlen(name) - 1)); /* all letters except the v */
    for (int i = 0; i < MATERIAL_FILES; i++) {
        const treb_metric m = material_files_metrics[i];
        if (files->installed[m]) put(metrics, treb_metric_text(m), file_json(files, m, bytes));
    }
    put(object, "metrics", metrics);
    put(object, "counts", material_files_counts(files));
    put(object, "longest", material_files_longest(files));
    return object;
}

static void clear_files(MaterialFiles *files)
{
    for (int m = 0; m <= TREB_DTM50; m++) {
        files->installed[m] = false;
        files->status[m] = TREB_ERR_NO_TABLE;
    }
}

static void add_file(AnswerContext *context, MaterialFiles *files, const treb_table_info *info,
                     treb_status status, const treb_error *error)
{
    int m = info->metric;
    /* Of two files for one metric, Trebuchet's own comes first and is the one that is probed. */
    if (files->installed[m]) return;
    files->installed[m] = true;
    files->status[m] = status;
    files->info[m] = *info;
    files->error[m] = *error;
    answer_note(context, status);
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Lists the materials. Files are sorted by material, so the files of one material are neighbours. */
static json_t *list_materials(AnswerContext *context, MaterialFiles *files, uint64_t *bytes)
{
    json_t *array = json_array();
    char name[MATERIAL_NAME_SIZE] = "";
    size_t count = treb_tables_count(context->tables);
    clear_files(files);
    for (size_t i = 0; i < count && !answer_stopped(context); i++) {
        treb_table_info info;
        treb_error error = {0};
        treb_status status = treb_tables_info(context->tables, i, &info, &error);
        if (status == TREB_ERR_ARGUMENT) break;
        if (*name && strcmp(name, info.material) != 0) {
            json_array_append_new(array, material_json(files, name, bytes));
            clear_files(files);
        }
        memcpy(name, info.material, sizeof name);
        add_file(context, files, &info, status, &error);
    }
    if (*name) json_array_append_new(array, material_json(files, name, bytes));
    return array;
}

/* Lists the names of blocked-pawn tables, or of pawn files. */
static json_t *list_names(const AnswerContext *context,
                          bool (*find)(const char *const *, size_t, FileNames *))
{
    FileNames names = {0};
    json_t *array = json_array();
    if (!find(context->directories, context->directory_count, &names)) return array;
    for (size_t i = 0; i < names.count; i++) json_array_append_new(array, json_text(names.name[i]));
    file_names_free(&names);
    return array;
}

json_t *answer_tables(AnswerContext *context, treb_error *error)
{
    uint64_t bytes = 0;
    if (answer_stopped(context)) return answer_unless_stopped(context, NULL, error);
    MaterialFiles *files = malloc(sizeof *files);
    json_t *object = json_object(), *names = json_array();
    if (files == NULL || object == NULL || names == NULL) {
        fail_memory(error);
        free(files);
        json_decref(object);
        json_decref(names);
        return NULL;
    }
    for (size_t i = 0; i < context->directory_count; i++) {
        json_t *text = json_string(context->directories[i]);
        json_array_append_new(names, text != NULL ? text : json_text("(not UTF-8)"));
    }
    json_t *tables = list_materials(context, files, &bytes);
    put(object, "directories", names);
    put(object, "bytes", json_integer((json_int_t)bytes));
    put(object, "tables", tables);
    put(object, "ranks", list_names(context, blocked_file_names));
    put(object, "solved", list_names(context, pawn_file_names));
    free(files);
    return answer_unless_stopped(context, object, error);
}
