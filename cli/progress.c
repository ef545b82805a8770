/* progress.c - see progress.h. */
#include "cli/progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/json.h"

enum { BAR = 24, TICK_MS = 200 };

struct Progress {
    int style;
    const GeneratePlan *plan;
    GenerateProgress *state;
    uint64_t all_cells;
    double start;
    pthread_t thread;
    pthread_mutex_t lock; /* of stderr and `stop` */
    pthread_cond_t wake;
    bool stop, threaded;
};

/* The share of the whole plan that is done, by positions. */
static double share_done(const Progress *p)
{
    uint64_t cells = 0, done = atomic_load(&p->state->done), all = atomic_load(&p->state->all);
    size_t table = (size_t)atomic_load(&p->state->table);
    for (size_t i = 0; i < table; i++) cells += p->plan->step[i].cells;
    double part = all ? (double)done / (double)all : 0;
    /* A table of one slice: its phases are all there is to tell. */
    if (all == 1 && atomic_load(&p->state->phase) == GENERATE_COMPRESS) part = 0.6;
    double sum = (double)cells + part * (double)p->plan->step[table].cells;
    return p->all_cells ? sum / (double)p->all_cells : 0;
}

static void draw(const Progress *p)
{
    static const char *const phases[] = {"solving", "writing"};
    char name[MATERIAL_NAME_SIZE], left[16] = "--:--", bar[BAR + 1], ply[24] = "";
    size_t table = (size_t)atomic_load(&p->state->table);
    int phase = atomic_load(&p->state->phase);
    double done = share_done(p), elapsed = cli_seconds() - p->start;
    double rate = (double)atomic_load(&p->state->cells) / (elapsed > 0.1 ? elapsed : 0.1) / 1e6;
    if (done > 0.01 && elapsed > 1) cli_format_time(elapsed / done - elapsed, left);
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(done * BAR));
    bar[BAR] = '\0';
    material_name(&p->plan->step[table].material, name);
    if (phase == GENERATE_SOLVE) snprintf(ply, sizeof ply, " ply %u", atomic_load(&p->state->ply));
    fprintf(stderr, "\r[%s] %3.0f%%  table %zu/%zu %s %s%s  %.0f M/s  %s left\033[K", bar,
            100 * done, table + 1, p->plan->steps, name, phases[phase], ply, rate, left);
}

static void *watch(void *context)
{
    Progress *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        draw(p);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&p->wake, &p->lock, &until);
    }
    fputs("\r\033[K", stderr);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

Progress *progress_start(int style, const GeneratePlan *plan, GenerateProgress *state)
{
    Progress *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->style = style;
    p->plan = plan;
    p->state = state;
    for (size_t i = 0; i < plan->steps; i++) p->all_cells += plan->step[i].cells;
    p->start = cli_seconds();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->threaded =
        style == PROGRESS_BAR && plan->steps && pthread_create(&p->thread, NULL, watch, p) == 0;
    return p;
}

static void step_json(const Progress *p, const char *name, const GenerateReport *r)
{
    json_t *object = json_object(), *bytes = json_object();
    json_object_set_new(object, "event", json_string("table"));
    json_object_set_new(object, "material", json_string(name));
    json_object_set_new(object, "positions", json_integer((json_int_t)r->result.positions));
    json_object_set_new(object, "solve_s", cli_json_real(r->seconds[GENERATE_SOLVE], 3));
    json_object_set_new(object, "write_s", cli_json_real(r->seconds[GENERATE_COMPRESS], 3));
    json_object_set_new(object, "total_s", cli_json_real(r->total, 3));
    json_object_set_new(object, "elapsed_s", cli_json_real(cli_seconds() - p->start, 3));
    for (int m = 0; m < TREB_METRICS; m++)
        if (r->result.file_size[m])
            json_object_set_new(bytes, table_metric_name(m),
                                json_integer((json_int_t)r->result.file_size[m]));
    json_object_set_new(object, "bytes", bytes);
    cli_json_line("gen", object);
}

static void step_line(const char *name, const GenerateReport *r)
{
    char count[32], size[16];
    uint64_t bytes = 0;
    for (int m = 0; m < TREB_METRICS; m++) bytes += r->result.file_size[m];
    cli_format_count(r->result.positions, count);
    cli_format_size(bytes, size);
    printf("%-9s %17s positions  %8s  %7.2f s\n", name, count, size, r->total);
    fflush(stdout);
}

void progress_step(Progress *p, size_t step, const GenerateReport *r)
{
    char name[MATERIAL_NAME_SIZE];
    if (!p->plan->step[step].write || p->style == PROGRESS_QUIET) return;
    material_name(&p->plan->step[step].material, name);
    pthread_mutex_lock(&p->lock);
    if (p->threaded) fputs("\r\033[K", stderr);
    if (p->style == PROGRESS_JSON)
        step_json(p, name, r);
    else
        step_line(name, r);
    pthread_mutex_unlock(&p->lock);
}

void progress_stop(Progress *p)
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
