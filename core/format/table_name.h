/* table_name.h - the names of table files: "KRPvKR.dtm.treb". */
#ifndef TREB_CORE_FORMAT_TABLE_NAME_H
#define TREB_CORE_FORMAT_TABLE_NAME_H

#include "core/chess/material.h"

/* Two kinds of files have no metric of treb_metric; in a header these numbers stand for one. */
#define TABLE_BLOCKED TREB_METRICS
#define TABLE_PAWN (TREB_METRICS + 1)

/* Whether there is such a metric. */
static inline bool table_is_metric(int metric)
{
    return (metric >= TREB_WDL && metric < TREB_METRICS) || metric == TREB_DTM50;
}

enum { TABLE_NAME_SIZE = MATERIAL_NAME_SIZE + 16 };

/* Returns "wdl", "dtz", "dtc", "dtm", "ranks" or "solved", as messages and JSON have it. */
const char *table_metric_name(treb_metric metric);

/* Writes "KRPvKR.dtm.treb". */
void table_file_name(const Material *material, treb_metric metric, char out[TABLE_NAME_SIZE]);

/* Reads a name (without folders) that table_file_name writes for a canonical material. Returns
 * false for any other name. */
bool table_parse_name(const char *name, Material *material, treb_metric *metric);

#endif
