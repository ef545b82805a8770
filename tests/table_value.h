/* table_value.h - what tables say of a position, as those who solve blocked positions ask it. */
#ifndef TREB_TESTS_TABLE_VALUE_H
#define TREB_TESTS_TABLE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "trebuchet.h"

/* For a FamilyOracle whose context is a set of tables. */
static inline bool table_value(void *context, const treb_position *pos, int *out)
{
    treb_wdl wdl;
    if (treb_probe_wdl(context, pos, &wdl, NULL) != TREB_OK) return false;
    *out = wdl > TREB_DRAW ? 1 : wdl < TREB_DRAW ? -1 : 0;
    return true;
}

#endif
