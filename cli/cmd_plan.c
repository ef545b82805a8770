/* cmd_plan.c - trebuchet plan: the missing tables, as jobs for several processes or machines.
 *
 * Each job is "trebuchet gen ... --only MATERIAL" in one folder. A job does nothing if its table exists.
 * So jobs can be run again at any time, and the printed plan stays valid after some tables are made. */
#include <inttypes.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/estimate.h"
#include "cli/folders.h"
#include "cli/gen_options.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/system/tool.h"

/* The job that makes one table, a step of the plan. */
typedef struct Job {
    const GenerateStep *step;
    char name[MATERIAL_NAME_SIZE];
    size_t after[MATERIAL_SUB_ENDINGS_MAX]; /* indices of the jobs that this one needs */
    int afters;
    int round;      /* from 1; a job needs only jobs of earlier rounds */
    uint64_t least, fast; /* bytes of memory: the least, and with which it is fast */
    uint64_t class; /* bytes of memory, one of a few sizes */
    double seconds; /* estimate of the time it takes */
    double end; /* seconds after the start when it ends, if every job starts as early as possible */
} Job;

typedef struct Jobs {
    const GenArgs *args;
    const Estimate *estimate;
    Job *job;
    size_t count;
    int rounds, threads;
    char tool[TOOL_PATH], tables[TOOL_PATH];
} Jobs;

/* ---- Memory ---------------------------------------------------------------------------------- */

static const uint64_t mib = 1 << 20;

/* The value of --memory for a job of that size. The rest is for memory that `gen` does not count. */
static uint64_t within(uint64_t class) { return class - class / 16; }

/* Chooses the memory of a job: the smallest of a few sizes that makes it fast, at most --memory. Returns
 * false after reporting that it needs more than --memory. */
static bool choose_class(const GenArgs *args, Job *job)
{
    const uint64_t most = args->options.memory, best = job->fast;
    for (job->class = 512 * mib; within(job->class) < best;) job->class *= 2;
    if (most == 0 || job->class <= most) return true;
    job->class = most / mib * mib;
    if (job->least <= within(job->class)) return true;
    char need[16];
    cli_format_size(job->least + job->least / 15, need);
    cli_error(args->command, "%s needs at least %s of memory, which is more than --memory allows",
              job->name, need);
    return false;
}

/* ---- The jobs -------------------------------------------------------------------------------- */

/* Finds the jobs that a job needs, its round, and the time when it ends at the earliest. */
static void find_afters(Jobs *jobs, Job *job)
{
    Material sub_ending[MATERIAL_SUB_ENDINGS_MAX];
    double begin = 0;
    int count = material_sub_endings(&job->step->material, sub_ending, NULL);
    job->round = 1;
    for (size_t i = 0; i < (size_t)(job - jobs->job); i++) {
        const Job *other = &jobs->job[i];
        bool needed = false;
        for (int k = 0; k < count && !needed; k++)
            needed = material_equal(&sub_ending[k], &other->step->material);
        if (!needed) continue;
        job->after[job->afters++] = i;
        if (other->round >= job->round) job->round = other->round + 1;
        if (other->end > begin) begin = other->end;
    }
    job->end = begin + job->seconds;
    if (job->round > jobs->rounds) jobs->rounds = job->round;
}

/* Marks the steps before step `i` that it reads from files. */
static void mark_read(const GeneratePlan *plan, size_t i, bool *needed)
{
    Material material[MATERIAL_SUB_ENDINGS_MAX];
    uint8_t turns[MATERIAL_SUB_ENDINGS_MAX];
    const int count = generate_step_reads(&plan->step[i], material, turns);
    for (size_t j = 0; j < i; j++)
        for (int k = 0; k < count && plan->step[j].read; k++)
            needed[j] = needed[j] || material_equal(&material[k], &plan->step[j].material);
}

/* Finds the memory of a job, which also reads tables that are there, and adds the time for it. To read a table takes
 * what completes its cells, so tables are read that are no sub-endings of the job's own. */
