/* transport.c - see transport.h.
 *
 * Bytes for another process are collected in a message. A full message is sent while the next one is filled. A
 * process that sends also receives what has arrived, so that two processes never wait for each other. A round ends
 * with a message tagged TAG_LAST, which may be empty. Messages of one process arrive in order; those of a later round
 * wait until the current round is over. Only one thread at a time calls MPI. */
#include "gen/mpi/transport.h"
#include "core/system/clock.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MESSAGE = 1 << 20,      /* bytes of a message, about */
    FLYING_MOST = 64 << 20, /* bytes on their way, about, above which a sender waits */
    SPINS = 200, /* number of times that a waiting thread looks for messages before it sleeps */
    SLEEP_NS = 20000, /* how long it then sleeps */
    TAG_MORE = 1,     /* a message of a round */
    TAG_LAST = 2      /* the last message of a round */
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

/* The connection to another process. */
typedef struct Connection {
    Flying *filling; /* the next message to send */
    size_t filled, room;
    Arrived *first, *end; /* messages that have arrived and were not taken */
    bool ended;           /* all messages of the round were taken */
} Connection;

struct Transport {
    const Processes *processes;
    pthread_mutex_t lock;
    Connection connection[PROCESSES_MAX];
    Flying *flying;
    size_t flying_bytes;
    char name[MPI_MAX_PROCESSOR_NAME + 32];
    ProcessTraffic traffic;
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

static void wait_since(Transport *t, double start)
{
    t->traffic.waiting += (uint64_t)(1e6 * (clock_seconds() - start));
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Frees the messages that have arrived at the other end. */
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

/* Receives what has arrived. Returns whether there was anything. */
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
        Arrived *a = need(t, malloc(sizeof *a + (size_t)size + RECEIVED_SLACK));
        a->next = NULL;
        a->last = status.MPI_TAG == TAG_LAST;
        a->size = (size_t)size;
        MPI_Mrecv(a->bytes, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        memset(a->bytes + size, 0, RECEIVED_SLACK);
        Connection *connection = &t->connection[status.MPI_SOURCE];
        if (connection->first == NULL)
            connection->first = a;
        else
            connection->end->next = a;
        connection->end = a;
        any = true;
    }
}

/* Gives other threads the processor before looking for messages again. */
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
    Connection *connection = &t->connection[to];
    Flying *f = connection->filling != NULL ? connection->filling : need(t, malloc(sizeof *f));
    f->size = connection->filled;
    connection->filling = NULL;
    connection->filled = connection->room = 0;
    MPI_Isend(f->bytes, (int)f->size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &f->request);
    f->next = t->flying;
    t->flying = f;
    t->flying_bytes += f->size;
    t->traffic.bytes += f->size;
    t->traffic.messages++;
    progress_out(t);
    progress_in(t);
    if (t->flying_bytes <= FLYING_MOST) return;
    const double start = clock_seconds();
    for (unsigned looks = 0; t->flying_bytes > FLYING_MOST; progress_out(t))
        if (!progress_in(t)) idle(&looks);
    wait_since(t, start);
}

/* ---- What the solver calls ------------------------------------------------------------------- */

static void put(Connection *connection, const void *bytes, size_t size)
{
    memcpy(connection->filling->bytes + connection->filled, bytes, size);
    connection->filled += size;
}

static void transport_send(void *context, int to, const void *head, size_t head_size,
                           const void *bytes, size_t size)
{
    Transport *t = context;
    Connection *connection = &t->connection[to];
    const size_t all = head_size + size;
    pthread_mutex_lock(&t->lock);
    if (connection->filling != NULL && connection->filled + all > connection->room)
        post(t, to, TAG_MORE);
    if (connection->filling == NULL) {
        connection->room = all > MESSAGE ? all : MESSAGE;
        connection->filling = need(t, malloc(sizeof *connection->filling + connection->room));
    }
    put(connection, head, head_size);
    put(connection, bytes, size);
    if (connection->filled >= MESSAGE) post(t, to, TAG_MORE);
    pthread_mutex_unlock(&t->lock);
}

