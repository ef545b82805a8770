/* order.h - choosing the order of the axes by trial. */
#ifndef TREB_GEN_ORDER_H
#define TREB_GEN_ORDER_H

#include "gen/write/codes.h"

/* Planes as staged, for each side to move. */
typedef struct OrderSample {
    Plies *plane[2];
    uint32_t planes;
} OrderSample;

/* Room for planes_wanted planes of each side, or fewer. False: out of memory. */
bool order_sample_init(OrderSample *sample, const Shape *shape, uint32_t available);
void order_sample_free(OrderSample *sample);

/* Compresses the sample in every order of the axes, kings outermost. `together`: the order must
 * suit both sides; else *side gets the side that comes out smaller, of those in the mask `sides`.
 */
bool order_choose(const Shape *shape, const Packing *packing, const OrderSample *sample,
                  bool together, unsigned sides, uint8_t order[INDEX_AXES_MAX], int *side);

#endif
