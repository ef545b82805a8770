/* memory_estimate.c - see memory_estimate.h.
 *
 * Each part of the generator knows how much memory it claims. What remains to be found is how many solved slices are
 * in use at once. For this the conversions of a group are listed as the solver lists them, with a provider that only
 * counts which groups of sub-endings they lead to. */
#include "gen/memory_estimate.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"
#include "gen/solve/dtm50.h"
#include "gen/solve/finished.h"
#include "gen/store/store.h"
#include "gen/write/dtm50_writer.h"

enum {
    MEBI = 1 << 20,
    OVERHEAD = 48 * MEBI,
    OVERHEAD_THREAD = 8 * MEBI,
    SETS_PAGED = 64 * MEBI, /* if sets of positions in a file save less, they stay in memory */
    BY_PLANE_CELLS =
        1 << 18,   /* the least cells of a plane for slices that are read plane by plane */
    SAMPLE = 4096, /* number of groups to count; a table of up to 5 men has fewer */
    MEN_LISTED = 6 /* with more men only the solver is counted, which exceeds any machine anyway */
};

uint64_t memory_estimate_overhead(int threads)
{
    return OVERHEAD + (uint64_t)threads * OVERHEAD_THREAD;
}

int memory_estimate_solvers(const Layout *layout, size_t groups, int threads,
                            const Processes *processes)
{
    return layout->men < 2 && groups > 1 && processes_solving(processes, layout) == NULL ? threads
                                                                                         : 1;
}

bool memory_estimate_pushes_in_file(const Layout *layout, int solvers, const Processes *processes)
{
    return layout->pawns && solvers == 1 && processes == NULL;
}

/* ---- What a group reads ---------------------------------------------------------------------- */

/* A material that conversions lead to. */
typedef struct ReadMaterial {
    Layout layout;      /* must be first: the material is found by the address of its layout */
    unsigned wanted;    /* a subset, or 0 */
    bool own;           /* the table itself: pushes read more */
    uint64_t cost;      /* bytes of one side to move of one group */
    uint32_t *group_of; /* by slice: number of its group */
    size_t *seen[2];    /* by side and group: the last round in which it was read */
} ReadMaterial;

typedef struct Counter {
    const Layout *parent;
    unsigned metrics;
    int subset_men;               /* least number of men for which promotions lead to subsets */
    const Processes *partitioned; /* see processes_partitioned */
    ReadMaterial *material[2 * MATERIAL_SUB_ENDINGS_MAX + 1];
    int count;
    bool failed; /* out of memory */
    size_t round;
    uint64_t bytes, pushes; /* bytes read in this round: by other conversions; by pushes */
} Counter;

static void material_free(ReadMaterial *a)
{
    if (a == NULL) return;
    layout_free(&a->layout);
    free(a->group_of);
    free(a->seen[0]);
    free(a->seen[1]);
    free(a);
}

/* Numbers the groups as the solver forms them. */
static bool material_number_groups(ReadMaterial *a)
{
    SliceGroups list;
    if (!slice_groups_list(&list, &a->layout)) return false;
    a->group_of = calloc(a->layout.index.slices, sizeof *a->group_of);
    for (int side = 0; side < 2; side++) a->seen[side] = calloc(list.count, sizeof *a->seen[side]);
    bool ok = a->group_of && a->seen[0] && a->seen[1];
    for (size_t b = 0; b < list.count && ok; b++)
        for (int lane = 0; lane < list.group[b].lanes; lane++)
            a->group_of[list.group[b].number[lane]] = (uint32_t)b;
    slice_groups_free(&list);
    return ok;
}

static ReadMaterial *material_new(const Counter *c, const Material *m, unsigned wanted)
{
    ReadMaterial *a = calloc(1, sizeof *a);
    if (a == NULL) return NULL;
    a->own = material_equal(m, &c->parent->material);
    if (!layout_init(&a->layout, m) || !material_number_groups(a)) {
        material_free(a);
        return NULL;
    }
    a->wanted = wanted;
    a->cost =
        store_side_memory(&a->layout, wanted, a->own, NULL, c->metrics, a->own ? c->partitioned : NULL);
    return a;
}

static const Layout *counter_layout(void *context, const Material *m, unsigned wanted)
{
    Counter *c = context;
    if (!subset_suits(m, c->subset_men)) wanted = 0;
    for (int i = 0; i < c->count; i++)
        if (material_equal(&c->material[i]->layout.material, m) && c->material[i]->wanted == wanted)
            return &c->material[i]->layout;
    ReadMaterial *a =
        c->failed || c->count > 2 * MATERIAL_SUB_ENDINGS_MAX ? NULL : material_new(c, m, wanted);
    if (a == NULL) {
        c->failed = true;
        return NULL;
    }
    c->material[c->count++] = a;
    return &a->layout;
}

