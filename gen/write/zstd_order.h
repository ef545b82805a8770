/* zstd_order.h - finds the order of the axes of a file with codec zstd, by trial.
 *
 * This search is separate from gen/compress/order_search.h, which serves codec symbols and Syzygy, for
 * three reasons. It compresses whole planes with zstd, because an estimate for symbols does not show how
 * well zstd compresses them. The kings stay the outermost axis, because planes are packed one by one.
 * And one order may have to be good for both sides to move. Since there are few orders, each is tried
 * once, with the whole sample. */
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

/* Allocates memory for about 2 MiB of planes of each side, at most `available` planes. Returns
 * false if out of memory. */
bool zstd_sample_init(ZstdSample *sample, const Layout *layout, uint32_t available,
                      MemoryBudget *budget);
void zstd_sample_free(ZstdSample *sample);

/* Which side to move an order is chosen for. */
typedef struct ZstdOrderAim {
    /* choose the order for both sides together; otherwise choose the side that takes fewer bytes */
    bool together;
    unsigned sides; /* sides to try: bits 1 << TREB_WHITE and 1 << TREB_BLACK */
} ZstdOrderAim;

/* The order with which the sample takes the fewest bytes, kings outermost, and the side to move. */
typedef struct ZstdOrderChoice {
    uint8_t order[INDEX_AXES_MAX];
    int side;
} ZstdOrderChoice;

/* Compresses the sample in every order of the axes. Returns false if out of memory. */
bool zstd_order_choose(const ZstdSample *sample, const Packing *packing, ZstdOrderAim aim,
                       ZstdOrderChoice *choice);

/* Returns the maximum number of bytes that a sample and its trials claim, with `threads` threads. */
uint64_t zstd_order_memory(const Layout *layout, int threads);

#endif
