/* estimate.c - see estimate.h. */
#include "cli/estimate.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "core/machine.h"

/* A rough figure before anything is solved: what tables of five men came to, by cell. */
uint64_t estimate_step_result(const GenerateStep *step, unsigned metrics)
{
    static const double bytes[TREB_METRICS] = {0.011, 0.019, 0.026, 0.045};
    double sum = 0;
    for (int m = 0; m < TREB_METRICS && step->write; m++)
        if (metrics >> m & 1) sum += bytes[m] * (double)step->cells;
    return (uint64_t)sum;
}

treb_status estimate_make(const GenerateOptions *options, const Material *materials, size_t count,
                          Estimate *out, treb_error *error)
{
    *out = (Estimate){0};
    treb_status status = generate_plan(options, materials, count, &out->plan, error);
    if (status != TREB_OK) return status;
    for (size_t i = 0; i < out->plan.steps; i++) {
        const GenerateStep *step = &out->plan.step[i];
        out->tables += step->write;
        out->positions += step->cells;
        out->result += estimate_step_result(step, options->metrics);
    }
    out->worst = generate_plan_largest(&out->plan);
    if (out->plan.steps > 0) out->memory = out->plan.step[out->worst].memory;
    out->scratch = out->result;
    return TREB_OK;
}

void estimate_free(Estimate *estimate) { generate_plan_free(&estimate->plan); }

/* ---- Whether it can be done here ------------------------------------------------------------- */

bool estimate_refusal(const Estimate *e, const GenerateOptions *options, char *why, size_t size)
{
    char need[16], have[16];
    uint64_t memory = generate_memory_allowed(options);
    uint64_t disk = machine_free_disk(options->directory);
    uint64_t files = e->result + e->scratch;
    if (e->memory > memory) {
        cli_format_size(e->memory, need);
        cli_format_size(memory, have);
        snprintf(why, size, "takes %s of memory, and %s may be taken", need, have);
        return true;
    }
    if (files > disk) {
        cli_format_size(files, need);
        cli_format_size(disk, have);
        snprintf(why, size, "takes %s of disk, and %s are free in %s", need, have,
                 options->directory);
        return true;
    }
    return false;
}

/* ---- Telling --------------------------------------------------------------------------------- */

void estimate_print(const Estimate *e, const GenerateOptions *options)
{
    char text[32], memory[16], disk[16], name[MATERIAL_NAME_SIZE], why[512];
    if (e->plan.steps == 0) {
        printf("nothing to do: all these tables are in %s already\n", options->directory);
        return;
    }
    cli_format_count(e->positions, text);
    cli_format_size(e->memory, memory);
    cli_format_size(e->result, disk);
    material_name(&e->plan.step[e->worst].material, name);
    printf("tables     %zu to write\n", e->tables);
    printf("positions  %s to solve\n", text);
    printf("memory     %s at most, for %s; 0.3 GB more speeds it up\n", memory, name);
    printf("disk       about %s, and as much again for scratch files while it runs\n", disk);
    if (estimate_refusal(e, options, why, sizeof why))
        printf("here       not possible now: it %s\n", why);
    else
        printf("here       possible: so much memory and disk are free\n");
}

static void put_number(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *step_json(const GenerateStep *step, unsigned metrics)
{
    char name[MATERIAL_NAME_SIZE];
    json_t *object = json_object();
    material_name(&step->material, name);
    json_object_set_new(object, "material", json_string(name));
    put_number(object, "men", (uint64_t)material_men(&step->material));
    put_number(object, "positions", step->cells);
    put_number(object, "memory_bytes", step->memory);
    put_number(object, "result_bytes", estimate_step_result(step, metrics));
    json_object_set_new(object, "written", json_boolean(step->write));
    return object;
}

json_t *estimate_json(const Estimate *e, const GenerateOptions *options)
{
    char why[512];
    json_t *object = json_object(), *steps = json_array(), *total = json_object();
    for (size_t i = 0; i < e->plan.steps; i++)
        json_array_append_new(steps, step_json(&e->plan.step[i], options->metrics));
    put_number(total, "tables", e->tables);
    put_number(total, "positions", e->positions);
    put_number(total, "memory_bytes", e->memory);
    put_number(total, "result_bytes", e->result);
    put_number(total, "scratch_bytes", e->scratch);
    json_object_set_new(object, "directory", cli_json_text(options->directory));
    json_object_set_new(object, "tables", steps);
    json_object_set_new(object, "total", total);
    put_number(object, "memory_free_bytes", machine_free_memory());
    put_number(object, "disk_free_bytes", machine_free_disk(options->directory));
    bool refused = estimate_refusal(e, options, why, sizeof why);
    json_object_set_new(object, "possible", json_boolean(!refused));
    json_object_set_new(object, "why_not", refused ? cli_json_text(why) : json_null());
    return object;
}
