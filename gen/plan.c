/* plan.c - see plan.h. */
#include "gen/plan.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"
#include "core/system/machine.h"
#include "core/system/tool.h"
#include "gen/memory_estimate.h"
#include "gen/solve/finished.h"
#include "probe/syzygy/syzygy.h"

/* ---- Which tables, in what order ------------------------------------------------------------- */

typedef struct PlanMaker {
    const GenerateOptions *options;
    SyzygyMaps *maps; /* NULL: our own files are made */
} PlanMaker;

bool generate_complete(const char *directory, const Material *material, unsigned metrics)
{
    for (int m = 0; m <= TREB_DTM50; m++) {
        if (!(metrics >> m & 1)) continue;
        char name[TABLE_NAME_SIZE], path[4200];
        treb_error error;
        table_file_name(material, m, name);
        snprintf(path, sizeof path, "%.4000s/%s", directory, name);
        Table *table = table_open(path, &error);
        if (table == NULL) return false;
        const TableHeader *h = table_header(table);
        bool right = h->metric == (treb_metric)m && material_equal(&h->index.material, material);
        table_close(table);
        if (!right) return false;
    }
    return true;
}

/* Whether Syzygy's files of a material exist and can be opened without an error. */
static bool syzygy_complete(const char *directory, const Material *material, const SyzygyMaps *maps)
{
    for (int m = TREB_WDL; m <= TREB_DTZ; m++) {
        char name[SYZYGY_NAME_SIZE], path[4200];
        treb_error error;
        if (!syzygy_file_name(material, m, name)) return false;
        snprintf(path, sizeof path, "%.4000s/%s", directory, name);
        Syzygy *table = syzygy_open(path, material, m, maps, &error);
        if (table == NULL) return false;
        syzygy_close(table);
    }
    return true;
}

static bool complete(const PlanMaker *maker, const Material *m)
{
    const GenerateOptions *o = maker->options;
    return maker->maps != NULL ? syzygy_complete(o->directory, m, maker->maps)
                               : generate_complete(o->directory, m, o->metrics);
}

bool generate_plan_has(const GeneratePlan *plan, const Material *m)
{
    for (size_t i = 0; i < plan->steps; i++)
        if (material_equal(&plan->step[i].material, m)) return true;
    return false;
}

static bool is_requested(const GeneratePlan *plan, const Material *m)
{
    for (size_t i = 0; i < plan->materials; i++) {
        Material requested = plan->material[i];
        material_canonical(&requested);
        if (material_equal(&requested, m)) return true;
    }
    return false;
}

/* Refuses a file that is there and cannot be read. */
static treb_status refuse_damaged(const char *directory, const Material *m, unsigned metrics,
                                  treb_error *error)
{
    for (int metric = 0; metric < TREB_METRICS; metric++) {
        char name[TABLE_NAME_SIZE], path[4200];
        if (!(metrics >> metric & 1)) continue;
        table_file_name(m, metric, name);
        snprintf(path, sizeof path, "%.4000s/%s", directory, name);
        if (!tool_may(path, TOOL_EXISTS)) continue;
        treb_status status = table_check_size(path, error);
        Table *table = status == TREB_OK ? table_open(path, error) : NULL;
        if (table == NULL && error->status == TREB_ERR_DAMAGED) return TREB_ERR_DAMAGED;
        table_close(table);
    }
    return TREB_OK;
}

static treb_status plan_add(const PlanMaker *maker, const Material *m, GeneratePlan *plan,
                            treb_error *error)
{
    if (generate_plan_has(plan, m)) return TREB_OK;
    Material sub_ending[MATERIAL_SUB_ENDINGS_MAX];
    int sub_endings = material_sub_endings(m, sub_ending, NULL);
    for (int i = 0; i < sub_endings; i++) {
        treb_status status = plan_add(maker, &sub_ending[i], plan, error);
        if (status != TREB_OK) return status;
    }
    GenerateStep *grown = realloc(plan->step, (plan->steps + 1) * sizeof *grown);
    if (grown == NULL) return fail_memory(error);
    plan->step = grown;
    /* Two bare kings have no files, but other tables read their slice. */
    const bool files = material_men(m) > 2, there = files && complete(maker, m);
    const GenerateOptions *o = maker->options;
    /* A requested one is replaced. */
    if (files && !there && !o->syzygy && !is_requested(plan, m)) {
        treb_status status = refuse_damaged(o->directory, m, o->metrics, error);
        if (status != TREB_OK) return status;
    }
    plan->step[plan->steps++] =
        (GenerateStep){.material = *m,
                       .write = files && !there,
                       .read = there && generate_finished_folder(o) != NULL,
                       .promoted = {promoted_nothing(), promoted_nothing()}};
    return TREB_OK;
}

