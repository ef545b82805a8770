/* side_order.h - the order of the axes of a side to move, found by trying all orders on the sample.
 *
 * gen/compress/order_search.h does the search, for Syzygy's files too (gen/syzygy/array_orders.h). Files
 * with codec zstd have a search of their own; zstd_order.h says why. */
#ifndef TREB_GEN_WRITE_SIDE_ORDER_H
#define TREB_GEN_WRITE_SIDE_ORDER_H

#include "gen/write/side_encoder.h"

/* Sets `reorder` to the order that makes the sample smallest, and `bytes`. The sample must be filled. */
treb_status side_choose_order(SideEncoder *s, treb_error *error);

#endif
