/* scan.h - looking at every position of an ending. */
#ifndef TREB_REPRODUCE_SCAN_H
#define TREB_REPRODUCE_SCAN_H

#include <stdbool.h>

#include "core/format/index.h"

/* Called for every legal position of an ending, one for each set that symmetry makes the same;
 * `weight` is how many there are of it. From several threads, each with a context of its own. */
typedef void ScanVisit(void *context, const treb_tables *tables, const treb_position *pos,
                       unsigned weight);

enum { SCAN_THREADS = 2, SCAN_BOTH = 2 };

/* Visits the positions with `turn` to move (SCAN_BOTH: either). False if `material` is none. */
bool scan_ending(const treb_tables *tables, const char *material, int turn, ScanVisit *visit,
                 void *const context[SCAN_THREADS]);

#endif
