/* solve.c - see solve.h: the method, and the loop over the plies.
 *
 * Distances grow ply by ply. With "won" and "lost" for the side to move,
 *
 *     lost at n   legal, no quiet move leads to a position that is not yet won for the opponent,
 *                 and every conversion loses in at most n
 *     won at n    legal, some quiet move leads to a position lost at n - 1, or some conversion
 *                 wins in n
 *
 * Both are set operations on planes (kernel.h): the retro-moves of a set are the positions from which a quiet move
 * leads into it. The three metrics run the same loop and differ in what a conversion counts:
 *
 *     DTZ   1 if it wins or loses under the 50-move rule, 101 if it does so only without the rule
 *     DTC   1 for captures and promotions, 1 more than after the move for a push
 *     DTM   1 more than after the move
 *
 * What conversions count is known before the loop, and is kept in a log until the ply at which it is due. A cell with
 * a conversion that wins in n plies is won at n, unless it was won before. A cell that can only lose by converting is
 * not open before its conversions are due. What is decided is written to another log. So the loop needs, for each
 * side to move, only two sets in memory, the cells not yet won and the open cells (those that can turn out lost), and
 * the cells lost at this ply and the ply before.
 *
 * Within a ply all losses come before all wins. Losses read what was won before this ply, wins read what was lost
 * before it, so no thread writes a plane that another thread reads. */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/solve/ply.h"
#include "gen/solve/resume.h"
#include "gen/solve/setup.h"

/* ---- A metric -------------------------------------------------------------------------------- */

/* Restores the sets of a plane for another metric. The first metric has decided which cells are won or lost, which
 * holds for all metrics: the legal cells that are not won, the mates, and as open cells those that turned out lost. */
static treb_status restore_metric(const PlaneTask *task, treb_error *error)
{
    Solver *s = task->s;
    const uint32_t stream = stream_of(task->kings, task->side);
    const size_t words = s->layout->plane_words;
    const Log *log = s->decided[TREB_DTZ];
    uint64_t *not_won = plane_at(s, s->loop.not_won[task->side], task->kings);
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    uint64_t *mated = plane_at(s, s->loop.lost_at[0][task->side].set, task->kings);
    uint64_t *loses = task->t->a;
    LogReader reader;
    LogEntry entry;
    treb_status status;
    memset(open, 0, words * sizeof *open);
    memset(mated, 0, words * sizeof *mated);
    memset(loses, 0, words * sizeof *loses);
    log_read(&reader, log, stream, &task->t->log_buffer);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL)
        log_entry_or(log, &entry,
                     decided_won(entry.tag)          ? not_won
                     : decided_plies(entry.tag) == 0 ? mated
                                                     : open);
    if (status != TREB_OK) return status;
    status = log_or_tag(s->facts, stream, FACT_BEST_CONVERSION_LOSES, &task->t->log_buffer, loses,
                        error);
    for (size_t w = 0; w < words; w++) open[w] &= ~loses[w];
    return status;
}

/* Rewinds what is due to the first conversion. If the solver is saved, the log is written to its file now, because it
 * must not move later. */
static void start_due(const PlaneTask *task)
{
    Solver *s = task->s;
    for (int wins = 0; wins < 2; wins++) {
        const uint32_t stream = due_stream(task->kings, task->side, wins);
        treb_error error;
        treb_status status = TREB_OK;
        if (s->saver != NULL)
            status = log_write_pending(solver_due(s), stream, &task->t->log_buffer, &error);
        if (status != TREB_OK) solver_fail(s, status, &error);
        log_rewind(solver_due(s), stream);
    }
}

/* Prepares a plane for a metric: nothing is decided but the mates. */
static void metric_start(const PlaneTask *task)
{
    Solver *s = task->s;
    const uint32_t kings = task->kings;
    const int side = task->side;
    if (s->loop.metric != TREB_DTZ) {
        treb_error error;
        treb_status status = restore_metric(task, &error);
        if (status != TREB_OK) {
            solver_fail(s, status, &error);
            return;
        }
    }
    const uint64_t *mated = plane_at(s, s->loop.lost_at[0][side].set, kings);
    bool mates = any_cell(mated, s->layout->plane_words);
    solver_nothing_new(s, kings, side);
    if (mates) frontier_all(&s->loop.lost_at[0][side], kings);
    start_due(task);
    if (mates) ply_decide(s, kings, side, false, 0, mated, KERNEL_ALL, task->t);
}

/* Returns the next ply from n on at which a conversion is due; LOG_TAGS: none. */
static unsigned next_due(const Solver *s, unsigned n)
{
    unsigned least = LOG_TAGS;
    for (uint32_t i = 0; i < 4 * s->partition.planes; i++) {
        unsigned due = solver_when_due(s, 4 * s->partition.plane[i / 4] + i % 4);
        if (due >= n && due < least) least = due;
    }
    return least;
}

static bool ply_changed(const Solver *s, unsigned n)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < s->partition.planes; i++) {
            uint32_t k = s->partition.plane[i];
            if (s->loop.lost_at[n & 1][side].row_blocks[k] | s->loop.won_row_blocks[n & 1][side][k])
                return true;
        }
    return false;
}