static bool find_memory(const Jobs *jobs, Job *job)
{
    const Estimate *e = jobs->estimate;
    const size_t own = (size_t)(job->step - e->plan.step);
    bool *needed = calloc(own + 1, sizeof *needed);
    if (needed == NULL) return cli_no_memory(jobs->args->command) == CLI_OK;
    job->least = job->step->memory;
    job->fast = generate_step_fast(job->step);
    mark_read(&e->plan, own, needed);
    for (size_t i = own; i-- > 0;) {
        const GenerateStep *step = &e->plan.step[i];
        if (!needed[i]) continue;
        mark_read(&e->plan, i, needed);
        if (step->memory > job->least) job->least = step->memory;
        job->seconds += estimate_step_seconds(step, &jobs->args->options, e->pace > 0 ? e->pace : 1);
    }
    if (job->fast < job->least) job->fast = job->least;
    free(needed);
    return true;
}

static bool list_jobs(Jobs *jobs)
{
    const Estimate *e = jobs->estimate;
    const GenerateOptions *o = &jobs->args->options;
    jobs->job = calloc(e->plan.steps + 1, sizeof *jobs->job);
    if (jobs->job == NULL) return cli_no_memory(jobs->args->command) == CLI_OK;
    for (size_t i = 0; i < e->plan.steps; i++) {
        Job *job = &jobs->job[jobs->count];
        job->step = &e->plan.step[i];
        /* Two bare kings take no time: the first job that needs them solves them. Tables that are there are read by the
         * jobs that need them. */
        if (material_men(&job->step->material) <= 2 || job->step->read) continue;
        material_name(&job->step->material, job->name);
        job->seconds = estimate_step_seconds(job->step, o, e->pace > 0 ? e->pace : 1);
        if (!find_memory(jobs, job)) return false;
        if (!choose_class(jobs->args, job)) return false;
        jobs->count++;
        find_afters(jobs, job);
    }
    return true;
}

/* Finds the absolute paths of the command and of the tables. */
static bool find_paths(Jobs *jobs)
{
    if (!tool_program(jobs->tool, sizeof jobs->tool)) strcpy(jobs->tool, "trebuchet");
    if (tool_absolute(jobs->args->options.directory, jobs->tables, sizeof jobs->tables) &&
        strchr(jobs->tables, '\n') == NULL)
        return true;
    cli_error(
        jobs->args->command,
        "the path of the folder is too long or has a line break, so it cannot be written into a script");
    return false;
}

