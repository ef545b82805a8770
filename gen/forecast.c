/* forecast.c - see forecast.h.
 *
 * Each part of the generator knows what it claims; what is left to find is how many solved slices
 * are asked for at once. A batch's conversions are listed as the solver lists them, with a source
 * that only counts which batches of its juniors they lead to. */
#include "gen/forecast.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"
#include "gen/solve/convert.h"
#include "gen/store/store.h"

enum {
    MEBI = 1 << 20,
    OVERHEAD = 48 * MEBI,
    OVERHEAD_THREAD = 8 * MEBI,
    SETS_PAGED = 64 * MEBI, /* sets of positions in a file that save less are not worth it */
    FILED_CELLS = 1 << 18,  /* planes of slices that are read one by one */
    SAMPLE = 4096,          /* batches looked at; a table of up to 5 men has fewer */
    MEN_LISTED = 6 /* with more men only the solver is counted, which is beyond any machine */
};

uint64_t forecast_overhead(int threads) { return OVERHEAD + (uint64_t)threads * OVERHEAD_THREAD; }

int forecast_solvers(const Shape *shape, size_t batches, int threads, const Ranks *ranks)
{
    return shape->men < 2 && batches > 1 && ranks_for(ranks, shape) == NULL ? threads : 1;
}

bool forecast_files(const Shape *shape, int solvers, const Ranks *ranks)
{
    return shape->pawns && solvers == 1 && ranks == NULL;
}

/* ---- what a batch asks for ------------------------------------------------------------------- */

/* A material that a conversion leads to. */
typedef struct Asked {
    Shape shape;        /* first: it is found by it */
    unsigned wanted;    /* a cut, or 0 */
    bool own;           /* the table itself: pushes ask for more */
    uint64_t cost;      /* of one side to move of one batch in memory */
    uint32_t *batch_of; /* by slice */
    size_t *seen[2];    /* by side and batch: the round in which it was last asked for */
} Asked;

typedef struct Counter {
    const Shape *parent;
    unsigned metrics;
    int cuts;           /* men from which on promotions lead to cuts */
    const Ranks *apart; /* see ranks_apart */
    Asked *asked[2 * MATERIAL_MAX_JUNIORS + 1];
    int count;
    bool failed; /* out of memory */
    size_t round;
    uint64_t bytes, pushes; /* of the round: what is asked for, but of pushes; and of these */
} Counter;

static void asked_free(Asked *a)
{
    if (a == NULL) return;
    shape_free(&a->shape);
    free(a->batch_of);
    free(a->seen[0]);
    free(a->seen[1]);
    free(a);
}

/* Numbers the batches as the solver forms them. */
static bool asked_fill(Asked *a)
{
    Batches list;
    if (!batches_list(&list, &a->shape)) return false;
    a->batch_of = calloc(a->shape.index.slices, sizeof *a->batch_of);
    for (int side = 0; side < 2; side++) a->seen[side] = calloc(list.count, sizeof *a->seen[side]);
    bool ok = a->batch_of && a->seen[0] && a->seen[1];
    for (size_t b = 0; b < list.count && ok; b++)
        for (int lane = 0; lane < list.batch[b].lanes; lane++)
            a->batch_of[list.batch[b].number[lane]] = (uint32_t)b;
    batches_free(&list);
    return ok;
}

static Asked *asked_new(const Counter *c, const Material *m, unsigned wanted)
{
    Asked *a = calloc(1, sizeof *a);
    if (a == NULL) return NULL;
    a->own = material_equal(m, &c->parent->material);
    if (!shape_init(&a->shape, m) || !asked_fill(a)) {
        asked_free(a);
        return NULL;
    }
    a->wanted = wanted;
    a->cost = store_side_memory(&a->shape, wanted, a->own, c->metrics, a->own ? c->apart : NULL);
    return a;
}

static const Shape *counter_shape(void *context, const Material *m, unsigned wanted)
{
    Counter *c = context;
    if (!cut_suits(m, c->cuts)) wanted = 0;
    for (int i = 0; i < c->count; i++)
        if (material_equal(&c->asked[i]->shape.material, m) && c->asked[i]->wanted == wanted)
            return &c->asked[i]->shape;
    Asked *a = c->failed || c->count > 2 * MATERIAL_MAX_JUNIORS ? NULL : asked_new(c, m, wanted);
    if (a == NULL) {
        c->failed = true;
        return NULL;
    }
    c->asked[c->count++] = a;
    return &a->shape;
}

static treb_status counter_find(void *context, const Shape *shape, uint64_t slice, int side,
                                bool push, const Solved **solved, int *lane, treb_error *error)
{
    static const Solved nothing;
    Counter *c = context;
    Asked *a = (Asked *)(void *)(uintptr_t)shape; /* its first member */
    size_t *seen = &a->seen[side][a->batch_of[slice]];
    if (*seen != c->round) *(push ? &c->pushes : &c->bytes) += a->cost;
    *seen = c->round;
    *solved = &nothing;
    *lane = 0;
    (void)error;
    return TREB_OK;
}

