/* solver.c - a solver: its memory, that of its threads, and what it is told and tells. */
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/stop.h"
#include "gen/solve/solver.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* The sets of the loop. */
static void place_sets(PlyLoop *loop, const Shape *shape, SharePlanes planes, Layout *layout)
{
    const size_t plane = shape->plane_words * sizeof(uint64_t), set = planes.own * plane,
                 slabs = shape->kings * sizeof(uint64_t);
    for (int side = 0; side < 2; side++) {
        loop->unwon[side] = layout_place(layout, planes.with[side] * plane);
        loop->open[side] = layout_place(layout, set);
        for (int parity = 0; parity < 2; parity++) {
            loop->lost_at[parity][side].set = layout_place(layout, set);
            loop->lost_at[parity][side].slabs = layout_place(layout, slabs);
            if (shape->men >= 3)
                loop->lost_at[parity][side].rows = layout_place(layout, 64 * slabs);
            loop->won_slabs[parity][side] = layout_place(layout, slabs);
        }
    }
}

/* Without pawns every conversion counts one ply to conversion: what is due is that of DTZ. */
static bool has_due(const Shape *shape, unsigned metrics, int metric)
{
    return metrics >> metric & 1 && (metric != TREB_DTC || shape->pawns);
}

static bool logs_new(Solver *s)
{
    const uint32_t streams = 2 * s->shape->kings;
    const size_t words = s->shape->plane_words;
    bool ok = (s->space = log_space_new(&s->place.logs)) != NULL &&
              (s->facts = log_new(s->space, streams, words)) != NULL;
    for (int m = TREB_DTZ; m < TREB_METRICS && ok; m++) {
        if (has_due(s->shape, s->metrics, m))
            ok = (s->due[m] = log_new(s->space, 2 * streams, words)) != NULL;
        if (ok && s->metrics >> m & 1)
            ok = (s->decided[m] = log_new(s->space, streams, words)) != NULL;
    }
    return ok;
}

/* Memory for the sets, or a file and memory for a part of it. */
static treb_status sets_new(Solver *s, treb_error *error)
{
    Layout layout = {NULL, 0};
    Ledger *ledger = s->place.logs.ledger;
    const RankShare *share = &s->share;
    const SharePlanes planes = {share->planes,
                                {share->planes + share->halo[0], share->planes + share->halo[1]}};
    place_sets(&s->loop, s->shape, planes, &layout);
    if (s->place.paged == 0) {
        s->sets = ledger_alloc(ledger, layout.size);
        if (s->sets == NULL) return fail_memory(error);
    } else {
        if (!ledger_claim(ledger, s->place.paged)) return fail_memory(error);
        treb_status status =
            paged_open(&s->paged, s->place.logs.directory, layout.size, s->place.paged, error);
        if (status != TREB_OK) {
            ledger_give_back(ledger, s->place.paged);
            return status;
        }
    }
    layout = (Layout){s->sets != NULL ? s->sets : s->paged.at, 0};
    place_sets(&s->loop, s->shape, planes, &layout);
    return TREB_OK;
}

/* Rows of four men are told apart, and those of a pair. */
static size_t row_words(const Shape *shape)
{
    return shape->men == 4 || shape->pair ? shape->plane_words / (64 * 64) : 0;
}

treb_status solver_new(const Shape *shape, unsigned metrics, const SolverPlace *place, Solver **out,
                       treb_error *error)
{
    Solver *s = *out = malloc(sizeof *s);
    if (s == NULL) return fail_memory(error);
    memset(s, 0, sizeof *s);
    s->shape = s->slice.shape = shape;
    s->slice.counts = s->counts;
    s->slice.solver = s;
    s->metrics = metrics | 1u << TREB_DTZ;
    s->slab_count = shape->men >= 3 ? 64 : 1;
    s->slab_words = shape->plane_words / s->slab_count;
    s->row_words = row_words(shape);
    s->place = *place;
    s->kernel = kernel_best();
    bool ok = share_init(&s->share, shape, place->ranks) &&
              (place->ranks == NULL || halo_init(&s->halo, shape));
    treb_status status = ok ? sets_new(s, error) : fail_memory(error);
    if (status == TREB_OK && !logs_new(s)) status = fail_memory(error);
    if (status == TREB_OK) return TREB_OK;
    solver_free(s);
    *out = NULL;
    return status;
}

void solver_adopt(Solver *s, const Shape *shape, uint64_t keep, const char *path)
{
    s->shape = s->slice.shape = shape;
    s->row_words = row_words(shape);
    log_space_keep(s->space, keep);
    log_space_name(s->space, path);
}

