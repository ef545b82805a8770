/* scan.h - visits every position of an ending. */
#ifndef TREB_EXAMPLES_BOOK_1983_SCAN_H
#define TREB_EXAMPLES_BOOK_1983_SCAN_H

#include <stdbool.h>

#include "core/format/index.h"

/* Called for every legal position of an ending. Of positions that a symmetry of the board makes
 * equal, one is visited; `weight` is their number. The function is called from several threads; each
 * thread has its own context. */
typedef void ScanVisit(void *context, const treb_tables *tables, const treb_position *pos,
                       unsigned weight);

enum { SCAN_THREADS = 2, SCAN_BOTH = 2 };

/* Visits the positions with `turn` to move (SCAN_BOTH: either side). Returns false if `material` is
 * not valid. */
bool scan_ending(const treb_tables *tables, const char *material, int turn, ScanVisit *visit,
                 void *const context[SCAN_THREADS]);

#endif
