/* axis_orders.c - see axis_orders.h. */
#include "gen/write/axis_orders.h"

#include <string.h>

/* Goes to the next order, in lexicographic order. Returns false behind the last. */
static bool next_order(uint8_t *order, int axes)
{
    int i = axes - 2, j = axes - 1;
    while (i >= 0 && order[i] > order[i + 1]) i--;
    if (i < 0) return false;
    while (order[j] < order[i]) j--;
    uint8_t t = order[i];
    order[i] = order[j];
    order[j] = t;
    for (int a = i + 1, b = axes - 1; a < b; a++, b--) {
        t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    return true;
}

size_t axis_orders(int axes, uint8_t (*out)[INDEX_AXES_MAX], size_t capacity)
{
    uint8_t order[INDEX_AXES_MAX] = {0};
    size_t count = 0;
    for (int i = 0; i < axes; i++) order[i] = (uint8_t)i;
    do {
        if (count < capacity) memcpy(out[count], order, sizeof order);
        count++;
    } while (next_order(order, axes));
    return count;
}
