/* axis_orders.h - all orders of the axes of a table. */
#ifndef TREB_GEN_WRITE_AXIS_ORDERS_H
#define TREB_GEN_WRITE_AXIS_ORDERS_H

#include "core/format/index.h"

/* Lists all orders of the axes 0 to axes - 1, in lexicographic order. Writes at most `capacity` of them to `out` and
 * returns their number. */
size_t axis_orders(int axes, uint8_t (*out)[INDEX_AXES_MAX], size_t capacity);

#endif
