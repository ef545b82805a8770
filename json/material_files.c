/* material_files.c - see material_files.h. */
#include "json/material_files.h"

#include "json/put.h"
#include "json/words.h"

const treb_metric material_files_metrics[MATERIAL_FILES] = {TREB_WDL, TREB_DTM, TREB_DTM50,
                                                            TREB_DTC, TREB_DTZ};

json_t *material_files_counts(const MaterialFiles *files)
{
    for (int i = 0; i < MATERIAL_FILES; i++) {
        const treb_metric m = material_files_metrics[i];
        /* Syzygy's files have no counts. */
        if (files->status[m] != TREB_OK || files->info[m].format != TREB_FORMAT_TREBUCHET) continue;
        json_t *object = json_object();
        for (int turn = 0; turn < 2; turn++) {
            json_t *side = json_object();
            for (int v = TREB_WIN; v >= TREB_LOSS; v--)
                put(side, answer_verdict((treb_wdl)v),
                    json_integer((json_int_t)files->info[m].count[turn][v]));
            put(object, answer_color(turn), side);
        }
        return object;
    }
    return json_null();
}

json_t *material_files_longest(const MaterialFiles *files)
{
    json_t *array = json_array();
    for (int i = 1; i < MATERIAL_FILES; i++) {
        const treb_metric m = material_files_metrics[i];
        for (int at = 0; files->status[m] == TREB_OK && at < 10; at++) {
            int turn = at / 5, v = TREB_WIN - at % 5;
            const treb_table_info *info = &files->info[m];
            if (v == TREB_DRAW || info->longest_fen[turn][v][0] == '\0') continue;
            json_t *object = json_object();
            put(object, "metric", json_text(treb_metric_text(m)));
            put(object, "turn", json_text(answer_color(turn)));
            put(object, "verdict", json_text(answer_verdict((treb_wdl)v)));
            put(object, "plies", json_integer(info->longest[turn][v]));
            put(object, "fen", json_text(info->longest_fen[turn][v]));
            json_array_append_new(array, object);
        }
    }
    return array;
}
