/* estimate.c - see estimate.h. */
#include "cli/estimate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/folders.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "core/system/machine.h"
#include "core/system/tool.h"

/* ---- Disk ------------------------------------------------------------------------------------ */

/* Average bytes per position of the files, with both sides to move counted as two positions: of all
 * tables of five men (docs/performance.md), and of the tables of six men that were made
 * (docs/six-men.md). Indices: six men, pawns, metric. */
static const double file_bytes[2][2][TREB_METRICS] = {
    {{0.0049, 0.0246, 0.0252, 0.035}, {0.0089, 0.0102, 0.0276, 0.059}},
    {{0.009, 0.011, 0.012, 0.04}, {0.0095, 0.0105, 0.0276, 0.059}}};
static const double syzygy_bytes[2][TREB_METRICS] = {{0.0044, 0.019}, {0.0101, 0.0095}};

/* Bytes of DTM50 files as a part of those of DTM files, of five men: 0.01 to 13, and this of all. */
static const double dtm50_part = 1.5;

/* Average bytes of the scratch files per position and side to move that other tables need. Indices:
 * with distances to mate (else to zeroing), pawns. */
static const double scratch_bytes[2][2] = {{0.081, 0.095}, {0.31, 0.42}};

/* Returns whether a metric is made. Verdicts are always made, because distances need them. */
static bool wanted(const GenerateOptions *options, int metric)
{
    return metric == TREB_WDL || options->metrics >> metric & 1;
}

uint64_t estimate_step_result(const GenerateStep *step, const GenerateOptions *options)
{
    const bool pawns = material_has_pawns(&step->material);
    const double *bytes = options->syzygy ? syzygy_bytes[pawns]
                                          : file_bytes[material_men(&step->material) > 5][pawns];
    double sum = 0;
    /* The distances of a table without pawns are in one file (TableHeader.as_dtz), up to five men always, and
     * nearly always of six. */
    const bool dtc_is_dtz = !pawns && wanted(options, TREB_DTZ);
    for (int m = 0; m < TREB_METRICS && step->write; m++)
        if (wanted(options, m) && !(m == TREB_DTC && dtc_is_dtz)) sum += bytes[m] * (double)(step->cells << step->pair);
    if (step->write && wanted(options, TREB_DTM50))
        sum += dtm50_part * bytes[TREB_DTM] * (double)(step->cells << step->pair);
    return (uint64_t)sum;
}

uint64_t estimate_step_scratch(const GenerateStep *step, const GenerateOptions *options)
{
    bool mates = options->metrics >> TREB_DTM & 1;
    if (generate_solved_before(step, options)) return 0; /* it exists on the disk */
    /* What is read from files stays in memory, or in a file without a name if there is too little. */
    if (step->read && generate_memory_allowed(options) > step->memory + step->store) return 0;
    double cells = 0.5 * (double)(step->cells << step->pair) * step->requested;
    if (wanted(options, TREB_DTM50)) cells *= 2;
    return (uint64_t)(scratch_bytes[mates][material_has_pawns(&step->material)] * cells);
}

/* Bytes per cell while a table is made, by metric: of cells that wait until the table is complete, and of
 * the parts of the logs that do not fit into memory. Measured with KRNvKNN, and with KRPvKRP and all
 * tables that it needs. */
static const double waiting_bytes[TREB_METRICS] = {0.063, 0.125, 0.125, 0.216};
static const double log_bytes[TREB_METRICS] = {0, 0.3, 0.2, 0.5};

/* Bytes on the disk of the slices that pawn pushes lead to, if they do not fit into memory: as much as
 * larger endings need, and distances to conversion. */
static double filed_pushes(const GenerateStep *step, const GenerateOptions *options)
{
    const Material *m = &step->material;
    const int sides = (m->count[TREB_WHITE][TREB_PAWN] > 0) + (m->count[TREB_BLACK][TREB_PAWN] > 0);
    const bool mates = options->metrics >> TREB_DTM & 1, dtc = options->metrics >> TREB_DTC & 1;
    if (step->pushes == 0 ||
        generate_memory_allowed(options) >= step->solving + step->pushes + step->sets)
        return 0;
    return 0.5 * (double)(step->cells << step->pair) * sides * scratch_bytes[mates][1] * (1 + dtc);
}