static treb_status counter_find(void *context, const Layout *layout, uint64_t slice, int side,
                                bool push, const SolvedArrays **solved, int *lane,
                                treb_error *error)
{
    static const SolvedArrays nothing;
    Counter *c = context;
    /* The layout is its first member. */
    ReadMaterial *a = (ReadMaterial *)(void *)(uintptr_t)layout;
    size_t *seen = &a->seen[side][a->group_of[slice]];
    if (*seen != c->round) *(push ? &c->pushes : &c->bytes) += a->cost;
    *seen = c->round;
    *solved = &nothing;
    *lane = 0;
    (void)error;
    return TREB_OK;
}

static void counter_release(void *context, const SolvedArrays *solved)
{
    (void)context, (void)solved;
}

/* Counts what one group reads: all conversions of both sides or, if the table is read, the moves of one side. False:
 * out of memory. */
static bool count_group(Counter *c, const SliceGroup *group, const ConverterMoves moves[2])
{
    SliceProvider provider = {c, counter_layout, counter_find, counter_release, NULL};
    c->round++;
    c->bytes = c->pushes = 0;
    for (int i = 0; i < 2 * group->lanes; i++) {
        Converter *converter;
        if (moves[i % 2] == MOVES_NONE) continue;
        treb_status status = converter_new(c->parent, group->pawns[i / 2], i % 2, moves[i % 2],
                                           &provider, &converter, NULL);
        if (status != TREB_OK) return false;
        converter_free(converter);
    }
    return true;
}

/* Finds the most bytes that a group reads at once: `*most` with pushes, `*without` without them. False: out of memory. */
static bool count_read(const Layout *layout, const SliceGroups *groups, const GenerateOptions *o,
                       const Processes *partitioned, const ConverterMoves moves[2], uint64_t *most,
                       uint64_t *without)
{
    Counter c = {.parent = layout,
                 .metrics = o->metrics,
                 .subset_men = o->subset_men,
                 .partitioned = partitioned};
    size_t step = groups->count / SAMPLE + 1;
    bool ok = true;
    *most = *without = 0;
    for (size_t b = 0; b < groups->count && ok; b += step) {
        ok = count_group(&c, &groups->group[b], moves);
        if (c.bytes + c.pushes > *most) *most = c.bytes + c.pushes;
        if (c.bytes > *without) *without = c.bytes;
    }
    for (int i = 0; i < c.count; i++) material_free(c.material[i]);
    if (step > 1) {
        *most += *most / 4;
        *without += *without / 4;
    }
    return ok;
}

/* ---- A step ---------------------------------------------------------------------------------- */

/* Fills in what follows from the layout alone: numbers of cells and slices. */
static void estimate_cells(GenerateStep *step, const Layout *layout)
{
    /* The part of all squares that a subset has. */
    const double subset = layout->pawns ? 8. / 64 : 28. / 64;
    step->requested = bit_count(step->parents & WANT_SIDES) +
                      subset * bit_count(step->parents & ~(unsigned)WANT_SIDES);
    step->slices = layout->index.slices;
    step->pair = layout->pair;
    step->cells =
        2 * layout->index.slices * layout->kings * layout_lane_cells(layout) >> layout->pair;
    step->places = layout->men < 2 ? step->cells
                                   : 2 * layout->index.slices * layout->kings * places_count(layout);
}

/* Fills in the memory for solving. `read` and `without`: see count_read. */
static void estimate_solving(GenerateStep *step, const GenerateOptions *o, int threads,
                             const Layout *layout, size_t groups, uint64_t read, uint64_t without)
{
    const int solvers = memory_estimate_solvers(layout, groups, threads, o->processes);
    const Processes *processes = processes_solving(o->processes, layout);
    /* A chunk of the file must not have more than one plane, because several slices are read in turn. */
    const bool in_file = memory_estimate_pushes_in_file(layout, solvers, processes) &&
                         layout->plane_cells >= BY_PLANE_CELLS;
    step->divided = processes != NULL;
    step->pushes = in_file ? read - without : 0;
    step->store = (uint64_t)solvers * (in_file ? without : read);
    SolverSets sets = solver_sets(layout, threads, processes);
    step->sets = solvers == 1 && sets.all - sets.least > SETS_PAGED ? sets.all - sets.least : 0;
    step->solving =
        memory_estimate_overhead(threads) + step->store +
        (uint64_t)solvers * solver_memory(layout, o->metrics, threads / solvers, processes) -
        step->sets + (step->parents || layout->pawns ? store_write_memory(layout, threads) : 0);
    if (!(o->metrics >> TREB_DTM50 & 1)) return;
    /* As much is stored again, with other values. Which side's profiles the file will have may not be known yet. */
    const int profiles = !step->write ? 0 : layout->symmetric ? 1 : 2;
    step->solving += step->store + step->pushes +
                     (uint64_t)solvers * dtm50_memory(layout, profiles, threads / solvers) +
                     dtm50_writer_memory(layout, threads);
}

