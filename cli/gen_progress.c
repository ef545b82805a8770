/* gen_progress.c - see gen_progress.h. */
#include "cli/gen_progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/estimate.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/text.h"

enum { BAR = 24, TICK_MS = 200, JSON_PAUSE = 30 /* seconds */ };
/* After that many seconds without a tick, the process was stopped (Ctrl-Z, SIGSTOP) in between. */
static const double stopped_after = 2;

struct GenProgress {
    const char *command;
    int style;
    const GeneratePlan *plan;
    const GenerateOptions *options;
    const GenerateProgress *state;
    double work;  /* seconds of all tables at pace 1 */
    double share; /* the part done (0 to 1) when it was last printed */
    double given; /* the part that an earlier run has done */
    int resumed;  /* number of tables that `given` includes */
    CliProgress line;
    double next_json;
    double tick;    /* time of the last tick of the thread */
    double stopped; /* seconds that the process was stopped */
    pthread_t thread;
    pthread_mutex_t lock; /* protects the line, standard output and `stop` */
    pthread_cond_t wake;
    bool stop, threaded;
};

/* ---- The part that is done ------------------------------------------------------------------- */

/* Approximate part of the time for writing that is spent collecting cells. Index: six men. */
static const double collect_part[2] = {0.2, 0.4};

static double share_of(uint64_t part, uint64_t all)
{
    return all == 0 ? 0 : part < all ? (double)part / (double)all : 1;
}

/* Returns the part of a slice that is solved. Setting it up and the loop of each metric take about the same
 * time. The number of plies of a loop is not known in advance. Without pawns, DTC has no loop, because it is
 * mostly equal to DTZ. */
static double slice_solved(const GenProgress *p, const GenerateStep *step)
{
    const double usual = 100;
    const SolverProgress *solver = &p->state->solver;
    const unsigned metrics = p->options->metrics | 1u << TREB_DTZ,
                   at = atomic_load(&solver->metric);
    double ply = atomic_load(&solver->ply), before = 0, loops = 0;
    for (unsigned m = TREB_DTZ; m < TREB_METRICS; m++) {
        if (!(metrics >> m & 1) ||
            (m == TREB_DTC && m != at && !material_has_pawns(&step->material)))
            continue;
        loops++;
        before += m < at;
    }
    loops += metrics >> TREB_DTM50 & 1; /* the last one */
    double parts = ply == 0 ? share_of(atomic_load(&solver->set_up), atomic_load(&solver->planes))
                            : 1 + before + ply / (ply + usual);
    return parts / (1 + loops);
}

/* Returns the work done on the present table, in seconds at pace 1. */
static double table_done(const GenProgress *p, const GenerateStep *step)
{
    /* Read `all` first: the generator sets it after it has set `done` back to 0, so that the part is at most
     * too small. */
    uint64_t all = atomic_load(&p->state->all), done = atomic_load(&p->state->done);
    const EstimateTime time = estimate_step_time(step, p->options);
    const double collect = collect_part[material_men(&step->material) > 5];
    double solved = share_of(done, all), collected = solved;
    if (all == 1 && done == 0) {
        bool solving = atomic_load(&p->state->phase) == GENERATE_SOLVE;
        solved = solving ? slice_solved(p, step) : 1;
        collected =
            solving ? 0
                    : share_of(atomic_load(&p->state->writing.added), step->cells << step->pair);
    }
    double written =
        share_of(atomic_load(&p->state->writing.written), atomic_load(&p->state->writing.all));
    return time.solve * solved + time.write * (collect * collected + (1 - collect) * written);
}

/* Returns the work of a whole table. */
static double step_work(const GenProgress *p, size_t step)
{
    return estimate_step_seconds(&p->plan->step[step], p->options, 1);
}

/* Returns the part of the whole plan that is done. */
static double share_done(const GenProgress *p)
{
    size_t table = (size_t)atomic_load(&p->state->table);
    double work = table_done(p, &p->plan->step[table]);
    for (size_t i = 0; i < table; i++) work += step_work(p, i);
    return p->work > 0 && work < p->work ? work / p->work : 1;
}

