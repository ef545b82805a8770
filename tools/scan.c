/* scan.c - see scan.h. */
#include "scan.h"

#include <pthread.h>
#include <stdatomic.h>

#include "position.h"

enum { CHUNK = 1 << 15 };

typedef struct ScanJob {
    const treb_tables *tables;
    Index index;
    int turn;
    ScanVisit *visit;
    _Atomic uint64_t next;
} ScanJob;

typedef struct ScanThread {
    ScanJob *job;
    void *context;
} ScanThread;

static void scan_cell(ScanJob *job, uint64_t cell, void *context)
{
    IndexMen men;
    if (!index_to_men(&job->index, cell, &men)) return;
    for (int turn = 0; turn < 2; turn++) {
        treb_position pos;
        if (job->turn != SCAN_BOTH && job->turn != turn) continue;
        index_men_to_position(&job->index, &men, turn, &pos);
        if (position_check(&pos, NULL) == TREB_OK)
            job->visit(context, job->tables, &pos, index_weight(&job->index, &men));
    }
}

static void *work(void *argument)
{
    ScanThread *thread = argument;
    ScanJob *job = thread->job;
    for (;;) {
        uint64_t first = atomic_fetch_add(&job->next, CHUNK), end = first + CHUNK;
        if (first >= job->index.size) return NULL;
        if (end > job->index.size) end = job->index.size;
        for (uint64_t cell = first; cell < end; cell++) scan_cell(job, cell, thread->context);
    }
}

bool scan_ending(const treb_tables *tables, const char *material, int turn, ScanVisit *visit,
                 void *const context[SCAN_THREADS])
{
    ScanJob job = {.tables = tables, .turn = turn, .visit = visit};
    ScanThread thread[SCAN_THREADS];
    pthread_t id[SCAN_THREADS];
    Material m;
    if (!material_parse(material, &m) || !index_init(&job.index, &m, NULL, 1)) return false;
    int started = 0;
    for (int i = 0; i < SCAN_THREADS; i++) thread[i] = (ScanThread){&job, context[i]};
    while (started + 1 < SCAN_THREADS &&
           pthread_create(&id[started], NULL, work, &thread[started]) == 0)
        started++;
    work(&thread[SCAN_THREADS - 1]);
    for (int i = 0; i < started; i++) pthread_join(id[i], NULL);
    return true;
}
