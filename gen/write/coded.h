/* coded.h - a file of one metric with codec symbols, from cells that have waited until all slices
 * of the table are solved. */
#ifndef TREB_GEN_CODED_H
#define TREB_GEN_CODED_H

#include "gen/write/cells.h"
#include "gen/write/tally.h"

enum { CODED_BLOCK_BITS = 12 /* of the bytes that cells are unpacked to at once */ };

/* What is to be written. */
typedef struct CodedJob {
    const Shape *shape;
    Ledger *ledger;
    const char *directory, *scratch; /* of the file, and of what waits */
    treb_metric metric;
    const Cells *verdicts, *cells; /* the same for verdicts */
    unsigned classes;              /* see WriteOptions */
    uint64_t large;                /* the same */
    const atomic_bool *stop;       /* the same: then the files are not complete */
    WriteWatch *watch;             /* NULL allowed */
    const Ranks *ranks; /* that make it together: see shared.h; NULL: this process alone */
    unsigned at_once;   /* files that are made at the same time, this one among them */
    const Tally *tally;
    const Histograms *histograms;
    /* Codec symbols, with material, index, metric and how cells share a byte; gets sides, orders,
     * codes and value maps. */
    TableHeader *header;
    /* A file of another metric with the same cells: its header, which gets the same; or NULL. */
    TableHeader *copy;
} CodedJob;

/* Writes the cells to a file, and to that of the copy: verdicts of both sides to move unless these are
 * alike, distances of the one that takes less. They get their headers from
 * table_writer_finish, later. On failure they are NULL, and with ranks in all but the first. */
treb_status coded_write(const CodedJob *job, TableWriter **writer, TableWriter **copy,
                        treb_error *error);

/* Whether distances of a side to move are few enough. */
bool coded_fits(const Histograms *histograms, treb_metric metric, int side);

/* Bytes that it claims at most with so many threads; `classes`, `large` and `ranks` as above. */
uint64_t coded_memory(const Shape *shape, unsigned classes, uint64_t large, const Ranks *ranks,
                      int threads);

#endif
