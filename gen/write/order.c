/* order.c - see order.h. */
#include "gen/write/order.h"

#include <stdlib.h>
#include <string.h>

#include "gen/write/reorder.h"

enum { ORDERS_MAX = 120, TRIAL_LEVEL = 3, SAMPLE_BYTES = 2 << 20, RUN = 32 << 10 };

static size_t sample_planes(const Shape *shape)
{
    size_t planes = SAMPLE_BYTES / codes_cells(shape);
    return planes < 8 ? 8 : planes;
}

bool order_sample_init(OrderSample *sample, const Shape *shape, uint32_t available, Ledger *ledger)
{
    size_t planes = sample_planes(shape);
    if (planes > available) planes = available;
    *sample = (OrderSample){.shape = shape, .ledger = ledger, .planes = (uint32_t)planes};
    size_t bytes = planes * codes_cells(shape) * sizeof(Plies);
    sample->plane[0] = ledger_alloc(ledger, bytes);
    sample->plane[1] = ledger_alloc(ledger, bytes);
    if (sample->plane[0] && sample->plane[1]) return true;
    order_sample_free(sample);
    return false;
}

void order_sample_free(OrderSample *sample)
{
    ledger_free(sample->plane[0]);
    ledger_free(sample->plane[1]);
    sample->plane[0] = sample->plane[1] = NULL;
}

/* Room for a trial. */
typedef struct Trial {
    Plies *cells, *spare;
    uint8_t *packed, *out;
    size_t capacity; /* of `packed`; `out` has twice as much */
} Trial;

/* `plane_cells` of the file; padding can make them more than those of the shape. */
static size_t place_trial(Trial *t, const Shape *shape, size_t plane_cells, size_t packed,
                          void *memory)
{
    Layout layout = {memory, 0};
    t->capacity = RUN + packed;
    t->cells = layout_place(&layout, plane_cells * sizeof *t->cells);
    t->spare = layout_place(&layout, codes_cells(shape) * sizeof *t->spare);
    t->packed = layout_place(&layout, t->capacity);
    t->out = layout_place(&layout, 2 * t->capacity);
    return layout.size;
}

/* The compressed size of one side's sample, its cells in the order of `map`; SIZE_MAX if memory
 * runs out. */
static size_t trial_size(const OrderSample *sample, const Packing *packing, const CodesMap *map,
                         int side)
{
    Trial t;
    const Shape *shape = sample->shape;
    size_t bytes = codes_packed(packing, map->plane_cells), size = 0, used = 0;
    void *memory =
        ledger_alloc(sample->ledger, place_trial(&t, shape, map->plane_cells, bytes, NULL));
    TableEncoder *encoder = table_encoder_new(TRIAL_LEVEL, NULL, 0);
    if (memory == NULL || encoder == NULL) size = SIZE_MAX;
    if (memory != NULL) place_trial(&t, shape, map->plane_cells, bytes, memory);
    for (uint32_t i = 0; i < sample->planes && size != SIZE_MAX; i++) {
        codes_order(map, packing->metric, sample->plane[side] + i * codes_cells(shape), t.spare,
                    t.cells);
        used += codes_pack(packing, t.cells, map->plane_cells, t.packed + used);
        if (used < RUN && i + 1 < sample->planes) continue;
        size_t block = table_encode_block(encoder, t.packed, used, t.out, 2 * t.capacity);
        size = block ? size + block : SIZE_MAX;
        used = 0;
    }
    table_encoder_free(encoder);
    ledger_free(memory);
    return size;
}

static size_t trial(const OrderSample *sample, const Packing *packing, int side,
                    const uint8_t *order)
{
    Index index;
    CodesMap map;
    if (!index_init(&index, &sample->shape->material, order, packing->per_byte)) return SIZE_MAX;
    if (!codes_map_init(&map, sample->shape, &index)) return SIZE_MAX;
    size_t size = trial_size(sample, packing, &map, side);
    codes_map_free(&map);
    return size;
}

bool order_choose(const OrderSample *sample, const Packing *packing, OrderAim aim,
                  OrderChoice *choice)
{
    uint8_t orders[ORDERS_MAX][INDEX_AXES_MAX];
    size_t size[ORDERS_MAX][2], least = SIZE_MAX;
    /* The first of all orders are those with the kings outermost. */
    int axes = 1 + sample->shape->index.groups;
    int n = (int)(reorder_list(axes, orders, ORDERS_MAX) / (size_t)axes);
    if (n > ORDERS_MAX) n = ORDERS_MAX;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 2 * n; i++)
        size[i / 2][i % 2] =
            aim.sides >> i % 2 & 1 ? trial(sample, packing, i % 2, orders[i / 2]) : 0;
    choice->side = 0;
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < (aim.together ? 1 : 2); s++) {
            if (!aim.together && !(aim.sides >> s & 1)) continue;
            size_t a = size[i][s], b = aim.together ? size[i][1] : 0;
            if (a == SIZE_MAX || b == SIZE_MAX) return false;
            if (a + b >= least) continue;
            least = a + b;
            memcpy(choice->order, orders[i], INDEX_AXES_MAX);
            choice->side = s;
        }
    }
    return true;
}

uint64_t order_memory(const Shape *shape, int threads)
{
    enum { PADDING = 2 };
    Trial t;
    size_t cells = PADDING * codes_cells(shape);
    uint64_t sample = 2 * ledger_cost(sample_planes(shape) * codes_cells(shape) * sizeof(Plies));
    return sample +
           threads * ledger_cost(place_trial(&t, shape, cells, cells * sizeof(Plies), NULL));
}
