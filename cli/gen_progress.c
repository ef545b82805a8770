/* gen_progress.c - see gen_progress.h. */
#include "cli/gen_progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/progress.h"

enum { BAR = 24, TICK_MS = 200 };

struct GenProgress {
    const char *command;
    int style;
    const GeneratePlan *plan;
    GenerateProgress *state;
    uint64_t all_cells;
    CliProgress line;
    pthread_t thread;
    pthread_mutex_t lock; /* of the line, standard output and `stop` */
    pthread_cond_t wake;
    bool stop, threaded;
};

/* The share of the whole plan that is done, by positions. */
static double share_done(const GenProgress *p)
{
    /* `all` first: it is set when `done` is back at 0, so that an old one is at most too small. */
    uint64_t cells = 0, all = atomic_load(&p->state->all), done = atomic_load(&p->state->done);
    size_t table = (size_t)atomic_load(&p->state->table);
    for (size_t i = 0; i < table; i++) cells += p->plan->step[i].cells;
    if (done > all) done = all;
    double part = all ? (double)done / (double)all : 0;
    /* A table of one slice: its phases are all there is to tell. */
    if (all == 1 && atomic_load(&p->state->phase) == GENERATE_COMPRESS) part = 0.6;
    double sum = (double)cells + part * (double)p->plan->step[table].cells;
    double share = p->all_cells ? sum / (double)p->all_cells : 0;
    return share < 1 ? share : 1;
}

static void tell(GenProgress *p)
{
    static const char *const phases[] = {"solving", "writing"};
    char name[MATERIAL_NAME_SIZE], left[16] = "--:--", bar[BAR + 4] = "", ply[24] = "";
    size_t table = (size_t)atomic_load(&p->state->table);
    int phase = atomic_load(&p->state->phase);
    double done = share_done(p), elapsed = cli_seconds() - p->line.start;
    double rate = (double)atomic_load(&p->state->cells) / (elapsed > 0.1 ? elapsed : 0.1) / 1e6;
    if (done > 0.01 && elapsed > 1) cli_format_time(elapsed / done - elapsed, left);
    if (p->line.terminal) {
        memset(bar, '.', BAR + 3);
        memset(bar + 1, '#', (size_t)(done * BAR));
        memcpy(bar + BAR + 1, "] ", 3);
        bar[0] = '[';
    }
    material_name(&p->plan->step[table].material, name);
    unsigned at = atomic_load(&p->state->ply);
    if (phase == GENERATE_SOLVE && at > 0) snprintf(ply, sizeof ply, " ply %u", at);
    cli_progress_tell(&p->line, "%s%3.0f%%  table %zu/%zu %s %s%s  %.0f M/s  %s left", bar,
                      100 * done, table + 1, p->plan->steps, name, phases[phase], ply, rate, left);
}

static void *watch(void *context)
{
    GenProgress *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        if (cli_progress_due(&p->line)) tell(p);
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
                                GenerateProgress *state, bool quiet)
{
    GenProgress *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->command = command;
    p->style = style;
    p->plan = plan;
    p->state = state;
    for (size_t i = 0; i < plan->steps; i++) p->all_cells += plan->step[i].cells;
    cli_progress_start(&p->line, command, quiet);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->threaded = !quiet && plan->steps && pthread_create(&p->thread, NULL, watch, p) == 0;
    return p;
}

static void step_json(const GenProgress *p, const char *name, const GenerateReport *r)
{
    json_t *object = json_object(), *bytes = json_object();
    json_object_set_new(object, "event", json_string("table"));
    json_object_set_new(object, "material", json_string(name));
    json_object_set_new(object, "positions", json_integer((json_int_t)r->result.positions));
    json_object_set_new(object, "solve_s", cli_json_real(r->seconds[GENERATE_SOLVE], 3));
    json_object_set_new(object, "write_s", cli_json_real(r->seconds[GENERATE_COMPRESS], 3));
    json_object_set_new(object, "total_s", cli_json_real(r->total, 3));
    json_object_set_new(object, "elapsed_s", cli_json_real(cli_seconds() - p->line.start, 3));
    for (int m = 0; m < TREB_METRICS; m++)
        if (r->result.file_size[m])
            json_object_set_new(bytes, table_metric_name(m),
                                json_integer((json_int_t)r->result.file_size[m]));
    json_object_set_new(object, "bytes", bytes);
    if (r->resumed) json_object_set_new(object, "resumed", json_true());
    cli_json_line(p->command, object);
}

static void step_line(const char *name, const GenerateReport *r)
{
    char count[32], size[16];
    uint64_t bytes = 0;
    for (int m = 0; m < TREB_METRICS; m++) bytes += r->result.file_size[m];
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
