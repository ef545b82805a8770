/* table_order.c - see table_order.h. */
#include "core/format/table_order.h"

#include <stdlib.h>
#include <string.h>

uint32_t table_order_radix(const Index *index, int axis)
{
    return axis == INDEX_KINGS_AXIS ? index->kings : index->group[axis - 1].radix;
}

bool table_order_init(TableOrder *order, const TableHeader *header, int side)
{
    memset(order, 0, sizeof *order);
    order->header = header;
    order->from = &header->side[side].index;
    order->end = UINT64_MAX;
    order->block_cells = (UINT64_C(1) << header->block_bits) / header->width * header->per_byte;
    for (unsigned byte = 0; byte < 256 && header->per_byte <= TABLE_ORDER_DIGITS; byte++)
        for (unsigned i = 0, rest = byte; i < header->per_byte; i++, rest /= header->base)
            order->digit[byte][i] = (uint8_t)(rest % header->base);
    for (int axis = 0; axis < order->from->axes; axis++) {
        order->term[axis] = malloc(table_order_radix(order->from, axis) * sizeof **order->term);
        if (order->term[axis] == NULL) return false;
    }
    return true;
}

void table_order_free(TableOrder *order)
{
    for (int axis = 0; axis < INDEX_AXES_MAX; axis++) free(order->term[axis]);
}

/* Copies codes from cell `i` of a block on, each to the place that `term` gives. */
static void copy_codes(const TableOrder *o, const uint8_t *block, uint64_t i, uint8_t *out,
                       uint64_t base, const uint64_t *term, uint64_t count)
{
    const TableHeader *h = o->header;
    if (o->straight && h->per_byte == 1) {
        memcpy(out + h->width * (base + term[0]), block + h->width * i, h->width * count);
    } else if (h->width == 2) {
        for (uint64_t k = 0; k < count; k++)
            memcpy(out + 2 * (base + term[k]), block + 2 * (i + k), 2);
    } else if (h->per_byte == 1) {
        for (uint64_t k = 0; k < count; k++) out[base + term[k]] = block[i + k];
    } else {
        const uint8_t *byte = block + i / h->per_byte;
        unsigned place = (unsigned)(i % h->per_byte);
        for (uint64_t k = 0; k < count; k++) {
            out[base + term[k]] = o->digit[*byte][place];
            if (++place < h->per_byte) continue;
            place = 0;
            byte++;
        }
    }
}

/* A position in a file. */
typedef struct Cursor {
    IndexCursor at;
    uint64_t base; /* the first place of the slice */
} Cursor;

static void find_base(const TableOrder *o, Cursor *c)
{
    const uint64_t slice = c->at.slice;
    c->base = TABLE_ORDER_NOWHERE;
    if (slice < o->from->slices)
        c->base = o->slice(o->context, slice, index_slice_place(o->from, slice));
}

/* Copies the wanted ones of `cells` cells of a row. Returns whether there are any. */
static bool copy_row(const TableOrder *o, const Cursor *c, uint32_t cells, const uint8_t *bytes,
                     uint8_t *out)
{
    const int inner = o->from->order[o->from->axes - 1];
    uint32_t from = c->at.coordinate[inner], end = from + cells,
             radix = table_order_radix(o->from, inner);
    if (c->base == TABLE_ORDER_NOWHERE) return false;
    if (end > radix) end = radix; /* The rest is padding. */
    uint64_t base = c->base;
    for (int axis = 0; axis < o->from->axes; axis++)
        if (axis != inner) {
            const uint64_t term = o->term[axis][c->at.coordinate[axis]];
            if (o->sparse && term == TABLE_ORDER_NOWHERE) return false;
            base += term;
        }
    uint32_t first = from;
    if (inner != INDEX_KINGS_AXIS) {
        if (base < o->first || base >= o->end) return false;
    } else if (o->end != UINT64_MAX) {
        uint64_t low = o->first > c->base ? (o->first - c->base) / o->plane : 0;
        uint64_t high = o->end > c->base ? (o->end - c->base) / o->plane : 0;
        if (first < low) first = low < end ? (uint32_t)low : end;
        if (end > high) end = (uint32_t)high;
    }
    if (first >= end) return false;
    if (bytes != NULL)
        copy_codes(o, bytes, c->at.cell % o->block_cells + (first - from), out, base - o->first,
                   &o->term[inner][first], end - first);
    return true;
}

bool table_order_copy(const TableOrder *o, uint64_t block, const uint8_t *bytes, uint8_t *out)
{
    Cursor c;
    const int inner = o->from->order[o->from->axes - 1];
    uint64_t end = (block + 1) * o->block_cells;
    bool any = false;
    if (end > o->from->size) end = o->from->size;
    index_cursor_seek(o->from, &c.at, block * o->block_cells);
    find_base(o, &c);
    while (c.at.cell < end && (bytes != NULL || !any)) {
        uint64_t left = c.at.radix[inner] - c.at.coordinate[inner];
        uint32_t cells = (uint32_t)(left < end - c.at.cell ? left : end - c.at.cell);
        any |= copy_row(o, &c, cells, bytes, out);
        if (index_cursor_next(o->from, &c.at, cells) < 0) find_base(o, &c);
    }
    return any;
}