static void counter_release(void *context, const Solved *solved) { (void)context, (void)solved; }

/* Counts what one batch asks for; false: out of memory. */
static bool count_batch(Counter *c, const Batch *batch)
{
    SolvedSource source = {c, counter_shape, counter_find, counter_release, NULL};
    c->round++;
    c->bytes = c->pushes = 0;
    for (int i = 0; i < 2 * batch->lanes; i++) {
        Converter *converter;
        treb_status status =
            converter_new(c->parent, batch->pawns[i / 2], i % 2, &source, &converter, NULL);
        if (status != TREB_OK) return false;
        converter_free(converter);
    }
    return true;
}

/* The most that a batch asks for at once, and without what its pushes ask for. False: out of memory. */
static bool count_asked(const Shape *shape, const Batches *batches, const GenerateOptions *o,
                        const Ranks *apart, uint64_t *most, uint64_t *without)
{
    Counter c = {.parent = shape, .metrics = o->metrics, .cuts = o->cuts, .apart = apart};
    size_t step = batches->count / SAMPLE + 1;
    bool ok = true;
    *most = *without = 0;
    for (size_t b = 0; b < batches->count && ok; b += step) {
        ok = count_batch(&c, &batches->batch[b]);
        if (c.bytes + c.pushes > *most) *most = c.bytes + c.pushes;
        if (c.bytes > *without) *without = c.bytes;
    }
    for (int i = 0; i < c.count; i++) asked_free(c.asked[i]);
    if (step > 1) {
        *most += *most / 4;
        *without += *without / 4;
    }
    return ok;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static treb_status forecast_shape(GenerateStep *step, const GenerateOptions *o, int threads,
                                  const Shape *shape, treb_error *error)
{
    WriteOptions write = {.metrics = o->metrics | 1u << TREB_WDL,
                          .level = o->level,
                          .codec = o->codec,
                          .classes = o->classes,
                          .large = o->large,
                          .wide = o->wide,
                          .ranks = ranks_writing(o->ranks, shape)};
    Batches batches = {NULL, 0};
    uint64_t asked = 0, without = 0;
    /* Of a cut, the part of all squares that it has. */
    const double cut = shape->pawns ? 8. / 64 : 28. / 64;
    step->asked = bit_count(step->parents & WANT_SIDES) +
                  cut * bit_count(step->parents & ~(unsigned)WANT_SIDES);
    step->slices = shape->index.slices;
    step->pair = shape->pair;
    step->divided = ranks_for(o->ranks, shape) != NULL;
    step->cells = 2 * shape->index.slices * shape->kings * shape_lane_cells(shape) >> shape->pair;
    const Ranks *apart = ranks_apart(o->ranks, shape, step->parents);
    bool listed = material_men(&step->material) <= MEN_LISTED;
    if (listed && !(batches_list(&batches, shape) &&
                    count_asked(shape, &batches, o, apart, &asked, &without))) {
        batches_free(&batches);
        return fail_memory(error);
    }
    int solvers = forecast_solvers(shape, batches.count, threads, o->ranks);
    const Ranks *ranks = ranks_for(o->ranks, shape);
    /* A chunk of the file must have no more than a plane, as several slices are read in turns. */
    const bool filed = forecast_files(shape, solvers, ranks) && shape->plane_cells >= FILED_CELLS;
    step->pushes = filed ? asked - without : 0;
    step->store = (uint64_t)solvers * (filed ? without : asked);
    SolverSets sets = solver_sets(shape, threads, ranks);
    step->sets = solvers == 1 && sets.all - sets.least > SETS_PAGED ? sets.all - sets.least : 0;
    step->solving = forecast_overhead(threads) + step->store +
                    (uint64_t)solvers * solver_memory(shape, o->metrics, threads / solvers, ranks) -
                    step->sets +
                    (step->parents || shape->pawns ? store_write_memory(shape, threads) : 0);
    step->finishing = forecast_overhead(threads);
    if (step->write) {
        WriterMemory writing =
            o->syzygy ? export_memory(shape, threads) : writer_memory(shape, &write, threads);
        step->solving += writing.adding;
        step->finishing += writing.finishing;
    }
    step->memory = step->solving > step->finishing ? step->solving : step->finishing;
    batches_free(&batches);
    return TREB_OK;
}

treb_status forecast_step(GenerateStep *step, const GenerateOptions *o, int threads,
                          treb_error *error)
{
    Shape shape;
    if (!shape_init(&shape, &step->material)) return fail_memory(error);
    treb_status status = forecast_shape(step, o, threads, &shape, error);
    shape_free(&shape);
    return status;
}
