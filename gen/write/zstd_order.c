/* zstd_order.c - see zstd_order.h. */
#include "gen/write/zstd_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/memory_layout.h"
#include "gen/write/axis_orders.h"

enum {
    ORDERS_MAX = 120,
    TRIAL_LEVEL = 3,        /* compression level of zstd */
    SAMPLE_BYTES = 2 << 20, /* of one side to move, at one byte a cell */
    RUN = 32 << 10          /* minimum packed bytes to compress at a time */
};

static size_t sample_planes(const Layout *layout)
{
    size_t planes = SAMPLE_BYTES / codes_cells(layout);
    return planes < 8 ? 8 : planes;
}

bool zstd_sample_init(ZstdSample *sample, const Layout *layout, uint32_t available,
                      MemoryBudget *budget)
{
    size_t planes = sample_planes(layout);
    if (planes > available) planes = available;
    *sample = (ZstdSample){.layout = layout, .budget = budget, .planes = (uint32_t)planes};
    size_t bytes = planes * codes_cells(layout) * sizeof(Plies);
    sample->plane[0] = budget_alloc(budget, bytes);
    sample->plane[1] = budget_alloc(budget, bytes);
    if (sample->plane[0] && sample->plane[1]) return true;
    zstd_sample_free(sample);
    return false;
}

void zstd_sample_free(ZstdSample *sample)
{
    budget_free(sample->plane[0]);
    budget_free(sample->plane[1]);
    sample->plane[0] = sample->plane[1] = NULL;
}

/* Memory for a trial. */
typedef struct TrialBuffer {
    Plies *cells, *spare;
    uint8_t *packed, *out;
    size_t capacity; /* of `packed`; `out` has twice as many bytes */
} TrialBuffer;

/* Divides `memory`, or only returns the bytes needed if it is NULL. `plane_cells`: number of cells of a
 * plane in the file; with padding it may be larger than that of the layout. `packed`: bytes of a plane. */
static size_t place_trial(TrialBuffer *t, const Layout *layout, size_t plane_cells, size_t packed,
                          void *memory)
{
    MemoryLayout arrays = {memory, 0};
    t->capacity = RUN + packed;
    t->cells = memory_layout_place(&arrays, plane_cells * sizeof *t->cells);
    t->spare = memory_layout_place(&arrays, codes_cells(layout) * sizeof *t->spare);
    t->packed = memory_layout_place(&arrays, t->capacity);
    t->out = memory_layout_place(&arrays, 2 * t->capacity);
    return arrays.size;
}

/* Returns the compressed size of one side's sample, with its cells in the order of `map`;
 * SIZE_MAX if out of memory. */
static size_t trial_size(const ZstdSample *sample, const Packing *packing, const CodesMap *map,
                         int side)
{
    TrialBuffer t;
    const Layout *layout = sample->layout;
    size_t bytes = codes_packed(packing, map->plane_cells), size = 0, used = 0;
    void *memory =
        budget_alloc(sample->budget, place_trial(&t, layout, map->plane_cells, bytes, NULL));
    TableEncoder *encoder = table_encoder_new(TRIAL_LEVEL, NULL, 0);
    if (memory == NULL || encoder == NULL) size = SIZE_MAX;
    if (memory != NULL) place_trial(&t, layout, map->plane_cells, bytes, memory);
    for (uint32_t i = 0; i < sample->planes && size != SIZE_MAX; i++) {
        codes_order(map, packing->metric, sample->plane[side] + i * codes_cells(layout), t.spare,
                    t.cells);
        used += codes_pack(packing, t.cells, map->plane_cells, t.packed + used);
        if (used < RUN && i + 1 < sample->planes) continue;
        size_t block = table_encode_block(encoder, t.packed, used, t.out, 2 * t.capacity);
        size = block ? size + block : SIZE_MAX;
        used = 0;
    }
    table_encoder_free(encoder);
    budget_free(memory);
    return size;
}

/* Returns the compressed size of one side's sample with the given order; SIZE_MAX if out of memory. */
static size_t trial(const ZstdSample *sample, const Packing *packing, int side,
                    const uint8_t *order)
{
    Index index;
    CodesMap map;
    if (!index_init(&index, &sample->layout->material, order, packing->per_byte)) return SIZE_MAX;
    if (!codes_map_init(&map, sample->layout, &index)) return SIZE_MAX;
    size_t size = trial_size(sample, packing, &map, side);
    codes_map_free(&map);
    return size;
}

bool zstd_order_choose(const ZstdSample *sample, const Packing *packing, ZstdOrderAim aim,
                       ZstdOrderChoice *choice)
{
    uint8_t orders[ORDERS_MAX][INDEX_AXES_MAX];
    size_t size[ORDERS_MAX][2], least = SIZE_MAX;
    /* The first of all orders are those with the kings outermost. */
    int axes = 1 + sample->layout->index.groups;
    int n = (int)(axis_orders(axes, orders, ORDERS_MAX) / (size_t)axes);
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

uint64_t zstd_order_memory(const Layout *layout, int threads)
{
    enum { PADDING = 2 };
    TrialBuffer t;
    size_t cells = PADDING * codes_cells(layout);
    uint64_t sample = 2 * budget_cost(sample_planes(layout) * codes_cells(layout) * sizeof(Plies));
    return sample +
           threads * budget_cost(place_trial(&t, layout, cells, cells * sizeof(Plies), NULL));
}
