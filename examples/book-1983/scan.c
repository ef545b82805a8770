/* scan.c - see scan.h. */
#include "examples/book-1983/scan.h"

#include <pthread.h>

#include "core/chess/position.h"

typedef struct ScanJob {
    const treb_tables *tables;
    Index index;
    int turn;
    ScanVisit *visit;
} ScanJob;

/* A thread has a fixed part of the cells and visits it in order. So the first position that a visitor
 * finds does not change from run to run. */
typedef struct ScanThread {
    ScanJob *job;
    void *context;
    uint64_t first, end;
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
    for (uint64_t cell = thread->first; cell < thread->end; cell++)
        scan_cell(thread->job, cell, thread->context);
    return NULL;
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
    uint64_t part = job.index.size / SCAN_THREADS;
    for (int i = 0; i < SCAN_THREADS; i++)
        thread[i] = (ScanThread){&job, context[i], i * part,
                                 i + 1 < SCAN_THREADS ? (i + 1) * part : job.index.size};
    while (started + 1 < SCAN_THREADS &&
           pthread_create(&id[started], NULL, work, &thread[started]) == 0)
        started++;
    /* This thread does the parts for which no thread could be started. */
    for (int i = started; i < SCAN_THREADS; i++) work(&thread[i]);
    for (int i = 0; i < started; i++) pthread_join(id[i], NULL);
    return true;
}
