/* stats_scan.c - see stats_scan.h.
 *
 * Cells are cut into strata of `width`; of each, one cell is taken, at a place that depends on the
 * number of the stratum alone. So a sample is the same every time, and is read in order. */
#include "stats_scan.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 4096 };

typedef struct Scan {
    const ScanRequest *request;
    uint64_t strata;
    _Atomic uint64_t next;
    atomic_bool stop;
    pthread_mutex_t lock; /* of the rest */
    ScanResult *result;
    treb_error error;
} Scan;

/* A well-mixed number from another (splitmix64). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static treb_status scan_position(const ScanRequest *r, const treb_position *pos, unsigned weight,
                                 ScanResult *sum)
{
    treb_distance d;
    treb_status status = treb_probe_distance(r->tables, pos, r->metric, &d, NULL);
    if (status == TREB_ERR_POSITION) return TREB_OK; /* not a legal position */
    if (status != TREB_OK) return status;
    sum->positions += weight;
    sum->looked_at++;
    if (d.wdl == TREB_DRAW) return TREB_OK;
    int winner = d.wdl > TREB_DRAW ? pos->turn : pos->turn ^ 1;
    int plies = d.plies < SCAN_PLIES ? d.plies : SCAN_PLIES - 1;
    sum->wins[winner] += weight;
    sum->plies[winner][plies] += weight;
    if (d.wdl == TREB_CURSED_WIN || d.wdl == TREB_BLESSED_LOSS)
        sum->cursed[winner][plies] += weight;
    return TREB_OK;
}

/* Looks at one cell with either side to move. */
static bool scan_cell(Scan *scan, uint64_t cell, ScanResult *sum)
{
    const ScanRequest *r = scan->request;
    IndexMen men;
    if (!index_to_men(&r->index, cell, &men)) return true;
    unsigned weight = index_weight(&r->index, &men);
    for (int turn = 0; turn < 2; turn++) {
        treb_position pos;
        index_men_to_position(&r->index, &men, turn, &pos);
        if (scan_position(r, &pos, weight, sum) == TREB_OK) continue;
        pthread_mutex_lock(&scan->lock);
        /* Once more, for the words. */
        treb_distance d;
        if (!atomic_load(&scan->stop))
            treb_probe_distance(r->tables, &pos, r->metric, &d, &scan->error);
        atomic_store(&scan->stop, true);
        pthread_mutex_unlock(&scan->lock);
        return false;
    }
    return true;
}

static void show_progress(const Scan *scan, uint64_t done)
{
    unsigned now = (unsigned)(100 * (double)done / (double)scan->strata);
    unsigned before =
        done < CHUNK ? 101 : (unsigned)(100 * (double)(done - CHUNK) / (double)scan->strata);
    if (now != before) fprintf(stderr, "\rreading the table ... %u%%\033[K", now);
}

static void add_result(Scan *scan, const ScanResult *part)
{
    ScanResult *sum = scan->result;
    pthread_mutex_lock(&scan->lock);
    sum->positions += part->positions;
    sum->looked_at += part->looked_at;
    for (int winner = 0; winner < 2; winner++) {
        sum->wins[winner] += part->wins[winner];
        for (int p = 0; p < SCAN_PLIES; p++) {
            sum->plies[winner][p] += part->plies[winner][p];
            sum->cursed[winner][p] += part->cursed[winner][p];
        }
    }
    pthread_mutex_unlock(&scan->lock);
}

static void *work(void *context)
{
    Scan *scan = context;
    const ScanRequest *r = scan->request;
    ScanResult *sum = calloc(1, sizeof *sum);
    if (sum == NULL) {
        pthread_mutex_lock(&scan->lock);
        scan->error = (treb_error){TREB_ERR_MEMORY, "out of memory"};
        atomic_store(&scan->stop, true);
        pthread_mutex_unlock(&scan->lock);
        return NULL;
    }
    while (!atomic_load(&scan->stop)) {
        uint64_t first = atomic_fetch_add(&scan->next, CHUNK), end = first + CHUNK;
        if (first >= scan->strata) break;
        if (end > scan->strata) end = scan->strata;
        for (uint64_t i = first; i < end; i++)
            if (!scan_cell(scan, i * r->width + mix(i) % r->width, sum)) break;
        if (r->progress) show_progress(scan, end);
    }
    add_result(scan, sum);
    free(sum);
    return NULL;
}

treb_status stats_scan(const ScanRequest *request, ScanResult *result, treb_error *error)
{
    enum { THREADS_MAX = 256 };
    pthread_t thread[THREADS_MAX];
    unsigned started = 0, wanted = request->threads ? request->threads : 1;
    Scan scan = {
        .request = request, .strata = request->index.size / request->width, .result = result};
    if (wanted > THREADS_MAX) wanted = THREADS_MAX;
    pthread_mutex_init(&scan.lock, NULL);
    while (started + 1 < wanted && pthread_create(&thread[started], NULL, work, &scan) == 0)
        started++;
    work(&scan);
    for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&scan.lock);
    if (request->progress) fputs("\r\033[K", stderr);
    if (scan.error.status != TREB_OK) *error = scan.error;
    return scan.error.status;
}
