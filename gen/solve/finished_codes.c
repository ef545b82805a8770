/* finished_codes.c - see finished_codes.h. */
#include "gen/solve/finished_codes.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/format/table_order.h"
#include "core/system/error.h"

enum { NO_LANE = SLICE_LANES };

/* ---- Places ---------------------------------------------------------------------------------- */

/* Number of placements of the men of a layout, without kings and pawns: of codes of a slice in a plane. */
static size_t placements(const Layout *layout)
{
    size_t product = 1;
    for (int g = 0; g < layout->index.groups; g++) product *= layout->index.group[g].radix;
    return product;
}

static size_t all_codes(const Layout *layout)
{
    return layout->kings * (size_t)layout_lanes(layout) * placements(layout);
}

uint64_t finished_codes_memory(const Layout *layout, unsigned width)
{
    return budget_cost(width * all_codes(layout)) +
           budget_cost(layout->plane_cells * sizeof(uint32_t));
}

treb_status finished_codes_init(FinishedCodes *c, MemoryBudget *budget, treb_error *error)
{
    const Layout *layout = c->slice->layout;
    c->side = -1;
    c->lane = placements(layout);
    c->plane = (size_t)layout_lanes(layout) * c->lane;
    c->place = budget_alloc(budget, layout->plane_cells * sizeof *c->place);
    c->lane_of = malloc(layout->index.slices);
    c->codes = budget_alloc(budget, all_codes(layout) << c->file->wide);
    const bool ok = c->place != NULL && c->lane_of != NULL && c->codes != NULL;
    return ok ? TREB_OK : fail_memory(error);
}

void finished_codes_free(FinishedCodes *c)
{
    budget_free(c->codes);
    free(c->lane_of);
    budget_free(c->place);
}

/* Writes the squares of the men in a cell of a plane, by group, those of like men in ascending order. */
static void cell_squares(const Layout *layout, size_t cell, uint8_t *out)
{
    for (int g = 0; g < layout->index.groups; g++) {
        const int count = layout->index.group[g].count;
        for (int i = 0; i < count; i++) {
            uint8_t square = cell >> 6 * (layout->men - 1 - layout->first[g] - i) & 63;
            int at = i;
            for (; at > 0 && out[at - 1] > square; at--) out[at] = out[at - 1];
            out[at] = square;
        }
        out += count;
    }
}

/* Returns the place of a code in its slice and plane. Two men on one square have the first place. */
static size_t squares_place(const FinishedCodes *c, const uint8_t *square)
{
    size_t place = 0;
    for (int g = 0; g < c->from->groups; g++) {
        const IndexGroup *group = &c->from->group[g];
        for (int i = 1; i < group->count; i++)
            if (square[i] == square[i - 1]) return 0;
        place += index_group(group, square) * c->stride[1 + g];
        square += group->count;
    }
    return place;
}

