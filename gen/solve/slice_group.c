/* slice_group.c - see slice_group.h. */
#include "gen/solve/slice_group.h"

#include <stdlib.h>

#include "core/chess/bitboard.h"

/* Returns the sum of the ranks that all pawns have advanced. */
static int advance_of(const uint64_t pawns[2])
{
    int advance = 0;
    for (uint64_t p = pawns[0]; p;) advance += bit_pop(&p) >> 3;
    for (uint64_t p = pawns[1]; p;) advance += 7 - (bit_pop(&p) >> 3);
    return advance;
}

/* Adds the groups of the slices whose pawns have advanced `level` ranks, in the order of their numbers. */
static void add_level(SliceGroups *groups, const Layout *layout, const uint8_t *advance, int level)
{
    SliceGroup *group = NULL;
    for (uint64_t s = 0; s < layout->index.slices; s++) {
        if (advance[s] != level) continue;
        if (group == NULL || group->lanes == layout_lanes(layout)) {
            group = &groups->group[groups->count++];
            group->lanes = 0;
            group->advance = level;
        }
        group->number[group->lanes] = s;
        index_slice_pawns(&layout->index, s, group->pawns[group->lanes++]);
    }
}

bool slice_groups_list(SliceGroups *groups, const Layout *layout)
{
    enum { MOST = 6 * TREB_MEN_MAX };
    uint64_t slices = layout->index.slices;
    uint8_t *advance = malloc(slices);
    groups->count = 0;
    /* Every level may end with a group that is not full. */
    groups->group = malloc((slices / layout_lanes(layout) + MOST + 2) * sizeof *groups->group);
    if (advance == NULL || groups->group == NULL) {
        free(advance);
        slice_groups_free(groups);
        return false;
    }
    for (uint64_t s = 0; s < slices; s++) {
        uint64_t pawns[2];
        bool used = index_slice_pawns(&layout->index, s, pawns);
        advance[s] = used ? advance_of(pawns) : UINT8_MAX;
    }
    for (int level = MOST; level >= 0; level--) add_level(groups, layout, advance, level);
    free(advance);
    return true;
}

void slice_groups_free(SliceGroups *groups)
{
    free(groups->group);
    groups->group = NULL;
    groups->count = 0;
}
