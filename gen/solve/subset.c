/* subset.c - see subset.h. */
#include "gen/solve/subset.h"

#include <string.h>

bool subset_suits(const Material *material, int from)
{
    int pieces = 0;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_KNIGHT; type <= TREB_QUEEN; type++)
            pieces += material->count[color][type];
    return pieces >= 2 && material_men(material) >= (from ? from : SUBSETS_MEN);
}

/* Whether a man that has just promoted can stand on `square`: on the last rank if the slice has pawns, otherwise on any
 * edge, because the board may be turned. */
static bool promotes_on(const Layout *layout, int color, int square)
{
    int file = square & 7, rank = square >> 3;
    if (layout->pawns) return rank == (color == TREB_WHITE ? 7 : 0);
    return file == 0 || file == 7 || rank == 0 || rank == 7;
}

bool subset_init(PromotionSubset *subset, const Layout *layout, unsigned wanted)
{
    memset(subset, 0, sizeof *subset);
    memset(subset->place, -1, sizeof subset->place);
    for (int i = 0; i < layout->men && wanted >= WANT_SUBSET; i++) {
        const LayoutMan *man = &layout->man[i];
        if (wanted_subset(man->color, man->type) != wanted) continue;
        subset->man = i;
        subset->squares = 1;
    }
    if (subset->squares == 0) return false;
    subset->squares = 0;
    for (int s = 0; s < 64; s++) {
        if (!promotes_on(layout, layout->man[subset->man].color, s)) continue;
        subset->place[s] = (int8_t)subset->squares;
        subset->square[subset->squares++] = (uint8_t)s;
    }
    return true;
}
