/* cmd_plan.c - trebuchet plan: the tables that are missing, as jobs for several processes or machines.
 *
 * Each job is "trebuchet gen ... --only MATERIAL" in one folder. It looks for itself whether there is something to do:
 * so jobs may be begun again at any time, and what is printed here stays right when some tables have been made. */
#include <inttypes.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/estimate.h"
#include "cli/gen_words.h"
#include "cli/json.h"

/* A step of the plan. */
typedef struct Job {
    const GenerateStep *step;
    char name[MATERIAL_NAME_SIZE];
    size_t after[MATERIAL_MAX_JUNIORS]; /* jobs that come first */
    int afters;
    int round;      /* those of a round need only such of earlier ones; from 1 on */
    uint64_t class; /* bytes of memory, as many jobs have them */
    double seconds; /* about */
    double end;     /* if every job began as soon as it can */
} Job;

typedef struct Jobs {
    const GenArgs *args;
    const Estimate *estimate;
    Job *job;
    size_t count;
    int rounds, threads;
    char tool[PATH_MAX], tables[PATH_MAX];
} Jobs;

/* ---- Memory ---------------------------------------------------------------------------------- */

static const uint64_t mib = 1 << 20;

/* What `gen` is told to stay below where a job has so much: the rest is for what nobody counts. */
static uint64_t within(uint64_t class) { return class - class / 16; }

/* Memory that makes it fast, in few sizes. */
static bool choose_class(const GenArgs *args, Job *job)
{
    const uint64_t most = args->options.memory, best = generate_step_fast(job->step);
    for (job->class = 512 * mib; within(job->class) < best;) job->class *= 2;
    if (most == 0 || job->class <= most) return true;
    job->class = most / mib * mib;
    if (job->step->memory <= within(job->class)) return true;
    char need[16];
    cli_format_size(job->step->memory + job->step->memory / 15, need);
    cli_error(args->command, "%s takes %s at least, which is more than --memory says", job->name,
              need);
    return false;
}

/* ---- The jobs -------------------------------------------------------------------------------- */

static void find_afters(Jobs *jobs, Job *job)
{
    Material junior[MATERIAL_MAX_JUNIORS];
    double begin = 0;
    int juniors = material_juniors(&job->step->material, junior, NULL);
    job->round = 1;
    for (size_t i = 0; i < (size_t)(job - jobs->job); i++) {
        const Job *other = &jobs->job[i];
        bool needed = false;
        for (int k = 0; k < juniors && !needed; k++)
            needed = material_equal(&junior[k], &other->step->material);
        if (!needed) continue;
        job->after[job->afters++] = i;
        if (other->round >= job->round) job->round = other->round + 1;
        if (other->end > begin) begin = other->end;
    }
    job->end = begin + job->seconds;
    if (job->round > jobs->rounds) jobs->rounds = job->round;
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
        /* Two bare kings are solved in no time by whoever comes first. */
        if (material_men(&job->step->material) <= 2) continue;
        material_name(&job->step->material, job->name);
        job->seconds = estimate_step_seconds(job->step, o, e->pace > 0 ? e->pace : 1);
        if (!choose_class(jobs->args, job)) return false;
        jobs->count++;
        find_afters(jobs, job);
    }
    return true;
}

/* Where the command and the tables are, for others: from the root. */
static bool find_paths(Jobs *jobs)
{
    const char *tables = jobs->args->options.directory;
    char here[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", jobs->tool, sizeof jobs->tool - 1);
    jobs->tool[length > 0 ? length : 0] = '\0';
    if (length <= 0) strcpy(jobs->tool, "trebuchet");
    if (getcwd(here, sizeof here) == NULL) here[0] = '\0';
    int size = tables[0] == '/'
                   ? snprintf(jobs->tables, sizeof jobs->tables, "%s", tables)
                   : snprintf(jobs->tables, sizeof jobs->tables, "%s/%s", here, tables);
    if (size > 0 && (size_t)size < sizeof jobs->tables && strchr(jobs->tables, '\n') == NULL)
        return true;
    cli_error(jobs->args->command, "the name of the folder cannot be written into a script");
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
        cli_format_size(job->step->memory, least);
        cli_format_size(generate_step_fast(job->step), fast);
        cli_format_size(estimate_step_result(job->step, o), files);
        cli_format_size(estimate_step_scratch(job->step, o), scratch);
        cli_format_time(job->seconds, time);
        printf("%-12s %5d %17s  %8s %9s %8s %8s  %7s\n", job->name, job->round, count, least, fast,
               job->step->write ? files : "there", scratch, time);
        sum += job->seconds;
    }
    cli_format_time(sum, time);
    printf("\n%zu jobs in %d rounds: %s one after the other", jobs->count, jobs->rounds, time);
    cli_format_time(longest_chain(jobs), time);
    printf(", %s with as many machines as there are jobs to do.\n", time);
    printf(
        "Times are of this machine as it is now, with %d threads a job. 'trebuchet plan --to make' or\n"
        "'--to slurm' writes the jobs.\n",
        jobs->threads);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *job_json(const Jobs *jobs, const Job *job)
{
    const GenerateOptions *o = &jobs->args->options;
    json_t *object = estimate_step_json(job->step, o, jobs->estimate->pace), *after = json_array();
    for (int i = 0; i < job->afters; i++)
        json_array_append_new(after, json_string(jobs->job[job->after[i]].name));
    json_object_set_new(object, "fast_memory_bytes",
                        json_integer((json_int_t)generate_step_fast(job->step)));
    json_object_set_new(object, "round", json_integer(job->round));
    json_object_set_new(object, "after", after);
    char *words;
    if (asprintf(&words, "%s --threads %d --memory %" PRIu64 "MiB --only %s", jobs->args->words,
                 jobs->threads, within(job->class) / mib, job->name) < 0)
        return object;
    /* Words of ours have no spaces in them; the folder may. */
    json_t *command = json_pack("[o, s, s, o]", cli_json_text(jobs->tool), "gen", "--tables",
                                cli_json_text(jobs->tables));
    char *rest = words;
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
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

/* In single quotes for the shell; for a makefile each $ twice. */
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

/* Jobs of a round with as much memory: an array. */
typedef struct Array {
    size_t first, count; /* in the order of compare_jobs */
    double seconds;      /* that the longest takes */
} Array;

enum { ARRAY_MOST = 1000 /* Slurm allows indices up to 1000, unless it is told otherwise */ };

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

/* Which arrays must have ended: of each, whether it has a job that comes before one of `array`. */
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

/* Generous: a job that is cut short goes on, but has waited for a machine twice. */
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
    /* What a job may have is looked at one by one. */
    GenerateOptions options = args->options;
    options.memory = 0;
    if (estimate_make(&options, args->material, args->materials, &e, &error) != TREB_OK)
        return cli_fail(args->command, &error, NULL);
    /* A makefile tells no time. */
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
        gen_choose_folder(&args, &dirs);
        code = cli_refuse_addresses("plan", &dirs) ? CLI_FAILED : plan_with(&args);
    }
    cli_dirs_free(&dirs);
    free(args.material);
    free(args.words);
    return cli_finish("plan", code);
}