/* Returns the seconds that are left if the rest is as fast as what this run has done. 0: not known yet. */
static double time_left(GenProgress *p, double share)
{
    double elapsed = clock_seconds() - p->line.start - p->stopped;
    /* The work of an earlier run does not count for the speed of this run. */
    if (p->resumed != atomic_load(&p->state->resumed)) {
        p->resumed = atomic_load(&p->state->resumed);
        p->given += share - p->share;
    }
    p->share = share;
    double own = share - p->given;
    return own > 0.01 && elapsed > 1 ? elapsed * (1 - share) / own : 0;
}

/* ---- Printing --------------------------------------------------------------------------------- */

/* Writes "solving dtz ply 105". */
static void describe_phase(const GenProgress *p, char *text, size_t size)
{
    static const char *const phases[] = {"solving", "collecting", "writing", "reading"};
    int phase = atomic_load(&p->state->phase);
    unsigned ply = atomic_load(&p->state->solver.ply);
    if (atomic_load(&p->state->waiting))
        snprintf(text, size, "waiting for another run");
    else if (phase == GENERATE_SOLVE && ply > 0)
        snprintf(text, size, "solving %s ply %u",
                 table_metric_name((treb_metric)atomic_load(&p->state->solver.metric)), ply);
    else
        snprintf(text, size, "%s", phases[phase]);
}

static void print_line(GenProgress *p)
{
    char name[MATERIAL_NAME_SIZE], left[16] = "--:--", bar[BAR + 4] = "", phase[40], scratch[16];
    size_t table = (size_t)atomic_load(&p->state->table);
    double done = share_done(p), seconds = time_left(p, done);
    if (seconds > 0) cli_format_time(seconds, left);
    if (p->line.terminal) {
        memset(bar, '.', BAR + 3);
        memset(bar + 1, '#', (size_t)(done * BAR));
        memcpy(bar + BAR + 1, "] ", 3);
        bar[0] = '[';
    }
    material_name(&p->plan->step[table].material, name);
    describe_phase(p, phase, sizeof phase);
    cli_format_size(generate_scratch(p->options), scratch);
    cli_progress_tell(&p->line, "%s%3.0f%%  table %zu/%zu %s %s  scratch %s  %s left", bar,
                      100 * done, table + 1, p->plan->steps, name, phase, scratch, left);
}

/* Prints the progress as a JSON object. */
static void print_json(GenProgress *p)
{
    char name[MATERIAL_NAME_SIZE], phase[40];
    size_t table = (size_t)atomic_load(&p->state->table);
    double done = share_done(p), left = time_left(p, done);
    material_name(&p->plan->step[table].material, name);
    describe_phase(p, phase, sizeof phase);
    json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:I, s:o}", "event", "progress",
                               "material", name, "phase", phase, "table", (json_int_t)table + 1,
                               "tables", (json_int_t)p->plan->steps, "done", cli_json_real(done, 4),
                               "scratch_bytes", (json_int_t)generate_scratch(p->options),
                               "elapsed_s", cli_json_real(clock_seconds() - p->line.start, 1));
    if (left > 0) json_object_set_new(object, "left_s", cli_json_real(left, 0));
    cli_json_line(p->command, object);
}

/* Prints the progress if it is due or SIGUSR1 asks for it. */
static void tick(GenProgress *p)
{
    bool asked = cli_progress_asked(), due = cli_progress_due(&p->line);
    double now = clock_seconds();
    if (now - p->tick > stopped_after) p->stopped += now - p->tick;
    p->tick = now;
    if (due || asked) print_line(p);
    if (p->style != GEN_PROGRESS_JSON || !(asked || now >= p->next_json)) return;
    print_json(p);
    p->next_json = now + JSON_PAUSE;
}

static void *watch(void *context)
{
    GenProgress *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        tick(p);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&p->wake, &p->lock, &until);
    }
    cli_progress_clear(&p->line);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

