/* symbols_job.h - what a file with codec symbols is made from. */
#ifndef TREB_GEN_WRITE_SYMBOLS_JOB_H
#define TREB_GEN_WRITE_SYMBOLS_JOB_H

#include "gen/compress/coder.h"
#include "gen/write/cells.h"
#include "gen/write/statistics.h"

typedef struct SymbolsJob {
    const Layout *layout;
    MemoryBudget *budget;
    const char *directory; /* of the file */
    const char *scratch;   /* for temporary files */
    treb_metric metric;
    const Cells *verdicts;
    const Cells *cells; /* of the metric; the verdicts if the metric is TREB_WDL */
    CoderEffort effort;
    unsigned classes;   /* see WriteOptions */
    uint64_t large;     /* see WriteOptions */
    /* when true the work ends soon and the files are not complete; NULL allowed */
    const atomic_bool *stop;
    WriteProgress *progress; /* NULL allowed */
    const Processes *
        processes; /* that write the file together: see side_processes.h; NULL: this process alone */
    unsigned at_once; /* number of files that are made at the same time, with this one */
    const TableStatistics *statistics;
    const Histograms *histograms;
    /* The caller sets codec, material, index, metric and how many cells share a byte. The writer adds sides, orders of
     * axes, codes and value maps. */
    TableHeader *header;
} SymbolsJob;

#endif
