/* shape.c - see shape.h. */
#include "gen/solve/shape.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "gen/solve/solved.h"

static void link_kings(Shape *shape, uint32_t kings, int color)
{
    const uint8_t *king = shape->king[kings];
    uint64_t targets = king_attacks(king[color]);
    int n = 0;
    while (targets) {
        int to = bit_pop(&targets), symmetry;
        int white = color == TREB_WHITE ? to : king[0], black = color == TREB_WHITE ? king[1] : to;
        int other = index_kings(shape->pawns, white, black, &symmetry);
        if (other < 0) continue;
        shape->link[kings][color][n++] = (ShapeLink){(uint16_t)other, (uint8_t)symmetry};
    }
    shape->links[kings][color] = n;
}

/* Adds the men of a group of the index. */
static void add_group(Shape *shape, int g)
{
    const IndexGroup *group = &shape->index.group[g];
    shape->first[g] = (uint8_t)shape->men;
    for (int i = 0; i < group->count; i++)
        shape->man[shape->men++] = (ShapeMan){group->color, group->type};
}

/* Gives all men their numbers. Of three or four, two that are alike come first. */
static void number_men(Shape *shape, int men)
{
    int first = -1;
    for (int g = shape->index.groups - 1; g >= 0 && men >= 3; g--)
        if (shape->index.group[g].count >= 2) first = g;
    if (first >= 0) add_group(shape, first);
    for (int g = 0; g < shape->index.groups; g++)
        if (g != first) add_group(shape, g);
    shape->pair = first >= 0;
}

bool shape_init(Shape *shape, const Material *material)
{
    memset(shape, 0, sizeof *shape);
    shape->material = *material;
    if (!index_init(&shape->index, material, NULL, 1)) return false;
    shape->pawns = shape->index.pawns;
    shape->symmetric = material_symmetric(material);
    shape->kings = shape->index.kings;
    int men = 0;
    for (int g = 0; g < shape->index.groups; g++) men += shape->index.group[g].count;
    if (men > KERNEL_MEN_MAX) return false;
    number_men(shape, men);
    shape->plane_words = kernel_plane_words(shape->men);
    shape->plane_cells = 64 * shape->plane_words;
    shape->words = shape->plane_words * shape->kings;
    shape->cells = 64 * shape->words;
    shape->king = malloc(shape->kings * sizeof *shape->king);
    shape->link = malloc(shape->kings * sizeof *shape->link);
    shape->links = malloc(shape->kings * sizeof *shape->links);
    if (!shape->king || !shape->link || !shape->links) {
        shape_free(shape);
        return false;
    }
    for (uint32_t k = 0; k < shape->kings; k++) {
        int white, black;
        index_kings_squares(shape->pawns, k, &white, &black);
        shape->king[k][0] = white;
        shape->king[k][1] = black;
    }
    for (uint32_t k = 0; k < shape->kings; k++)
        for (int color = 0; color < 2; color++) link_kings(shape, k, color);
    return true;
}

void shape_free(Shape *shape)
{
    free(shape->king);
    free(shape->link);
    free(shape->links);
    memset(shape, 0, sizeof *shape);
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

bool cut_suits(const Material *material, int from)
{
    int pieces = 0;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_KNIGHT; type <= TREB_QUEEN; type++)
            pieces += material->count[color][type];
    return pieces >= 2 && material_men(material) >= (from ? from : CUTS_MEN);
}

/* Where a man may have promoted: with pawns on its last rank, else on any edge, as the board was turned. */
static bool promotes_on(const Shape *shape, int color, int square)
{
    int file = square & 7, rank = square >> 3;
    if (shape->pawns) return rank == (color == TREB_WHITE ? 7 : 0);
    return file == 0 || file == 7 || rank == 0 || rank == 7;
}

bool cut_init(Cut *cut, const Shape *shape, unsigned wanted)
{
    memset(cut, 0, sizeof *cut);
    memset(cut->place, -1, sizeof cut->place);
    for (int i = 0; i < shape->men && wanted >= WANT_CUT; i++) {
        const ShapeMan *man = &shape->man[i];
        if (wanted_cut(man->color, man->type) != wanted) continue;
        cut->man = i;
        cut->squares = 1;
    }
    if (cut->squares == 0) return false;
    cut->squares = 0;
    for (int s = 0; s < 64; s++) {
        if (!promotes_on(shape, shape->man[cut->man].color, s)) continue;
        cut->place[s] = (int8_t)cut->squares;
        cut->square[cut->squares++] = (uint8_t)s;
    }
    return true;
}
