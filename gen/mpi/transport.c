/* transport.c - see transport.h.
 *
 * What goes to a rank is gathered into batches; a batch that is full is on its way while the next is filled. Whoever
 * sends one also takes what has come, so that no two ranks wait for each other. A round ends with a message that says
 * so, which may be empty. Messages of one rank arrive in order; those of a later round wait until the round before is
 * over. One thread at a time speaks with MPI. */
#include "gen/mpi/transport.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BATCH = 1 << 20,        /* bytes of a message, about */
    FLYING_MOST = 64 << 20, /* bytes on their way, about, before a sender waits */
    SPINS = 200,            /* looks at an empty line before a waiter sleeps, */
    SLEEP_NS = 20000,       /* so long */
    TAG_MORE = 1,           /* a batch, */
    TAG_LAST = 2            /* and the last of a round */
};

typedef struct Flying {
    struct Flying *next;
    MPI_Request request;
    size_t size;
    uint8_t bytes[];
} Flying;

typedef struct Arrived {
    struct Arrived *next;
    bool last;
    size_t size;
    uint8_t bytes[];
} Arrived;

/* What is between this rank and another. */
typedef struct Line {
    Flying *filling; /* the next batch */
    size_t filled, room;
    Arrived *first, *end; /* what has come and was not taken */
    bool ended;           /* all of the round was taken */
} Line;

struct Transport {
    const Ranks *ranks;
    pthread_mutex_t lock;
    Line line[RANKS_MOST];
    Flying *flying;
    size_t flying_bytes;
    char name[MPI_MAX_PROCESSOR_NAME + 32];
    RankTraffic traffic;
};

