/* resume.c - what a solver leaves to a later run, and how that goes on from it: see solve.h.
 *
 * What is saved are the logs, and how far the loop is. The loop's sets follow from them: what may turn out lost
 * without converting, what fell due since, less what was decided. */
#include <string.h>

#include "core/system/error.h"
#include "gen/solve/solver.h"

/* ---- Saving ---------------------------------------------------------------------------------- */

void solver_file(Solver *s, uint32_t stream, Buffers *t)
{
    treb_error error;
    treb_status status = log_file(s->facts, stream, &t->room, &error);
    for (int m = TREB_DTZ; m < TREB_METRICS && status == TREB_OK; m++)
        if (s->decided[m]) status = log_file(s->decided[m], stream, &t->room, &error);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        for (uint32_t wins = 0; wins < 2 && status == TREB_OK; wins++)
            if (s->due[m] && s->due[m] != solver_due(s))
                status = log_file(s->due[m], 2 * stream + wins, &t->room, &error);
    if (status != TREB_OK) solver_fail(s, status, &error);
}

void solver_save(Solver *s, unsigned n)
{
    treb_error error;
    s->next = n;
    if (solver_failed(s)) return;
    treb_status status = log_space_sync(s->space, &error);
    if (status == TREB_OK) status = s->saver->save(s->saver->context, s, &error);
    if (status != TREB_OK) solver_fail(s, status, &error);
}

void solver_save_solved(Solver *s)
{
    if (s->saver == NULL || solver_failed(s) || !s->saver->due(s->saver->context, true)) return;
#pragma omp parallel
    {
        Buffers t;
        treb_error error;
        if (!buffers_init(&t, s, false)) solver_fail(s, fail_memory(&error), &error);
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < 2 * s->shape->kings; i++)
            if (t.memory != NULL) solver_file(s, i, &t);
        buffers_free(&t);
    }
    solver_save(s, LOG_TAGS);
}

void solver_save_by(Solver *s, const SolverSaver *saver) { s->saver = saver; }

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

bool solver_get(Solver *s, State *state)
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

/* ---- Going on -------------------------------------------------------------------------------- */

/* What was decided so far: takes it from the sets of the loop, and finds what the last ply changed. */
static treb_status redo_decided(const Task *task, treb_error *error)
{
    Solver *s = task->s;
    const Log *log = s->decided[s->loop.metric];
    const size_t words = s->shape->plane_words;
    const uint32_t stream = stream_of(task->kings, task->side);
    Frontier *lost_at = &s->loop.lost_at[task->n & 1][task->side];
    uint64_t *unwon = plane_at(s, s->loop.unwon[task->side], task->kings);
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    uint64_t *lost = plane_at(s, lost_at->set, task->kings), *set = task->t->a;
    LogReader reader;
    LogEntry entry;
    treb_status status;
    memset(lost, 0, words * sizeof *lost);
    log_read(&reader, log, stream, &task->t->room);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL) {
        const bool won = decided_won(entry.tag), last = decided_plies(entry.tag) == task->n;
        memset(set, 0, words * sizeof *set);
        log_entry_or(log, &entry, set);
        for (size_t w = 0; w < words; w++) *(won ? &unwon[w] : &open[w]) &= ~set[w];
        if (last && won) s->loop.won_slabs[task->n & 1][task->side][task->kings] = KERNEL_ALL;
        if (last && !won) log_entry_or(log, &entry, lost);
    }
    if (any_cell(lost, words)) frontier_all(lost_at, task->kings);
    return status;
}

/* Opens what fell due so far, and goes on behind it. */
static treb_status redo_due(const Task *task, treb_error *error)
{
    Solver *s = task->s;
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    treb_status status = TREB_OK;
    for (int wins = 0; wins < 2; wins++) {
        const uint32_t stream = due_stream(task->kings, task->side, wins);
        log_rewind(solver_due(s), stream);
        while (status == TREB_OK && solver_when_due(s, stream) <= task->n) {
            LogEntry entry;
            status = log_take(solver_due(s), stream, &task->t->room, &entry, error);
            if (status == TREB_OK && !wins) log_entry_or(solver_due(s), &entry, open);
        }
    }
    return status;
}

/* What may turn out lost without converting. */
static treb_status redo_open(const Task *task, treb_error *error)
{
    Solver *s = task->s;
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    memset(open, 0, s->shape->plane_words * sizeof *open);
    return log_or_tag(s->facts, stream_of(task->kings, task->side), FACT_OPEN, &task->t->room, open,
                      error);
}

/* Tells other ranks all that was won so far, and what was lost at the last ply. */
static void redo_post(const Task *task, const uint64_t *won)
{
    Solver *s = task->s;
    const uint64_t *lost = plane_at(s, s->loop.lost_at[task->n & 1][task->side].set, task->kings);
    for (int w = 0; w < 2; w++) {
        const LogRoom *room = &task->t->room;
        size_t size = log_pack(s->facts, w ? won : lost, KERNEL_ALL, room);
        if (size > 0) solver_post(s, task->kings, task->side, w, task->n, log_packed(room), size);
    }
}

void solver_redo(const Task *task)
{
    Solver *s = task->s;
    treb_error error;
    solver_nothing_new(s, task->kings, task->side);
    uint64_t *won = task->t->b, *unwon = plane_at(s, s->loop.unwon[task->side], task->kings);
    memcpy(won, unwon, s->shape->plane_words * sizeof *won);
    treb_status status = redo_open(task, &error);
    if (status == TREB_OK) status = redo_due(task, &error);
    if (status == TREB_OK) status = redo_decided(task, &error);
    for (size_t w = 0; w < s->shape->plane_words; w++) won[w] &= ~unwon[w];
    if (status != TREB_OK)
        solver_fail(s, status, &error);
    else if (s->share.to[task->side][task->kings])
        redo_post(task, won);
}