GenProgress *gen_progress_start(const char *command, int style, const GeneratePlan *plan,
                                const GenerateOptions *options, bool quiet)
{
    GenProgress *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->command = command;
    p->style = style;
    p->plan = plan;
    p->options = options;
    p->state = options->progress;
    for (size_t i = 0; i < plan->steps; i++) p->work += step_work(p, i);
    cli_progress_start(&p->line, command, quiet);
    p->tick = p->line.start;
    p->next_json = p->line.start + JSON_PAUSE;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->threaded = plan->steps && pthread_create(&p->thread, NULL, watch, p) == 0;
    return p;
}

/* Returns the bytes and messages that processes sent to each other. */
static json_t *traffic_json(const GenerateReport *r)
{
    const ProcessTraffic *t = &r->traffic, *w = &r->writing;
    json_t *writing = json_pack("{s:I, s:I, s:o}", "sent_bytes", (json_int_t)w->bytes, "messages",
                                (json_int_t)w->messages, "waiting_s",
                                cli_json_real(1e-6 * (double)w->waiting, 3));
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:I}", "plies",
                     (json_int_t)t->plies, "sent_bytes", (json_int_t)(t->bytes - t->gathered),
                     "most_bytes_ply", (json_int_t)t->most, "gathered_bytes",
                     (json_int_t)t->gathered, "messages", (json_int_t)t->messages, "waiting_s",
                     cli_json_real(1e-6 * (double)t->waiting, 3), "writing", writing, "sets_bytes",
                     (json_int_t)r->sets, "solving_largest_bytes", (json_int_t)r->largest[0],
                     "largest_bytes", (json_int_t)r->largest[1]);
}

static void step_json(const GenProgress *p, const char *name, const GenerateReport *r)
{
    json_t *object = json_object(), *bytes = json_object();
    json_object_set_new(object, "event", json_string("table"));
    json_object_set_new(object, "material", json_string(name));
    json_object_set_new(object, "positions", json_integer((json_int_t)r->result.positions));
    json_object_set_new(object, "solve_s", cli_json_real(r->seconds[GENERATE_SOLVE], 3));
    json_object_set_new(object, "write_s", cli_json_real(generate_writing(r), 3));
    json_object_set_new(object, "total_s", cli_json_real(r->total, 3));
    json_object_set_new(object, "elapsed_s", cli_json_real(clock_seconds() - p->line.start, 3));
    for (int m = 0; m <= TREB_DTM50; m++)
        if (r->result.file_size[m])
            json_object_set_new(bytes, table_metric_name(m),
                                json_integer((json_int_t)r->result.file_size[m]));
    json_object_set_new(object, "bytes", bytes);
    if (r->resumed) json_object_set_new(object, "resumed", json_true());
    if (r->traffic.plies > 0) json_object_set_new(object, "ranks", traffic_json(r));
    cli_json_line(p->command, object);
}

static void step_line(const char *name, const GenerateReport *r)
{
    char count[32], size[16];
    uint64_t bytes = 0;
    for (int m = 0; m <= TREB_DTM50; m++) bytes += r->result.file_size[m];
    cli_format_count(r->result.positions, count);
    cli_format_size(bytes, size);
    printf("%-9s %17s positions  %8s  %7.2f s%s\n", name, count, size, r->total,
           r->resumed ? ", resumed" : "");
    fflush(stdout);
}

void gen_progress_step(GenProgress *p, size_t step, const GenerateReport *r)
{
    char name[MATERIAL_NAME_SIZE];
    if (!p->plan->step[step].write || p->style == GEN_PROGRESS_QUIET) return;
    material_name(&p->plan->step[step].material, name);
    pthread_mutex_lock(&p->lock);
    cli_progress_clear(&p->line);
    if (p->style == GEN_PROGRESS_JSON)
        step_json(p, name, r);
    else
        step_line(name, r);
    pthread_mutex_unlock(&p->lock);
}

void gen_progress_stop(GenProgress *p)
{
    if (p == NULL) return;
    if (p->threaded) {
        pthread_mutex_lock(&p->lock);
        p->stop = true;
        pthread_cond_signal(&p->wake);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->thread, NULL);
    }
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