void solver_rest(Solver *s) { log_space_trim(s->space); }

void solver_free(Solver *s)
{
    if (s == NULL) return;
    ledger_free(s->sets);
    if (s->paged.at != NULL) ledger_give_back(s->place.logs.ledger, s->place.paged);
    paged_close(&s->paged);
    log_space_free(s->space);
    share_free(&s->share);
    halo_free(&s->halo);
    free(s);
}

/* ---- the work space of a thread -------------------------------------------------------------- */

static void place_buffers(Buffers *t, const Shape *shape, unsigned metrics, bool outcomes,
                          Layout *layout)
{
    const size_t plane = shape->plane_words * sizeof(uint64_t), cells = shape->plane_cells;
    const bool dtc = shape->pawns && metrics >> TREB_DTC & 1, dtm = metrics >> TREB_DTM & 1;
    t->a = layout_place(layout, plane);
    t->b = layout_place(layout, plane);
    log_room_place(&t->room, shape->plane_words, layout);
    t->counts = layout_place(layout, sizeof *t->counts);
    if (!outcomes) return;
    t->outcomes.verdict = layout_place(layout, cells);
    t->outcomes.capture = layout_place(layout, cells);
    t->outcomes.ends = layout_place(layout, cells);
    if (dtc) t->outcomes.dtc = layout_place(layout, cells * sizeof *t->outcomes.dtc);
    if (dtm) {
        t->outcomes.dtm = layout_place(layout, cells * sizeof *t->outcomes.dtm);
        t->outcomes.ends_dtm = layout_place(layout, cells * sizeof *t->outcomes.ends_dtm);
    }
    if (!dtc && !dtm) return;
    t->cell = layout_place(layout, cells * sizeof *t->cell);
    t->first = layout_place(layout, (LOG_TAGS + 1) * sizeof *t->first);
}

void buffers_free(Buffers *t)
{
    ledger_free(t->memory);
    for (int i = 0; i < CONVERTER_ROOMS; i++) free(t->fetched[i].bytes);
}

bool buffers_init(Buffers *t, const Solver *s, bool outcomes)
{
    Layout layout = {NULL, 0};
    memset(t, 0, sizeof *t);
    place_buffers(t, s->shape, s->metrics, outcomes, &layout);
    t->memory = ledger_alloc(s->place.logs.ledger, layout.size);
    if (t->memory == NULL) return false;
    layout = (Layout){t->memory, 0};
    place_buffers(t, s->shape, s->metrics, outcomes, &layout);
    memset(t->counts, 0, sizeof *t->counts);
    if (t->first != NULL) memset(t->first, 0, (LOG_TAGS + 1) * sizeof *t->first);
    return true;
}

SolverSets solver_sets(const Shape *shape, int threads, const Ranks *ranks)
{
    enum { PLANES = 32 /* that a thread works on and beside, about */ };
    PlyLoop loop;
    Layout sets = {NULL, 0};
    SharePlanes planes;
    share_largest(shape, ranks, &planes); /* without memory for that: all of them */
    place_sets(&loop, shape, planes, &sets);
    uint64_t least = (uint64_t)threads * PLANES * shape->plane_words * sizeof(uint64_t);
    uint64_t all = ledger_cost(sets.size);
    return (SolverSets){all, least < all ? least : all};
}

uint64_t solver_memory(const Shape *shape, unsigned metrics, int threads, const Ranks *ranks)
{
    Buffers t;
    Layout buffers = {NULL, 0};
    metrics |= 1u << TREB_DTZ;
    place_buffers(&t, shape, metrics, true, &buffers);
    int logs = 1;
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        logs += (metrics >> m & 1) + 2 * has_due(shape, metrics, m);
    return solver_sets(shape, threads, ranks).all + threads * ledger_cost(buffers.size) +
           log_memory(2 * shape->kings, shape->plane_words, logs, threads);
}

/* ---- telling --------------------------------------------------------------------------------- */

void solver_watch(Solver *s, SolverWatch *watch, const atomic_bool *stop)
{
    s->watch = watch;
    s->stop = stop;
}

void solver_fail(Solver *s, treb_status status, const treb_error *error)
{
#pragma omp critical(solver_fail)
    if (s->status == TREB_OK) {
        s->status = (int)status;
        *s->error = *error;
    }
}

bool solver_failed(const Solver *s) { return s->status != TREB_OK || stop_asked(s->stop); }

treb_status fail_plies(const Shape *shape, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(&shape->material, name);
    return fail(error, TREB_ERR_ARGUMENT, "%s: a distance exceeds %d plies, the most there can be",
                name, PLIES_MOST);
}
