/* sample.h - a part of an array that tells what the rest is like. Private to code/ and export/. */
#ifndef TREB_GEN_COMPRESS_SAMPLE_H
#define TREB_GEN_COMPRESS_SAMPLE_H

#include "gen/compress/cell_ranges.h"

enum { SAMPLE_BYTES = 96 << 20 /* claimed for learning from it */ };

/* Stretches at equal distances, so many that the sample has enough runs, and its runs. One in *part
 * cells is in it; if that is all, it is cut into slices of `length`. False: out of memory. */
bool sample_take(Stretch array, const RunValues *values, size_t length, CellRanges *sample,
                 RunList *list, uint64_t *part);

#endif