static uint64_t step_working(const GenerateStep *step, const GenerateOptions *options)
{
    if (step->read) return 0;
    uint64_t memory = generate_memory_allowed(options), spare = 0;
    /* The logs are those of one slice. */
    const double slice = (double)step->cells / (double)step->slices;
    double waiting = 0, logs = 0;
    for (int m = 0; m < TREB_METRICS; m++) {
        bool asked = wanted(options, m);
        if (asked && step->write) waiting += waiting_bytes[m];
        /* Without pawns, DTC is mostly equal to DTZ. */
        bool solved = asked && (m != TREB_DTC || material_has_pawns(&step->material));
        if (solved || m == TREB_DTZ) logs += log_bytes[m] * slice;
    }
    /* If the run saves its state for a later run, the logs are on the disk in any case. */
    if (memory > step->memory && !generate_step_saved(step, options))
        spare = (memory - step->memory) / 2;
    logs -= (double)spare;
    uint64_t sets = memory < step->solving + step->sets ? step->sets + step->sets / 16 : 0;
    const double pushes = filed_pushes(step, options);
    return (uint64_t)(waiting * (double)step->cells + (logs > 0 ? logs : 0) + pushes) + sets;
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* Seconds per billion cells to solve and to write, by metric, on two threads of one core of a server's
 * processor (docs/six-men.md), and seconds to learn the codes of all four metrics. Indices: six men;
 * no pawn, one pawn, more pawns. Without pawns, DTC is mostly equal to DTZ. Learning takes less in small
 * tables: at most learn_cells seconds per cell. */
static const struct {
    double solve[TREB_METRICS], write[TREB_METRICS], learn;
} rates[2][3] = {{{{1.25, 2, 0, 1.75}, {4.75, 5.7, 0.95, 7.6}, 3},
                  {{2, 3, 2.5, 2.5}, {8.5, 6.8, 8.5, 10.2}, 10},
                  {{2, 3, 2.5, 2.5}, {8.5, 6.8, 8.5, 10.2}, 10}},
                 {{{2.7, 4.1, 0, 6}, {5.4, 3.3, 1, 5}, 3},
                  {{3.1, 4.6, 5, 7.4}, {5.5, 2, 5, 5}, 8},
                  {{9, 13, 8, 9}, {7, 4, 5, 5}, 8}}};
static const double learn_cells = 4e-7;
/* Seconds per billion positions to solve DTM50, of all tables of up to four men, and of five. */
static const double dtm50_rate[2] = {50, 280};
/* A cell that stands for two positions takes longer by these factors. Index: pawns. */
static const double pair_solve[2] = {1.6, 1.5}, pair_write[2] = {1.6, 2.1};
/* Tables of six men without pawns take longer by queen_part for each queen, up to two; and by
 * exchange_part if a side has a rook for a knight or bishop and the other side has a knight, because those
 * wins are long, as in KRNvKNN. */
static const double queen_part = 0.4, exchange_part = 0.5;
static const double zstd_part = 0.25; /* time to write with zstd, as a part of that with symbols */
static const double syzygy_part = 1.6; /* time to write Syzygy's pairs of files (docs/performance.md), likewise */
static const double pace_seconds = 1.0;
static const char pace_material[] = "KRvKN";

/* Returns whether one side is ahead by the difference between a rook and a minor piece and the other side
 * has a knight. */
static bool exchange_up(const Material *m)
{
    static const int worth[TREB_TYPES] = {
        [TREB_PAWN] = 1, [TREB_KNIGHT] = 3, [TREB_BISHOP] = 3, [TREB_ROOK] = 5, [TREB_QUEEN] = 9};
    int more = 0;
    for (int type = TREB_PAWN; type <= TREB_QUEEN; type++)
        more += worth[type] * (m->count[TREB_WHITE][type] - m->count[TREB_BLACK][type]);
    const int weaker = more > 0 ? TREB_BLACK : TREB_WHITE;
    return (more == 2 || more == -2) && m->count[weaker][TREB_KNIGHT] > 0;
}

/* Returns the factor by which a material takes longer than others. */
static double hardness(const Material *m)
{
    if (material_men(m) < 6 || material_has_pawns(m)) return 1;
    const int queens = m->count[TREB_WHITE][TREB_QUEEN] + m->count[TREB_BLACK][TREB_QUEEN];
    return 1 + queen_part * (queens < 2 ? queens : 2) + exchange_part * exchange_up(m);
}

/* Seconds per billion cells of a side to move to read a table that is there. For each file, of verdicts and of distances
 * to mate: of all cells, and of those that are read. And more of the latter, if the side is not in the files and all of
 * its moves are looked at. */
static const double read_unpacked = 0.35, read_values = 2.65, read_moves = 8;

static double read_seconds(const GenerateStep *step, const GenerateOptions *options)
{
    const int files = options->metrics >> TREB_DTM & 1 ? 2 : 1;
    double sum = 0;
    for (int side = 0; side < 2; side++)
        if (generate_step_sides(step) >> side & 1)
            sum += files * read_unpacked +
                   step->part[side] * (files * read_values + (step->moves[side] == MOVES_ALL ? read_moves : 0));
    return 0.5e-9 * (double)step->cells * sum;
}

EstimateTime estimate_step_time(const GenerateStep *step, const GenerateOptions *options)
{
    if (step->read) return (EstimateTime){read_seconds(step, options), 0};
    const Material *m = &step->material;
    const int count = m->count[TREB_WHITE][TREB_PAWN] + m->count[TREB_BLACK][TREB_PAWN];
    const int kind = count < 2 ? count : 2;
    const bool pawns = count > 0, six = material_men(m) > 5;
    const double billions = 1e-9 * (double)step->cells, most = rates[six][kind].learn,
                 learn = learn_cells * (double)step->cells, harder = hardness(m);
    EstimateTime t = {0, 0};
    for (int metric = 0; metric < TREB_METRICS; metric++) {
        bool asked = wanted(options, metric);
        if (asked || metric == TREB_DTZ) t.solve += billions * rates[six][kind].solve[metric];
        if (!asked || !step->write) continue;
        t.write +=
            billions * rates[six][kind].write[metric] * (step->pair ? pair_write[pawns] : 1) +
            (learn < most ? learn : most) / TREB_METRICS;
    }
    if (wanted(options, TREB_DTM50) && step->write)
        t.write += billions * rates[six][kind].write[TREB_DTM] + (learn < most ? learn : most) / TREB_METRICS;
    if (step->pair) t.solve *= pair_solve[pawns];
    if (wanted(options, TREB_DTM50)) t.solve += 1e-9 * (double)step->places * dtm50_rate[material_men(m) > 4];
    if (options->syzygy)
        t.write *= syzygy_part;
    else if (options->codec != TABLE_SYMBOLS)
        t.write *= zstd_part;
    t.solve *= harder;
    t.write *= harder;
    return t;
}

double estimate_step_seconds(const GenerateStep *step, const GenerateOptions *options, double pace)
{
    const EstimateTime t = estimate_step_time(step, options);
    return (t.solve + t.write) * pace;
}

static double all_seconds(const Estimate *e, const GenerateOptions *options)
{
    double seconds = 0;
    for (size_t i = 0; i < e->plan.steps; i++)
        seconds += estimate_step_seconds(&e->plan.step[i], options, e->pace);
    return seconds;
}

static void count_nothing(void *context, size_t step, const GenerateReport *report)
{
    (void)context, (void)step, (void)report;
}

/* Makes the small ending in a folder. Returns false if that fails. */
static bool make_small(const char *folder)
{
    GenerateOptions options = {
        .directory = folder, .metrics = (1u << TREB_METRICS) - 1, .codec = TABLE_SYMBOLS};
    GeneratePlan plan;
    Material material;
    treb_error error;
    bool stopped;
    if (!material_parse(pace_material, &material) ||
        generate_plan(&options, &material, 1, &plan, &error) != TREB_OK)
        return false;
    treb_status status = generate_run(&options, &plan, count_nothing, NULL, &stopped, &error);
    generate_plan_free(&plan);
    return status == TREB_OK;
}

void estimate_pace(Estimate *e, const GenerateOptions *options)
{
    enum { SHORT = 60 /* seconds: a measurement is not worth it */ };
    char folder[4096];
    e->pace = 1;
    if (all_seconds(e, options) < SHORT) return;
    e->pace = 0;
    if (!tool_temporary_folder(folder, sizeof folder)) return;
    double start = clock_seconds();
    if (make_small(folder)) e->pace = (clock_seconds() - start) / pace_seconds;
    cli_remove_folder(folder);
}

treb_status estimate_make(const GenerateOptions *options, const Material *materials, size_t count,
                          Estimate *out, treb_error *error)
{
    *out = (Estimate){0};
    treb_status status = generate_plan(options, materials, count, &out->plan, error);
    if (status != TREB_OK) return status;
    uint64_t most = 0;
    for (size_t i = 0; i < out->plan.steps; i++) {
        const GenerateStep *step = &out->plan.step[i];
        out->tables += step->write;
        out->read += step->read;
        if (!step->read) out->positions += step->cells;
        out->result += estimate_step_result(step, options);
        out->scratch += estimate_step_scratch(step, options);
        uint64_t working = step_working(step, options);
        if (working > most) most = working;
    }
    out->scratch += most;
    out->worst = generate_plan_largest(&out->plan);
    if (out->plan.steps > 0) out->memory = out->plan.step[out->worst].memory;
    return TREB_OK;
}

void estimate_free(Estimate *estimate) { generate_plan_free(&estimate->plan); }

/* ---- Whether it can be done here ------------------------------------------------------------- */

bool estimate_disk_refusal(const Estimate *e, const GenerateOptions *options, char *why,
                           size_t size)
{
    char need[16], files[16], scratch[16], have[16];
    uint64_t disk = machine_free_disk(options->directory);
    if (e->plan.steps == 0) return false;
    if (!cli_may_write(options->directory)) {
        snprintf(why, size, "needs to write into %s: %s", options->directory, strerror(errno));
        return true;
    }
    if (e->result + e->scratch <= disk) return false;
    cli_format_size(e->result + e->scratch, need);
    cli_format_size(e->result, files);
    cli_format_size(e->scratch, scratch);
    cli_format_size(disk, have);
    snprintf(why, size,
             "takes about %s of disk space (%s, and %s more while it runs), and %s are free in %s",
             need, files, scratch, have, options->directory);
    return true;
}

bool estimate_refusal(const Estimate *e, const GenerateOptions *options, char *why, size_t size)
{
    char need[16], have[16];
    uint64_t memory = generate_memory_allowed(options);
    if (e->memory <= memory) return estimate_disk_refusal(e, options, why, size);
    cli_format_size(e->memory, need);
    cli_format_size(memory, have);
    snprintf(why, size, "takes %s of memory, and %s are available", need, have);
    return true;
}

/* ---- Printing --------------------------------------------------------------------------------- */

/* Writes "40 seconds", "17 minutes". */
static void format_time(double seconds, char out[32])
{
    static const char *const units[] = {"seconds", "minutes", "hours", "days"};
    static const double size[] = {1, 60, 3600, 86400};
    int unit = 0;
    while (unit < 3 && seconds >= 1.5 * size[unit + 1]) unit++;
    double value = seconds / size[unit];
    snprintf(out, 32, "%.*f %s", value < 10 && unit > 0, value, units[unit]);
}

void estimate_print(const Estimate *e, const GenerateOptions *options)
{
    char text[32], best[16], faster[64] = "", memory[16], disk[16], scratch[16],
                             name[MATERIAL_NAME_SIZE], why[512];
    if (e->plan.steps == 0) {
        printf("nothing to do: all these tables are in %s already\n", options->directory);
        return;
    }
    cli_format_count(e->positions, text);
    cli_format_size(e->memory, memory);
    cli_format_size(e->result, disk);
    cli_format_size(e->scratch, scratch);
    const GenerateStep *worst = &e->plan.step[e->worst];
    material_name(&worst->material, name);
    const uint64_t fast = generate_plan_fast(&e->plan);
    if (fast > worst->memory) {
        cli_format_size(fast, best);
        snprintf(faster, sizeof faster, ", especially from %s on", best);
    }
    printf("tables     %zu to write", e->tables);
    if (e->read > 0)
        printf("; what is needed of %zu %s is read from %s", e->read,
               cli_plural(e->read, "other", "others"), generate_finished_folder(options));
    printf("\n");
    printf("positions  %s to solve\n", text);
    printf("memory     at least %s, for %s; more makes it faster%s\n", memory, name, faster);
    printf("disk       about %s, and %s of scratch files while it runs\n", disk, scratch);
    if (e->pace > 0) {
        format_time(all_seconds(e, options), text);
        printf("time       about %s on this machine with its present load\n", text);
    }
    if (estimate_refusal(e, options, why, sizeof why))
        printf("here       not possible now: it %s\n", why);
    else
        printf("here       possible: enough memory and disk space are free\n");
}

static void put_number(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

/* UINT64_MAX: not known, null in JSON. */
static void put_free(json_t *object, const char *name, uint64_t value)
{
    if (value == UINT64_MAX)
        json_object_set_new(object, name, json_null());
    else
        put_number(object, name, value);
}

json_t *estimate_step_json(const GenerateStep *step, const GenerateOptions *options, double pace)
{
    char name[MATERIAL_NAME_SIZE];
    json_t *object = json_object();
    material_name(&step->material, name);
    json_object_set_new(object, "material", json_string(name));
    put_number(object, "men", (uint64_t)material_men(&step->material));
    put_number(object, "positions", step->cells);
    put_number(object, "memory_bytes", step->memory);
    put_number(object, "result_bytes", estimate_step_result(step, options));
    put_number(object, "scratch_bytes", estimate_step_scratch(step, options));
    if (pace > 0)
        json_object_set_new(object, "seconds",
                            cli_json_real(estimate_step_seconds(step, options, pace), 1));
    json_object_set_new(object, "written", json_boolean(step->write));
    json_object_set_new(object, "read", json_boolean(step->read));
    return object;
}

json_t *estimate_total_json(const Estimate *e, const GenerateOptions *options)
{
    json_t *total = json_object();
    put_number(total, "tables", e->tables);
    put_number(total, "positions", e->positions);
    put_number(total, "memory_bytes", e->memory);
    put_number(total, "result_bytes", e->result);
    put_number(total, "scratch_bytes", e->scratch);
    if (e->pace > 0) {
        json_object_set_new(total, "seconds", cli_json_real(all_seconds(e, options), 1));
        json_object_set_new(total, "pace", cli_json_real(e->pace, 3));
    }
    return total;
}

json_t *estimate_json(const Estimate *e, const GenerateOptions *options)
{
    char why[512];
    json_t *object = json_object(), *steps = json_array();
    for (size_t i = 0; i < e->plan.steps; i++)
        json_array_append_new(steps, estimate_step_json(&e->plan.step[i], options, e->pace));
    json_object_set_new(object, "directory", cli_json_text(options->directory));
    json_object_set_new(object, "tables", steps);
    json_object_set_new(object, "total", estimate_total_json(e, options));
    put_free(object, "memory_free_bytes", machine_free_memory());
    put_free(object, "disk_free_bytes", machine_free_disk(options->directory));
    bool refused = estimate_refusal(e, options, why, sizeof why);
    json_object_set_new(object, "possible", json_boolean(!refused));
    json_object_set_new(object, "why_not", refused ? cli_json_text(why) : json_null());
    return object;
}
