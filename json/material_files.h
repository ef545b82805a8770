/* material_files.h - the table files of one material, for the objects of /v1/tables and /v1/stats. */
#ifndef TREB_JSON_MATERIAL_FILES_H
#define TREB_JSON_MATERIAL_FILES_H

#include <jansson.h>
#include <stdbool.h>

#include "trebuchet.h"

/* What the headers of the files say. */
typedef struct MaterialFiles {
    bool installed[TREB_METRICS];
    treb_status status[TREB_METRICS];
    treb_table_info info[TREB_METRICS];
    treb_error error[TREB_METRICS];
} MaterialFiles;

/* {"white":{"win":n,...},"black":{...}}, or null if no file has counts. */
json_t *material_files_counts(const MaterialFiles *files);

/* [{"metric":..,"turn":..,"verdict":..,"plies":..,"fen":..}]. */
json_t *material_files_longest(const MaterialFiles *files);

#endif
