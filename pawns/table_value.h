/* table_value.h - tables as a FamilyOracle. Nothing in this folder uses it: who includes it has the
 * library. */
#ifndef TREB_BLOCKED_TABLE_VALUE_H
#define TREB_BLOCKED_TABLE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "trebuchet.h"

/* Of a FamilyOracle or a FileCheck whose context is a set of tables. */
static inline bool table_value(void *context, const treb_position *pos, int *out)
{
    treb_wdl wdl;
    if (treb_probe_wdl(context, pos, &wdl, NULL) != TREB_OK) return false;
    *out = wdl == TREB_WIN    ? 2
           : wdl > TREB_DRAW  ? 1
           : wdl == TREB_LOSS ? -2
           : wdl < TREB_DRAW  ? -1
                              : 0;
    return true;
}

/* The same of distances. */
static inline bool table_distance(void *context, const treb_position *pos, int *out)
{
    treb_distance distance;
    if (treb_probe_dtc(context, pos, &distance, NULL) != TREB_OK) return false;
    *out = (int)distance.plies;
    return true;
}

#endif