static double longest_chain(const Jobs *jobs)
{
    double most = 0;
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->job[i].end > most) most = jobs->job[i].end;
    return most;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void print_text(const Jobs *jobs)
{
    const GenerateOptions *o = &jobs->args->options;
    char count[32], least[16], fast[16], files[16], scratch[16], time[16];
    double sum = 0;
    if (jobs->count == 0) {
        printf("nothing to do: all these tables are in %s already\n", o->directory);
        return;
    }
    printf("%-12s %5s %17s  %8s %9s %8s %8s  %7s\n", "table", "round", "positions", "memory",
           "fast from", "files", "scratch", "time");
    for (size_t i = 0; i < jobs->count; i++) {
        const Job *job = &jobs->job[i];
        cli_format_count(job->step->cells, count);
        cli_format_size(job->least, least);
        cli_format_size(job->fast, fast);
        cli_format_size(estimate_step_result(job->step, o), files);
        cli_format_size(estimate_step_scratch(job->step, o), scratch);
        cli_format_time(job->seconds, time);
        printf("%-12s %5d %17s  %8s %9s %8s %8s  %7s\n", job->name, job->round, count, least, fast,
               job->step->write ? files : "there", scratch, time);
        sum += job->seconds;
    }
    cli_format_time(sum, time);
    printf("\n%zu job%s in %d round%s: %s one after the other", jobs->count,
           jobs->count == 1 ? "" : "s", jobs->rounds, jobs->rounds == 1 ? "" : "s", time);
    cli_format_time(longest_chain(jobs), time);
    printf(", %s with one machine for each job.\n", time);
    printf("Times are for this machine and its present load, with %d thread%s per job.\n"
           "'trebuchet plan --to make' and '--to slurm' print the jobs.\n",
           jobs->threads, jobs->threads == 1 ? "" : "s");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *job_json(const Jobs *jobs, const Job *job)
{
    const GenerateOptions *o = &jobs->args->options;
    json_t *object = estimate_step_json(job->step, o, jobs->estimate->pace), *after = json_array();
    json_object_set_new(object, "memory_bytes", json_integer((json_int_t)job->least));
    if (jobs->estimate->pace > 0) json_object_set_new(object, "seconds", cli_json_real(job->seconds, 1));
    for (int i = 0; i < job->afters; i++)
        json_array_append_new(after, json_string(jobs->job[job->after[i]].name));
    json_object_set_new(object, "fast_memory_bytes",
                        json_integer((json_int_t)job->fast));
    json_object_set_new(object, "round", json_integer(job->round));
    json_object_set_new(object, "after", after);
    char *words;
    if (asprintf(&words, "%s --threads %d --memory %" PRIu64 "MiB --only %s", jobs->args->words,
                 jobs->threads, within(job->class) / mib, job->name) < 0)
        return object;
    /* The words of our own have no spaces. The folder may have some. */
    json_t *command = json_pack("[o, s, s, o]", cli_json_text(jobs->tool), "gen", "--tables",
                                cli_json_text(jobs->tables));
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        json_array_append_new(command, json_string(word));
    json_object_set_new(object, "command", command);
    free(words);
    return object;
}

static int print_json(const Jobs *jobs)
{
    json_t *list = json_array(), *total = estimate_total_json(jobs->estimate, &jobs->args->options);
    for (size_t i = 0; i < jobs->count; i++)
        json_array_append_new(list, job_json(jobs, &jobs->job[i]));
    json_object_set_new(total, "chain_seconds", cli_json_real(longest_chain(jobs), 1));
    return cli_json_answer(jobs->args->command,
                           json_pack("{s:o, s:i, s:o, s:o}", "directory",
                                     cli_json_text(jobs->tables), "rounds", jobs->rounds, "jobs",
                                     list, "total", total));
}

/* ---- make ------------------------------------------------------------------------------------ */

/* Prints a text in single quotes for the shell. In a makefile, $ is doubled and # is escaped. */
static void print_quoted(const char *text, bool make)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\''");
        else if (*text == '$' && make)
            printf("$$");
        else if (*text == '#' && make)
            printf("\\#");
        else
            putchar(*text);
    }
    putchar('\'');
}

static void print_make(const Jobs *jobs)
{
    printf(
        "# Written by trebuchet plan %s: make -j2 -f FILE makes the tables, two at a time.\n"
        "# Each job takes THREADS threads and the memory that its line says. It can be run again at any time.\n\n"
        "THREADS = %d\nTREBUCHET = ",
        jobs->args->words, jobs->threads);
    print_quoted(jobs->tool, true);
    printf("\nTABLES = ");
    print_quoted(jobs->tables, true);
    printf("\nGEN = $(TREBUCHET) gen --quiet --tables $(TABLES) %s --threads $(THREADS)\n\n"
           "all:",
           jobs->args->words);
    for (size_t i = 0; i < jobs->count; i++) printf(" %s", jobs->job[i].name);
    printf("\n\n.PHONY: all");
    for (size_t i = 0; i < jobs->count; i++) printf(" %s", jobs->job[i].name);
    printf("\n");
    for (size_t i = 0; i < jobs->count; i++) {
        const Job *job = &jobs->job[i];
        printf("\n%s:", job->name);
        for (int k = 0; k < job->afters; k++) printf(" %s", jobs->job[job->after[k]].name);
        printf("\n\t@$(GEN) --memory %" PRIu64 "MiB --only $@ && echo $@\n",
               within(job->class) / mib);
    }
}

/* ---- Slurm ----------------------------------------------------------------------------------- */

/* A Slurm array: jobs of one round with the same memory. */
typedef struct Array {
    size_t first, count; /* in the order of compare_jobs */
    double seconds;      /* time of the longest job */
} Array;

