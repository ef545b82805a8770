/* runs.h - cells as runs of one value. Private to code/. */
#ifndef TREB_GEN_COMPRESS_RUNS_H
#define TREB_GEN_COMPRESS_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "gen/compress/values.h"

enum { RUNS_SHIFT = 8 /* cells that an end may be moved by */ };

/* So many cells of one value. Of length 0: what comes next does not follow what was before. */
typedef struct Run {
    uint32_t length;
    uint8_t value;
} Run;

/* A run whose end may be moved, as some cells could be of this run or of the next: it ends at
 * `least` or behind that, up to `most`. */
typedef struct FlexibleRun {
    uint32_t least, most;
    uint8_t value;
} FlexibleRun;

/* For cells that could have several values. */
typedef struct RunValues {
    /* The one to take though no neighbour helps: of ENCODE_UP_TO | n, and the last for any at all. */
    uint8_t best[ENCODE_LIMITS + 1];
    /* By value: cells may have it from this one on. */
    uint8_t flexible_from[ENCODE_VALUES];
} RunValues;

/* Where a run that begins at `at` ends at the latest, and its value. */
size_t runs_end(const uint8_t *cells, size_t at, size_t size, const RunValues *values,
                uint8_t *value);

/* Lists the runs of some cells, of which there are as few as can be. Returns how many; `runs` has
 * room for one a cell. */
size_t runs_list(const uint8_t *cells, size_t size, const RunValues *values, FlexibleRun *runs);

#endif