static void add_counts(PlyCounts *sum, const PlyCounts *part, unsigned longest)
{
    for (int i = 0; i < 4; i++)
        for (unsigned n = 0; n <= longest; n++)
            sum->of[i / 2][i % 2][n] += part->of[i / 2][i % 2][n];
}

static void report_ply(const Solver *s, unsigned n)
{
    if (s->progress == NULL) return;
    atomic_store_explicit(&s->progress->metric, s->loop.metric, memory_order_relaxed);
    atomic_store_explicit(&s->progress->ply, n, memory_order_relaxed);
}

/* Adds what a thread has counted to the counts of the metric. */
static void flush_counts(Solver *s, Buffers *t)
{
    const treb_metric metric = s->loop.metric;
#pragma omp critical(ply_counts)
    add_counts(&s->counts[metric], t->counts, s->slice.plies[metric]);
    memset(t->counts, 0, sizeof *t->counts);
}

/* Returns the smallest next ply of all processes, and sets `*changed` if anything changed in one of them.
 * Collective. */
static unsigned all_next_ply(const Solver *s, unsigned next, bool *changed)
{
    const Processes *processes = s->place.processes;
    ProcessTraffic *traffic = processes->traffic;
    if (solver_failed(s)) return LOG_TAGS;
    uint64_t least = processes->all_min(processes->context, 2 * (uint64_t)next + !*changed);
    uint64_t sent = traffic->bytes - traffic->before;
    traffic->plies++;
    traffic->before = traffic->bytes;
    if (sent > traffic->most) traffic->most = sent;
    *changed = !(least & 1);
    return (unsigned)(least / 2);
}

/* Ends ply n. Returns the next ply, or LOG_TAGS. */
static unsigned end_ply(Solver *s, unsigned n)
{
    treb_error error;
    bool changed = ply_changed(s, n);
    unsigned next = n + 1;
    /* Nothing happens before the next due ply: both frontiers are empty. */
    if (!changed && next > 2) next = next_due(s, next);
    if (s->place.processes != NULL) next = all_next_ply(s, next, &changed);
    if (changed) s->slice.plies[s->loop.metric] = n;
    report_ply(s, n);
    n = next;
    if (n < LOG_TAGS && n > PLIES_MOST) solver_fail(s, fail_plies(s->layout, &error), &error);
    return solver_failed(s) ? LOG_TAGS : n;
}

/* Receives what the other processes decided at ply n. This and the following functions are called by all threads of a
 * parallel region, which share the work. A thread without memory does nothing but wait for the others. */
static void receive_decided(Solver *s, unsigned n, Buffers *t)
{
    if (s->place.processes == NULL) return;
#pragma omp single
    ghosts_receive(s, n);
#pragma omp for schedule(dynamic)
    for (uint32_t i = 0; i < s->ghosts.items[0] + s->ghosts.items[1]; i++)
        if (t->memory != NULL) ghosts_apply_won(s, i, t);
}

/* Prepares all planes for ply `first`: 1 at the start of a metric, or more to resume. */
static void start_planes(Solver *s, unsigned first, Buffers *t)
{
    const uint32_t tasks = 2 * s->partition.planes;
#pragma omp for schedule(dynamic)
    for (uint32_t i = 0; i < tasks; i++) {
        PlaneTask task = {s, s->partition.plane[i / 2], i % 2, first - 1, t};
        if (t->memory != NULL && first == 1) metric_start(&task);
        if (t->memory != NULL && first > 1) resume_plane(&task);
        solver_evict_if_needed(s);
    }
    if (s->place.processes == NULL) return;
#pragma omp for schedule(dynamic)
    for (uint32_t i = 0; i < s->partition.ghosts[0] + s->partition.ghosts[1]; i++)
        if (t->memory != NULL) setup_ghost_legal(s, i, t);
    receive_decided(s, first - 1, t);
}

/* Runs ply n in all planes. */
static void run_ply(Solver *s, unsigned n, Buffers *t)
{
    const uint32_t tasks = 2 * s->partition.planes, *plane = s->partition.plane;
#pragma omp for schedule(dynamic, 4)
    for (uint32_t i = 0; i < tasks; i++)
        if (t->memory != NULL) {
            ply_losses(&(PlaneTask){s, plane[i / 2], i % 2, n, t});
            solver_evict_if_needed(s);
        }
#pragma omp for schedule(dynamic, 4)
    for (uint32_t i = 0; i < tasks; i++)
        if (t->memory != NULL) {
            ply_wins(&(PlaneTask){s, plane[i / 2], i % 2, n, t});
            solver_evict_if_needed(s);
        }
    receive_decided(s, n, t);
}

/* Saves all planes. Ply n comes next. */
static void save_planes(Solver *s, unsigned n, Buffers *t)
{
    if (t->memory != NULL) flush_counts(s, t);
#pragma omp for schedule(dynamic)
    for (uint32_t i = 0; i < 2 * s->partition.planes; i++)
        if (t->memory != NULL) resume_flush(s, stream_of(s->partition.plane[i / 2], i % 2), t);
#pragma omp single
    resume_save(s, n);
}

