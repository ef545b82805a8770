/* workers.h - threads that do what takes a while, so that those which serve connections never wait.
 *
 * Jobs are light or heavy, and each belongs to a client. Who gets the next free thread:
 *
 * - Light jobs go before heavy ones. Clients that wait take turns.
 * - `threads` jobs may run at a time, whoever's they are; heavy ones have one thread fewer.
 * - A client that has no light (or heavy) job running need not wait until others are done: for such
 *   clients there are WORKERS_SPARE more threads, of which half may have heavy jobs. The system
 *   then divides the processors among all that run.
 * - A client gets a second thread for heavy jobs only while nobody waits for a first one.
 *
 * So whatever one client asks for, and however long it takes, another one's job begins at once.
 * What may wait, in all and of one client, is bounded; of heavy jobs it is an eighth as many. */
#ifndef TREB_SERVER_WORKERS_H
#define TREB_SERVER_WORKERS_H

#include <pthread.h>
#include <stdbool.h>

enum {
    WORKERS_HEAVY_PART = 8, /* of those that may wait one in so many may be heavy */
    WORKERS_SPARE = 16,     /* threads for clients that have nothing running */
    WORKERS_OWNER_SIZE = 48 /* a client's name, with the zero */
};

typedef enum JobKind { JOB_LIGHT, JOB_HEAVY, JOB_KINDS } JobKind;

/* Embedded in what is to be done. */
typedef struct Job Job;
struct Job {
    Job *next;
    const char *owner;        /* the client; read by workers_add only */
    void (*run)(Job *job);    /* does it; the job may be gone when it returns */
    void (*refuse)(Job *job); /* says that it will not be done; likewise. Not after run */
};

typedef struct Workers Workers;

typedef enum WorkersAdded {
    WORKERS_ADDED,
    WORKERS_FULL,       /* too many jobs of this kind are waiting */
    WORKERS_OWNER_FULL, /* too many of this client */
    WORKERS_CLOSED      /* workers_close was called, or no memory */
} WorkersAdded;

/* Starts `threads` of them, at least two, and the spare ones. `queue` light jobs may wait, `each` of
 * one client. NULL if that cannot be done. */
Workers *workers_start(unsigned threads, unsigned queue, unsigned each);

/* Takes a job on, unless it says otherwise. */
WorkersAdded workers_add(Workers *workers, Job *job, JobKind kind);

/* Jobs that wait, and jobs that run. */
unsigned workers_waiting(Workers *workers);
unsigned workers_running(Workers *workers);

/* Takes no more jobs and refuses those that wait; those that run go on. */
void workers_close(Workers *workers);

/* Waits until all jobs are done, those that wait included; ends the threads and frees all. */
void workers_stop(Workers *workers);

#endif
