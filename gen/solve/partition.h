/* partition.h - which planes of a slice each of several processes solves.
 *
 * A process keeps the sets of its own planes. A king's move can lead to a plane of another process. Of that
 * plane it keeps the cells not yet won: it is one of its *ghost planes*. At each ply it receives what was
 * decided there (gen/solve/ghosts.h). The moves of all other men stay inside a plane.
 *
 * The planes are ordered by the black king's square, along a Hilbert curve over the board, which keeps neighbouring
 * squares together, and cut into 64 parts of equal or nearly equal size. The parts do not depend on the number of
 * processes. All processes get the same number of parts, or one more. */
#ifndef TREB_GEN_SOLVE_PARTITION_H
#define TREB_GEN_SOLVE_PARTITION_H

#include "gen/solve/processes.h"

enum {
    PARTITION_PARTS = PROCESSES_MAX,
    /* Number of the rule above. What a program with another rule has saved belongs to other planes. */
    PARTITION_VERSION = 2,
    PLACE_NONE = -1
};

/* The planes of one process. A plane is named by the number of its pair of kings (layout.h), `kings`. */
typedef struct PlanePartition {
    uint32_t planes;          /* number of own planes */
    uint32_t *plane;          /* these: those that are ghost planes of other processes come first */
    uint32_t ghosts[2];       /* by side to move: number of ghost planes */
    uint32_t *ghost_plane[2]; /* these */
    /* By side, by kings: place of a plane in memory, own planes first; or PLACE_NONE. */
    int32_t *place[2];
    /* By side, by kings: bit mask of the processes for which an own plane is a ghost plane. */
    uint64_t *ghosted_by[2];
    uint64_t sources; /* bit mask of the processes that own the ghost planes */
    uint64_t targets; /* bit mask of the processes for which own planes are ghost planes */
} PlanePartition;

/* Finds the planes of this process; without processes (NULL) all planes in ascending order. False: out of memory. */
bool partition_init(PlanePartition *partition, const Layout *layout, const Processes *processes);
void partition_free(PlanePartition *partition);

/* Whether this process owns a plane. */
static inline bool partition_owns(const PlanePartition *partition, uint32_t kings)
{
    return partition->place[0][kings] != PLACE_NONE &&
           (uint32_t)partition->place[0][kings] < partition->planes;
}

/* Numbers of planes that a process keeps. */
typedef struct PartitionSize {
    uint32_t own;     /* own planes */
    uint32_t with[2]; /* by side to move: own planes and ghost planes */
} PartitionSize;

/* Finds the size for the process that needs most memory. False: out of memory; `size` may then be too small. */
bool partition_largest(const Layout *layout, const Processes *processes, PartitionSize *size);

/* Writes the part of each plane to `part`, by kings. With pawns a plane and its image with the files exchanged are in
 * the same part, because a push can lead from one to the other. */
void partition_parts(const Layout *layout, uint8_t *part);

/* Returns the index of the process that owns a part. */
static inline int partition_owner(int processes, unsigned part)
{
    return (int)(part * (unsigned)processes / PARTITION_PARTS);
}

#endif
