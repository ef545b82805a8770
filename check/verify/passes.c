/* passes.c - see passes.h.
 *
 * The moves pass visits the planes in this order: planes in which the resting king stands on the
 * same square follow each other, sorted by the square of the moving king. (The resting king is that
 * of the side not to move: White's moves leave Black's king where it is.) All quiet moves from such
 * planes lead to planes with the resting king on the same square. With pawns these are a 64th of a
 * slice, without pawns about a tenth of a table. So if the words are in a scratch file, not much
 * more needs to be in memory at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/verify/fill.h"
#include "check/verify/passes.h"
#include "check/verify/unpack.h"

enum {
    SMALL_PLANE = 1024, /* cells; with smaller planes, changing planes takes too much time */
    RECLAIM_CELLS = 256 /* number of cells between two calls of verify_memory_reclaim */
};

bool verify_order_planes(VerifyFullCheck *full)
{
    const Index *index = full->index;
    if (index->stride[INDEX_KINGS_AXIS] < SMALL_PLANE) return true;
    /* In the order of the cells, the square of the white king is more significant. That order suits
     * Black's moves. */
    uint16_t *planes = full->planes[TREB_WHITE] = malloc(index->kings * sizeof *planes);
    if (planes == NULL) return false;
    for (unsigned k = 0; k < index->kings; k++) {
        int white, black, symmetry;
        index_kings_squares(index->pawns, (int)k, &white, &black);
        planes[index_kings(index->pawns, black, white, &symmetry)] = (uint16_t)k;
    }
    return true;
}

/* ---- one thread ------------------------------------------------------------------------------ */

static void work_chunk(VerifyWorker *w, VerifyWork work, uint64_t from, uint64_t to)
{
    const VerifyWords *words = &w->full->words;
    verify_walk_seek(&w->walk, w->full->index, from);
    for (uint64_t cell = from; cell < to; cell++, verify_walk_next(&w->walk)) {
        if (cell % RECLAIM_CELLS == 0) verify_memory_reclaim(&w->full->store->memory);
        if (work == verify_do_verdict) {
            if (!verify_walk_valid(&w->walk)) {
                verify_put_own(w, verify_word_of(VERIFY_ILLEGAL));
                continue;
            }
        } else if (verify_word_verdict(verify_word(words, w->side, cell)) == VERIFY_ILLEGAL) {
            continue;
        }
        treb_position pos = *verify_walk_position(&w->walk);
        pos.turn = (uint8_t)w->side;
        work(w, &pos);
        if (verify_read_failed(w)) return;
    }
}

static void add_count(VerifyCount *sum, const VerifyCount *part)
{
    sum->positions += part->positions;
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        sum->delayed[i] += part->delayed[i];
        if (part->longest_delay[i] > sum->longest_delay[i]) sum->longest_delay[i] = part->longest_delay[i];
    }
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) {
            sum->count[side][v] += part->count[side][v];
            for (int p = 0; p < VERIFY_PLIES; p++) {
                for (int m = 0; m < TREB_METRICS; m++)
                    sum->histogram[m][side][v][p] += part->histogram[m][side][v][p];
                sum->mate50[side][v][p] += part->mate50[side][v][p];
            }
        }
}

/* Computes the cells of a chunk. Returns false if there is no chunk with this number. */
static bool chunk_cells(const VerifyFullCheck *full, const VerifyPass *pass, uint64_t number,
                        uint64_t *from, uint64_t *to)
{
    const Index *index = full->index;
    const bool ordered = pass->work != NULL && !pass->batch;
    const uint16_t *planes = ordered ? full->planes[pass->side] : NULL;
    uint64_t end = pass->end;
    if (planes == NULL) {
        *from = pass->first + number * VERIFY_CHUNK;
    } else {
        uint64_t size = index->stride[INDEX_KINGS_AXIS];
        uint64_t parts = (size + VERIFY_CHUNK - 1) / VERIFY_CHUNK;
        uint64_t plane = pass->first / size + number / parts;
        uint64_t first = plane / index->kings * index->kings + planes[plane % index->kings];
        if (plane * size >= end) return false;
        *from = first * size + number % parts * VERIFY_CHUNK;
        end = (first + 1) * size;
    }
    if (*from >= end) return false;
    *to = end - *from < VERIFY_CHUNK ? end : *from + VERIFY_CHUNK;
    return true;
}

/* What one thread does in a pass. The threads take chunks from a common counter, so that all of
 * them finish at about the same time. */
static void run_worker(const VerifyFullCheck *full, const VerifyPass *pass, _Atomic(uint64_t) *next)
{
    uint64_t from, to;
    VerifyWorker w = {.full = full, .side = pass->side, .reader = verify_reader_new(full->store)};
    w.count = calloc(1, sizeof *w.count);
    bool memory = w.reader != NULL && w.count != NULL;
    while (memory && !atomic_load(&full->report->stop)) {
        if (!chunk_cells(full, pass, atomic_fetch_add(next, 1), &from, &to)) break;
        if (pass->chunk != NULL)
            pass->chunk(&w, from, to);
        else
            work_chunk(&w, pass->work, from, to);
        if (verify_read_failed(&w)) break;
        if (!pass->silent) verify_report_progress(full->report, to - from);
    }
    if (!memory)
        verify_report_no_memory(full->report);
    else if (verify_read_failed(&w))
        verify_report_fail(full->report, &w.reader->error);
#pragma omp critical(verify_count)
    if (memory) add_count(full->count, w.count);
    free(w.count);
    verify_reader_free(w.reader);
}

/* ---- all threads ----------------------------------------------------------------------------- */

void verify_run_threads(const VerifyFullCheck *full, const VerifyPass *pass)
{
    _Atomic(uint64_t) next = 0;
    if (atomic_load(&full->report->stop)) return;
#pragma omp parallel num_threads(verify_threads(full->report->options))
    run_worker(full, pass, &next);
}

/* The name of the phase contains the side to move, and the stage if there are several. */
void verify_begin_phase(VerifyFullCheck *full, const char *phase, int side, uint64_t total)
{
    static const char *const to_move[2] = {", White to move", ", Black to move"};
    char part[48] = "";
    if (full->stages > 1)
        snprintf(part, sizeof part, ", part %d of %d", full->stage + 1, full->stages);
    snprintf(full->phase, sizeof full->phase, "%s%s%s", phase,
             full->sides == 2 && side >= 0 ? to_move[side] : "", part);
    verify_report_phase(full->report, full->phase, total);
}

void verify_run_pass(VerifyFullCheck *full, VerifyWork work, int side, const char *phase)
{
    const VerifyPass pass = {
        .work = work, .first = full->first, .end = full->end, .side = side};
    if (atomic_load(&full->report->stop)) return;
    verify_begin_phase(full, phase, side, full->end - full->first);
    verify_run_threads(full, &pass);
}

void verify_run_batches(VerifyFullCheck *full, VerifyWork work, unsigned metrics, int side,
                        const char *phase)
{
    VerifyPass pass = {.work = work, .side = side, .batch = true};
    VerifyBatch *batch = &full->batch;
    if (atomic_load(&full->report->stop)) return;
    verify_begin_phase(full, phase, side, full->end - full->first);
    batch->side = side;
    for (uint64_t first = full->first; first < full->end; first = batch->end) {
        pass.first = batch->first = first;
        pass.end = batch->end = full->end - first < full->batch_cells ? full->end : first + full->batch_cells;
        batch->again = first > full->first || full->stage > 0;
        verify_unpack(full, metrics);
        verify_run_threads(full, &pass);
    }
}
