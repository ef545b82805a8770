/* table_name.c - see table_name.h. */
#include "core/format/table_name.h"

#include <stdio.h>
#include <string.h>

const char *table_metric_name(treb_metric metric)
{
    static const char *const name[] = {"wdl", "dtz", "dtc", "dtm", "ranks", "solved", "dtm50"};
    return metric <= TREB_DTM50 ? name[metric] : "?";
}

void table_file_name(const Material *material, treb_metric metric, char out[TABLE_NAME_SIZE])
{
    char name[MATERIAL_NAME_SIZE];
    material_name(material, name);
    snprintf(out, TABLE_NAME_SIZE, "%s.%s.treb", name, table_metric_name(metric));
}

bool table_parse_name(const char *name, Material *material, treb_metric *metric)
{
    char expected[TABLE_NAME_SIZE];
    if (!material_of_file(name, material)) return false;
    for (int m = 0; m <= TREB_DTM50; m++) {
        if (!table_is_metric(m)) continue;
        *metric = (treb_metric)m;
        table_file_name(material, *metric, expected);
        if (strcmp(name, expected) == 0) return true;
    }
    return false;
}
