/* table_order.h - copies the cells of a table file into another order.
 *
 * A file has its axes in an order of its own, in which the kings may be anywhere, and it may number
 * bishops and slices differently. But in either order the number of a cell is a sum of one term for
 * each coordinate. So the caller says which term each coordinate of the file adds, and cells are
 * copied row by row along the innermost axis of the file. */
#ifndef TREB_CORE_FORMAT_TABLE_ORDER_H
#define TREB_CORE_FORMAT_TABLE_ORDER_H

#include "core/format/table.h"

enum { TABLE_ORDER_DIGITS = 8 }; /* the most cells that share a byte */

#define TABLE_ORDER_NOWHERE UINT64_MAX

/* Where the cells of one side of a file go: codes of header->width bytes each. Constant while cells
 * are copied, by any number of threads. */
typedef struct TableOrder {
    const TableHeader *header;
    const Index *from; /* numbering of the side */
    /* By axis and coordinate: the term that it adds to the number of a place. The caller fills it
     * in. */
    uint64_t *term[INDEX_AXES_MAX];
    /* Some terms of axes other than the innermost are TABLE_ORDER_NOWHERE: the cells of such a
     * coordinate are not copied. */
    bool sparse;
    bool straight; /* the terms of the innermost axis are 0, 1, 2, ... */
    /* The first place of a slice; TABLE_ORDER_NOWHERE: it is not copied. `place` is the slice's place
     * (index_slice_place). */
    uint64_t (*slice)(const void *context, uint64_t slice, unsigned place);
    const void *context;
    /* Only the places from `first` on and before `end` are copied, to the memory that begins with
     * `first`. They are whole planes: all places to which one coordinate of the kings leads. A plane
     * has `plane` places, and that is what the kings' terms are multiples of. At first all are
     * copied. */
    uint64_t first, end, plane;
    uint64_t block_cells;                   /* cells of a block */
    uint8_t digit[256][TABLE_ORDER_DIGITS]; /* codes in a byte, if several share one */
} TableOrder;

/* Prepares an order for a stored side, with memory for the terms. Returns false if memory is out;
 * table_order_free is to be called in either case. */
bool table_order_init(TableOrder *order, const TableHeader *header, int side);
void table_order_free(TableOrder *order);

/* Returns the number of coordinates of an axis, without padding. */
uint32_t table_order_radix(const Index *index, int axis);

/* Copies those cells of a block that are wanted to `out`. `bytes` is what table_read_block gave.
 * Returns whether there are any. With `bytes` NULL nothing is copied, and the result is the same. */
bool table_order_copy(const TableOrder *order, uint64_t block, const uint8_t *bytes, uint8_t *out);

#endif