enum { ARRAY_MOST = 1000 /* the most jobs of an array in the default configuration of Slurm */ };

static const char slurm_job[] =
    "#!/bin/sh\n"
    "# One table of an array.\n"
    "tool=$1 tables=$2 memory=$3\n"
    "shift 3\n"
    "shift \"$SLURM_ARRAY_TASK_ID\"\n"
    "\"$tool\" gen --tables \"$tables\" %s --threads \"${SLURM_CPUS_PER_TASK:-1}\" --memory \"$memory\" --only \"$1\" &\n"
    "run=$! code=0 again=no\n"
    "# Slurm says when time is nearly up. What is done is saved then, and goes on when the job is begun again.\n"
    "trap 'again=yes; kill -TERM $run' USR1\n"
    "trap 'kill -TERM $run' TERM INT\n"
    "wait $run || code=$?\n"
    "while kill -0 $run 2>/dev/null; do code=0; wait $run || code=$?; done\n"
    "[ $again = no ] || [ $code = 0 ] || scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
    "exit $code\n";

static const char slurm_submit[] =
    "# submit ROUND MEMORY LIMIT TIME AFTER TABLE...: an array, which begins when those of AFTER have ended well.\n"
    "submit() {\n"
    "    round=$1 name=trebuchet-$1-$2 memory=$2 limit=$3 time=$4 after=$5\n"
    "    shift 5\n"
    "    id=$(sbatch --parsable --job-name=\"$name\" --array=0-$(($# - 1)) --cpus-per-task=\"$CPUS\" --mem=\"$memory\" \\\n"
    "        --time=\"$time\" ${after:+--dependency=afterok:$after --kill-on-invalid-dep=yes} --requeue --open-mode=append \\\n"
    "        --signal=B:USR1@300 --output=\"$LOGS/$name-%A-%a.log\" \"$job\" \"$TREBUCHET\" \"$TABLES\" \"$limit\" \"$@\")\n"
    "    id=${id%%;*}\n"
    "    echo \"job $id: $# of round $round, from $1 on, with $memory each\"\n"
    "}\n";

