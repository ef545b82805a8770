/* scan.c - see scan.h. */
#include "find/scan.h"

#include <omp.h>
#include <stdlib.h>

#include "core/chess/material.h"
#include "core/format/draw.h"
#include "core/system/error.h"

typedef struct Scan {
    const ScanJob *job;
    /* Black is to move but the table has only White to move, as both sides have the same men:
     * exchange colours */
    bool swapped;
    uint64_t parts, done;
    atomic_bool stop; /* the threads are to end */
    bool ended;       /* nothing more is collected */
    treb_status status;
    treb_error *error;
} Scan;

/* What one thread uses. */
typedef struct Worker {
    Scan *scan;
    void *own;
    uint64_t number; /* of the next position */
    bool cut;        /* the part was not visited to its end */
    PositionInfo info;
} Worker;

static bool must_end(Worker *w)
{
    const ScanJob *job = w->scan->job;
    if (job->stop != NULL && atomic_load_explicit(job->stop, memory_order_relaxed))
        w->scan->stop = true;
    if (atomic_load_explicit(&w->scan->stop, memory_order_relaxed)) w->cut = true;
    return w->cut;
}

static bool visit_position(Worker *w, const treb_position *pos, uint64_t number)
{
    const ScanJob *job = w->scan->job;
    info_set_position(&w->info, pos);
    w->info.number = number;
    return job->visit(job->context, w->own, &w->info) && w->info.status == TREB_OK;
}

static int visit(void *context, const treb_position *pos)
{
    Worker *w = context;
    const ScanJob *job = w->scan->job;
    const uint64_t number = w->number++;
    treb_position other;
    if (must_end(w)) return 0;
    if (w->scan->swapped)
        position_swap_colors(pos, &other);
    else if (job->turn != FIND_EITHER && pos->turn != job->turn)
        return 1;
    return visit_position(w, w->scan->swapped ? &other : pos, number);
}

static void draw_part(Worker *w, uint64_t part)
{
    const ScanJob *job = w->scan->job;
    const uint64_t first = part * DRAW_PART, rest = job->draws - first;
    treb_position pos;
    for (uint64_t i = 0; i < (rest < DRAW_PART ? rest : DRAW_PART) && !must_end(w); i++)
        if (job->draw(job->context, first + i, &pos) && !visit_position(w, &pos, first + i)) break;
}

static void do_part(Worker *w, uint64_t part)
{
    const ScanJob *job = w->scan->job;
    treb_error why;
    w->cut = false;
    if (must_end(w) || w->info.status != TREB_OK) return;
    w->number = part << DRAW_SCAN_BITS;
    if (job->draw != NULL) {
        draw_part(w, part);
    } else if (treb_each_position(job->tables, job->material, part, w->scan->parts, visit, w,
                                  &why) != TREB_OK) {
        w->info.status = why.status;
        w->info.error = why;
    }
}

static void worker_init(Worker *w, Scan *scan)
{
    const ScanJob *job = scan->job;
    *w = (Worker){.scan = scan, .info = {.tables = job->tables, .stop = job->stop}};
    w->own = calloc(1, job->own);
    if (w->own == NULL)
        w->info.status = fail_memory(&w->info.error);
    else
        job->begin(job->context, w->own, &w->info);
    /* Work that ended because it was told to stop has not failed. Nothing will be visited. */
    if (job->stop != NULL && atomic_load(job->stop)) w->info.status = TREB_OK;
}

/* What is passed on is always the first part of the table: all parts up to one, and of a part that was
 * cut off by `stop` its beginning. */
static void collect(Scan *scan, Worker *w)
{
    const ScanJob *job = scan->job;
    if (w->info.status != TREB_OK && !scan->ended) {
        scan->status = w->info.status;
        if (scan->error != NULL) *scan->error = w->info.error;
        scan->ended = true;
    }
    if (w->own != NULL && !scan->ended && !job->collect(job->context, w->own)) scan->ended = true;
    if (w->cut) scan->ended = true;
    if (scan->ended) scan->stop = true;
    if (job->progress != NULL) job->progress(job->progress_context, ++scan->done, scan->parts);
}

static void scan_parts(Scan *scan)
{
    const ScanJob *job = scan->job;
#pragma omp parallel num_threads(job->threads > 0 ? (int)job->threads : omp_get_max_threads())
    {
        Worker w;
        worker_init(&w, scan);
#pragma omp for ordered schedule(dynamic)
        for (uint64_t part = 0; part < scan->parts; part++) {
            do_part(&w, part);
#pragma omp ordered
            collect(scan, &w);
        }
        if (w.own != NULL) job->end(w.own);
        free(w.own);
    }
}

treb_status scan_run(const ScanJob *job, treb_error *error)
{
    Material m;
    Index index;
    treb_table_info info;
    Scan scan = {.job = job, .error = error};
    if (job->draw != NULL) {
        scan.parts = (job->draws + DRAW_PART - 1) / DRAW_PART;
        scan_parts(&scan);
        return scan.status;
    }
    treb_status status = treb_tables_find(job->tables, job->material, TREB_WDL, &info, error);
    if (status != TREB_OK) return status;
    if (!material_parse(job->material, &m)) return fail(error, TREB_ERR_ARGUMENT, "not a material");
    material_canonical(&m);
    if (!index_init(&index, &m, NULL, 1)) return fail(error, TREB_ERR_MEN, "too many men");
    scan.parts = index.size / DRAW_SCAN_CELLS + 1;
    scan.swapped = job->turn == TREB_BLACK && material_symmetric(&m);
    scan_parts(&scan);
    return scan.status;
}
