/* find_run.c - see find_run.h. */
#define _DEFAULT_SOURCE /* open_memstream */
#include "cli/find_run.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/cmd.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "core/system/clock.h"
#include "core/system/tool.h"
#include "find/sample.h"

enum {
    KEPT_MAX = 1 << 24, /* positions that are sorted at most: they take 2 GiB */
    CHUNK = 64          /* rows that a thread prints at a time */
};

/* A position that is printed at the end of the search. */
typedef struct Kept {
    Found found;
    uint64_t number; /* number in the order of the search */
} Kept;

typedef struct FindRun {
    const FindArgs *args;
    FindPrint print;
    CliProgress progress;
    const char *name;
    Kept *kept;
    size_t count, capacity;
    size_t start;     /* the first of `kept` that belongs to the ending that is searched */
    atomic_int floor; /* of the ending that is searched: FindQuery.floor */
    uint64_t seen;    /* number of positions found so far in the ending */
    uint64_t number;  /* in all endings */
    uint64_t found;   /* in all endings that are finished */
    size_t done;      /* number of endings finished */
    bool failed;
    int code; /* exit code of the failure; CLI_OK: the general one */
} FindRun;

static bool stopped(const FindArgs *args) { return atomic_load(args->query.stop); }

/* ---- Printing many rows ---------------------------------------------------------------------- */

/* Row `i` of a list whose rows are `size` bytes long and begin with a Found. */
static const Found *row_at(const void *list, size_t size, size_t i)
{
    return (const Found *)((const char *)list + i * size);
}

/* Prints rows with all threads, in their order. */
static void print_rows(FindRun *run, const void *list, size_t size, size_t count)
{
    const FindQuery *query = &run->args->query;
    const size_t chunks = (count + CHUNK - 1) / CHUNK;
    bool good = true;
#pragma omp parallel for ordered schedule(dynamic) \
    num_threads(query->threads > 0 ? (int)query->threads : omp_get_max_threads())
    for (size_t c = 0; c < chunks; c++) {
        ToolText text;
        const bool opened = tool_text_open(&text);
        bool written = opened;
        for (size_t i = c * CHUNK; i < (c + 1) * CHUNK && i < count && written; i++)
            written = find_print(&run->print, row_at(list, size, i), text.out);
        if (opened && !tool_text_close(&text)) written = false;
#pragma omp ordered
        {
            if (written && good) fwrite(text.text, 1, text.size, stdout);
            good = good && written;
        }
        free(text.text);
    }
    if (!good) run->failed = cli_no_memory("find") != CLI_OK;
}

/* ---- Sorting --------------------------------------------------------------------------------- */

/* Compares by length, the longest first, then in the order of the search. */
static int compare_kept(const void *a, const void *b)
{
    const Kept *x = a, *y = b;
    if (x->found.plies != y->found.plies) return x->found.plies > y->found.plies ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Keeps the longest positions of the ending only, and tells the search how long others must be. */
static void drop_short(FindRun *run)
{
    const uint64_t most = run->args->first;
    const size_t count = run->count - run->start;
    if (most == 0 || count < most) return;
    qsort(run->kept + run->start, count, sizeof *run->kept, compare_kept);
    run->count = run->start + (size_t)most;
    atomic_store(&run->floor, run->kept[run->count - 1].found.plies);
}

static bool too_many(FindRun *run)
{
    char most[32];
    cli_format_count(KEPT_MAX, most);
    cli_error("find",
              "--sort keeps all positions in memory, and more than %s match: give -n N for the N "
              "longest, or a narrower condition",
              most);
    run->code = CLI_FAILED;
    run->failed = true;
    return false;
}

static bool keep(FindRun *run, const Found *found)
{
    const uint64_t first = run->args->first;
    if (run->count == KEPT_MAX) return too_many(run);
    if (run->count == run->capacity) {
        size_t capacity = run->capacity ? 2 * run->capacity : 256;
        Kept *grown = realloc(run->kept, capacity * sizeof *grown);
        if (grown == NULL) {
            run->failed = cli_no_memory("find") != CLI_OK;
            return false;
        }
        run->kept = grown;
        run->capacity = capacity;
    }
    run->kept[run->count++] = (Kept){.found = *found, .number = run->number};
    const size_t count = run->count - run->start;
    if (first > 0 && count >= 256 && count / 2 >= first) drop_short(run);
    return true;
}

/* Returns whether more positions are found for sure than can be sorted. Where there are no kinds and no
 * condition, the header knows how many there are; a position stands for eight of them at the most. */
static bool surely_too_many(const FindArgs *args, const char *name)
{
    Material m;
    treb_table_info info;
    uint64_t count = 0;
    if (!args->sort || args->query.kinds != 0 || args->query.condition != NULL ||
        (args->first > 0 && args->first <= KEPT_MAX) || !material_parse(name, &m) ||
        treb_tables_find(args->query.tables, name, TREB_WDL, &info, NULL) != TREB_OK)
        return false;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < 5; v++)
            if (args->query.turn == FIND_EITHER || args->query.turn == side)
                count += info.count[side][v];
    if (material_symmetric(&m) && args->query.turn == FIND_EITHER) count /= 2;
    return count / (material_has_pawns(&m) ? 2 : 8) > KEPT_MAX;
}

