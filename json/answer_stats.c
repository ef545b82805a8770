/* answer_stats.c - the object of GET /v1/stats: one material in numbers, with counts, histograms of
 * distances, longest lines, and its sub-endings. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/material.h"
#include "core/system/error.h"
#include "json/answer.h"
#include "json/material_files.h"
#include "json/put.h"
#include "json/words.h"

enum { PLIES_MAX = 4096 };

static json_t *children_json(AnswerContext *context, const Material *material)
{
    Material sub_endings[MATERIAL_SUB_ENDINGS_MAX];
    json_t *array = json_array();
    int count = material_sub_endings(material, sub_endings, NULL);
    for (int i = 0; i < count && !answer_stopped(context); i++) {
        char name[MATERIAL_NAME_SIZE];
        treb_table_info info;
        int men = material_men(&sub_endings[i]);
        if (men == 2) continue; /* bare kings need no table */
        material_name(&sub_endings[i], name);
        treb_status status = treb_tables_find(context->tables, name, TREB_WDL, &info, NULL);
        json_t *object = json_object();
        put(object, "material", json_text(name));
        put(object, "by", json_text(men == material_men(material) ? "promotion" : "capture"));
        put(object, "installed", json_boolean(status != TREB_ERR_NO_TABLE));
        json_array_append_new(array, object);
    }
    return array;
}

/* ---- Histograms ------------------------------------------------------------------------------ */

typedef struct StatsHistograms {
    AnswerContext *context;
    const char *material;
    uint64_t *counts; /* room for PLIES_MAX */
} StatsHistograms;

/* Returns whether the file has histograms. Files of version 1 of the format have none. */
static bool has_histogram(const StatsHistograms *h, treb_metric metric)
{
    size_t count;
    return treb_tables_histogram(h->context->tables, h->material, metric, TREB_WHITE, TREB_WIN,
                                 h->counts, PLIES_MAX, &count, NULL) != TREB_ERR_ARGUMENT;
}

/* [[plies, count], ...] of one side and verdict; NULL if there are no positions. */
static json_t *verdict_json(const StatsHistograms *h, treb_metric metric, int turn, treb_wdl wdl)
{
    size_t count = 0;
    json_t *array = NULL;
    treb_status status = treb_tables_histogram(h->context->tables, h->material, metric, turn, wdl,
                                               h->counts, PLIES_MAX, &count, NULL);
    answer_note(h->context, status);
    for (size_t p = 0; status == TREB_OK && p < count && p < PLIES_MAX; p++) {
        if (h->counts[p] == 0) continue;
        if (array == NULL) array = json_array();
        json_t *pair = json_array();
        json_array_append_new(pair, json_integer((json_int_t)p));
        json_array_append_new(pair, json_integer((json_int_t)h->counts[p]));
        json_array_append_new(array, pair);
    }
    return array;
}

static json_t *metric_json(const StatsHistograms *h, treb_metric metric)
{
    json_t *object = json_object();
    for (int turn = 0; turn < 2; turn++) {
        json_t *side = json_object();
        for (int v = TREB_WIN; v >= TREB_LOSS; v--) {
            json_t *array = v == TREB_DRAW ? NULL : verdict_json(h, metric, turn, (treb_wdl)v);
            if (array != NULL) put(side, answer_verdict((treb_wdl)v), array);
        }
        put(object, answer_color(turn), side);
    }
    return object;
}

/* ---- The object ------------------------------------------------------------------------------ */

/* Opens the files of a material. If no file can be read, `error` is the first failure other than a
 * missing file, or else that there is no file. */
static treb_status find_files(AnswerContext *context, const char *name, MaterialFiles *files,
                              treb_error *error)
{
    treb_status status = TREB_ERR_NO_TABLE;
    if (answer_stopped(context)) return answer_fail_stopped(error);
    for (int i = 0; i < MATERIAL_FILES; i++) {
        const treb_metric m = material_files_metrics[i];
        files->status[m] =
            treb_tables_find(context->tables, name, m, &files->info[m], &files->error[m]);
        files->installed[m] = files->status[m] != TREB_ERR_NO_TABLE;
        answer_note(context, files->status[m]);
        if (files->status[m] == TREB_OK)
            status = TREB_OK;
        else if (status != TREB_OK && (i == 0 || files->installed[m]))
            *error = files->error[m], status = files->status[m];
    }
    return status;
}

static json_t *stats_json(const StatsHistograms *h, const MaterialFiles *files,
                          const Material *material)
{
    json_t *object = json_object(), *histograms = json_object();
    put(object, "material", json_text(h->material));
    put(object, "men", json_integer(material_men(material)));
    put(object, "children", children_json(h->context, material));
    put(object, "counts", material_files_counts(files));
    put(object, "longest", material_files_longest(files));
    for (int i = 1; i < MATERIAL_FILES && !answer_stopped(h->context); i++) {
        const treb_metric m = material_files_metrics[i];
        bool known = files->status[m] == TREB_OK && has_histogram(h, m);
        put(histograms, treb_metric_text(m), known ? metric_json(h, m) : json_null());
    }
    put(object, "histograms", histograms);
    return object;
}

json_t *answer_stats(AnswerContext *context, const char *text, treb_error *error)
{
    Material material;
    char name[MATERIAL_NAME_SIZE];
    json_t *object = NULL;
    if (material_read(text, &material, error) != TREB_OK) return NULL;
    material_canonical(&material);
    material_name(&material, name);
    MaterialFiles *files = calloc(1, sizeof *files);
    uint64_t *counts = malloc(PLIES_MAX * sizeof *counts);
    if (files == NULL || counts == NULL)
        fail_memory(error);
    else if (find_files(context, name, files, error) == TREB_OK)
        object = stats_json(&(StatsHistograms){context, name, counts}, files, &material);
    free(files);
    free(counts);
    return answer_unless_stopped(context, object, error);
}
