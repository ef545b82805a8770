/* sample.h - takes a sample of an array, from which a code is learned. Private to gen/compress and
 * gen/syzygy. */
#ifndef TREB_GEN_COMPRESS_SAMPLE_H
#define TREB_GEN_COMPRESS_SAMPLE_H

#include "gen/compress/cell_ranges.h"

enum { SAMPLE_BYTES = 96 << 20 /* memory to claim for learning from a sample */ };

/* Takes chunks of the array at equal distances until the sample has enough runs to learn from, and
 * lists these runs. The sample has one in *part cells. If *part is 1, it is the whole array, cut into
 * ranges of `length` cells. The caller frees `sample` and `list`. Returns false if memory runs out. */
bool sample_take(Stretch array, const RunValues *values, size_t length, CellRanges *sample,
                 RunList *list, uint64_t *part);

#endif