/* Returns the subsets of a sub-ending with as many men that promotions of a material read. */
static unsigned wanted_subsets(const Material *from, const Material *sub_ending)
{
    unsigned wanted = 0;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_KNIGHT; type <= TREB_QUEEN; type++) {
            Material m = *from;
            if (m.count[color][TREB_PAWN] == 0) continue;
            m.count[color][TREB_PAWN]--;
            m.count[color][type]++;
            bool swap = material_canonical(&m);
            if (!material_equal(&m, sub_ending)) continue;
            wanted |= wanted_subset(color ^ swap, type);
        }
    return wanted;
}

static void drop_useless(GeneratePlan *plan)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->steps; i++)
        if (plan->step[i].write || plan->step[i].parents) plan->step[kept++] = plan->step[i];
    plan->steps = kept;
}

int generate_step_reads(const GenerateStep *step, Material out[MATERIAL_SUB_ENDINGS_MAX],
                        uint8_t turns[MATERIAL_SUB_ENDINGS_MAX])
{
    static const MaterialMoves moves[] = {[MOVES_CAPTURES] = MATERIAL_CAPTURES,
                                          [MOVES_COMPLETING] = MATERIAL_COMPLETING,
                                          [MOVES_ALL] = MATERIAL_CONVERSIONS};
    int count = 0;
    if (!step->read) return material_sub_endings(&step->material, out, turns);
    for (int side = 0; side < 2; side++)
        if (wanted_sides(step->parents) >> side & 1)
            count = material_sub_endings_of(&step->material, side, moves[step->moves[side]], count,
                                            out, turns);
    return count;
}

/* Whether the codes of a group of slices, which must be in memory, would take most of it. Solving takes less. */
static bool too_large(const GenerateStep *step, const GenerateOptions *o)
{
    Layout layout;
    if (!layout_init(&layout, &step->material)) return true;
    const uint64_t bytes = finished_memory(&layout, o->metrics);
    layout_free(&layout);
    return bytes > generate_memory_allowed(o) / 2;
}

/* Finds whether a step, of which `parents` is known, can be read, and how. If not, it is solved. */
static treb_status choose_read(GenerateStep *step, const GenerateOptions *o, treb_error *error)
{
    FinishedNeeds needs;
    const unsigned sides = wanted_sides(step->parents), mates = o->metrics & 1u << TREB_DTM;
    const char *folder = generate_finished_folder(o);
    /* Syzygy's files, which are there, lack what is needed; our own may be missing. */
    if (o->syzygy && !generate_complete(folder, &step->material, 1u << TREB_WDL)) {
        step->read = false;
        return refuse_damaged(folder, &step->material, 1u << TREB_WDL, error);
    }
    treb_status status = finished_needs(folder, &step->material, mates, &needs, error);
    if (status == TREB_ERR_NO_TABLE || too_large(step, o)) step->read = false;
    /* A value of DTM50 at a fresh clock that is not the distance to mate would rest on the values of all clocks. */
    if (o->metrics >> TREB_DTM50 & 1 && needs.plies_in_time > RULE_PLIES) step->read = false;
    if (status != TREB_OK) return step->read ? status : TREB_OK;
    for (int side = 0; side < 2; side++) {
        step->moves[side] = (uint8_t)needs.moves[side];
        if (!(sides >> side & 1) || needs.moves[side] != MOVES_ALL) continue;
        /* Whole slices of the other side to move would take too much memory where promotions lead to subsets. */
        if (step->parents >= WANT_SUBSET) step->read = false;
        if (!step->read) continue;
        step->parents |= 1u << !side;
        promoted_add_moves(&step->promoted[!side], &step->promoted[side], &step->material, side, &step->material,
                           !side);
    }
    return TREB_OK;
}

/* Notes which cells of another step a step reads. */
static void mark_cells(const GenerateStep *step, GenerateStep *of)
{
    const Promoted all = {0};
    for (int side = 0; side < 2; side++)
        for (int turn = 0; turn < 2; turn++)
            if (!step->read || generate_step_sides(step) >> side & 1)
                promoted_add_moves(&of->promoted[turn], step->read ? &step->promoted[side] : &all, &step->material,
                                   side, &of->material, turn);
}