/* Does so for a table that is read. A side that is read stays in memory until the next is there. */
static void estimate_reading(GenerateStep *step, const GenerateOptions *o, int threads,
                             const Layout *layout, uint64_t read)
{
    const unsigned mates = o->metrics & 1u << TREB_DTM;
    const unsigned parts = PLANE_MOVES | (mates ? PLANE_DISTANCE << TREB_DTM : 0);
    const unsigned stores = o->metrics >> TREB_DTM50 & 1 ? 2 : 1;
    step->store = read;
    step->requested = 0;
    for (int side = 0; side < 2; side++) {
        step->part[side] = generate_step_sides(step) >> side & 1;
        for (int man = 0; man < layout->men; man++)
            step->part[side] *= bit_count(promoted_squares(&step->promoted[side], layout, man)) / 64.;
        step->requested += step->part[side];
    }
    step->solving = memory_estimate_overhead(threads) + read + finished_memory(layout, mates) +
                    stores * store_side_memory(layout, step->parents & WANT_SIDES, false, step->promoted, mates, NULL) +
                    (uint64_t)threads * plane_memory(layout, parts) +
                    store_write_memory(layout, threads);
}

/* Adds the memory for the files, while they are collected and while they are finished. */
static void estimate_files(GenerateStep *step, const GenerateOptions *o, int threads,
                           const Layout *layout)
{
    WriteOptions write = {.metrics = o->metrics | 1u << TREB_WDL,
                          .level = o->level,
                          .codec = o->codec,
                          .classes = o->classes,
                          .large = o->large,
                          .wide = o->wide,
                          .processes = processes_writing(o->processes, layout)};
    step->finishing = memory_estimate_overhead(threads);
    if (!step->write) return;
    WriterMemory writing =
        o->syzygy ? export_memory(layout, threads) : writer_memory(layout, &write, threads);
    step->solving += writing.adding;
    step->finishing += writing.finishing;
}

static treb_status estimate_layout(GenerateStep *step, const GenerateOptions *o, int threads,
                                   const Layout *layout, treb_error *error)
{
    SliceGroups groups = {NULL, 0};
    uint64_t read = 0, without = 0;
    const Processes *partitioned = processes_partitioned(o->processes, layout, step->parents);
    bool listed = material_men(&step->material) <= MEN_LISTED, ok = true;
    if (listed) ok = slice_groups_list(&groups, layout);
    if (listed && ok && !step->read)
        ok = count_read(layout, &groups, o, partitioned,
                        (ConverterMoves[]){MOVES_CONVERSIONS, MOVES_CONVERSIONS}, &read, &without);
    for (int side = 0; listed && ok && step->read && side < 2; side++) {
        ConverterMoves moves[2] = {MOVES_NONE, MOVES_NONE};
        uint64_t most = 0;
        if (!(wanted_sides(step->parents) >> side & 1)) continue;
        moves[side] = (ConverterMoves)step->moves[side];
        ok = count_read(layout, &groups, o, NULL, moves, &most, &without);
        if (most > read) read = most;
    }
    if (!ok) {
        slice_groups_free(&groups);
        return fail_memory(error);
    }
    estimate_cells(step, layout);
    if (step->read)
        estimate_reading(step, o, threads, layout, read);
    else
        estimate_solving(step, o, threads, layout, groups.count, read, without);
    estimate_files(step, o, threads, layout);
    step->memory = step->solving > step->finishing ? step->solving : step->finishing;
    slice_groups_free(&groups);
    return TREB_OK;
}

treb_status memory_estimate_step(GenerateStep *step, const GenerateOptions *o, int threads,
                                 treb_error *error)
{
    Layout layout;
    if (!layout_init(&layout, &step->material)) return fail_memory(error);
    treb_status status = estimate_layout(step, o, threads, &layout, error);
    layout_free(&layout);
    return status;
}
