/* resume.c - see resume.h.
 *
 * The logs are saved, and how far the loop is. The sets of the loop follow from the logs: open are the cells that can
 * turn out lost without converting, and those whose losing conversions were due, less the decided ones. */
#include "gen/solve/resume.h"

#include <string.h>

#include "core/system/error.h"

/* ---- Saving ---------------------------------------------------------------------------------- */

void resume_flush(Solver *s, uint32_t stream, Buffers *t)
{
    treb_error error;
    treb_status status = log_write_pending(s->facts, stream, &t->log_buffer, &error);
    for (int m = TREB_DTZ; m < TREB_METRICS && status == TREB_OK; m++)
        if (s->decided[m]) status = log_write_pending(s->decided[m], stream, &t->log_buffer, &error);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        for (uint32_t wins = 0; wins < 2 && status == TREB_OK; wins++)
            if (s->due[m] && s->due[m] != solver_due(s))
                status = log_write_pending(s->due[m], 2 * stream + wins, &t->log_buffer, &error);
    if (status != TREB_OK) solver_fail(s, status, &error);
}

void resume_save(Solver *s, unsigned n)
{
    treb_error error;
    s->next = n;
    if (solver_failed(s)) return;
    treb_status status = log_space_sync(s->space, &error);
    if (status == TREB_OK) status = s->saver->save(s->saver->context, s, &error);
    if (status != TREB_OK) solver_fail(s, status, &error);
}

void resume_save_solved(Solver *s)
{
    if (s->saver == NULL || solver_failed(s) || !s->saver->decide(s->saver->context, true)) return;
#pragma omp parallel
    {
        Buffers t;
        treb_error error;
        if (!buffers_init(&t, s, false)) solver_fail(s, fail_memory(&error), &error);
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < 2 * s->layout->kings; i++)
            if (t.memory != NULL) resume_flush(s, i, &t);
        buffers_free(&t);
    }
    resume_save(s, LOG_TAGS);
}

void solver_put(const Solver *s, State *state)
{
    state_put(state, s->loop.metric);
    state_put(state, s->next);
    state_put(state, s->slice.dtc_is_dtz);
    state_put_bytes(state, s->slice.plies, sizeof s->slice.plies);
    state_put_bytes(state, s->slice.legal, sizeof s->slice.legal);
    state_put_bytes(state, s->slice.zeroing_wins, sizeof s->slice.zeroing_wins);
    for (int m = TREB_DTZ; m <= (int)s->loop.metric; m++)
        state_put_bytes(state, &s->counts[m], sizeof s->counts[m]);
    log_space_put(s->space, state);
}

bool resume_get(Solver *s, State *state)
{
    s->loop.metric = (treb_metric)state_get_most(state, TREB_METRICS - 1);
    s->next = (unsigned)state_get_most(state, LOG_TAGS);
    s->slice.dtc_is_dtz = state_get_most(state, 1);
    state_get_bytes(state, s->slice.plies, sizeof s->slice.plies);
    state_get_bytes(state, s->slice.legal, sizeof s->slice.legal);
    state_get_bytes(state, s->slice.zeroing_wins, sizeof s->slice.zeroing_wins);
    for (int m = TREB_DTZ; m <= (int)s->loop.metric; m++)
        state_get_bytes(state, &s->counts[m], sizeof s->counts[m]);
    return s->loop.metric >= TREB_DTZ && s->metrics >> s->loop.metric & 1 && s->next > 1 &&
           log_space_get(s->space, state);
}

/* ---- Resuming -------------------------------------------------------------------------------- */

/* Removes the cells decided so far from the sets of a plane, and finds those of the last ply. */
static treb_status restore_decided(const PlaneTask *task, treb_error *error)
{
    Solver *s = task->s;
    const Log *log = s->decided[s->loop.metric];
    const size_t words = s->layout->plane_words;
    const uint32_t stream = stream_of(task->kings, task->side);
    Frontier *lost_at = &s->loop.lost_at[task->n & 1][task->side];
    uint64_t *not_won = plane_at(s, s->loop.not_won[task->side], task->kings);
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    uint64_t *lost = plane_at(s, lost_at->set, task->kings), *set = task->t->a;
    LogReader reader;
    LogEntry entry;
    treb_status status;
    memset(lost, 0, words * sizeof *lost);
    log_read(&reader, log, stream, &task->t->log_buffer);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL) {
        const bool won = decided_won(entry.tag), last = decided_plies(entry.tag) == task->n;
        memset(set, 0, words * sizeof *set);
        log_entry_or(log, &entry, set);
        for (size_t w = 0; w < words; w++) *(won ? &not_won[w] : &open[w]) &= ~set[w];
        if (last && won) s->loop.won_row_blocks[task->n & 1][task->side][task->kings] = KERNEL_ALL;
        if (last && !won) log_entry_or(log, &entry, lost);
    }
    if (any_cell(lost, words)) frontier_all(lost_at, task->kings);
    return status;
}

/* Opens the cells whose losing conversions were due so far, and moves on to the next entries. */
static treb_status restore_due(const PlaneTask *task, treb_error *error)
{
    Solver *s = task->s;
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    treb_status status = TREB_OK;
    for (int wins = 0; wins < 2; wins++) {
        const uint32_t stream = due_stream(task->kings, task->side, wins);
        log_rewind(solver_due(s), stream);
        while (status == TREB_OK && solver_when_due(s, stream) <= task->n) {
            LogEntry entry;
            status = log_take(solver_due(s), stream, &task->t->log_buffer, &entry, error);
            if (status == TREB_OK && !wins) log_entry_or(solver_due(s), &entry, open);
        }
    }
    return status;
}

/* Opens the cells that can turn out lost without converting. */
static treb_status restore_open(const PlaneTask *task, treb_error *error)
{
    Solver *s = task->s;
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    memset(open, 0, s->layout->plane_words * sizeof *open);
    return log_or_tag(s->facts, stream_of(task->kings, task->side), FACT_OPEN, &task->t->log_buffer,
                      open, error);
}

/* Sends the other processes all cells won so far, and the cells lost at the last ply. */
static void send_restored(const PlaneTask *task, const uint64_t *won)
{
    Solver *s = task->s;
    const uint64_t *lost = plane_at(s, s->loop.lost_at[task->n & 1][task->side].set, task->kings);
    for (int w = 0; w < 2; w++) {
        const LogBuffer *buffer = &task->t->log_buffer;
        size_t size = log_pack(s->facts, w ? won : lost, KERNEL_ALL, buffer);
        if (size > 0) ghosts_send(s, task->kings, task->side, w, task->n, log_packed(buffer), size);
    }
}

void resume_plane(const PlaneTask *task)
{
    Solver *s = task->s;
    treb_error error;
    solver_nothing_new(s, task->kings, task->side);
    uint64_t *won = task->t->b, *not_won = plane_at(s, s->loop.not_won[task->side], task->kings);
    memcpy(won, not_won, s->layout->plane_words * sizeof *won);
    treb_status status = restore_open(task, &error);
    if (status == TREB_OK) status = restore_due(task, &error);
    if (status == TREB_OK) status = restore_decided(task, &error);
    for (size_t w = 0; w < s->layout->plane_words; w++) won[w] &= ~not_won[w];
    if (status != TREB_OK)
        solver_fail(s, status, &error);
    else if (s->partition.ghosted_by[task->side][task->kings])
        send_restored(task, won);
}