/* Runs all plies of a metric. `first` is 1 to start the metric, or the ply at which an earlier run was saved. */
static void metric_run(Solver *s, treb_metric metric, unsigned first)
{
    unsigned n = first;
    bool saving = false;
    s->loop.metric = metric;
    if (first == 1) {
        s->slice.plies[metric] = 0;
        memset(&s->counts[metric], 0, sizeof s->counts[metric]);
    }
#pragma omp parallel
    {
        Buffers t;
        treb_error error;
        if (!buffers_init(&t, s, false)) solver_fail(s, fail_memory(&error), &error);
        start_planes(s, first, &t);
        while (n < LOG_TAGS) {
            run_ply(s, n, &t);
#pragma omp single
            {
                n = end_ply(s, n);
                saving =
                    n < LOG_TAGS && s->saver != NULL && s->saver->decide(s->saver->context, false);
            }
            if (saving) save_planes(s, n, &t);
        }
        if (t.memory != NULL) flush_counts(s, &t);
        buffers_free(&t);
    }
}

/* Finds the lanes whose pawns are their own mirror image: each position of such a lane is there twice. */
static void find_mirrored(SolvedSlice *slice)
{
    slice->mirrored = 0;
    for (int i = 0; i < slice->lanes && slice->layout->pawns; i++)
        if (index_pawns_mirror(&slice->layout->index, slice->pawns[i]) < 0)
            slice->mirrored |= UINT64_C(1) << i;
}

static bool solves(const Solver *s, int metric)
{
    bool skip = metric == TREB_DTC && s->slice.dtc_is_dtz;
    return s->metrics >> metric & 1 && !skip;
}

/* Runs all metrics from `from` on, the first of them from ply `next`: 1 at its start. */
static void solve_metrics(Solver *s, treb_metric from, unsigned next)
{
    for (int m = (int)from; m < TREB_METRICS && !solver_failed(s); m++, next = 1) {
        if (solves(s, m)) metric_run(s, (treb_metric)m, next);
    }
    resume_save_solved(s);
}

/* Adds up what all processes have counted for their planes. Collective. */
static void sum_counts(Solver *s)
{
    const Processes *processes = s->place.processes;
    processes->all_sum(processes->context, s->slice.legal, 2);
    processes->all_sum(processes->context, s->slice.zeroing_wins, 2);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        for (int i = 0; i < 4 && solves(s, m); i++)
            processes->all_sum(processes->context, s->counts[m].of[i / 2][i % 2],
                               s->slice.plies[m] + 1);
}

static treb_status solver_end(Solver *s, const SolvedSlice **out)
{
    if (s->place.processes != NULL && s->status == TREB_OK) sum_counts(s);
    if (s->place.processes != NULL) ghosts_release(s);
    s->slice.cursed = s->slice.plies[TREB_DTZ] > RULE_PLIES;
    *out = &s->slice;
    return (treb_status)s->status;
}

static void solver_begin(Solver *s, int lanes, const uint64_t pawns[][2], treb_error *error)
{
    assert(lanes >= 1 && lanes <= layout_lanes(s->layout));
    s->slice.lanes = lanes;
    s->slice.metrics = s->metrics;
    s->status = TREB_OK;
    s->error = error;
    memcpy(s->slice.pawns, pawns, lanes * sizeof *pawns);
    find_mirrored(&s->slice);
    for (int i = 0; i < KERNEL_LANES; i++)
        s->lane_pawns[i] = i < lanes ? pawns[i][0] | pawns[i][1] : UINT64_MAX;
    if (s->progress != NULL) {
        atomic_store(&s->progress->set_up, 0);
        atomic_store(&s->progress->planes, 2 * s->partition.planes);
    }
    report_ply(s, 0);
}

treb_status solver_run(Solver *s, int lanes, const uint64_t pawns[][2],
                       const SliceProvider *provider, const SolvedSlice **out, treb_error *error)
{
    treb_error none;
    solver_begin(s, lanes, pawns, error != NULL ? error : &none);
    treb_status status = setup_slice(s, provider, error);
    if (status != TREB_OK) return status;
    solve_metrics(s, TREB_DTZ, 1);
    return solver_end(s, out);
}

treb_status solver_resume(Solver *s, int lanes, const uint64_t pawns[][2], State *state,
                          const SolvedSlice **out, treb_error *error)
{
    treb_error none;
    solver_begin(s, lanes, pawns, error != NULL ? error : &none);
    const Processes *processes = s->place.processes;
    bool usable = resume_get(s, state);
    if (processes != NULL) usable = processes->all_min(processes->context, usable) == 1;
    if (!usable)
        return fail(error, TREB_ERR_DAMAGED, "the checkpoint of an earlier run is damaged");
    setup_legal_only(s);
    if (s->next < LOG_TAGS) solve_metrics(s, s->loop.metric, s->next);
    return solver_end(s, out);
}