static _Noreturn void end_job(const char *name, const char *reason)
{
    fflush(stdout);
    fprintf(stderr, "trebuchet-mpi: %s ends the job: %s\n", name, reason);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static void *need(const Transport *t, void *memory)
{
    if (memory == NULL) end_job(t->name, "out of memory for messages");
    return memory;
}

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void wait_since(Transport *t, double start)
{
    t->traffic.waiting += (uint64_t)(1e6 * (now() - start));
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Lets go what has arrived at the other end. */
static void progress_out(Transport *t)
{
    for (Flying **at = &t->flying; *at != NULL;) {
        Flying *f = *at;
        int done;
        MPI_Test(&f->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        t->flying_bytes -= f->size;
        free(f);
    }
}

/* Takes what has come. Returns whether there was anything. */
static bool progress_in(Transport *t)
{
    bool any = false;
    for (;;) {
        int there, size;
        MPI_Message message;
        MPI_Status status;
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status);
        if (!there) return any;
        MPI_Get_count(&status, MPI_BYTE, &size);
        Arrived *a = need(t, malloc(sizeof *a + (size_t)size + RANK_BATCH_SLACK));
        a->next = NULL;
        a->last = status.MPI_TAG == TAG_LAST;
        a->size = (size_t)size;
        MPI_Mrecv(a->bytes, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        memset(a->bytes + size, 0, RANK_BATCH_SLACK);
        Line *line = &t->line[status.MPI_SOURCE];
        if (line->first == NULL)
            line->first = a;
        else
            line->end->next = a;
        line->end = a;
        any = true;
    }
}

/* Between two looks at nothing: others may need the processor. */
static void idle(unsigned *looks)
{
    const struct timespec pause = {0, SLEEP_NS};
    if (++*looks < SPINS)
        sched_yield();
    else
        nanosleep(&pause, NULL);
}

static void post(Transport *t, int to, int tag)
{
    Line *line = &t->line[to];
    Flying *f = line->filling != NULL ? line->filling : need(t, malloc(sizeof *f));
    f->size = line->filled;
    line->filling = NULL;
    line->filled = line->room = 0;
    MPI_Isend(f->bytes, (int)f->size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &f->request);
    f->next = t->flying;
    t->flying = f;
    t->flying_bytes += f->size;
    t->traffic.bytes += f->size;
    t->traffic.messages++;
    progress_out(t);
    progress_in(t);
    if (t->flying_bytes <= FLYING_MOST) return;
    const double start = now();
    for (unsigned looks = 0; t->flying_bytes > FLYING_MOST; progress_out(t))
        if (!progress_in(t)) idle(&looks);
    wait_since(t, start);
}

/* ---- What the solver calls ------------------------------------------------------------------- */

static void put(Line *line, const void *bytes, size_t size)
{
    memcpy(line->filling->bytes + line->filled, bytes, size);
    line->filled += size;
}

static void rank_send(void *context, int to, const void *head, size_t head_size, const void *bytes,
                      size_t size)
{
    Transport *t = context;
    Line *line = &t->line[to];
    const size_t all = head_size + size;
    pthread_mutex_lock(&t->lock);
    if (line->filling != NULL && line->filled + all > line->room) post(t, to, TAG_MORE);
    if (line->filling == NULL) {
        line->room = all > BATCH ? all : BATCH;
        line->filling = need(t, malloc(sizeof *line->filling + line->room));
    }
    put(line, head, head_size);
    put(line, bytes, size);
    if (line->filled >= BATCH) post(t, to, TAG_MORE);
    pthread_mutex_unlock(&t->lock);
}

static void rank_finish(void *context, uint64_t to)
{
    Transport *t = context;
    pthread_mutex_lock(&t->lock);
    for (int r = 0; r < t->ranks->count; r++)
        if (to >> r & 1) post(t, r, TAG_LAST);
    pthread_mutex_unlock(&t->lock);
}

/* What has come of the round from one of these ranks; NULL: nothing. */
static Arrived *arrived(Transport *t, uint64_t from, bool *over)
{
    *over = true;
    for (int r = 0; r < t->ranks->count; r++) {
        Line *line = &t->line[r];
        if (!(from >> r & 1) || line->ended) continue;
        Arrived *a = line->first;
        *over = false;
        if (a == NULL) continue;
        line->first = a->next;
        line->ended = a->last;
        return a;
    }
    return NULL;
}

static bool rank_receive(void *context, uint64_t from, RankBatch *batch)
{
    Transport *t = context;
    Arrived *a = NULL;
    bool over = false;
    double start = 0;
    unsigned looks = 0;
    pthread_mutex_lock(&t->lock);
    while ((a = arrived(t, from, &over)) == NULL && !over) {
        if (start == 0) start = now();
        progress_out(t);
        if (!progress_in(t)) idle(&looks);
    }
    if (start > 0) wait_since(t, start);
    for (int r = 0; r < t->ranks->count && a == NULL; r++)
        if (from >> r & 1) t->line[r].ended = false;
    pthread_mutex_unlock(&t->lock);
    if (a != NULL) *batch = (RankBatch){a->bytes, a->size, a};
    return a != NULL;
}

static void rank_release(void *context, RankBatch *batch)
{
    (void)context;
    free(batch->owner);
}

static uint64_t rank_least(void *context, uint64_t number)
{
    Transport *t = context;
    const double start = now();
    pthread_mutex_lock(&t->lock);
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    pthread_mutex_unlock(&t->lock);
    wait_since(t, start);
    return number;
}

static void rank_sum(void *context, uint64_t *numbers, size_t count)
{
    Transport *t = context;
    pthread_mutex_lock(&t->lock);
    MPI_Allreduce(MPI_IN_PLACE, numbers, (int)count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    pthread_mutex_unlock(&t->lock);
}

static void rank_tell(void *context, void *bytes, size_t size)
{
    Transport *t = context;
    pthread_mutex_lock(&t->lock);
    MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
    pthread_mutex_unlock(&t->lock);
}

static void rank_end_job(void *context, const char *reason)
{
    end_job(((Transport *)context)->name, reason);
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static int ranks_on_node(void)
{
    MPI_Comm node;
    int count;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &count);
    MPI_Comm_free(&node);
    return count;
}

Transport *transport_new(Ranks *ranks)
{
    Transport *t = calloc(1, sizeof *t);
    int length;
    memset(ranks, 0, sizeof *ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
    if (t == NULL) end_job("a rank", "out of memory");
    length = snprintf(t->name, sizeof t->name, "rank %d on ", ranks->rank);
    MPI_Get_processor_name(t->name + length, &length);
    t->ranks = ranks;
    pthread_mutex_init(&t->lock, NULL);
    ranks->on_node = ranks_on_node();
    ranks->name = t->name;
    ranks->traffic = &t->traffic;
    ranks->context = t;
    ranks->send = rank_send;
    ranks->finish = rank_finish;
    ranks->receive = rank_receive;
    ranks->release = rank_release;
    ranks->least = rank_least;
    ranks->sum = rank_sum;
    ranks->tell = rank_tell;
    ranks->end_job = rank_end_job;
    return t;
}

void transport_free(Transport *t)
{
    for (unsigned looks = 0; t->flying != NULL; idle(&looks)) progress_out(t);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
