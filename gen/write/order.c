/* order.c - see order.h. */
#include "gen/write/order.h"

#include <stdlib.h>
#include <string.h>

enum { ORDERS_MAX = 120, TRIAL_LEVEL = 3, SAMPLE_BYTES = 2 << 20, RUN = 32 << 10 };

bool order_sample_init(OrderSample *sample, const Shape *shape, uint32_t available)
{
    size_t planes = SAMPLE_BYTES / stage_cells(shape);
    if (planes < 8) planes = 8;
    if (planes > available) planes = available;
    sample->planes = (uint32_t)planes;
    size_t bytes = planes * stage_cells(shape) * sizeof(Plies);
    sample->plane[0] = malloc(bytes);
    sample->plane[1] = malloc(bytes);
    if (sample->plane[0] && sample->plane[1]) return true;
    order_sample_free(sample);
    return false;
}

void order_sample_free(OrderSample *sample)
{
    free(sample->plane[0]);
    free(sample->plane[1]);
    sample->plane[0] = sample->plane[1] = NULL;
}

/* All orders of the axes with the kings outermost, in lexicographic order; returns their number. */
static int list_orders(int axes, uint8_t out[ORDERS_MAX][INDEX_AXES_MAX])
{
    uint8_t order[INDEX_AXES_MAX];
    int n = 0;
    for (int i = 0; i < INDEX_AXES_MAX; i++) order[i] = i;
    while (n < ORDERS_MAX) {
        memcpy(out[n++], order, sizeof order);
        int i = axes - 2;
        while (i > 0 && order[i] > order[i + 1]) i--;
        if (i <= 0) break;
        int j = axes - 1;
        while (order[j] < order[i]) j--;
        uint8_t t = order[i];
        order[i] = order[j];
        order[j] = t;
        for (int a = i + 1, b = axes - 1; a < b; a++, b--) {
            t = order[a];
            order[a] = order[b];
            order[b] = t;
        }
    }
    return n;
}

/* The compressed size of one side's sample; SIZE_MAX if memory runs out. */
static size_t trial(const Shape *shape, const Packing *packing, const OrderSample *sample, int side,
                    const uint8_t *order)
{
    Index index;
    StageMap map;
    if (!index_init(&index, &shape->material, order, packing->per_byte)) return SIZE_MAX;
    if (!stage_map_init(&map, shape, &index)) return SIZE_MAX;
    size_t capacity = RUN + stage_packed(packing, map.plane_cells), size = SIZE_MAX, used = 0;
    Plies *cells = malloc(map.plane_cells * sizeof *cells);
    Plies *spare = malloc(stage_cells(shape) * sizeof *spare);
    uint8_t *packed = malloc(capacity);
    uint8_t *out = malloc(2 * capacity);
    TableEncoder *encoder = table_encoder_new(TRIAL_LEVEL, NULL, 0);
    if (cells && spare && packed && out && encoder) {
        size = 0;
        for (uint32_t i = 0; i < sample->planes; i++) {
            stage_order(&map, packing->metric, sample->plane[side] + i * stage_cells(shape), spare,
                        cells);
            used += stage_pack(packing, cells, map.plane_cells, packed + used);
            if (used < RUN && i + 1 < sample->planes) continue;
            size += table_encode_block(encoder, packed, used, out, 2 * capacity);
            used = 0;
        }
    }
    table_encoder_free(encoder);
    free(cells);
    free(spare);
    free(packed);
    free(out);
    stage_map_free(&map);
    return size;
}

bool order_choose(const Shape *shape, const Packing *packing, const OrderSample *sample,
                  bool together, unsigned sides, uint8_t order[INDEX_AXES_MAX], int *side)
{
    uint8_t orders[ORDERS_MAX][INDEX_AXES_MAX];
    size_t size[ORDERS_MAX][2], least = SIZE_MAX;
    int n = list_orders(1 + shape->index.groups, orders);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 2 * n; i++)
        size[i / 2][i % 2] =
            sides >> i % 2 & 1 ? trial(shape, packing, sample, i % 2, orders[i / 2]) : 0;
    *side = 0;
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < (together ? 1 : 2); s++) {
            if (!together && !(sides >> s & 1)) continue;
            size_t a = size[i][s], b = together ? size[i][1] : 0;
            if (a == SIZE_MAX || b == SIZE_MAX) return false;
            if (a + b >= least) continue;
            least = a + b;
            memcpy(order, orders[i], INDEX_AXES_MAX);
            *side = s;
        }
    }
    return true;
}
