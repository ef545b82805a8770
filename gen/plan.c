/* plan.c - see plan.h. */
#include "gen/plan.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"
#include "core/system/machine.h"
#include "gen/forecast.h"
#include "gen/solve/solved.h"
#include "probe/syzygy/syzygy.h"

/* ---- which tables, in what order ------------------------------------------------------------- */

typedef struct PlanMaker {
    const GenerateOptions *options;
    SyzygyMaps *maps; /* NULL: our own files are wanted */
} PlanMaker;

bool generate_complete(const char *directory, const Material *material, unsigned metrics)
{
    for (int m = 0; m < TREB_METRICS; m++) {
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

/* The same for Syzygy's files. */
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

static treb_status plan_add(const PlanMaker *maker, const Material *m, GeneratePlan *plan,
                            treb_error *error)
{
    if (generate_plan_has(plan, m)) return TREB_OK;
    Material junior[MATERIAL_MAX_JUNIORS];
    int juniors = material_juniors(m, junior, NULL);
    for (int i = 0; i < juniors; i++) {
        treb_status status = plan_add(maker, &junior[i], plan, error);
        if (status != TREB_OK) return status;
    }
    GenerateStep *grown = realloc(plan->step, (plan->steps + 1) * sizeof *grown);
    if (grown == NULL) return fail_memory(error);
    plan->step = grown;
    plan->step[plan->steps++] =
        (GenerateStep){.material = *m,
                       /* Two bare kings need no files, but their parents look there. */
                       .write = material_men(m) > 2 && !complete(maker, m)};
    return TREB_OK;
}

/* What promotions of a material want of a junior with as many men. */
static unsigned wanted_cuts(const Material *from, const Material *junior)
{
    unsigned wanted = 0;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_KNIGHT; type <= TREB_QUEEN; type++) {
            Material m = *from;
            if (m.count[color][TREB_PAWN] == 0) continue;
            m.count[color][TREB_PAWN]--;
            m.count[color][type]++;
            bool swap = material_canonical(&m);
            if (!material_equal(&m, junior)) continue;
            wanted |= wanted_cut(color ^ swap, type);
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

/* From the last to the first: a step is of use if its files are missing or if a parent that is of
 * use needs it. Drops the others. */
static void plan_prune(GeneratePlan *plan, int cuts)
{
    for (size_t i = plan->steps; i-- > 0;) {
        GenerateStep *step = &plan->step[i];
        if (!step->write && !step->parents) continue;
        Material junior[MATERIAL_MAX_JUNIORS];
        uint8_t turns[MATERIAL_MAX_JUNIORS];
        int juniors = material_juniors(&step->material, junior, turns);
        for (size_t j = 0; j < i; j++)
            for (int k = 0; k < juniors; k++)
                if (material_equal(&plan->step[j].material, &junior[k])) {
                    bool promoted = material_men(&junior[k]) == material_men(&step->material);
                    plan->step[j].parents |= promoted && cut_suits(&junior[k], cuts)
                                                 ? wanted_cuts(&step->material, &junior[k])
                                                 : turns[k];
                }
    }
    drop_useless(plan);
}

/* Whether a material is a junior of one that is kept. */
static bool has_parent(const GeneratePlan *plan, size_t i, const bool *kept)
{
    for (size_t p = i + 1; p < plan->steps; p++) {
        Material junior[MATERIAL_MAX_JUNIORS];
        if (!kept[p]) continue;
        int juniors = material_juniors(&plan->step[p].material, junior, NULL);
        for (int k = 0; k < juniors; k++)
            if (material_equal(&junior[k], &plan->step[i].material)) return true;
    }
    return false;
}

/* Keeps one table and what it needs, of which no files are written. What parents want of either is what they want in
 * the whole plan: so that others find it. */
static treb_status plan_only(GeneratePlan *plan, const Material *only, treb_error *error)
{
    bool *kept = calloc(plan->steps + 1, sizeof *kept);
    if (kept == NULL) return fail_memory(error);
    for (size_t i = plan->steps; i-- > 0;) {
        GenerateStep *step = &plan->step[i];
        const bool wanted = material_equal(&step->material, only);
        step->write = step->write && wanted;
        kept[i] = wanted || has_parent(plan, i, kept);
    }
    for (size_t i = 0; i < plan->steps; i++)
        if (!kept[i]) plan->step[i].parents = 0;
    drop_useless(plan);
    free(kept);
    return TREB_OK;
}

static int pawns_of(const Material *m)
{
    return m->count[TREB_WHITE][TREB_PAWN] + m->count[TREB_BLACK][TREB_PAWN];
}

/* Fewer men first, then fewer pawns: juniors have fewer of either. Tables of one size come after
 * each other, so that they use the same solvers. Keeps the order of equals. */
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

/* ---- what each takes ------------------------------------------------------------------------- */

/* The larger ones, which take longest, come last: so they are begun first. */
static treb_status plan_forecast(GeneratePlan *plan, const GenerateOptions *o, treb_error *error)
{
    const int threads = omp_get_max_threads();
    bool failed = false;
#pragma omp parallel for schedule(dynamic) reduction(|| : failed)
    for (size_t i = 0; i < plan->steps; i++)
        failed =
            failed || forecast_step(&plan->step[plan->steps - 1 - i], o, threads, NULL) != TREB_OK;
    return failed ? fail_memory(error) : TREB_OK;
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
    if (available != UINT64_MAX && o->ranks != NULL) available /= (unsigned)o->ranks->on_node;
    return available == UINT64_MAX ? available : available - available / 8;
}

/* "1.54 GB", "90 MB" */
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
                "%s needs %s of memory, and %s %s: fewer metrics or threads take less", name, need,
                o->memory ? "--memory allows" : "seven eighths of what is free here are", given);
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
    plan_prune(plan, options->cuts);
    return TREB_OK;
}

treb_status generate_plan(const GenerateOptions *options, const Material *materials, size_t count,
                          GeneratePlan *plan, treb_error *error)
{
    treb_status status = generate_list(options, materials, count, plan, error);
    if (status == TREB_OK && options->only != NULL) status = plan_only(plan, options->only, error);
    if (status == TREB_OK) status = plan_forecast(plan, options, error);
    if (status != TREB_OK) generate_plan_free(plan);
    return status;
}

void generate_plan_free(GeneratePlan *plan)
{
    free(plan->step);
    free(plan->material);
    memset(plan, 0, sizeof *plan);
}
