/* slice_group.h - the slices of a table in the order in which they are solved.
 *
 * Slices with the most advanced pawns come first, because pushes lead to them. Small slices are solved several at a
 * time, as a group. The pawns of all slices of a group have advanced equally far, so no push leads from one of them to
 * another. The place of a slice in its group is its lane (layout.h). */
#ifndef TREB_GEN_SOLVE_SLICE_GROUP_H
#define TREB_GEN_SOLVE_SLICE_GROUP_H

#include "gen/solve/layout.h"

typedef struct SliceGroup {
    int lanes;                      /* number of slices */
    int advance;                    /* sum of the ranks that all pawns have advanced */
    uint64_t number[SLICE_LANES];   /* by lane: number of the slice in the index */
    uint64_t pawns[SLICE_LANES][2]; /* by lane and colour */
} SliceGroup;

typedef struct SliceGroups {
    SliceGroup *group;
    size_t count;
} SliceGroups;

/* False: out of memory. */
bool slice_groups_list(SliceGroups *groups, const Layout *layout);
void slice_groups_free(SliceGroups *groups);

#endif