/* Notes in the steps before step `i` what it reads of them. */
static void mark_read(GeneratePlan *plan, size_t i, int subset_men)
{
    const GenerateStep *step = &plan->step[i];
    Material sub_ending[MATERIAL_SUB_ENDINGS_MAX];
    uint8_t turns[MATERIAL_SUB_ENDINGS_MAX];
    const int sub_endings = generate_step_reads(step, sub_ending, turns);
    for (size_t j = 0; j < i; j++)
        for (int k = 0; k < sub_endings; k++)
            if (material_equal(&plan->step[j].material, &sub_ending[k])) {
                GenerateStep *of = &plan->step[j];
                const bool promoted =
                    material_men(&sub_ending[k]) == material_men(&step->material);
                const unsigned subsets =
                    promoted ? wanted_subsets(&step->material, &sub_ending[k]) : 0;
                of->parents |=
                    promoted && subset_suits(&sub_ending[k], subset_men) ? subsets : turns[k];
                mark_cells(step, of);
            }
}

/* Goes from the last step to the first. A step is needed if its files are missing, or if another table that is needed
 * reads it. Drops all others. */
static treb_status plan_prune(GeneratePlan *plan, const GenerateOptions *o, treb_error *error)
{
    for (size_t i = plan->steps; i-- > 0;) {
        GenerateStep *step = &plan->step[i];
        if (!step->write && !step->parents) continue;
        treb_status status = step->read ? choose_read(step, o, error) : TREB_OK;
        if (status != TREB_OK) return status;
        mark_read(plan, i, o->subset_men);
    }
    drop_useless(plan);
    return TREB_OK;
}

/* Keeps one table and the tables it needs, of which no files are written. What is solved keeps the `parents` that it
 * has in the whole plan, so that later runs find all that they read. */
static treb_status plan_only(GeneratePlan *plan, const GenerateOptions *o, treb_error *error)
{
    unsigned *whole = calloc(plan->steps + 1, sizeof *whole);
    if (whole == NULL) return fail_memory(error);
    treb_status status = TREB_OK;
    for (size_t i = 0; i < plan->steps; i++) {
        whole[i] = plan->step[i].parents;
        plan->step[i].parents = 0;
        for (int side = 0; side < 2; side++) plan->step[i].promoted[side] = promoted_nothing();
    }
    for (size_t i = plan->steps; i-- > 0 && status == TREB_OK;) {
        GenerateStep *step = &plan->step[i];
        const bool wanted = material_equal(&step->material, o->only);
        step->write = step->write && wanted;
        if (!wanted && !step->parents) continue;
        if (step->read) status = choose_read(step, o, error);
        if (!step->read) step->parents = whole[i];
        if (status == TREB_OK && (step->write || step->parents)) mark_read(plan, i, o->subset_men);
    }
    drop_useless(plan);
    free(whole);
    return status;
}

static int pawns_of(const Material *m)
{
    return m->count[TREB_WHITE][TREB_PAWN] + m->count[TREB_BLACK][TREB_PAWN];
}

/* Sorts by number of men, then by number of pawns: sub-endings have fewer of either. Tables of one size come one
 * after another, so that they use the same solvers. Stable. */
static void plan_sort(GeneratePlan *plan)
{
    for (size_t i = 1; i < plan->steps; i++) {
        GenerateStep step = plan->step[i];
        int men = material_men(&step.material), pawns = pawns_of(&step.material);
        size_t j = i;
        for (; j > 0; j--) {
            const Material *before = &plan->step[j - 1].material;
            int order = material_men(before) - men;
            if (order == 0) order = pawns_of(before) - pawns;
            if (order <= 0) break;
            plan->step[j] = plan->step[j - 1];
        }
        plan->step[j] = step;
    }
}

/* ---- What each takes ------------------------------------------------------------------------- */

/* Estimates the memory of all steps. The large ones, which take longest, come last in the plan, so they are begun
 * first. */
static treb_status plan_estimate(GeneratePlan *plan, const GenerateOptions *o, treb_error *error)
{
    const int threads = omp_get_max_threads();
    bool failed = false;
#pragma omp parallel for schedule(dynamic) reduction(|| : failed)
    for (size_t i = 0; i < plan->steps; i++)
        failed = failed || memory_estimate_step(&plan->step[plan->steps - 1 - i], o, threads,
                                                NULL) != TREB_OK;
    return failed ? fail_memory(error) : TREB_OK;
}

