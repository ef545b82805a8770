/* array_orders.h - finds the order of men and groups with which an array takes the fewest bytes, by
 * trial. */
#ifndef TREB_GEN_SYZYGY_ARRAY_ORDERS_H
#define TREB_GEN_SYZYGY_ARRAY_ORDERS_H

#include "gen/compress/order_search.h"
#include "gen/syzygy/remap.h"

/* An order of men and groups, as syzygy_index_init expects it. */
typedef struct ArrayOrder {
    uint8_t man[SYZYGY_MEN_MAX]; /* men, as the nibbles of a file */
    /* Places of the leading group and of the other colour's pawns among the factors of a cell's number.
     * Without the latter place2 is SYZYGY_NO_SECOND. */
    uint8_t place, place2;
} ArrayOrder;

/* A list of orders. The format may allow a thousand of them for a material. */
typedef struct ArrayOrders {
    ArrayOrder *order;
    size_t count;
} ArrayOrders;

/* Lists all orders that the format allows. Free the list with orders_free. Returns false if memory runs
 * out. */
bool orders_list(ArrayOrders *orders, const RemapTables *tables);
void orders_free(ArrayOrders *orders);

/* Copies a list. Returns false if memory runs out. */
bool orders_copy(ArrayOrders *copy, const ArrayOrders *orders);

/* The array for which to choose an order. */
typedef struct OrderParams {
    const RemapTables *tables;
    int file;            /* of the leading pawn */
    const uint8_t *from; /* the solver's cells, see Remap */
    MemoryBudget *budget;
} OrderParams;

enum { ORDERS_TRIED = SEARCH_FEW }; /* maximum number of orders to compare on all cells */

/* The chosen orders: the best one first, then others that may be as good. There are others only if the
 * samples are too small to decide: if nearly all cells are equal, samples contain the few different
 * ones only by chance. */
typedef struct OrderChoice {
    ArrayOrder order[ORDERS_TRIED];
    int count;
    uint64_t bytes; /* estimated bytes of the array with the first order */
} OrderChoice;

/* Sorts the orders by the bytes that the array takes with each, in parallel, and fills `choice`. Keeps
 * only the best orders in `orders`, to be tried with other arrays of this material.
 * TREB_ERR_MEMORY. */
treb_status orders_choose(ArrayOrders *orders, const OrderParams *params, OrderChoice *choice,
                          treb_error *error);

/* Returns the bytes that orders_choose claims with `threads` threads. */
uint64_t orders_memory(int threads);

#endif
