/* layout.c - see layout.h. */
#include "gen/solve/layout.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"

static void link_kings(Layout *layout, uint32_t kings, int color)
{
    const uint8_t *king = layout->king[kings];
    uint64_t targets = king_attacks(king[color]);
    int n = 0;
    while (targets) {
        int to = bit_pop(&targets), symmetry;
        int white = color == TREB_WHITE ? to : king[0], black = color == TREB_WHITE ? king[1] : to;
        int other = index_kings(layout->pawns, white, black, &symmetry);
        if (other < 0) continue;
        layout->link[kings][color][n++] = (KingLink){(uint16_t)other, (uint8_t)symmetry};
    }
    layout->links[kings][color] = n;
}

/* Numbers the men of a group of the index. */
static void add_group(Layout *layout, int g)
{
    const IndexGroup *group = &layout->index.group[g];
    layout->first[g] = (uint8_t)layout->men;
    for (int i = 0; i < group->count; i++)
        layout->man[layout->men++] = (LayoutMan){group->color, group->type};
}

/* Numbers all men. If there are three or four, two of the same kind come first. */
static void number_men(Layout *layout, int men)
{
    int first = -1;
    for (int g = layout->index.groups - 1; g >= 0 && men >= 3; g--)
        if (layout->index.group[g].count >= 2) first = g;
    if (first >= 0) add_group(layout, first);
    for (int g = 0; g < layout->index.groups; g++)
        if (g != first) add_group(layout, g);
    layout->pair = first >= 0;
}

bool layout_init(Layout *layout, const Material *material)
{
    memset(layout, 0, sizeof *layout);
    layout->material = *material;
    if (!index_init(&layout->index, material, NULL, 1)) return false;
    layout->pawns = layout->index.pawns;
    layout->symmetric = material_symmetric(material);
    layout->kings = layout->index.kings;
    int men = 0;
    for (int g = 0; g < layout->index.groups; g++) men += layout->index.group[g].count;
    if (men > KERNEL_MEN_MAX) return false;
    number_men(layout, men);
    layout->plane_words = kernel_plane_words(layout->men);
    layout->plane_cells = 64 * layout->plane_words;
    layout->words = layout->plane_words * layout->kings;
    layout->cells = 64 * layout->words;
    layout->king = malloc(layout->kings * sizeof *layout->king);
    layout->link = malloc(layout->kings * sizeof *layout->link);
    layout->links = malloc(layout->kings * sizeof *layout->links);
    if (!layout->king || !layout->link || !layout->links) {
        layout_free(layout);
        return false;
    }
    for (uint32_t k = 0; k < layout->kings; k++) {
        int white, black;
        index_kings_squares(layout->pawns, k, &white, &black);
        layout->king[k][0] = white;
        layout->king[k][1] = black;
    }
    for (uint32_t k = 0; k < layout->kings; k++)
        for (int color = 0; color < 2; color++) link_kings(layout, k, color);
    return true;
}

void layout_free(Layout *layout)
{
    free(layout->king);
    free(layout->link);
    free(layout->links);
    memset(layout, 0, sizeof *layout);
}
