/* runs.h - splits cells into runs of one value. Private to gen/compress. */
#ifndef TREB_GEN_COMPRESS_RUNS_H
#define TREB_GEN_COMPRESS_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "gen/compress/values.h"

enum { RUNS_SHIFT = 8 /* the most cells by which the end of a run may be moved */ };

/* A run: `length` cells with the value `value`. A run of length 0 is a break: the run after it does
 * not stand next to the run before it. */
typedef struct Run {
    uint32_t length;
    uint8_t value;
} Run;

/* A run whose end is not fixed, because some cells may belong to this run or to the next. The end may
 * be at any cell from `least` to `most`. */
typedef struct FlexibleRun {
    uint32_t least, most;
    uint8_t value;
} FlexibleRun;

/* How to choose the value of a cell that allows several values. */
typedef struct RunValues {
    /* By n: the value of a cell ENCODE_UP_TO | n if no neighbour decides. The last entry is for
     * ENCODE_ANY. */
    uint8_t best[ENCODE_LIMITS + 1];
    /* By value: the smallest cell that allows several values, this one among them. */
    uint8_t flexible_from[ENCODE_VALUES];
} RunValues;

/* Returns the last possible end of the run that begins at `at`, and sets *value to its value. */
size_t runs_end(const uint8_t *cells, size_t at, size_t size, const RunValues *values,
                uint8_t *value);

/* Splits the cells into as few runs as possible. Returns the number of runs. `runs` must have `size`
 * elements. */
size_t runs_list(const uint8_t *cells, size_t size, const RunValues *values, FlexibleRun *runs);

#endif
