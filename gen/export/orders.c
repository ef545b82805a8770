/* orders.c - see orders.h. */
#include "gen/export/orders.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "gen/code/encode.h"
#include "syzygy/format.h"

enum {
    KINDS_MAX = SYZYGY_MEN_MAX,
    RUNS = 256,
    LENGTH = 64, /* of a run in the first round; four times as much in the next */
    LENGTH_ENOUGH = 16 * LENGTH,
    LENGTH_MOST = 64 * LENGTH,
    LEFT = 6, /* orders that are kept, if there are more than ORDERS_TRIED */
    SEEN_BYTES = 1000,
    SURE_BYTES = 8000, /* that samples of the last round take at least if they tell the best */
    /* With the leading pawn on another file than the first, which has had its choice of all orders: */
    LATER = 3,
    SURE_BYTES_LATER = SURE_BYTES / 4
};

/* ---- Which there are ------------------------------------------------------------------------- */

static uint8_t nibble_of(int color, int type) { return (uint8_t)(8 * color + type + 1); }

/* Men of one kind as they come in a file. */
typedef struct Kind {
    uint8_t nibble, count;
} Kind;

typedef struct Lister {
    ArrayOrders *orders;
    const GatherMaps *maps;
    Kind fixed[2], kind[KINDS_MAX]; /* pawns, which lead; the rest */
    int fixed_count, kinds;
    bool failed;
} Lister;

static uint8_t *append(uint8_t *man, Kind kind)
{
    memset(man, kind.nibble, kind.count);
    return man + kind.count;
}

static void add_order(Lister *l, const ArrayOrder *order)
{
    SyzygyIndex index;
    ArrayOrders *all = l->orders;
    if (l->failed || !syzygy_index_init(&index, &l->maps->syzygy, &l->maps->shape->material,
                                        order->man, order->place, order->place2, 0))
        return;
    if ((all->count & (all->count - 1)) == 0) {
        size_t room = all->count ? 2 * all->count : 1;
        ArrayOrder *grown = realloc(all->order, room * sizeof *grown);
        if (grown == NULL) {
            l->failed = true;
            return;
        }
        all->order = grown;
    }
    all->order[all->count++] = *order;
}

/* All places of the leading groups, the kinds in their present order. */
static void add_places(Lister *l)
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

static void permute(Lister *l, int from)
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

bool orders_list(ArrayOrders *orders, const GatherMaps *maps)
{
    const Material *m = &maps->shape->material;
    Lister l = {.orders = orders, .maps = maps};
    memset(orders, 0, sizeof *orders);
    for (int i = 0; i < 2; i++) {
        int color = i ^ maps->lead_color;
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

typedef struct Trial {
    uint64_t bytes;   /* that the array takes, about, */
    uint64_t sampled; /* and the cells that tell so */
    size_t number;    /* of the order */
} Trial;

/* How an order is tried: RUNS runs of `length` cells from all over the array. */
typedef struct Round {
    size_t length;
    bool last; /* few orders are left */
} Round;

/* False: out of memory. */
static bool try_order(const OrderWish *wish, const ArrayOrder *order, Round round, uint8_t *cells,
                      Trial *trial)
{
    size_t runs = RUNS, length = round.length;
    SyzygyIndex index;
    trial->bytes = trial->sampled = UINT64_MAX;
    if (!syzygy_index_init(&index, &wish->maps->syzygy, &wish->maps->shape->material, order->man,
                           order->place, order->place2, wish->file))
        return true; /* never chosen */
    bool whole = index.size <= runs * length;
    if (whole) {
        runs = 1;
        length = (size_t)index.size;
    }
    Gather g = {wish->maps, &index, wish->file, wish->from, ENCODE_ANY};
    /* Not at equal distances: these would fall on the same places of many a group. */
    const double golden = 0.6180339887498949;
    double at = 0.5;
    for (size_t r = 0; r < runs; r++) {
        uint64_t first = (uint64_t)(at * (double)(index.size - length + 1));
        gather_some(&g, first, length, cells + r * length);
        at += golden;
        if (at >= 1) at -= 1;
    }
    trial->bytes =
        (round.last && !whole ? encode_measure : encode_estimate)(cells, runs, length, index.size);
    if (!whole)
        trial->sampled =
            (uint64_t)((double)trial->bytes * (double)(runs * length) / (double)index.size);
    return trial->bytes > 0;
}

static int compare_trials(const void *a, const void *b)
{
    const Trial *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool try_all(const ArrayOrders *orders, const OrderWish *wish, Round round, Trial *trial,
                    size_t count)
{
    bool ok = true;
#pragma omp parallel
    {
        uint8_t *cells = ledger_alloc(wish->ledger, RUNS * round.length);
        bool mine = cells != NULL;
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < count; i++)
            mine =
                mine && try_order(wish, &orders->order[trial[i].number], round, cells, &trial[i]);
        if (!mine) {
#pragma omp atomic write
            ok = false;
        }
        ledger_free(cells);
    }
    qsort(trial, count, sizeof *trial, compare_trials);
    return ok;
}

/* Rounds with fewer and fewer orders, and more and more cells. Where cells take next to nothing what
 * there is to see in them is seen by chance: then none is given up at first, and the last round has
 * still more. */
static bool sort_trials(const ArrayOrders *orders, const OrderWish *wish, Trial *trial)
{
    size_t count = orders->count;
    Round round = {LENGTH, count <= ORDERS_TRIED};
    for (;;) {
        if (!try_all(orders, wish, round, trial, count)) return false;
        bool seen = trial[count / 2].sampled >= SEEN_BYTES, most = round.length == LENGTH_MOST;
        if (round.last && round.length >= LENGTH_ENOUGH && (seen || most)) return true;
        if (!round.last && (seen || round.length > LENGTH))
            count = count / 4 > LEFT ? count / 4 : LEFT;
        round.last = count <= LEFT;
        if (!most) round.length *= 4;
    }
}

/* Those that are left, unless it is clear that they take more than the first. */
static void choose(const ArrayOrders *orders, const Trial *trial, bool later, OrderChoice *choice)
{
    size_t left = later && orders->count > LATER ? (size_t)LATER : orders->count;
    choice->bytes = trial[0].bytes;
    choice->count = 0;
    bool sure = trial[0].sampled >= (later ? SURE_BYTES_LATER : SURE_BYTES);
    for (size_t i = 0; i < left && (i == 0 || !sure) && trial[i].bytes / 2 <= choice->bytes; i++)
        choice->order[choice->count++] = orders->order[i];
}

treb_status orders_choose(ArrayOrders *orders, const OrderWish *wish, OrderChoice *choice,
                          treb_error *error)
{
    size_t left = orders->count > ORDERS_TRIED ? (size_t)LEFT : orders->count;
    ArrayOrder best[ORDERS_TRIED];
    Trial *trial = malloc(orders->count * sizeof *trial);
    if (trial == NULL) return fail_memory(error);
    for (size_t i = 0; i < orders->count; i++) trial[i] = (Trial){.number = i};
    bool ok = sort_trials(orders, wish, trial);
    for (size_t i = 0; i < left; i++) best[i] = orders->order[trial[i].number];
    memcpy(orders->order, best, left * sizeof *best);
    orders->count = left;
    choose(orders, trial, wish->file > 0, choice);
    free(trial);
    return ok ? TREB_OK : fail_memory(error);
}

uint64_t orders_memory(int threads)
{
    return (uint64_t)threads * ledger_cost((size_t)RUNS * LENGTH_MOST);
}
