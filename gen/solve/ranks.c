/* ranks.c - see ranks.h. */
#include "gen/solve/ranks.h"

#include <stdlib.h>
#include <string.h>

/* How far a square is along Hilbert's curve over the board. */
static unsigned curve(unsigned square)
{
    unsigned file = square & 7, rank = square >> 3, along = 0;
    for (unsigned s = 4; s > 0; s /= 2) {
        unsigned right = (file & s) != 0, up = (rank & s) != 0;
        along += s * s * ((3 * right) ^ up);
        if (up) continue;
        unsigned f = right ? 7 - file : file, r = right ? 7 - rank : rank;
        file = r;
        rank = f;
    }
    return along;
}

/* With pawns, of a plane and the one with the files exchanged that which has the black king on the left. */
static uint32_t on_left(const Shape *shape, uint32_t kings)
{
    const uint8_t *king = shape->king[kings];
    int symmetry;
    if (!shape->pawns || (king[1] & 7) < 4) return kings;
    return (uint32_t)index_kings(true, king[0] ^ 7, king[1] ^ 7, &symmetry);
}

void ranks_parts(const Shape *shape, uint8_t *part)
{
    uint32_t before[64 + 1] = {0}, planes = 0; /* with the black king earlier on the curve */
    for (uint32_t k = 0; k < shape->kings; k++)
        if (on_left(shape, k) == k) before[curve(shape->king[k][1]) + 1]++, planes++;
    for (int i = 0; i < 64; i++) before[i + 1] += before[i];
    for (uint32_t k = 0; k < shape->kings; k++) {
        if (on_left(shape, k) != k) continue;
        uint64_t at = before[curve(shape->king[k][1])]++;
        part[k] = (uint8_t)(at * RANK_PARTS / planes);
    }
    for (uint32_t k = 0; k < shape->kings; k++) part[k] = part[on_left(shape, k)];
}

/* The rank that has each plane. */
static void find_owners(const Shape *shape, int ranks, uint8_t *owner)
{
    ranks_parts(shape, owner);
    for (uint32_t k = 0; k < shape->kings; k++) owner[k] = (uint8_t)ranks_owner(ranks, owner[k]);
}

static bool share_alloc(RankShare *share, const Shape *shape)
{
    const size_t kings = shape->kings;
    bool ok = (share->plane = malloc(kings * sizeof *share->plane)) != NULL;
    for (int side = 0; side < 2; side++) {
        share->halo_plane[side] = malloc(kings * sizeof *share->halo_plane[side]);
        share->place[side] = malloc(kings * sizeof *share->place[side]);
        share->to[side] = calloc(kings, sizeof *share->to[side]);
        ok = ok && share->halo_plane[side] && share->place[side] && share->to[side];
        for (size_t k = 0; k < kings && ok; k++) share->place[side][k] = PLACE_NONE;
    }
    return ok;
}

/* Notes for whom, at whose turn, planes count that a king of the other side comes from. */
static void share_links(RankShare *share, const Shape *shape, const uint8_t *owner, int rank)
{
    for (uint32_t k = 0; k < shape->kings; k++)
        for (int mover = 0; mover < 2; mover++)
            for (int i = 0; i < shape->links[k][mover]; i++) {
                uint32_t other = shape->link[k][mover][i].kings;
                if (owner[k] == owner[other]) continue;
                if (owner[other] == rank) {
                    share->to[!mover][other] |= UINT64_C(1) << owner[k];
                    share->targets |= UINT64_C(1) << owner[k];
                }
                if (owner[k] != rank || share->place[!mover][other] != PLACE_NONE) continue;
                share->place[!mover][other] = (int32_t)(share->planes + share->halo[!mover]);
                share->halo_plane[!mover][share->halo[!mover]++] = other;
                share->sources |= UINT64_C(1) << owner[other];
            }
}

