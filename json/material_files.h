/* material_files.h - the table files of one material, for the objects of /v1/tables and /v1/stats. */
#ifndef TREB_JSON_MATERIAL_FILES_H
#define TREB_JSON_MATERIAL_FILES_H

#include <jansson.h>
#include <stdbool.h>

#include "trebuchet.h"

enum { MATERIAL_FILES = 5 };

/* The metrics of table files: the verdict, then the distances in the order in which objects list them. */
extern const treb_metric material_files_metrics[MATERIAL_FILES];

/* What the headers of the files say, by metric. */
typedef struct MaterialFiles {
    bool installed[TREB_DTM50 + 1];
    treb_status status[TREB_DTM50 + 1];
    treb_table_info info[TREB_DTM50 + 1];
    treb_error error[TREB_DTM50 + 1];
} MaterialFiles;

/* {"white":{"win":n,...},"black":{...}}, or null if no file has counts. */
json_t *material_files_counts(const MaterialFiles *files);

/* [{"metric":..,"turn":..,"verdict":..,"plies":..,"fen":..}]. */
json_t *material_files_longest(const MaterialFiles *files);

#endif