/* ---- One ending ------------------------------------------------------------------------------ */

/* Called by one thread at a time. */
static bool on_found(void *context, const Found *found)
{
    FindRun *run = context;
    const FindArgs *args = run->args;
    run->seen++;
    run->number++;
    if (args->count) return true;
    if (args->sort) return keep(run, found);
    cli_progress_clear(&run->progress);
    fwrite(found->text, 1, found->length, stdout);
    return args->first == 0 || run->seen < args->first;
}

/* Called by all threads. */
static bool on_describe(void *context, const Found *found, FILE *out)
{
    return find_print(&((const FindRun *)context)->print, found, out);
}

static void on_progress(void *context, uint64_t done, uint64_t total)
{
    FindRun *run = context;
    cli_progress_share(&run->progress, done, total, "%s:", run->name);
}

int find_refuse_condition(const treb_error *error)
{
    cli_error("find", "%s", error->text);
    fputs("A condition can use turn, verdict, dtm, wk and others; the test for equality is ==.\n",
          stderr);
    return cli_usage("find");
}

static int fail_find(const FindArgs *args, treb_status status, const treb_error *error)
{
    /* The materials are those of tables, so that only the condition in Lua can be wrong. */
    if (status == TREB_ERR_ARGUMENT && args->query.condition != NULL) return find_refuse_condition(error);
    int code = cli_fail_tables("find", error, &args->dirs);
    return status == TREB_ERR_ARGUMENT || status == TREB_ERR_UNSUPPORTED ? CLI_USAGE : code;
}

static int find_one(FindRun *run, const char *name)
{
    const FindArgs *args = run->args;
    FindQuery query = args->query;
    FindCounts counts = {0};
    treb_error error;
    FindListener listener = {.found = on_found, .progress = on_progress, .context = run};
    double start = clock_seconds();
    run->name = name;
    run->seen = 0;
    run->start = run->count;
    if (surely_too_many(args, name)) return too_many(run), CLI_FAILED;
    /* Without kinds and condition all positions match, and short ones need not be looked at. */
    const bool plain = query.kinds == 0 && query.condition == NULL && args->first > 0;
    if (args->sort && !args->count) {
        atomic_store(&run->floor, plain ? find_floor(&query, name, args->first) : -1);
        query.plies = true;
        query.floor = plain ? &run->floor : NULL;
    } else if (!args->count) {
        query.first = args->first;
        listener.describe = on_describe;
    }
    treb_status status = find_material(&query, name, &listener, &counts, &error);
    const double seconds = args->quiet ? -1 : clock_seconds() - start;
    cli_progress_clear(&run->progress);
    if (status != TREB_OK) return fail_find(args, status, &error);
    if (args->sort) drop_short(run);
    if (query.floor != NULL) counts.found = counts.looked;
    run->found += counts.found;
    run->done++;
    const bool json = args->form == FIND_JSON;
    if (args->quiet && !args->count && !json) return CLI_OK;
    /* Next to positions, the counts are for people, on standard error. */
    return find_print_counts(args->count ? stdout : stderr,
                             args->count || json ? args->form : FIND_FEN, name, &args->query,
                             &counts, seconds);
}

/* Whether a search surely needs the table of a metric. */
static bool needs(const FindArgs *args, treb_metric metric)
{
    const FindQuery *query = &args->query;
    const unsigned moves = FIND_ONLY_MOVE | FIND_UNDERPROMOTION | FIND_UNIQUE_LINE;
    if (metric == TREB_WDL) return true;
    if (metric == TREB_DTZ && query->rule50 && query->kinds & moves) return true;
    return metric == query->metric && (args->sort || query->kinds & FIND_LONGEST);
}

/* Checks that all tables are there before the first is searched, which may take long. */
static int check_tables(const FindArgs *args)
{
    for (size_t i = 0; i < args->materials; i++)
        for (int m = TREB_WDL; m <= TREB_DTM50; m++) {
            treb_table_info info;
            treb_error error;
            if (!needs(args, (treb_metric)m)) continue;
            if (treb_tables_find(args->query.tables, args->material[i], (treb_metric)m, &info,
                                 &error) != TREB_OK)
                return cli_fail_tables("find", &error, &args->dirs);
        }
    return CLI_OK;
}

