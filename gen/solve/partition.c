/* partition.c - see partition.h. */
#include "gen/solve/partition.h"

#include <stdlib.h>
#include <string.h>

/* Returns the place of a square along a Hilbert curve over the board, 0 to 63. */
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

/* With pawns: returns the plane, or its image with the files exchanged, whichever has the black king on files a to d.
 * Without pawns: returns the plane. */
static uint32_t on_left(const Layout *layout, uint32_t kings)
{
    const uint8_t *king = layout->king[kings];
    int symmetry;
    if (!layout->pawns || (king[1] & 7) < 4) return kings;
    return (uint32_t)index_kings(true, king[0] ^ 7, king[1] ^ 7, &symmetry);
}

void partition_parts(const Layout *layout, uint8_t *part)
{
    /* Number of planes with the black king earlier on the curve. */
    uint32_t before[64 + 1] = {0}, planes = 0;
    for (uint32_t k = 0; k < layout->kings; k++)
        if (on_left(layout, k) == k) before[curve(layout->king[k][1]) + 1]++, planes++;
    for (int i = 0; i < 64; i++) before[i + 1] += before[i];
    for (uint32_t k = 0; k < layout->kings; k++) {
        if (on_left(layout, k) != k) continue;
        uint64_t at = before[curve(layout->king[k][1])]++;
        part[k] = (uint8_t)(at * PARTITION_PARTS / planes);
    }
    for (uint32_t k = 0; k < layout->kings; k++) part[k] = part[on_left(layout, k)];
}

/* Writes the index of the process that owns each plane. */
static void find_owners(const Layout *layout, int processes, uint8_t *owner)
{
    partition_parts(layout, owner);
    for (uint32_t k = 0; k < layout->kings; k++)
        owner[k] = (uint8_t)partition_owner(processes, owner[k]);
}

static bool partition_alloc(PlanePartition *partition, const Layout *layout)
{
    const size_t kings = layout->kings;
    bool ok = (partition->plane = malloc(kings * sizeof *partition->plane)) != NULL;
    for (int side = 0; side < 2; side++) {
        partition->ghost_plane[side] = malloc(kings * sizeof *partition->ghost_plane[side]);
        partition->place[side] = malloc(kings * sizeof *partition->place[side]);
        partition->ghosted_by[side] = calloc(kings, sizeof *partition->ghosted_by[side]);
        ok = ok && partition->ghost_plane[side] && partition->place[side] &&
             partition->ghosted_by[side];
        for (size_t k = 0; k < kings && ok; k++) partition->place[side][k] = PLACE_NONE;
    }
    return ok;
}

/* Finds the ghost planes: planes of other processes from which a king comes to an own plane, and own planes from which
 * a king comes to planes of others. With `mover` to move the cells of the other side, !mover, are read there. */
static void partition_links(PlanePartition *partition, const Layout *layout, const uint8_t *owner,
                            int self)
{
    for (uint32_t k = 0; k < layout->kings; k++)
        for (int mover = 0; mover < 2; mover++)
            for (int i = 0; i < layout->links[k][mover]; i++) {
                uint32_t other = layout->link[k][mover][i].kings;
                if (owner[k] == owner[other]) continue;
                if (owner[other] == self) {
                    partition->ghosted_by[!mover][other] |= UINT64_C(1) << owner[k];
                    partition->targets |= UINT64_C(1) << owner[k];
                }
                if (owner[k] != self || partition->place[!mover][other] != PLACE_NONE) continue;
                partition->place[!mover][other] =
                    (int32_t)(partition->planes + partition->ghosts[!mover]);
                partition->ghost_plane[!mover][partition->ghosts[!mover]++] = other;
                partition->sources |= UINT64_C(1) << owner[other];
            }
}

/* Lists the planes of a process. Planes that other processes wait for come first. */
static void partition_fill(PlanePartition *partition, const Layout *layout, const uint8_t *owner,
                           int self)
{
    for (uint32_t k = 0; k < layout->kings; k++) partition->planes += owner[k] == self;
    partition_links(partition, layout, owner, self);
    uint32_t n = 0;
    for (int inner = 0; inner < 2; inner++)
        for (uint32_t k = 0; k < layout->kings; k++) {
            bool waited = (partition->ghosted_by[0][k] | partition->ghosted_by[1][k]) != 0;
            if (owner[k] != self || waited == inner) continue;
            partition->place[0][k] = partition->place[1][k] = (int32_t)n;
            partition->plane[n++] = k;
        }
}

static bool partition_make(PlanePartition *partition, const Layout *layout, int self, int processes)
{
    uint8_t *owner = malloc(layout->kings);
    memset(partition, 0, sizeof *partition);
    bool ok = owner != NULL && partition_alloc(partition, layout);
    if (ok) find_owners(layout, processes, owner);
    if (ok) partition_fill(partition, layout, owner, self);
    free(owner);
    if (!ok) partition_free(partition);
    return ok;
}

bool partition_init(PlanePartition *partition, const Layout *layout, const Processes *processes)
{
    return processes != NULL ? partition_make(partition, layout, processes->index, processes->count)
                             : partition_make(partition, layout, 0, 1);
}

void partition_free(PlanePartition *partition)
{
    free(partition->plane);
    for (int side = 0; side < 2; side++) {
        free(partition->ghost_plane[side]);
        free(partition->place[side]);
        free(partition->ghosted_by[side]);
    }
    memset(partition, 0, sizeof *partition);
}

bool partition_largest(const Layout *layout, const Processes *processes, PartitionSize *planes)
{
    PlanePartition partition;
    uint64_t most = 0;
    *planes = (PartitionSize){layout->kings, {layout->kings, layout->kings}};
    for (int r = 0; processes != NULL && r < processes->count; r++) {
        if (!partition_make(&partition, layout, r, processes->count)) return false;
        uint64_t all = 8ull * partition.planes + partition.ghosts[0] + partition.ghosts[1];
        if (all > most) {
            most = all;
            *planes = (PartitionSize){
                partition.planes,
                {partition.planes + partition.ghosts[0], partition.planes + partition.ghosts[1]}};
        }
        partition_free(&partition);
    }
    return true;
}
