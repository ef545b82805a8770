/* workers.h - threads that do work which takes a while, so that the threads that serve connections
 * never wait.
 *
 * Work items are light or heavy, and each belongs to a client. These rules choose the next item for a
 * free thread:
 *
 * - Light items go before heavy ones. Clients with waiting items take turns.
 * - At most `threads` items run at a time, of all clients together, and at most `threads` - 1 heavy
 *   items.
 * - For clients without a running light (or heavy) item there are WORKERS_SPARE more threads, half of
 *   which may run heavy items. Such a client need not wait until items of others are done. The system
 *   then divides the processors among all running threads.
 * - A client gets a second thread for heavy items only while no other client waits for its first one.
 *
 * So an item of one client starts at once, however much work other clients have requested. The number
 * of waiting items is bounded, in total and for each client; for heavy items by an eighth of the
 * bound for light ones. */
#ifndef TREB_SERVER_WORKERS_H
#define TREB_SERVER_WORKERS_H

#include <pthread.h>
#include <stdbool.h>

enum {
    WORKERS_HEAVY_PART = 8, /* bound for waiting light items / bound for waiting heavy items */
    WORKERS_SPARE = 16,     /* threads for clients that have nothing running */
    WORKERS_KEY_SIZE = 48   /* bytes of a client's key, with the zero */
};

typedef enum WorkKind { WORK_LIGHT, WORK_HEAVY, WORK_KINDS } WorkKind;

/* Embedded in the caller's own struct. */
typedef struct WorkItem WorkItem;
struct WorkItem {
    WorkItem *next;
    const char *client_key;      /* identifies the client; read only by workers_add */
    void (*run)(WorkItem *item); /* does the work; may free the item */
    void (*refuse)(
        WorkItem
            *item); /* called instead of `run` if the work will not be done; may free the item */
};

typedef struct Workers Workers;

typedef enum WorkersAdded {
    WORKERS_ADDED,
    WORKERS_FULL,        /* too many items of this kind are waiting */
    WORKERS_CLIENT_FULL, /* too many items of this client are waiting */
    WORKERS_CLOSED       /* workers_close was called, or there is no memory */
} WorkersAdded;

/* Starts `threads` threads (at least two) and the spare ones. At most `queue` light items may wait,
 * `each` of one client. Returns NULL on failure. */
Workers *workers_start(unsigned threads, unsigned queue, unsigned each);

/* Adds an item. Unless the result is WORKERS_ADDED, neither `run` nor `refuse` will be called. */
WorkersAdded workers_add(Workers *workers, WorkItem *item, WorkKind kind);

/* The number of waiting and of running items. */
unsigned workers_waiting(Workers *workers);
unsigned workers_running(Workers *workers);

/* Refuses all waiting items and accepts no more. Running items go on. */
void workers_close(Workers *workers);

/* Waits until all items are done, also the waiting ones; then ends the threads and frees everything. */
void workers_stop(Workers *workers);

#endif