static void transport_finish(void *context, uint64_t to)
{
    Transport *t = context;
    pthread_mutex_lock(&t->lock);
    for (int r = 0; r < t->processes->count; r++)
        if (to >> r & 1) post(t, r, TAG_LAST);
    pthread_mutex_unlock(&t->lock);
}

/* Returns the next message of the round from one of these processes; NULL: there is none yet. `*over`: the round is
 * over. */
static Arrived *arrived(Transport *t, uint64_t from, bool *over)
{
    *over = true;
    for (int r = 0; r < t->processes->count; r++) {
        Connection *connection = &t->connection[r];
        if (!(from >> r & 1) || connection->ended) continue;
        Arrived *a = connection->first;
        *over = false;
        if (a == NULL) continue;
        connection->first = a->next;
        connection->ended = a->last;
        return a;
    }
    return NULL;
}

static bool transport_receive(void *context, uint64_t from, ReceivedBytes *received)
{
    Transport *t = context;
    Arrived *a = NULL;
    bool over = false;
    double start = 0;
    unsigned looks = 0;
    pthread_mutex_lock(&t->lock);
    while ((a = arrived(t, from, &over)) == NULL && !over) {
        if (start == 0) start = clock_seconds();
        progress_out(t);
        if (!progress_in(t)) idle(&looks);
    }
    if (start > 0) wait_since(t, start);
    for (int r = 0; r < t->processes->count && a == NULL; r++)
        if (from >> r & 1) t->connection[r].ended = false;
    pthread_mutex_unlock(&t->lock);
    if (a != NULL) *received = (ReceivedBytes){a->bytes, a->size, a};
    return a != NULL;
}

static void transport_release(void *context, ReceivedBytes *received)
{
    (void)context;
    free(received->owner);
}

static uint64_t transport_all_min(void *context, uint64_t number)
{
    Transport *t = context;
    const double start = clock_seconds();
    pthread_mutex_lock(&t->lock);
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    pthread_mutex_unlock(&t->lock);
    wait_since(t, start);
    return number;
}

static void transport_all_sum(void *context, uint64_t *numbers, size_t count)
{
    Transport *t = context;
    pthread_mutex_lock(&t->lock);
    MPI_Allreduce(MPI_IN_PLACE, numbers, (int)count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    pthread_mutex_unlock(&t->lock);
}

static void transport_broadcast(void *context, void *bytes, size_t size)
{
    enum { MOST = 1 << 30 }; /* MPI counts in int */
    Transport *t = context;
    pthread_mutex_lock(&t->lock);
    for (size_t at = 0; at < size; at += MOST)
        MPI_Bcast((uint8_t *)bytes + at, (int)(size - at < MOST ? size - at : MOST), MPI_BYTE, 0,
                  MPI_COMM_WORLD);
    pthread_mutex_unlock(&t->lock);
}

static void transport_end_job(void *context, const char *reason)
{
    end_job(((Transport *)context)->name, reason);
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static int processes_on_node(void)
{
    MPI_Comm node;
    int count;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &count);
    MPI_Comm_free(&node);
    return count;
}

Transport *transport_new(Processes *processes)
{
    Transport *t = calloc(1, sizeof *t);
    int length;
    memset(processes, 0, sizeof *processes);
    MPI_Comm_rank(MPI_COMM_WORLD, &processes->index);
    MPI_Comm_size(MPI_COMM_WORLD, &processes->count);
    if (t == NULL) end_job("a process", "out of memory");
    length = snprintf(t->name, sizeof t->name, "rank %d on ", processes->index);
    MPI_Get_processor_name(t->name + length, &length);
    t->processes = processes;
    pthread_mutex_init(&t->lock, NULL);
    processes->on_node = processes_on_node();
    processes->name = t->name;
    processes->traffic = &t->traffic;
    processes->context = t;
    processes->send = transport_send;
    processes->finish = transport_finish;
    processes->receive = transport_receive;
    processes->release = transport_release;
    processes->all_min = transport_all_min;
    processes->all_sum = transport_all_sum;
    processes->broadcast = transport_broadcast;
    processes->end_job = transport_end_job;
    return t;
}

void transport_free(Transport *t)
{
    for (unsigned looks = 0; t->flying != NULL; idle(&looks)) progress_out(t);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
