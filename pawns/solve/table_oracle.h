/* table_oracle.h - tables as a PositionOracle. The other files of this folder do not use it: code
 * that includes it links libtrebuchet. */
#ifndef TREB_PAWNS_SOLVE_TABLE_ORACLE_H
#define TREB_PAWNS_SOLVE_TABLE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "trebuchet.h"

/* The `value` of a PositionOracle or a FileCheck. `context` is a treb_tables. */
static inline bool table_oracle_value(void *context, const treb_position *pos, int *out)
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

/* The `distance` of a PositionOracle. `context` is a treb_tables. */
static inline bool table_oracle_distance(void *context, const treb_position *pos, int *out)
{
    treb_distance distance;
    if (treb_probe_dtc(context, pos, &distance, NULL) != TREB_OK) return false;
    *out = (int)distance.plies;
    return true;
}

#endif