static int compare_jobs(const void *a, const void *b)
{
    const Job *x = *(const Job *const *)a, *y = *(const Job *const *)b;
    if (x->round != y->round) return x->round < y->round ? -1 : 1;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Prints the arrays that must end before `array` begins: those with a job that one of its jobs needs. */
static void print_after(Job *const *order, const Array *array, const Array *all,
                        const size_t *array_of)
{
    bool first = true;
    for (size_t other = 0; &all[other] < array; other++) {
        bool needed = false;
        for (size_t i = 0; i < array->count && !needed; i++) {
            const Job *job = order[array->first + i];
            for (int k = 0; k < job->afters && !needed; k++)
                needed = array_of[job->after[k]] == other;
        }
        if (!needed) continue;
        printf("%s$a%zu", first ? "" : ":", other + 1);
        first = false;
    }
}

static size_t cut_arrays(Job *const *order, size_t count, const Job *first, Array *array,
                         size_t *array_of)
{
    size_t arrays = 0;
    for (size_t i = 0; i < count; i++) {
        const Job *job = order[i], *before = i > 0 ? order[i - 1] : NULL;
        if (before == NULL || before->round != job->round || before->class != job->class ||
            array[arrays - 1].count == ARRAY_MOST)
            array[arrays++] = (Array){.first = i};
        Array *a = &array[arrays - 1];
        a->count++;
        if (job->seconds > a->seconds) a->seconds = job->seconds;
        array_of[job - first] = arrays - 1;
    }
    return arrays;
}

/* Writes a generous time limit: a job that reaches it continues later, but must wait for a machine
 * again. */
static void format_limit(double seconds, char out[32])
{
    const long minutes = 15 + (long)(4 * seconds / 60);
    snprintf(out, 32, "%ld:%02ld:00", minutes / 60, minutes % 60);
}

static void print_arrays(Job *const *order, const Array *array, size_t arrays,
                         const size_t *array_of)
{
    for (size_t i = 0; i < arrays; i++) {
        const uint64_t class = order[array[i].first]->class;
        char limit[32];
        format_limit(array[i].seconds, limit);
        printf("submit %d %" PRIu64 "M %" PRIu64 "MiB %s \"", order[array[i].first]->round,
               class / mib, within(class) / mib, limit);
        print_after(order, &array[i], array, array_of);
        printf("\"");
        for (size_t k = 0; k < array[i].count; k++) printf(" %s", order[array[i].first + k]->name);
        printf("\na%zu=$id\n", i + 1);
    }
}

static int print_slurm(const Jobs *jobs)
{
    Job **order = calloc(jobs->count + 1, sizeof *order);
    Array *array = calloc(jobs->count + 1, sizeof *array);
    size_t *array_of = calloc(jobs->count + 1, sizeof *array_of);
    int code = CLI_OK;
    if (order == NULL || array == NULL || array_of == NULL) {
        code = cli_no_memory(jobs->args->command);
    } else {
        for (size_t i = 0; i < jobs->count; i++) order[i] = &jobs->job[i];
        qsort(order, jobs->count, sizeof *order, compare_jobs);
        size_t arrays = cut_arrays(order, jobs->count, jobs->job, array, array_of);
        printf(
            "#!/bin/sh\n"
            "# Written by trebuchet plan %s: gives %zu jobs to Slurm, in %zu arrays. It can be run again at any time:\n"
            "# what has been made is recognised. Partition, account and the like: SBATCH_PARTITION, SBATCH_ACCOUNT, ...\n"
            "set -eu\nTREBUCHET=",
            jobs->args->words, jobs->count, arrays);
        print_quoted(jobs->tool, false);
        printf("\nTABLES=");
        print_quoted(jobs->tables, false);
        printf("\nCPUS=${CPUS:-%d}\nLOGS=${LOGS:-trebuchet-logs}\nmkdir -p \"$LOGS\" \"$TABLES\"\n"
               "job=$(mktemp)\ntrap 'rm -f \"$job\"' EXIT\ncat >\"$job\" <<'END'\n",
               jobs->threads);
        printf(slurm_job, jobs->args->words);
        printf("END\n%s\n", slurm_submit);
        print_arrays(order, array, arrays, array_of);
    }
    free(order);
    free(array);
    free(array_of);
    return code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int print_jobs(const Jobs *jobs)
{
    switch (jobs->args->to) {
    case PLAN_JSON:
        return print_json(jobs);
    case PLAN_SLURM:
        return print_slurm(jobs);
    case PLAN_MAKE:
        print_make(jobs);
        return CLI_OK;
    default:
        print_text(jobs);
        return CLI_OK;
    }
}

static int plan_with(GenArgs *args)
{
    Estimate e;
    treb_error error;
    Jobs jobs = {.args = args, .estimate = &e, .threads = omp_get_max_threads()};
    /* The limit of --memory is applied to each job, in choose_class. */
    GenerateOptions options = args->options;
    options.memory = 0;
    if (estimate_make(&options, args->material, args->materials, &e, &error) != TREB_OK)
        return cli_fail(args->command, &error);
    /* A makefile has no times. */
    if (e.plan.steps > 0 && args->to != PLAN_MAKE) estimate_pace(&e, &options);
    int code = find_paths(&jobs) && list_jobs(&jobs) ? print_jobs(&jobs) : CLI_FAILED;
    free(jobs.job);
    estimate_free(&e);
    return code;
}

int cli_plan(int argc, char **argv)
{
    GenArgs args = {.command = "plan", .options = gen_defaults};
    int code = gen_parse_plan(&args, argc, argv);
    CliDirs dirs = {0};
    if (code < 0) {
        gen_choose_folder(&args.options.directory, &dirs);
        code = cli_refuse_addresses("plan", &dirs) ? CLI_FAILED : plan_with(&args);
    }
    cli_dirs_free(&dirs);
    free(args.material);
    free(args.words);
    return cli_finish("plan", code);
}
