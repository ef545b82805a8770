/* processes.h - several processes that make tables together: how they exchange bytes and agree on numbers.
 *
 * Every process runs the whole generator with the same plan, and has a number, its `index`. gen/solve/partition.h says
 * which planes of a slice each process solves. A null pointer to Processes means that this process works alone.
 *
 * This folder does not know how bytes travel: the program that starts the processes supplies the functions
 * (gen/mpi/transport.c does so with MPI). They return no errors: a failure in them ends the process. */
#ifndef TREB_GEN_SOLVE_PROCESSES_H
#define TREB_GEN_SOLVE_PROCESSES_H

#include "gen/solve/layout.h"
#include "trebuchet.h"

enum {
    PROCESSES_MAX = 64,
    /* Bytes, about, that are sent to each process before the receivers handle them. */
    EXCHANGE_ROUND = 8 << 20,
    RECEIVED_SLACK = 8 /* readable bytes behind received bytes */
};

/* What this process has sent, and how long it waited for others. */
typedef struct ProcessTraffic {
    uint64_t bytes, messages;
    uint64_t waiting;  /* microseconds */
    uint64_t plies;    /* plies that the solver ran */
    uint64_t most;     /* the most bytes sent in one ply */
    uint64_t before;   /* value of `bytes` at the end of the last ply */
    uint64_t gathered; /* bytes of processes_exchange: solved slices and cells of files */
} ProcessTraffic;

/* A part of what one process sent in a round. Parts arrive in the order in which they were sent. RECEIVED_SLACK bytes
 * behind `size` may be read. */
typedef struct ReceivedBytes {
    const uint8_t *bytes;
    size_t size;
    void *owner; /* for `release` */
} ReceivedBytes;

typedef struct Processes {
    int index, count; /* of this process, from 0; of all */
    int on_node;      /* number of processes that share this machine's memory */
    int pieces; /* tables with at least this number of men beside kings and pawns are solved together */
    const char *name; /* of this process, for messages */
    ProcessTraffic *traffic;
    void *context; /* first argument of all functions */
    /* Sends `head` and `bytes`, which arrive in one piece, to process `to`. Collects them into large messages and
     * returns before they have arrived. Thread-safe. */
    void (*send)(void *context, int to, const void *head, size_t head_size, const void *bytes,
                 size_t size);
    /* Ends a round: sends all that is still collected to the processes of the bit mask `to`, and tells them that the
     * round is complete. */
    void (*finish)(void *context, uint64_t to);
    /* Waits for the next part of the round from the processes of the bit mask `from`. Returns false when all of them
     * have ended the round. The caller releases what it received. */
    bool (*receive)(void *context, uint64_t from, ReceivedBytes *received);
    void (*release)(void *context, ReceivedBytes *received);
    /* Collective functions: all processes must call them, in the same order. */
    uint64_t (*all_min)(void *context, uint64_t number); /* returns the smallest number of all */
    /* Adds up element by element. */
    void (*all_sum)(void *context, uint64_t *numbers, size_t count);
    /* Copies the bytes of process 0 to all. */
    void (*broadcast)(void *context, void *bytes, size_t size);
    /* Ends all processes, with a message that gives the reason. Does not return. */
    void (*end_job)(void *context, const char *reason);
} Processes;

/* Returns the processes if they solve tables of this layout together, even if there is only one; NULL if each process
 * solves such tables by itself. */
static inline const Processes *processes_solving(const Processes *processes, const Layout *layout)
{
    return processes != NULL && layout->men >= processes->pieces ? processes : NULL;
}

/* Returns the processes if they write the files of such a table together, each from its own planes. Returns NULL if
 * the first process writes them: the planes are too small to be worth the effort. */
static inline const Processes *processes_writing(const Processes *processes, const Layout *layout)
{
    return layout->men >= 2 ? processes_solving(processes, layout) : NULL;
}

/* Returns the processes if each of them keeps only its own planes of a solved slice. This works if only the table's own
 * pawn pushes read the slice, because pushes leave the kings where they are. Returns NULL if every process keeps all
 * planes, which is necessary when other tables read them. `parents`: see gen/solve/subset.h. */
static inline const Processes *processes_partitioned(const Processes *processes,
                                                     const Layout *layout, unsigned parents)
{
    return parents == 0 ? processes_writing(processes, layout) : NULL;
}

/* Bit mask of all processes but this one. */
static inline uint64_t processes_others(const Processes *processes)
{
    uint64_t all = processes->count == 64 ? UINT64_MAX : (UINT64_C(1) << processes->count) - 1;
    return all & ~(UINT64_C(1) << processes->index);
}

/* Returns the largest of all processes' numbers. Collective. */
uint64_t processes_max(const Processes *processes, uint64_t number);

/* An exchange of many bytes in rounds, so that a receiver never holds more than one round in memory. */
typedef struct ProcessExchange {
    void *context;
    uint64_t to, from; /* bit masks of the processes to send to and to receive from */
    /* Sends about EXCHANGE_ROUND bytes to each process of `to` and sets `*more` if there is more to send. Not called
     * if `to` is empty. */
    treb_status (*send)(void *context, bool *more, treb_error *error);
    /* Handles one part of what was received. */
    treb_status (*take)(void *context, const ReceivedBytes *received, treb_error *error);
} ProcessExchange;

/* Runs an exchange until no process has more to send. Collective. Returns the first error of `send` or `take`. */
treb_status processes_exchange(const Processes *processes, const ProcessExchange *exchange,
                               treb_error *error);

/* Sets the traffic to zero. Collective: waits for all processes first, so that waiting for one that is still writing
 * files is not counted. */
void processes_traffic_start(const Processes *processes);

/* Returns the traffic since then: sums over all processes; `plies` and `most` as described above, `most` of the process
 * with the largest. Collective. */
ProcessTraffic processes_traffic(const Processes *processes);

#endif
