/* sample.c - see sample.h. */
#include "gen/compress/sample.h"

enum {
    CHUNK = 1 << 13,      /* cells of a chunk */
    SAMPLE_RUNS = 250000, /* approximate number of runs in a sample */
    PROBES = 128 /* number of chunks whose runs are counted, to estimate those of the array */
};

bool sample_take(Stretch array, const RunValues *values, size_t length, CellRanges *sample,
                 RunList *list, uint64_t *part)
{
    uint64_t chunks = (array.size + CHUNK - 1) / CHUNK;
    uint64_t probed = chunks / PROBES + 1;
    if (!cell_ranges_make(sample, array, CHUNK, probed)) return false;
    if (!cell_ranges_runs(sample, values, list)) return false;
    uint64_t runs = list->count * probed;
    cell_ranges_free(sample);
    *part = (runs + SAMPLE_RUNS - 1) / SAMPLE_RUNS;
    bool whole = *part == 1;
    return cell_ranges_make(sample, array, whole ? length : CHUNK, *part) &&
           cell_ranges_runs(sample, values, list);
}