/* Prepares reading another side: its file may number cells differently. */
static void choose_side(FinishedCodes *c, int side)
{
    const Layout *layout = c->slice->layout;
    const size_t cells = layout_lane_cells(layout);
    size_t stride = 1;
    c->side = side;
    c->from = &c->file->index[side];
    for (int i = c->from->axes - 1; i >= 0; i--) {
        const int axis = c->from->order[i];
        if (axis == INDEX_KINGS_AXIS) continue;
        c->stride[axis] = stride;
        stride *= c->from->group[axis - 1].radix;
    }
    for (size_t cell = 0; cell < layout->plane_cells; cell++) {
        uint8_t square[TREB_MEN_MAX];
        cell_squares(layout, cell % cells, square);
        c->place[cell] = (uint32_t)(cell / cells * c->lane + squares_place(c, square));
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

static uint64_t slice_first(const void *context, uint64_t slice, unsigned place)
{
    const FinishedCodes *c = context;
    const uint8_t lane =
        c->lane_of[index_slice_in(&c->slice->layout->index, c->from, slice, place)];
    return lane != NO_LANE ? lane * c->lane : TABLE_ORDER_NOWHERE;
}

/* Leaves out the coordinates of a group with which no cell is read. */
static void leave_out(const FinishedCodes *c, TableOrder *order, int g)
{
    const IndexGroup *group = &c->from->group[g];
    LayoutMan man[TREB_MEN_MAX];
    for (int i = 0; i < group->count; i++) man[i] = (LayoutMan){group->color, group->type};
    for (uint32_t k = 0; k < group->radix; k++) {
        uint8_t square[TREB_MEN_MAX];
        index_group_squares(group, k, square);
        if (!promoted_suits(&c->promoted[c->side], c->from->pawns, man, square, group->count))
            order->term[1 + g][k] = TABLE_ORDER_NOWHERE;
    }
}

static bool order_init(const FinishedCodes *c, TableOrder *order)
{
    const Index *from = c->from;
    const int inner = from->order[from->axes - 1];
    if (!table_order_init(order, table_header(c->table), c->side)) return false;
    order->slice = slice_first;
    order->context = c;
    order->straight = inner != INDEX_KINGS_AXIS;
    for (int axis = 0; axis < from->axes; axis++)
        for (uint32_t k = 0; k < table_order_radix(from, axis); k++)
            order->term[axis][k] = k * (axis == INDEX_KINGS_AXIS ? c->plane : c->stride[axis]);
    order->sparse = promoted_any(&c->promoted[c->side]);
    for (int g = 0; g < from->groups; g++)
        if (1 + g != inner) leave_out(c, order, g);
    return true;
}

/* A part of a file: the blocks that have cells of a group. */
typedef struct Blocks {
    uint64_t first, end;
} Blocks;

static int compare_blocks(const void *a, const void *b)
{
    const Blocks *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Lists the blocks that have slices of a group, each once. Returns the number of parts. */
static int find_blocks(const FinishedCodes *c, const TableOrder *order, const SliceGroup *group,
                       Blocks out[SLICE_LANES])
{
    const Index *from = c->from, *to = &c->slice->layout->index;
    int parts = 0;
    for (int lane = 0; lane < group->lanes; lane++) {
        uint64_t slice = index_slice_in(from, to, group->number[lane],
                                        index_slice_place(to, group->number[lane]));
        out[lane].first = slice * from->slice_size / order->block_cells;
        out[lane].end = ((slice + 1) * from->slice_size - 1) / order->block_cells + 1;
    }
    qsort(out, (size_t)group->lanes, sizeof *out, compare_blocks);
    for (int lane = 0; lane < group->lanes; lane++) {
        Blocks next = out[lane];
        if (parts > 0 && next.first < out[parts - 1].end) next.first = out[parts - 1].end;
        if (next.first < next.end) out[parts++] = next;
    }
    return parts;
}

static treb_status read_blocks(const FinishedCodes *c, const TableOrder *order, Blocks blocks,
                               treb_error *error)
{
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        TableDecoder *decoder = table_decoder_new();
        uint8_t *bytes = malloc((size_t)1 << table_header(c->table)->block_bits);
#pragma omp for schedule(dynamic, 4)
        for (uint64_t b = blocks.first; b < blocks.end; b++) {
            treb_error mine;
            if (order->sparse && !table_order_copy(order, b, NULL, c->codes)) continue;
            treb_status own = decoder != NULL && bytes != NULL
                                  ? table_read_block(c->table, decoder, c->side, b, bytes, &mine)
                                  : fail_memory(&mine);
            if (own == TREB_OK) {
                table_order_copy(order, b, bytes, c->codes);
                continue;
            }
#pragma omp critical(finished_error)
            {
                status = own;
                *error = mine;
            }
        }
        table_decoder_free(decoder);
        free(bytes);
    }
    return status;
}

static treb_status read_group(const FinishedCodes *c, const SliceGroup *group, treb_error *error)
{
    TableOrder order;
    Blocks blocks[SLICE_LANES];
    memset(c->lane_of, NO_LANE, c->slice->layout->index.slices);
    for (int lane = 0; lane < group->lanes; lane++) c->lane_of[group->number[lane]] = (uint8_t)lane;
    treb_status status = order_init(c, &order) ? TREB_OK : fail_memory(error);
    if (status == TREB_OK) {
        const int parts = find_blocks(c, &order, group, blocks);
        for (int i = 0; i < parts && status == TREB_OK; i++)
            status = read_blocks(c, &order, blocks[i], error);
    }
    table_order_free(&order);
    return status;
}

treb_status finished_codes_read(FinishedCodes *c, const SliceGroup *group, int side,
                                treb_error *error)
{
    const size_t bytes = all_codes(c->slice->layout) << c->file->wide;
    treb_status status = TREB_OK;
    if (side != c->side) choose_side(c, side);
    if (c->table != NULL) status = read_group(c, group, error);
    if (c->processes != NULL && status == TREB_OK)
        c->processes->broadcast(c->processes->context, c->codes, bytes);
    return status;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Whether the positions of a plane and lane stand in two orientations. Then the file has only one of both cells. */
static bool is_twofold(const SolvedSlice *slice, uint32_t kings, int lane)
{
    const uint8_t *king = slice->layout->king[kings];
    return slice->layout->pawns ? slice->mirrored >> lane & 1
                                : king[0] % 9 == 0 && king[1] % 9 == 0;
}

static unsigned code_at(const FinishedCodes *c, size_t place)
{
    if (!c->file->wide) return c->codes[place];
    return c->codes[2 * place] | (unsigned)c->codes[2 * place + 1] << 8;
}

/* Returns the code of such a position. */
static unsigned twofold_code(const FinishedCodes *c, uint32_t kings, int lane, size_t cell)
{
    const Layout *layout = c->slice->layout;
    const uint64_t *pawns = c->slice->pawns[lane];
    IndexMen men = {.king = {layout->king[kings][0], layout->king[kings][1]},
                    .pawns = {pawns[0], pawns[1]}};
    int symmetry;
    cell_squares(layout, cell, men.square);
    index_of_men(c->from, &men);
    kings = (uint32_t)index_kings(layout->pawns, men.king[0], men.king[1], &symmetry);
    return code_at(c, kings * c->plane + (size_t)lane * c->lane + squares_place(c, men.square));
}

void finished_codes_word(const FinishedCodes *c, uint32_t kings, size_t w, uint64_t wanted,
                         uint16_t out[64])
{
    const Layout *layout = c->slice->layout;
    const size_t cells = layout_lane_cells(layout), first = kings * c->plane;
    const uint32_t *place = c->place + 64 * w;
    const uint8_t *narrow = c->codes + first;
    const int from = bit_first(wanted), to = bit_last(wanted);
    if (c->file->wide)
        for (int i = from; i <= to; i++) out[i] = (uint16_t)code_at(c, first + place[i]);
    else
        for (int i = from; i <= to; i++) out[i] = narrow[place[i]];
    if (layout->pawns && c->slice->mirrored == 0) return;
    for (; wanted; wanted &= wanted - 1) {
        const size_t i = (size_t)bit_first(wanted), cell = 64 * w + i;
        const int lane = (int)(cell / cells);
        if (is_twofold(c->slice, kings, lane))
            out[i] = (uint16_t)twofold_code(c, kings, lane, cell % cells);
        else if (!layout->pawns)
            return;
    }
}
