/* quiet_moves.c - see quiet_moves.h. */
#include "gen/solve/quiet_moves.h"

#include "core/chess/movegen.h"

int quiet_cells(const Layout *layout, uint64_t fixed, int side, uint32_t cell,
                uint32_t out[QUIET_MOST])
{
    uint64_t occupied = fixed;
    int count = 0;
    for (int i = 0; i < layout->men; i++)
        occupied |= square_bit(cell >> 6 * (layout->men - 1 - i) & 63);
    for (int i = 0; i < layout->men; i++) {
        const int shift = 6 * (layout->men - 1 - i), from = cell >> shift & 63;
        if (layout->man[i].color != side) continue;
        uint64_t to = piece_attacks(layout->man[i].type, from, occupied) & ~occupied;
        const uint32_t others = cell & ~((uint32_t)63 << shift);
        while (to)
            out[count++] =
                (uint32_t)layout_cell(layout, others | (uint32_t)bit_pop(&to) << shift);
    }
    return count;
}

static uint32_t turn_cell(const Layout *layout, int symmetry, uint32_t cell)
{
    uint32_t out = 0;
    if (symmetry == 0) return cell;
    for (int shift = 0; shift < 6 * layout->men; shift += 6)
        out |= (uint32_t)index_symmetry_square(symmetry, cell >> shift & 63) << shift;
    return (uint32_t)layout_cell(layout, out);
}

static int inverse(int symmetry)
{
    if (!(symmetry & SYM_DIAGONAL)) return symmetry;
    return SYM_DIAGONAL | (symmetry & SYM_FILES ? SYM_RANKS : 0) |
           (symmetry & SYM_RANKS ? SYM_FILES : 0);
}

uint32_t quiet_cell_there(const Layout *layout, KingLink link, uint32_t cell)
{
    return turn_cell(layout, link.symmetry, cell);
}

uint32_t quiet_cell_here(const Layout *layout, KingLink link, uint32_t cell)
{
    return turn_cell(layout, inverse(link.symmetry), cell);
}