bool generate_step_saved(const GenerateStep *step, const GenerateOptions *o)
{
    static const uint64_t saved_cells = UINT64_C(3000000000); /* of tables that take long */
    return !o->syzygy && (o->save_seconds > 0 || step->cells > saved_cells);
}

size_t generate_plan_largest(const GeneratePlan *plan)
{
    size_t largest = 0;
    for (size_t i = 1; i < plan->steps; i++)
        if (plan->step[i].memory > plan->step[largest].memory) largest = i;
    return largest;
}

uint64_t generate_plan_fast(const GeneratePlan *plan)
{
    uint64_t most = 0;
    for (size_t i = 0; i < plan->steps; i++)
        if (generate_step_fast(&plan->step[i]) > most) most = generate_step_fast(&plan->step[i]);
    return most;
}

uint64_t generate_memory_allowed(const GenerateOptions *o)
{
    if (o->memory != 0) return o->memory;
    uint64_t available = machine_free_memory();
    if (available != UINT64_MAX && o->processes != NULL)
        available /= (unsigned)o->processes->on_node;
    return available == UINT64_MAX ? available : available - available / 8;
}

/* Formats bytes as "1.54 GB" or "90 MB". */
static void format_bytes(uint64_t bytes, char out[24])
{
    static const char *const units[] = {"MB", "GB", "TB", "PB"};
    double value = 1e-6 * (double)bytes;
    int unit = 0;
    for (; value >= 1000 && unit < 3; unit++) value /= 1000;
    snprintf(out, 24, unit ? "%.2f %s" : "%.0f %s", value, units[unit]);
}

treb_status generate_plan_check(const GeneratePlan *plan, const GenerateOptions *o,
                                treb_error *error)
{
    char name[MATERIAL_NAME_SIZE], need[24], given[24];
    if (plan->steps == 0) return TREB_OK;
    const GenerateStep *step = &plan->step[generate_plan_largest(plan)];
    uint64_t allowed = generate_memory_allowed(o);
    if (step->memory <= allowed) return TREB_OK;
    material_name(&step->material, name);
    format_bytes(step->memory, need);
    format_bytes(allowed, given);
    return fail(error, TREB_ERR_MEMORY,
                "%s needs %s of memory, but %s %s: choose fewer metrics or threads", name, need,
                o->memory ? "--memory allows"
                          : "the limit, seven eighths of the memory free here, is",
                given);
}

treb_status generate_list(const GenerateOptions *options, const Material *materials, size_t count,
                          GeneratePlan *plan, treb_error *error)
{
    PlanMaker maker = {options, options->syzygy ? malloc(sizeof *maker.maps) : NULL};
    memset(plan, 0, sizeof *plan);
    plan->material = malloc((count + 1) * sizeof *plan->material);
    if (plan->material == NULL) {
        free(maker.maps);
        return fail_memory(error);
    }
    plan->materials = count;
    memcpy(plan->material, materials, count * sizeof *materials);
    treb_status status = TREB_OK;
    if (maker.maps != NULL) syzygy_maps_fill(maker.maps);
    if (options->syzygy && maker.maps == NULL) status = fail_memory(error);
    for (size_t i = 0; i < count && status == TREB_OK; i++) {
        Material m = materials[i];
        material_canonical(&m);
        status = plan_add(&maker, &m, plan, error);
    }
    free(maker.maps);
    if (status != TREB_OK) {
        generate_plan_free(plan);
        return status;
    }
    plan_sort(plan);
    status = plan_prune(plan, options, error);
    if (status != TREB_OK) generate_plan_free(plan);
    return status;
}

treb_status generate_plan(const GenerateOptions *options, const Material *materials, size_t count,
                          GeneratePlan *plan, treb_error *error)
{
    if (options->metrics >> TREB_DTM50 & 1 && options->processes != NULL)
        return fail(error, TREB_ERR_ARGUMENT, "DTM50 tables are made by one process");
    treb_status status = generate_list(options, materials, count, plan, error);
    if (status == TREB_OK && options->only != NULL) status = plan_only(plan, options, error);
    if (status == TREB_OK) status = plan_estimate(plan, options, error);
    if (status != TREB_OK) generate_plan_free(plan);
    return status;
}

void generate_plan_free(GeneratePlan *plan)
{
    free(plan->step);
    free(plan->material);
    memset(plan, 0, sizeof *plan);
}
