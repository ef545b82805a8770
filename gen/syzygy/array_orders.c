/* array_orders.c - see array_orders.h. */
#include "gen/syzygy/array_orders.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/compress/order_search.h"
#include "gen/syzygy/array_encode.h"
#include "probe/syzygy/format.h"

enum {
    KINDS_MAX = SYZYGY_MEN_MAX,
    SURE_BYTES = 8000, /* if the samples of the last round take this many bytes, they decide */
    /* For the later files of the leading pawn, which start from the best orders of the first file: */
    LATER = 3,                        /* maximum number of orders to compare on all cells */
    SURE_BYTES_LATER = SURE_BYTES / 4 /* what SURE_BYTES is for the first file */
};

/* ---- Listing the orders ---------------------------------------------------------------------- */

static uint8_t nibble_of(int color, int type) { return (uint8_t)(8 * color + type + 1); }

/* All men of one colour and type. */
typedef struct Kind {
    uint8_t nibble, count;
} Kind;

typedef struct OrderLister {
    ArrayOrders *orders;
    const RemapTables *tables;
    Kind fixed[2], kind[KINDS_MAX]; /* pawns, which always come first; all other men */
    int fixed_count, kinds;
    bool failed;
} OrderLister;

static uint8_t *append(uint8_t *man, Kind kind)
{
    memset(man, kind.nibble, kind.count);
    return man + kind.count;
}

/* Adds an order to the list if the format allows it. */
static void add_order(OrderLister *l, const ArrayOrder *order)
{
    SyzygyIndex index;
    ArrayOrders *all = l->orders;
    if (l->failed || !syzygy_index_init(&index, &l->tables->syzygy, &l->tables->layout->material,
                                        order->man, order->place, order->place2, 0))
        return;
    if ((all->count & (all->count - 1)) == 0) {
        size_t capacity = all->count ? 2 * all->count : 1;
        ArrayOrder *grown = realloc(all->order, capacity * sizeof *grown);
        if (grown == NULL) {
            l->failed = true;
            return;
        }
        all->order = grown;
    }
    all->order[all->count++] = *order;
}

/* Adds the orders with all places of the leading groups, and the kinds in their current order. */
static void add_places(OrderLister *l)
{
    ArrayOrder order = {{0}, 0, SYZYGY_NO_SECOND};
    uint8_t *end = order.man;
    int groups = l->fixed_count + l->kinds;
    for (int i = 0; i < l->fixed_count; i++) end = append(end, l->fixed[i]);
    for (int i = 0; i < l->kinds; i++) end = append(end, l->kind[i]);
    for (int place = 0; place < groups; place++)
        for (int second = 0; second < (l->fixed_count == 2 ? groups : 1); second++) {
            order.place = (uint8_t)place;
            order.place2 = l->fixed_count == 2 ? (uint8_t)second : SYZYGY_NO_SECOND;
            add_order(l, &order);
        }
}

/* Adds the orders with all permutations of the kinds from number `from` on. */
static void permute(OrderLister *l, int from)
{
    if (from == l->kinds) add_places(l);
    for (int i = from; i < l->kinds; i++) {
        Kind first = l->kind[from];
        l->kind[from] = l->kind[i];
        l->kind[i] = first;
        permute(l, from + 1);
        l->kind[i] = l->kind[from];
        l->kind[from] = first;
    }
}

bool orders_list(ArrayOrders *orders, const RemapTables *tables)
{
    const Material *m = &tables->layout->material;
    OrderLister l = {.orders = orders, .tables = tables};
    memset(orders, 0, sizeof *orders);
    for (int i = 0; i < 2; i++) {
        int color = i ^ tables->lead_color;
        if (m->count[color][TREB_PAWN] > 0)
            l.fixed[l.fixed_count++] =
                (Kind){nibble_of(color, TREB_PAWN), (uint8_t)m->count[color][TREB_PAWN]};
    }
    for (int color = 0; color < 2; color++)
        for (int type = TREB_PAWN + 1; type < TREB_TYPES; type++)
            if (m->count[color][type] > 0)
                l.kind[l.kinds++] = (Kind){nibble_of(color, type), (uint8_t)m->count[color][type]};
    permute(&l, 0);
    if (l.failed) orders_free(orders);
    return !l.failed;
}

