/* order.h - choosing the order of the axes by trial. */
#ifndef TREB_GEN_ORDER_H
#define TREB_GEN_ORDER_H

#include "gen/write/codes.h"

/* Some planes of each side to move, as codes_choose writes them. */
typedef struct OrderSample {
    const Shape *shape;
    Ledger *ledger;
    Plies *plane[2];
    uint32_t planes;
} OrderSample;

/* Room for some 2 MiB of planes a side, not more than `available`. False: out of memory. */
bool order_sample_init(OrderSample *sample, const Shape *shape, uint32_t available, Ledger *ledger);
void order_sample_free(OrderSample *sample);

/* Which side to move an order is chosen for. */
typedef struct OrderAim {
    bool together;  /* the order must suit both sides; else that which comes out smaller */
    unsigned sides; /* that count: 1 << TREB_WHITE and so on */
} OrderAim;

/* The order with which the sample takes least bytes, kings outermost, and the side it is for. */
typedef struct OrderChoice {
    uint8_t order[INDEX_AXES_MAX];
    int side;
} OrderChoice;

/* Compresses the sample in every order of the axes. False: out of memory. */
bool order_choose(const OrderSample *sample, const Packing *packing, OrderAim aim,
                  OrderChoice *choice);

/* Bytes that a sample and its trials claim with so many threads. */
uint64_t order_memory(const Shape *shape, int threads);

#endif
