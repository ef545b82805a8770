/* ranks.h - a slice solved by several processes, "ranks": which planes each of them has, and how they speak
 * with each other.
 *
 * A rank keeps the sets of its own planes. A king's move leads to planes that may be another's: of these, its
 * *halo*, it keeps the cells not yet won, and is told at each ply what else was decided there. Every other
 * man's move stays inside a plane. Planes are dealt out by the black king's square, in the order of a curve that
 * keeps neighbours together, in 64 parts of the same size or nearly, whose limits do not depend on how many ranks there
 * are; each rank has as many parts as the others, or one more.
 *
 * How bytes travel is not known here: whoever starts the ranks brings the functions. What goes wrong with
 * these ends the process. */
#ifndef TREB_GEN_RANKS_H
#define TREB_GEN_RANKS_H

#include "gen/solve/shape.h"
#include "trebuchet.h"

enum {
    RANKS_MOST = 64,
    RANK_PARTS = RANKS_MOST,
    RANK_DEAL = 2,        /* how planes are dealt out: what an older program saved is of others */
    RANK_ROUND = 8 << 20, /* bytes that are sent to each rank before these are taken, about */
    PLACE_NONE = -1,
    RANK_BATCH_SLACK = 8
};

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

/* Those that solve tables of a shape together, be it only one; NULL: each does by itself. */
static inline const Ranks *ranks_for(const Ranks *ranks, const Shape *shape)
{
    return ranks != NULL && shape->men >= ranks->pieces ? ranks : NULL;
}

/* Those that write its files together, each from its own planes; NULL: the first writes them, where the planes are
 * too small to be worth it. */
static inline const Ranks *ranks_writing(const Ranks *ranks, const Shape *shape)
{
    return shape->men >= 2 ? ranks_for(ranks, shape) : NULL;
}

/* Those that keep of a solved slice their own planes alone: only the table's own pushes ask for it, and these leave the
 * kings where they are. NULL: what other tables want every rank has. `parents`: see gen/solve/solved.h. */
static inline const Ranks *ranks_apart(const Ranks *ranks, const Shape *shape, unsigned parents)
{
    return parents == 0 ? ranks_writing(ranks, shape) : NULL;
}

/* The part that each plane is of, in ascending order of `kings`; and whose it is. With pawns a plane and its image with
 * the files exchanged are of the same, as a push may lead from one to the other. */
void ranks_parts(const Shape *shape, uint8_t *part);
static inline int ranks_owner(int ranks, unsigned part)
{
    return (int)(part * (unsigned)ranks / RANK_PARTS);
}

/* All ranks but this one. */
static inline uint64_t ranks_others(const Ranks *ranks)
{
    uint64_t all = ranks->count == 64 ? UINT64_MAX : (UINT64_C(1) << ranks->count) - 1;
    return all & ~(UINT64_C(1) << ranks->rank);
}

/* The most of all ranks' numbers. */
uint64_t ranks_most(const Ranks *ranks, uint64_t number);

/* What all ranks do together: each sends to some and takes from some, round after round, so that whoever takes need
 * keep no more in memory than is sent in a round. What is sent counts as gathered. */
typedef struct RankExchange {
    void *context;
    uint64_t to, from;
    /* Sends some RANK_ROUND bytes to each, and says whether there is more; not called if there is nobody to send to. */
    treb_status (*send)(void *context, bool *more, treb_error *error);
    treb_status (*take)(void *context, const RankBatch *batch, treb_error *error);
} RankExchange;
treb_status ranks_exchange(const Ranks *ranks, const RankExchange *exchange, treb_error *error);

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
