/* ranks.h - a slice solved by several processes, "ranks": which planes each of them has, and how they speak
 * with each other.
 *
 * A rank keeps the sets of its own planes. A king's move leads to planes that may be another's: of these, its
 * *halo*, it keeps the cells not yet won, and is told at each ply what else was decided there. Every other
 * man's move stays inside a plane. Planes belong to ranks by the black king's square, in the order of a curve
 * that keeps neighbours together, the same number to each.
 *
 * How bytes travel is not known here: whoever starts the ranks brings the functions. What goes wrong with
 * these ends the process. */
#ifndef TREB_GEN_RANKS_H
#define TREB_GEN_RANKS_H

#include "gen/solve/shape.h"

enum { RANKS_MOST = 64, PLACE_NONE = -1, RANK_BATCH_SLACK = 8 };

/* What a rank has sent, and how long it waited for others. */
typedef struct RankTraffic {
    uint64_t bytes, messages;
    uint64_t waiting; /* microseconds */
    /* By the solver: plies, and the most that was sent in one; what was sent when it last looked; and what was
     * gathered when slices were solved. */
    uint64_t plies, most, before, gathered;
} RankTraffic;

/* Some of the bytes of a round, in the order in which a rank sent them; RANK_BATCH_SLACK more may be looked
 * at. */
typedef struct RankBatch {
    const uint8_t *bytes;
    size_t size;
    void *owner;
} RankBatch;

typedef struct Ranks {
    int rank, count;
    int on_node;      /* how many share this machine's memory */
    int pieces;       /* tables with so many men beside kings and pawns are divided */
    const char *name; /* of this rank, for people */
    RankTraffic *traffic;
    void *context;
    /* Sends some bytes and more behind them, which stay together, to another rank: in large messages, while
     * the caller goes on. Thread-safe. */
    void (*send)(void *context, int to, const void *head, size_t head_size, const void *bytes,
                 size_t size);
    /* Ends a round: what waits to be sent goes out to these ranks (bits), which are told that it is all. */
    void (*finish)(void *context, uint64_t to);
    /* The next batch of the round; false: all has come from these ranks. */
    bool (*receive)(void *context, uint64_t from, RankBatch *batch);
    void (*release)(void *context, RankBatch *batch);
    /* By all ranks together: the least of their numbers; sums; bytes of the first rank. */
    uint64_t (*least)(void *context, uint64_t number);
    void (*sum)(void *context, uint64_t *numbers, size_t count);
    void (*tell)(void *context, void *bytes, size_t size);
    /* Ends all ranks, for a reason of this one. Does not return. */
    void (*end_job)(void *context, const char *reason);
} Ranks;

/* Those that solve tables of a shape together; NULL: each does by itself, or there is but one. */
static inline const Ranks *ranks_for(const Ranks *ranks, const Shape *shape)
{
    return ranks != NULL && ranks->count > 1 && shape->men >= ranks->pieces ? ranks : NULL;
}

/* All ranks but this one. */
static inline uint64_t ranks_others(const Ranks *ranks)
{
    uint64_t all = ranks->count == 64 ? UINT64_MAX : (UINT64_C(1) << ranks->count) - 1;
    return all & ~(UINT64_C(1) << ranks->rank);
}

/* The most of all ranks' numbers. */
uint64_t ranks_most(const Ranks *ranks, uint64_t number);

/* Traffic from now on; and that of all ranks since then, together. The first may have been writing files while the others
 * waited for it: that is not counted. */
void ranks_traffic_start(const Ranks *ranks);
RankTraffic ranks_traffic(const Ranks *ranks);

/* The planes of a rank. */
typedef struct RankShare {
    uint32_t planes, *plane;   /* its own: first those that are in the halo of others */
    uint32_t halo[2];          /* by whose cells not yet won are looked at: planes of others, */
    uint32_t *halo_plane[2];   /* these */
    int32_t *place[2];         /* by kings: a plane's place, own ones first; PLACE_NONE */
    uint64_t *to[2];           /* by kings: ranks in whose halo an own plane is */
    uint64_t sources, targets; /* ranks that have planes of the halo; in whose halo own ones are */
} RankShare;

/* The share of a rank; of no ranks (NULL) all planes in ascending order. False: out of memory. */
bool share_init(RankShare *share, const Shape *shape, const Ranks *ranks);
void share_free(RankShare *share);

/* Planes of the largest share: own ones, and with the halo of either side. False: out of memory. */
typedef struct SharePlanes {
    uint32_t own, with[2];
} SharePlanes;
bool share_largest(const Shape *shape, const Ranks *ranks, SharePlanes *planes);

/* Whether a plane is an own one. */
static inline bool share_has(const RankShare *share, uint32_t kings)
{
    return share->place[0][kings] != PLACE_NONE && (uint32_t)share->place[0][kings] < share->planes;
}

#endif
