/* side_order.c - see side_order.h. */
#include "gen/write/side_order.h"

#include <stdlib.h>

#include "core/system/error.h"
#include "gen/compress/order_search.h"
#include "gen/write/axis_orders.h"
#include "gen/write/side_values.h"

typedef struct SampleOrders {
    const SideEncoder *side;
    Reorder *reorder; /* by number of the order */
} SampleOrders;

static uint64_t cells_in_order(const void *context, size_t number)
{
    const SampleOrders *orders = context;
    const SideEncoder *s = orders->side;
    const Reorder *r = &orders->reorder[number];
    /* The kings may not be the innermost axis of large slices: the cells of a plane would be
     * spread one by one over the file. */
    if (s->large && r->index.order[r->axes - 1] == INDEX_KINGS_AXIS) return 0;
    return s->sample.count * r->cells;
}

static void read_in_order(const void *context, size_t number, uint64_t first, size_t count,
                          uint8_t *out)
{
    const SampleOrders *orders = context;
    cell_batch_copy(orders->side, &orders->side->sample, &orders->reorder[number], first, count,
                    out);
}

static bool search_orders(SideEncoder *s, uint8_t (*order)[INDEX_AXES_MAX], size_t count,
                          size_t *best)
{
    SampleOrders orders = {s, calloc(count, sizeof *orders.reorder)};
    OrderSearch search = {count, &orders, cells_in_order, read_in_order, s->job->stop};
    OrderTrial *trial = calloc(count, sizeof *trial);
    bool good = orders.reorder != NULL && trial != NULL;
    CodeLimits limits = side_limits(s);
    for (size_t i = 0; i < count && good; i++)
        good = s->large ? window_reorder(&orders.reorder[i], &s->window, s->job->layout, order[i])
                        : reorder_init(&orders.reorder[i], s->job->layout, order[i]);
    good = good && order_search_run(&search, &limits, s->job->budget, trial);
    if (good) {
        *best = trial[0].number;
        double sampled = (double)(s->sample.count ? s->sample.count : 1) *
                         (double)cell_batch_slice_cells(s, &s->sample);
        double all = (double)s->job->layout->index.slices * (double)s->cells;
        s->bytes = (uint64_t)((double)trial[0].bytes * all / sampled);
    }
    for (size_t i = 0; orders.reorder != NULL && i < count; i++) reorder_free(&orders.reorder[i]);
    free(orders.reorder);
    free(trial);
    return good;
}

treb_status side_choose_order(SideEncoder *s, treb_error *error)
{
    int axes = s->job->header->index.axes;
    size_t count = axis_orders(axes, NULL, 0), best = 0;
    uint8_t(*order)[INDEX_AXES_MAX] = malloc(count * sizeof *order);
    bool good = order != NULL;
    if (good) axis_orders(axes, order, count);
    good = good && search_orders(s, order, count, &best) &&
           reorder_init(&s->reorder, s->job->layout, order[best]);
    free(order);
    if (good) return TREB_OK;
    treb_status stopped = stop_check(s->job->stop, error);
    return stopped != TREB_OK ? stopped : fail_memory(error);
}
