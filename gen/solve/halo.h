/* halo.h - what ranks tell each other ply by ply: which cells were decided in planes from which another rank's
 * kings come. See ranks.h.
 *
 * Whatever a rank decides in such a plane it posts at once, packed as its log has it. At the end of a ply it takes
 * what the others posted: cells won it takes from those not yet won; cells lost stay packed until the next ply
 * looks at them. */
#ifndef TREB_GEN_HALO_H
#define TREB_GEN_HALO_H

#include "gen/solve/ranks.h"

/* What was decided in a plane, before the packed set. */
typedef struct HaloItem {
    uint64_t slabs; /* see kernel.h; of a pair its squares */
    uint32_t size;  /* of the set */
    uint16_t kings;
    uint8_t side, won;
} HaloItem;

typedef struct HaloBatches {
    RankBatch *batch;
    size_t count, capacity;
} HaloBatches;

typedef struct Halo {
    const uint8_t **lost[2]; /* by side and kings: cells lost at the ply before, packed; or NULL */
    const uint8_t **item[2]; /* what was won there: items, */
    uint32_t items[2];       /* so many */
    HaloBatches batches;     /* that have these */
} Halo;

/* False: out of memory. */
bool halo_init(Halo *halo, const Shape *shape);
void halo_free(Halo *halo);

#endif
