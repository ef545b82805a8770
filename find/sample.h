/* sample.h - random positions of endings that are of some kind.
 *
 * Each set of so many positions of the population has the same probability. The population is what
 * find_material finds in all endings together: one position for all that a symmetry of the board
 * maps to each other. Or it is all these positions on the full board, as treb_table_info.count
 * counts them.
 *
 * Positions are drawn at random until enough match the query. If few of them match, the endings are
 * gone through instead, and those with the smallest random numbers are kept. Sample and order depend
 * on the seed, not on the number of threads. */
#ifndef TREB_FIND_SAMPLE_H
#define TREB_FIND_SAMPLE_H

#include "find/find.h"

typedef struct SampleQuery {
    FindQuery find; /* `first`, `plies` and `floor` are not used */
    const char *const *material; /* canonical names, each once */
    size_t materials;
    uint64_t size, seed;
    bool board;  /* the population is the full board */
    bool random; /* each position is turned, mirrored and has its colours exchanged at random */
    FindProgress progress; /* may be NULL */
    void *context;
} SampleQuery;

typedef struct Sample {
    Found *found; /* in random order; to be freed */
    size_t count;
    uint64_t looked; /* number of positions that were examined */
    bool all;        /* the population has no other positions */
} Sample;

/* Draws a sample. If the query's `stop` becomes true it has fewer positions, and these are a sample
 * as well. Without `random` the positions have the orientation and colours of the table; on the
 * full board two of them may then look equal. With `random` and a side to move in the query, that
 * side is to move after the colours were exchanged. Returns the errors of find_material. */
treb_status sample_draw(const SampleQuery *query, Sample *out, treb_error *error);

#endif