/* ---- A sample -------------------------------------------------------------------------------- */

static int print_sample_json(const FindArgs *args, const Sample *sample)
{
    json_t *object = json_object(), *materials = json_array();
    json_object_set_new(object, "event", json_string("sample"));
    for (size_t i = 0; i < args->materials; i++)
        json_array_append_new(materials, json_string(args->material[i]));
    json_object_set_new(object, "materials", materials);
    json_object_set_new(object, "size", json_integer((json_int_t)args->sample));
    json_object_set_new(object, "seed", json_integer((json_int_t)args->seed));
    json_object_set_new(object, "weight", json_string(args->board ? "board" : "class"));
    json_object_set_new(object, "mirror", json_string(args->random ? "random" : "none"));
    json_object_set_new(object, "examined", json_integer((json_int_t)sample->looked));
    json_object_set_new(object, "found", json_integer((json_int_t)sample->count));
    json_object_set_new(object, "all", json_boolean(sample->all));
    return cli_json_line("find", object);
}

/* Says on standard error what was drawn. */
static void tell_sample(const FindArgs *args, const Sample *sample, double seconds)
{
    char count[32], time[16];
    cli_format_count(sample->count, count);
    cli_format_time(seconds, time);
    fprintf(stderr, "%s %s drawn with seed %llu%s (%s)\n", count,
            cli_plural(sample->count, "position", "positions"), (unsigned long long)args->seed,
            sample->all         ? ": all there are"
            : stopped(args)     ? ", then stopped"
                                : "",
            time);
}

static int sample_run(FindRun *run)
{
    const FindArgs *args = run->args;
    const char **names = malloc(args->materials * sizeof *names);
    const double start = clock_seconds();
    Sample sample;
    treb_error error;
    if (names == NULL) return cli_no_memory("find");
    for (size_t i = 0; i < args->materials; i++) names[i] = args->material[i];
    run->name = args->materials == 1 ? names[0] : "sample";
    const SampleQuery query = {.find = args->query,
                               .material = names,
                               .materials = args->materials,
                               .size = args->sample,
                               .seed = args->seed,
                               .board = args->board,
                               .random = args->random,
                               .progress = on_progress,
                               .context = run};
    const treb_status status = sample_draw(&query, &sample, &error);
    free(names);
    cli_progress_clear(&run->progress);
    if (status != TREB_OK) return fail_find(args, status, &error);
    print_rows(run, sample.found, sizeof *sample.found, sample.count);
    run->found = sample.count;
    run->done = stopped(args) ? 0 : args->materials;
    if (!args->quiet) tell_sample(args, &sample, clock_seconds() - start);
    int code = args->form == FIND_JSON ? print_sample_json(args, &sample) : CLI_OK;
    free(sample.found);
    return code;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static int print_done_json(const FindRun *run)
{
    json_t *object = json_object();
    json_object_set_new(object, "event", json_string("done"));
    json_object_set_new(object, "materials", json_integer((json_int_t)run->done));
    json_object_set_new(object, "found", json_integer((json_int_t)run->found));
    json_object_set_new(object, "stopped", json_boolean(stopped(run->args)));
    return cli_json_line("find", object);
}

static int search_all(FindRun *run)
{
    const FindArgs *args = run->args;
    int code = CLI_OK;
    for (size_t i = 0; i < args->materials && code == CLI_OK && !run->failed; i++) {
        code = find_one(run, args->material[i]);
        if (stopped(args)) break;
    }
    if (!args->sort || args->count || run->failed || code != CLI_OK) return code;
    qsort(run->kept, run->count, sizeof *run->kept, compare_kept);
    print_rows(run, run->kept, sizeof *run->kept, run->count);
    return code;
}

int find_run(const FindArgs *args)
{
    FindRun run = {.args = args,
                   .print = {.form = args->form, .query = &args->query, .columns = args->columns}};
    int code = check_tables(args);
    if (code != CLI_OK) return code;
    cli_progress_start(&run.progress, "find", args->quiet);
    find_print_head(&run.print, args->count);
    code = args->sample > 0 ? sample_run(&run) : search_all(&run);
    free(run.kept);
    if (run.failed) return run.code != CLI_OK ? run.code : CLI_FAILED;
    if (code == CLI_OK && cli_json_wanted()) code = print_done_json(&run);
    return code == CLI_OK && stopped(args) ? CLI_STOPPED : code;
}
