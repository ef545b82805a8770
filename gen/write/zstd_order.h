/* order.h - choosing the order of the axes by trial. */
#ifndef TREB_GEN_WRITE_ZSTD_ORDER_H
#define TREB_GEN_WRITE_ZSTD_ORDER_H

#include "gen/write/codes.h"

/* Some planes of each side to move, as codes_choose writes them. */
typedef struct ZstdSample {
    const Layout *layout;
    MemoryBudget *budget;
    Plies *plane[2];
    uint32_t planes;
} ZstdSample;

/* Room for some 2 MiB of planes a side, not more than `available`. False: out of memory. */
bool zstd_sample_init(ZstdSample *sample, const Layout *layout, uint32_t available, MemoryBudget *budget);
void zstd_sample_free(ZstdSample *sample);

/* Which side to move an order is chosen for. */
typedef struct ZstdOrderAim {
    bool together;  /* the order must suit both sides; else that which comes out smaller */
    unsigned sides; /* that count: 1 << TREB_WHITE and so on */
} ZstdOrderAim;

/* The order with which the sample takes least bytes, kings outermost, and the side it is for. */
typedef struct ZstdOrderChoice {
    uint8_t order[INDEX_AXES_MAX];
    int side;
} ZstdOrderChoice;

/* Compresses the sample in every order of the axes. False: out of memory. */
bool zstd_order_choose(const ZstdSample *sample, const Packing *packing, ZstdOrderAim aim,
                  ZstdOrderChoice *choice);

/* Bytes that a sample and its trials claim with so many threads. */
uint64_t zstd_order_memory(const Layout *layout, int threads);

#endif
