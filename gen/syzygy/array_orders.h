/* orders.h - the order of men and groups with which an array takes least bytes, found by trial. */
#ifndef TREB_GEN_SYZYGY_ARRAY_ORDERS_H
#define TREB_GEN_SYZYGY_ARRAY_ORDERS_H

#include "gen/compress/order_search.h"
#include "gen/syzygy/remap.h"

/* An order as syzygy_index_init takes it. */
typedef struct ArrayOrder {
    uint8_t man[SYZYGY_MEN_MAX]; /* a file's nibbles */
    uint8_t place, place2;
} ArrayOrder;

/* All orders that the format allows, which may be a thousand. */
typedef struct ArrayOrders {
    ArrayOrder *order;
    size_t count;
} ArrayOrders;

/* False: out of memory. */
bool orders_list(ArrayOrders *orders, const RemapTables *tables);
void orders_free(ArrayOrders *orders);
bool orders_copy(ArrayOrders *copy, const ArrayOrders *orders); /* false: out of memory */

/* An array for which an order is wanted. */
typedef struct OrderParams {
    const RemapTables *tables;
    int file;
    const uint8_t *from; /* as in a Remap */
    MemoryBudget *budget;
} OrderParams;

enum { ORDERS_TRIED = SEARCH_FEW }; /* of which all cells may be looked at, at most */

/* The best order first, then others that may be as good if samples do not tell: where nearly all cells
 * are alike, what there is to see in them is seen by chance. */
typedef struct OrderChoice {
    ArrayOrder order[ORDERS_TRIED];
    int count;
    uint64_t bytes; /* that the array takes with the first, about */
} OrderChoice;

/* Sorts the orders by what the array takes with each, in parallel, and leaves some of the best, to
 * be tried with another array of the same kind. */
treb_status orders_choose(ArrayOrders *orders, const OrderParams *params, OrderChoice *choice,
                          treb_error *error);

/* Bytes that it claims with so many threads. */
uint64_t orders_memory(int threads);

#endif
