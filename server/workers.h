/* workers.h - threads that do what takes a while, so that those which serve connections never wait.
 * Light jobs go first, and heavy ones never have all the threads. */
#ifndef TREB_SERVER_WORKERS_H
#define TREB_SERVER_WORKERS_H

#include <pthread.h>
#include <stdbool.h>

enum { WORKERS_HEAVY_MAX = 128, WORKERS_HEAVY_EACH = 32 }; /* heavy jobs that may wait */

typedef struct Job Job;
struct Job {
    Job *next;
    const char *owner;     /* whose it is: one owner does not get all the places */
    void (*run)(Job *job); /* the job may be gone when it returns */
};

typedef struct JobQueue {
    Job *first, *last;
    unsigned count;
} JobQueue;

typedef struct Workers {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    JobQueue light, heavy;
    unsigned threads, heavy_running;
    bool stopping;
    pthread_t *thread;
} Workers;

/* Starts `threads` of them, at least two. False if that cannot be done. */
bool workers_start(Workers *workers, unsigned threads);

typedef enum WorkersAdded {
    WORKERS_ADDED,
    WORKERS_FULL,      /* too many heavy jobs are waiting */
    WORKERS_OWNER_FULL /* too many of this owner */
} WorkersAdded;

/* Takes a job on, unless it says otherwise. */
WorkersAdded workers_add(Workers *workers, Job *job, bool heavy);

unsigned workers_waiting(Workers *workers);

/* Waits until all jobs are done and ends the threads. */
void workers_stop(Workers *workers);

#endif