void orders_free(ArrayOrders *orders)
{
    free(orders->order);
    memset(orders, 0, sizeof *orders);
}

bool orders_copy(ArrayOrders *copy, const ArrayOrders *orders)
{
    copy->order = malloc(orders->count * sizeof *copy->order);
    copy->count = orders->count;
    if (copy->order == NULL) return false;
    memcpy(copy->order, orders->order, orders->count * sizeof *copy->order);
    return true;
}

/* ---- Trials ---------------------------------------------------------------------------------- */

/* The array, and how each order numbers its cells. */
typedef struct IndexedOrders {
    const OrderParams *params;
    SyzygyIndex *index;
} IndexedOrders;

static uint64_t cells_in_order(const void *context, size_t number)
{
    const IndexedOrders *indexed = context;
    return indexed->index[number].size;
}

static void read_in_order(const void *context, size_t number, uint64_t first, size_t count,
                          uint8_t *out)
{
    const IndexedOrders *indexed = context;
    const OrderParams *params = indexed->params;
    remap_some(
        &(Remap){params->tables, &indexed->index[number], params->file, params->from, ENCODE_ANY},
        first, count, out);
}

/* Fills `trial` with the results of all orders, the best first. Returns false if memory runs out. */
static bool sort_orders(const ArrayOrders *orders, const OrderParams *params, OrderTrial *trial)
{
    IndexedOrders indexed = {params, malloc(orders->count * sizeof *indexed.index)};
    OrderSearch all = {orders->count, &indexed, cells_in_order, read_in_order, NULL};
    if (indexed.index == NULL) return false;
    for (size_t i = 0; i < orders->count; i++) {
        const ArrayOrder *o = &orders->order[i];
        if (!syzygy_index_init(&indexed.index[i], &params->tables->syzygy,
                               &params->tables->layout->material, o->man, o->place, o->place2,
                               params->file))
            indexed.index[i].size = 0;
    }
    bool ok = order_search_run(&all, &array_limits, params->budget, trial);
    free(indexed.index);
    return ok;
}

/* Fills `choice` with the first order and the other orders that may be as good. An order that is estimated
 * at more than twice the bytes of the first is not chosen. `later`: not the first pawn file. */
static void choose(const ArrayOrders *orders, const OrderTrial *trial, bool later,
                   OrderChoice *choice)
{
    size_t left = later && orders->count > LATER ? (size_t)LATER : orders->count;
    choice->bytes = trial[0].bytes;
    choice->count = 0;
    bool sure = trial[0].sampled >= (later ? SURE_BYTES_LATER : SURE_BYTES);
    for (size_t i = 0; i < left && (i == 0 || !sure) && trial[i].bytes / 2 <= choice->bytes; i++)
        choice->order[choice->count++] = orders->order[i];
}

treb_status orders_choose(ArrayOrders *orders, const OrderParams *params, OrderChoice *choice,
                          treb_error *error)
{
    size_t left = order_search_finalists(orders->count);
    ArrayOrder best[ORDERS_TRIED];
    OrderTrial *trial = malloc(orders->count * sizeof *trial);
    if (trial == NULL || !sort_orders(orders, params, trial)) {
        free(trial);
        return fail_memory(error);
    }
    for (size_t i = 0; i < left; i++) best[i] = orders->order[trial[i].number];
    memcpy(orders->order, best, left * sizeof *best);
    orders->count = left;
    choose(orders, trial, params->file > 0, choice);
    free(trial);
    return TREB_OK;
}

uint64_t orders_memory(int threads) { return order_search_memory(threads); }