/* The planes of one rank, those that others wait for first. */
static void share_fill(RankShare *share, const Shape *shape, const uint8_t *owner, int rank)
{
    for (uint32_t k = 0; k < shape->kings; k++) share->planes += owner[k] == rank;
    share_links(share, shape, owner, rank);
    uint32_t n = 0;
    for (int inner = 0; inner < 2; inner++)
        for (uint32_t k = 0; k < shape->kings; k++) {
            bool waited = (share->to[0][k] | share->to[1][k]) != 0;
            if (owner[k] != rank || waited == inner) continue;
            share->place[0][k] = share->place[1][k] = (int32_t)n;
            share->plane[n++] = k;
        }
}

static bool share_make(RankShare *share, const Shape *shape, int rank, int ranks)
{
    uint8_t *owner = malloc(shape->kings);
    memset(share, 0, sizeof *share);
    bool ok = owner != NULL && share_alloc(share, shape);
    if (ok) find_owners(shape, ranks, owner);
    if (ok) share_fill(share, shape, owner, rank);
    free(owner);
    if (!ok) share_free(share);
    return ok;
}

bool share_init(RankShare *share, const Shape *shape, const Ranks *ranks)
{
    return ranks != NULL ? share_make(share, shape, ranks->rank, ranks->count)
                         : share_make(share, shape, 0, 1);
}

void share_free(RankShare *share)
{
    free(share->plane);
    for (int side = 0; side < 2; side++) {
        free(share->halo_plane[side]);
        free(share->place[side]);
        free(share->to[side]);
    }
    memset(share, 0, sizeof *share);
}

bool share_largest(const Shape *shape, const Ranks *ranks, SharePlanes *planes)
{
    RankShare share;
    uint64_t most = 0;
    *planes = (SharePlanes){shape->kings, {shape->kings, shape->kings}};
    for (int r = 0; ranks != NULL && r < ranks->count; r++) {
        if (!share_make(&share, shape, r, ranks->count)) return false;
        uint64_t all = 8ull * share.planes + share.halo[0] + share.halo[1];
        if (all > most) {
            most = all;
            *planes = (SharePlanes){share.planes,
                                    {share.planes + share.halo[0], share.planes + share.halo[1]}};
        }
        share_free(&share);
    }
    return true;
}

/* ---- Traffic --------------------------------------------------------------------------------- */

uint64_t ranks_most(const Ranks *ranks, uint64_t number)
{
    return ~ranks->least(ranks->context, ~number);
}

static treb_status exchange(const Ranks *ranks, const RankExchange *x, treb_error *error)
{
    bool more = true;
    do {
        RankBatch batch;
        more = more && x->to != 0;
        treb_status status = more ? x->send(x->context, &more, error) : TREB_OK;
        if (status != TREB_OK) return status;
        ranks->finish(ranks->context, x->to);
        while (ranks->receive(ranks->context, x->from, &batch)) {
            if (status == TREB_OK) status = x->take(x->context, &batch, error);
            ranks->release(ranks->context, &batch);
        }
        if (status != TREB_OK) return status;
    } while (ranks->least(ranks->context, !more) == 0);
    return TREB_OK;
}

treb_status ranks_exchange(const Ranks *ranks, const RankExchange *x, treb_error *error)
{
    RankTraffic *traffic = ranks->traffic;
    const uint64_t before = traffic->bytes;
    treb_status status = exchange(ranks, x, error);
    traffic->gathered += traffic->bytes - before;
    traffic->before = traffic->bytes;
    return status;
}

void ranks_traffic_start(const Ranks *ranks)
{
    ranks->least(ranks->context, 0);
    memset(ranks->traffic, 0, sizeof *ranks->traffic);
}

RankTraffic ranks_traffic(const Ranks *ranks)
{
    const RankTraffic own = *ranks->traffic;
    uint64_t sums[] = {own.bytes, own.messages, own.waiting, own.gathered};
    ranks->sum(ranks->context, sums, 4);
    return (RankTraffic){.bytes = sums[0],
                         .messages = sums[1],
                         .waiting = sums[2],
                         .gathered = sums[3],
                         .plies = own.plies,
                         .most = ranks_most(ranks, own.most)};
}
