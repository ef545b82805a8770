/* bench_probe.c - see bench_probe.h. The seed is fixed, so every run uses the same positions. */
#include "cli/bench_probe.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "cli/signals.h"
#include "core/format/index.h"
#include "core/system/hash.h"

enum {
    THREADS_MAX = 256,
    MOVES_SHARE = 20 /* about as many probes as listing the moves of a position takes */
};

/* The work of one thread. */
typedef struct BenchWorker {
    const treb_tables *tables;
    const treb_position *position;
    uint64_t positions; /* length of the list */
    uint64_t start;     /* index in the list at which this thread begins */
    int what;           /* a metric or BENCH_MOVES */
    double seconds;     /* time to measure; 0: once through the list */
    uint64_t probes;    /* number of probes done */
    double elapsed;     /* seconds that they took */
    uint64_t sum;       /* of all answers, so that the compiler cannot leave out a probe */
} BenchWorker;

/* Returns a pseudo-random number for x (splitmix64). */
static uint64_t mix(uint64_t x) { return hash_mix(x + HASH_FACTOR); }

/* Draws random legal positions, with either side to move; each cell of the table has the same
 * probability. The caller frees the list. Returns NULL without memory. */
static treb_position *draw_positions(const BenchRequest *r, treb_error *error)
{
    Index index;
    treb_position *list = malloc(r->positions * sizeof *list);
    if (list == NULL || !index_init(&index, &r->material, NULL, 1)) {
        *error = (treb_error){.status = TREB_ERR_MEMORY, .text = "out of memory", .metric = -1};
        free(list);
        return NULL;
    }
    for (uint64_t i = 0, n = 0; n < r->positions; i++) {
        uint64_t random = mix(i);
        IndexMen men;
        if (!index_to_men(&index, random % index.size, &men)) continue;
        index_men_to_position(&index, &men, (int)(random >> 63), &list[n]);
        n += treb_position_check(&list[n], NULL) == TREB_OK;
    }
    return list;
}

static treb_status probe_once(BenchWorker *w, const treb_position *pos, treb_move *moves,
                              treb_error *error)
{
    if (w->what == BENCH_MOVES) {
        size_t count = 0;
        treb_status status = treb_probe_moves(w->tables, pos, TREB_DTZ, TREB_RULE_50, moves,
                                              TREB_MOVES_MAX, &count, error);
        w->sum += count;
        return status;
    }
    if (w->what == TREB_WDL) {
        treb_wdl wdl = TREB_DRAW;
        treb_status status = treb_probe_wdl(w->tables, pos, &wdl, error);
        w->sum += wdl;
        return status;
    }
    treb_distance distance = {TREB_DRAW, 0, 0};
    treb_status status =
        treb_probe_distance(w->tables, pos, (treb_metric)w->what, &distance, error);
    w->sum += (uint64_t)distance.plies;
    return status;
}

static void *work(void *context)
{
    enum { BATCH = 64 };
    BenchWorker *w = context;
    treb_move moves[TREB_MOVES_MAX];
    uint64_t at = w->start;
    double start = clock_seconds();
    do {
        for (int i = 0; i < BATCH; i++) {
            probe_once(w, &w->position[at], moves, NULL);
            at = at + 1 < w->positions ? at + 1 : 0;
        }
        w->probes += BATCH;
        w->elapsed = clock_seconds() - start;
    } while (w->seconds > 0 ? w->elapsed < w->seconds : w->probes < w->positions);
    return NULL;
}

/* Runs copies of a worker in several threads. Returns the nanoseconds of a probe in one thread.
 * `rate` (probes per second of all threads) and `misses` (unpacked blocks per probe) may be NULL. */
static double measure(const BenchRequest *r, const BenchWorker *model, unsigned threads,
                      double *rate, double *misses)
{
    pthread_t thread[THREADS_MAX];
    BenchWorker worker[THREADS_MAX];
    treb_memory before, after;
    uint64_t probes = 0;
    double elapsed = 0, speed = 0;
    unsigned started = 0;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    treb_tables_get_memory(r->tables, &before);
    for (unsigned i = 0; i < threads; i++) {
        worker[i] = *model;
        worker[i].start = model->positions / threads * i;
    }
    while (started + 1 < threads &&
           pthread_create(&thread[started], NULL, work, &worker[started + 1]) == 0)
        started++;
    work(&worker[0]);
    for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
    for (unsigned i = 0; i <= started; i++) {
        probes += worker[i].probes;
        elapsed += worker[i].elapsed;
        speed += (double)worker[i].probes / worker[i].elapsed;
    }
    treb_tables_get_memory(r->tables, &after);
    if (rate) *rate = speed;
    if (misses) *misses = (double)(after.misses - before.misses) / (double)probes;
    return 1e9 * elapsed / (double)probes;
}

static void measure_figure(const BenchRequest *r, BenchWorker *w, BenchFigure *f)
{
    w->seconds = 0;
    treb_tables_set_memory(r->tables, r->cache);
    for (int pass = 0; pass < 2; pass++) measure(r, w, 1, NULL, NULL);
    w->seconds = r->seconds;
    f->single = measure(r, w, 1, NULL, &f->warm_misses);
    f->threaded = r->threads > 1 ? measure(r, w, r->threads, &f->rate, NULL) : f->single;
    if (r->threads <= 1) f->rate = 1e9 / f->single;
    treb_tables_set_memory(r->tables, 0);
    f->cold = measure(r, w, 1, NULL, &f->cold_misses);
}

treb_status bench_probe(const BenchRequest *r, BenchFigure figure[BENCH_FIGURES], treb_error *error)
{
    treb_move moves[TREB_MOVES_MAX];
    treb_position *list = draw_positions(r, error);
    if (list == NULL) return error->status;
    treb_status first = TREB_OK;
    for (int what = 0; what < BENCH_FIGURES && first == TREB_OK; what++) {
        BenchWorker w = {
            .tables = r->tables, .position = list, .positions = r->positions, .what = what};
        if (what == BENCH_MOVES && w.positions > 10 * MOVES_SHARE) w.positions /= MOVES_SHARE;
        treb_status status = TREB_OK;
        treb_error why;
        for (uint64_t i = 0; i < w.positions && status == TREB_OK; i++)
            status = probe_once(&w, &list[i], moves, &why);
        figure[what].status = status;
        if (status == TREB_OK) {
            measure_figure(r, &w, &figure[what]);
        } else if (what == TREB_WDL || status != TREB_ERR_NO_TABLE) {
            first = status;
            *error = why;
        }
    }
    free(list);
    return first;
}
