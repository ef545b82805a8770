/* solve.c - see solve.h.
 *
 * Distances grow ply by ply. With "won" and "lost" for the side to move,
 *
 *     lost at n   legal, no quiet move leads to a position that is not yet won for the opponent,
 *                 and every conversion loses in at most n
 *     won at n    legal, some quiet move leads to a position lost at n - 1, or some conversion
 *                 wins in n
 *
 * both as set operations on planes (kernel.h): the positions with a quiet move into a set are its
 * un-moves. The three metrics run the same loop and differ in what a conversion counts:
 *
 *     DTZ   1 if it wins or loses under the 50-move rule, 101 if it does so without it only
 *     DTC   1 for captures and promotions, 1 more than after it for a push
 *     DTM   1 more than after it
 *
 * What conversions count is known before the loop, and waits in a log until it falls due: a cell whose
 * conversion wins is won when n is so far, unless it was before; a cell that can only lose by
 * converting is not open before. What is decided goes to another log. So the loop itself needs of each
 * side two sets, of cells not yet won and of those that may turn out lost, and what was lost at this
 * ply and the one before.
 *
 * Work is skipped by slabs (kernel.h): a ply looks only at slabs that some man can reach from a slab
 * in which something changed the ply before. Within a ply losses go first: they read what was won
 * before this ply, wins read what was lost before it, and no plane is written that another reads.
 */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/solve/packed.h"
#include "gen/solve/solver.h"

/* The squares that symmetry takes into `squares`. */
static uint64_t unsymmetry(int symmetry, uint64_t squares)
{
    if (symmetry & SYM_DIAGONAL) squares = flip_diagonal(squares);
    if (symmetry & SYM_RANKS) squares = flip_ranks(squares);
    if (symmetry & SYM_FILES) squares = flip_files(squares);
    return squares;
}

/* ---- one ply --------------------------------------------------------------------------------- */

/* What of a slab may hold something. */
typedef struct Span {
    size_t first, end; /* words of a plane */
} Span;

static Span slab_span(const Solver *s, size_t slab)
{
    size_t first = slab * s->slab_words, end = first + s->slab_words;
    return (Span){s->shape->pair ? first + s->row_words * (slab + 1) : first, end};
}

/* The mask of one slab. */
static uint64_t slab_bit(const Solver *s, size_t slab)
{
    return s->slab_count == 1 ? KERNEL_ALL : square_bit(slab);
}

static bool slab_in(const Solver *s, uint64_t slabs, size_t slab)
{
    return s->slab_count == 1 ? slabs != 0 : slabs >> slab & 1;
}

uint64_t solver_positions(const Solver *s, uint32_t kings, const uint64_t *set, uint64_t slabs)
{
    const uint64_t weight = slice_weight(&s->slice, kings);
    uint64_t count = 0, twice = 0;
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        if (!slab_in(s, slabs, slab)) continue;
        Span span = slab_span(s, slab);
        count += s->kernel->count(set + span.first, span.end - span.first);
        for (size_t w = span.first; w < span.end && s->slice.mirrored; w++)
            twice += (uint64_t)bit_count(
                set[w] & slice_mirrored(&s->slice, kings * s->shape->plane_words + w));
    }
    return (weight * count - twice) << s->shape->pair;
}

/* Notes that cells of a plane are won or lost in n plies: those of `set` in these slabs. */
static void decide(Solver *s, uint32_t kings, int side, bool won, unsigned n, const uint64_t *set,
                   uint64_t slabs, Buffers *t)
{
    treb_error error;
    t->counts->of[side][won][n] += solver_positions(s, kings, set, slabs);
    Log *log = s->decided[s->loop.metric];
    const size_t size = log_pack(log, set, slabs, &t->room);
    treb_status status =
        log_add_packed(log, stream_of(kings, side), decided_tag(n, won), size, &t->room, &error);
    if (status != TREB_OK) solver_fail(s, status, &error);
    if (s->share.to[side][kings]) solver_post(s, kings, side, won, n, log_packed(&t->room), size);
}

/* The same where slabs are not told apart: all or none. */
static uint64_t plane_reached(const Solver *s, uint32_t kings, int side, const uint64_t *slabs)
{
    const ShapeLink *link = s->shape->link[kings][side];
    if (slabs[kings]) return KERNEL_ALL;
    for (int i = 0, links = s->shape->links[kings][side]; i < links; i++)
        if (slabs[link[i].kings]) return KERNEL_ALL;
    return 0;
}

/* The squares of a pair in a set that is not empty in these rows or slabs: the one man's, and the other's.
 * Without a pair, the slabs. */
static uint64_t squares_of_rows(const Solver *s, uint64_t slabs, const uint64_t *of)
{
    uint64_t squares = slabs;
    for (uint64_t left = slabs; left && s->shape->pair;) squares |= of[bit_pop(&left)];
    return squares;
}

static uint64_t squares_in(const Solver *s, const uint64_t *set, uint64_t slabs)
{
    uint64_t squares = slabs;
    for (uint64_t left = slabs; left && s->shape->pair;) {
        size_t slab = (size_t)bit_pop(&left);
        for (size_t row = slab + 1; row < 64; row++)
            if (!(squares >> row & 1) &&
                any_cell(set + s->row_words * (64 * slab + row), s->row_words))
                squares |= square_bit(row);
    }
    return squares;
}

/* Slabs that quiet moves of `side` reach in plane `kings` from the changed `slabs` of all planes. */
static uint64_t slabs_reached(const Solver *s, uint32_t kings, int side, const uint64_t *slabs)
{
    const Shape *shape = s->shape;
    if (s->slab_count == 1) return plane_reached(s, kings, side, slabs);
    uint64_t own = slabs[kings], reached = own;
    if (own && own != KERNEL_ALL && shape->man[0].color == side)
        for (uint64_t left = own; left && reached != KERNEL_ALL;)
            reached |= piece_attacks(shape->man[0].type, bit_pop(&left), 0);
    for (int i = 0; i < shape->links[kings][side]; i++) {
        ShapeLink link = shape->link[kings][side][i];
        reached |= unsymmetry(link.symmetry, slabs[link.kings]);
    }
    return reached;
}

/* A set of cells of one plane: empty, or not looked at, outside these rows. */
typedef struct RowSet {
    uint64_t *cells;
    KernelRows rows;
} RowSet;

/* Rows that are found: see kernel.h. `of` counts where rows are told apart. */
typedef struct FoundRows {
    uint64_t slabs, of[64];
} FoundRows;

static KernelRows rows_found(const Solver *s, const FoundRows *found)
{
    return (KernelRows){found->slabs, s->row_words > 0 ? found->of : NULL};
}

Log *solver_due(const Solver *s)
{
    bool zeroing = s->loop.metric == TREB_DTC && !s->shape->pawns;
    return s->due[zeroing ? TREB_DTZ : s->loop.metric];
}

unsigned solver_when_due(const Solver *s, uint32_t stream)
{
    unsigned tag = log_due(solver_due(s), stream);
    return s->loop.metric == TREB_DTC && !s->shape->pawns && tag < LOG_TAGS ? 1 : tag;
}

static void slabs_clear(const Solver *s, uint64_t *plane, uint64_t slabs)
{
    for (size_t slab = 0; slab < s->slab_count; slab++)
        if (slab_in(s, slabs, slab))
            memset(plane + slab * s->slab_words, 0, s->slab_words * sizeof *plane);
}

/* Writes what is due now to `found`, in the slabs that are returned. */
static uint64_t take_due(const Task *task, bool wins, uint64_t *found)
{
    Solver *s = task->s;
    const uint32_t stream = due_stream(task->kings, task->side, wins);
    uint64_t slabs = 0;
    while (solver_when_due(s, stream) == task->n) {
        treb_error error;
        LogEntry entry;
        treb_status status = log_take(solver_due(s), stream, &task->t->room, &entry, &error);
        if (status != TREB_OK) {
            solver_fail(s, status, &error);
            return 0;
        }
        if (slabs == 0) {
            slabs = log_entry_get(solver_due(s), &entry, found);
            continue;
        }
        slabs_clear(s, found, ~slabs);
        log_entry_or(solver_due(s), &entry, found);
        slabs = KERNEL_ALL;
    }
    return slabs;
}

static uint64_t words_with(const uint64_t *a, const uint64_t *b, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) any |= a[w] & ~b[w];
    return any;
}

/* Keeps of these rows those with a cell in a & ~b. */
static void keep_rows(const Solver *s, FoundRows *rows, const uint64_t *a, const uint64_t *b)
{
    uint64_t found = 0;
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        size_t first = slab * s->slab_words;
        if (!slab_in(s, rows->slabs, slab)) continue;
        if (s->row_words == 0) {
            if (words_with(a + first, b + first, s->slab_words)) found |= slab_bit(s, slab);
            continue;
        }
        for (uint64_t left = rows->of[slab]; left; left &= left - 1) {
            size_t row = first + s->row_words * (size_t)bit_first(left);
            if (!words_with(a + row, b + row, s->row_words)) rows->of[slab] &= ~(left & -left);
        }
        if (rows->of[slab]) found |= slab_bit(s, slab);
    }
    rows->slabs = found;
}

/* The words of one slab turn out lost: open, without escape. Takes them from `open`; returns whether
 * there are any. */
static bool words_lose(uint64_t *restrict open, const uint64_t *restrict escape,
                       uint64_t *restrict lost, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        lost[w] = open[w] & ~escape[w];
        open[w] &= ~lost[w];
        any |= lost[w];
    }
    return any != 0;
}

/* The words of one slab that can be won and were not are won: leaves just these in `won`. */
static bool words_win(uint64_t *restrict won, uint64_t *restrict unwon, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t now = won[w] & unwon[w];
        won[w] = now;
        unwon[w] &= ~now;
        any |= now;
    }
    return any != 0;
}

/* Un-moves the men from `first` to `last`, as far as they are the mover's. */
static void unmove_men(const Task *task, int first, int last, RowSet in, RowSet out)
{
    const Shape *shape = task->s->shape;
    KernelPlane plane = plane_of(task->s, task->kings);
    for (int i = first; i <= last; i++)
        if (shape->man[i].color == task->side)
            task->s->kernel->unmove(&plane, i, shape->man[i].type, in.cells, in.rows, out.cells,
                                    out.rows);
}

/* Un-moves the king: brings the cells not yet won of the planes that it comes from. */
static void unmove_king(const Task *task, RowSet out)
{
    const Shape *shape = task->s->shape;
    KernelPlane plane = plane_of(task->s, task->kings);
    for (int i = 0; i < shape->links[task->kings][task->side]; i++) {
        ShapeLink link = shape->link[task->kings][task->side][i];
        task->s->kernel->merge(&plane, link.symmetry, unwon_at(task->s, !task->side, link.kings),
                               KERNEL_ROWS_ALL, out.cells, out.rows);
    }
}

/* The rows of those candidates that some quiet move does not save: all moves are looked at, the cheap
 * ones first. Leaves in t->a, in these rows, the cells with such a move. */
static void rows_losing(const Task *task, uint64_t slabs, const uint64_t *open, FoundRows *rows)
{
    const Solver *s = task->s;
    const int men = s->shape->men, cheap = men > 2 ? men - 2 : 0;
    uint64_t *escape = task->t->a, *here = unwon_at(s, !task->side, task->kings);
    slabs_clear(s, escape, slabs);
    rows->slabs = slabs;
    for (size_t slab = 0; slab < 64; slab++)
        rows->of[slab] = s->shape->pair ? slabs & ~(2 * square_bit(slab) - 1) : UINT64_MAX;
    keep_rows(s, rows, open, escape);
    if (rows->slabs == 0) return;
    KernelRows own = rows_found(s, rows);
    unmove_men(task, cheap, men - 1, (RowSet){here, own}, (RowSet){escape, own});
    keep_rows(s, rows, open, escape);
    if (rows->slabs == 0) return;
    unmove_king(task, (RowSet){escape, rows_found(s, rows)});
    keep_rows(s, rows, open, escape);
    if (rows->slabs)
        unmove_men(task, 0, cheap - 1, (RowSet){here, KERNEL_ROWS_ALL},
                   (RowSet){escape, rows_found(s, rows)});
}

/* Opens what can only lose by converting and now may: those that are not won. Returns where. */
static uint64_t open_due(const Task *task)
{
    const Solver *s = task->s;
    uint64_t *due = task->t->b, slabs = take_due(task, false, due);
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    const uint64_t *unwon = plane_at(s, s->loop.unwon[task->side], task->kings);
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        if (!slab_in(s, slabs, slab)) continue;
        Span span = slab_span(s, slab);
        for (size_t w = span.first; w < span.end; w++) open[w] |= due[w] & unwon[w];
    }
    return squares_in(s, due, slabs);
}

/* Takes from `open` what is lost in one slab: of some of its rows, if they are told apart. Returns
 * whether there is anything. */
static bool slab_loses(const Task *task, size_t slab, const FoundRows *rows, uint64_t *open,
                       Frontier *out)
{
    const Solver *s = task->s;
    const size_t first = slab * s->slab_words;
    const uint64_t *escape = task->t->a;
    uint64_t *lost = plane_at(s, out->set, task->kings);
    if (s->row_words == 0)
        return words_lose(open + first, escape + first, lost + first, s->slab_words);
    uint64_t found = 0;
    for (size_t row = s->shape->pair ? slab + 1 : 0; row < 64; row++) {
        size_t at = first + s->row_words * row;
        if (!(rows->of[slab] >> row & 1))
            memset(lost + at, 0, s->row_words * sizeof *lost);
        else if (words_lose(open + at, escape + at, lost + at, s->row_words))
            found |= UINT64_C(1) << row;
    }
    out->rows[64 * task->kings + slab] = found;
    return found != 0;
}

static void ply_losses(const Task *task)
{
    Solver *s = task->s;
    const uint32_t kings = task->kings;
    const int side = task->side;
    Frontier *out = &s->loop.lost_at[task->n & 1][side];
    uint64_t *open = plane_at(s, s->loop.open[side], kings), found = 0;
    FoundRows rows;
    out->slabs[kings] = 0;
    if (s->row_words > 0) memset(out->rows + 64 * kings, 0, 64 * sizeof *out->rows);
    uint64_t slabs =
        open_due(task) | slabs_reached(s, kings, side, s->loop.won_slabs[~task->n & 1][!side]);
    if (slabs == 0) return;
    rows_losing(task, slabs, open, &rows);
    for (size_t slab = 0; slab < s->slab_count; slab++)
        if (slab_in(s, rows.slabs, slab) && slab_loses(task, slab, &rows, open, out))
            found |= slab_bit(s, slab);
    out->slabs[kings] =
        s->row_words > 0 ? squares_of_rows(s, found, out->rows + 64 * kings) : found;
    if (found) decide(s, kings, side, false, task->n, plane_at(s, out->set, kings), found, task->t);
}

/* The rows of a frontier in a plane. */
static KernelRows frontier_rows(const Solver *s, const Frontier *in, uint32_t kings)
{
    return (KernelRows){in->slabs[kings], s->row_words > 0 ? in->rows + 64 * kings : NULL};
}

/* What was just lost in a plane that may be another rank's: then in t->b. */
static RowSet lost_in(const Task *task, const Frontier *in, uint32_t kings)
{
    const Solver *s = task->s;
    if (share_has(&s->share, kings))
        return (RowSet){plane_at(s, in->set, kings), frontier_rows(s, in, kings)};
    uint64_t *lost = task->t->b, slabs = in->slabs[kings];
    uint64_t found =
        packed_get(s->kernel, s->halo.lost[!task->side][kings], s->shape->plane_words, lost);
    slabs_clear(s, lost, slabs & ~found);
    return (RowSet){lost, {slabs, NULL}};
}

/* Ors into t->a the cells from which a quiet move leads to what was just lost. */
static void unmove_lost(const Task *task, const Frontier *in, uint64_t slabs)
{
    const Solver *s = task->s;
    const Shape *shape = s->shape;
    const KernelPlane plane = plane_of(s, task->kings);
    const KernelRows all = {slabs, NULL};
    for (int i = 0; i < shape->links[task->kings][task->side]; i++) {
        ShapeLink link = shape->link[task->kings][task->side][i];
        uint64_t from = in->slabs[link.kings];
        if (shape->men >= 3) from = unsymmetry(link.symmetry, from);
        if (from == 0) continue;
        RowSet lost = lost_in(task, in, link.kings);
        s->kernel->merge(&plane, link.symmetry, lost.cells, lost.rows, task->t->a,
                         (KernelRows){from, NULL});
    }
    if (in->slabs[task->kings])
        unmove_men(task, 0, shape->men - 1,
                   (RowSet){plane_at(s, in->set, task->kings), frontier_rows(s, in, task->kings)},
                   (RowSet){task->t->a, all});
}

static void ply_wins(const Task *task)
{
    Solver *s = task->s;
    const uint32_t kings = task->kings;
    const int side = task->side;
    const Frontier *in = &s->loop.lost_at[~task->n & 1][!side];
    uint64_t *won_slabs = &s->loop.won_slabs[task->n & 1][side][kings];
    uint64_t *won = task->t->a;
    *won_slabs = 0;
    uint64_t due = take_due(task, true, won);
    uint64_t slabs = slabs_reached(s, kings, side, in->slabs);
    slabs_clear(s, won, slabs & ~due);
    slabs |= due;
    if (slabs == 0) return;
    unmove_lost(task, in, slabs);
    uint64_t *unwon = plane_at(s, s->loop.unwon[side], kings), found = 0;
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        if (!slab_in(s, slabs, slab)) continue;
        Span span = slab_span(s, slab);
        if (words_win(won + span.first, unwon + span.first, span.end - span.first))
            found |= slab_bit(s, slab);
    }
    *won_slabs = squares_in(s, won, found);
    if (found) decide(s, kings, side, true, task->n, won, found, task->t);
}

/* ---- a metric -------------------------------------------------------------------------------- */

/* What the first metric has decided holds for all: brings back what was not decided, and the mates. Only
 * what turned out lost can. */
static treb_status restore(const Task *task, treb_error *error)
{
    Solver *s = task->s;
    const uint32_t stream = stream_of(task->kings, task->side);
    const size_t words = s->shape->plane_words;
    const Log *log = s->decided[TREB_DTZ];
    uint64_t *unwon = plane_at(s, s->loop.unwon[task->side], task->kings);
    uint64_t *open = plane_at(s, s->loop.open[task->side], task->kings);
    uint64_t *mated = plane_at(s, s->loop.lost_at[0][task->side].set, task->kings);
    uint64_t *must = task->t->a;
    LogReader reader;
    LogEntry entry;
    treb_status status;
    memset(open, 0, words * sizeof *open);
    memset(mated, 0, words * sizeof *mated);
    memset(must, 0, words * sizeof *must);
    log_read(&reader, log, stream, &task->t->room);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL)
        log_entry_or(log, &entry,
                     decided_won(entry.tag)          ? unwon
                     : decided_plies(entry.tag) == 0 ? mated
                                                     : open);
    if (status != TREB_OK) return status;
    status = log_or_tag(s->facts, stream, FACT_MUST, &task->t->room, must, error);
    for (size_t w = 0; w < words; w++) open[w] &= ~must[w];
    return status;
}

/* From the first conversion on. Those that can be saved are filed now: they must not move later. */
static void start_due(const Task *task)
{
    Solver *s = task->s;
    for (int wins = 0; wins < 2; wins++) {
        const uint32_t stream = due_stream(task->kings, task->side, wins);
        treb_error error;
        treb_status status = TREB_OK;
        if (s->saver != NULL) status = log_file(solver_due(s), stream, &task->t->room, &error);
        if (status != TREB_OK) solver_fail(s, status, &error);
        log_rewind(solver_due(s), stream);
    }
}

/* Prepares a metric: nothing decided but the mates. */
static void metric_start(const Task *task)
{
    Solver *s = task->s;
    const uint32_t kings = task->kings;
    const int side = task->side;
    if (s->loop.metric != TREB_DTZ) {
        treb_error error;
        treb_status status = restore(task, &error);
        if (status != TREB_OK) {
            solver_fail(s, status, &error);
            return;
        }
    }
    const uint64_t *mated = plane_at(s, s->loop.lost_at[0][side].set, kings);
    bool mates = any_cell(mated, s->shape->plane_words);
    solver_nothing_new(s, kings, side);
    if (mates) frontier_all(&s->loop.lost_at[0][side], kings);
    start_due(task);
    if (mates) decide(s, kings, side, false, 0, mated, KERNEL_ALL, task->t);
}

/* The next ply at which a conversion is due, from n on; LOG_TAGS if none. */
static unsigned next_due(const Solver *s, unsigned n)
{
    unsigned least = LOG_TAGS;
    for (uint32_t i = 0; i < 4 * s->share.planes; i++) {
        unsigned due = solver_when_due(s, 4 * s->share.plane[i / 4] + i % 4);
        if (due >= n && due < least) least = due;
    }
    return least;
}

static bool ply_changed(const Solver *s, unsigned n)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < s->share.planes; i++) {
            uint32_t k = s->share.plane[i];
            if (s->loop.lost_at[n & 1][side].slabs[k] | s->loop.won_slabs[n & 1][side][k])
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

static void tell_ply(const Solver *s, unsigned n)
{
    if (s->watch == NULL) return;
    atomic_store_explicit(&s->watch->metric, s->loop.metric, memory_order_relaxed);
    atomic_store_explicit(&s->watch->ply, n, memory_order_relaxed);
}

/* Adds what a thread has counted. */
static void keep_counts(Solver *s, Buffers *t)
{
    const treb_metric metric = s->loop.metric;
#pragma omp critical(ply_counts)
    add_counts(&s->counts[metric], t->counts, s->slice.plies[metric]);
    memset(t->counts, 0, sizeof *t->counts);
}

/* The next ply for all ranks, and whether anything changed for one of them. */
static unsigned agree_next(const Solver *s, unsigned next, bool *changed)
{
    const Ranks *ranks = s->place.ranks;
    RankTraffic *traffic = ranks->traffic;
    if (solver_failed(s)) return LOG_TAGS;
    uint64_t least = ranks->least(ranks->context, 2 * (uint64_t)next + !*changed);
    uint64_t sent = traffic->bytes - traffic->before;
    traffic->plies++;
    traffic->before = traffic->bytes;
    if (sent > traffic->most) traffic->most = sent;
    *changed = !(least & 1);
    return (unsigned)(least / 2);
}

/* The end of ply n: returns the next, or LOG_TAGS. */
static unsigned end_ply(Solver *s, unsigned n)
{
    treb_error error;
    bool changed = ply_changed(s, n);
    unsigned next = n + 1;
    /* Nothing happens before: both frontiers are empty. */
    if (!changed && next > 2) next = next_due(s, next);
    if (s->place.ranks != NULL) next = agree_next(s, next, &changed);
    if (changed) s->slice.plies[s->loop.metric] = n;
    tell_ply(s, n);
    n = next;
    if (n < LOG_TAGS && n > PLIES_MOST) solver_fail(s, fail_plies(s->shape, &error), &error);
    return solver_failed(s) ? LOG_TAGS : n;
}

/* Runs all plies of a metric, from its start or (`first` > 1) from where an earlier run was. */
static void metric_run(Solver *s, treb_metric metric, unsigned first)
{
    unsigned n = first;
    bool saving = false;
    const uint32_t tasks = 2 * s->share.planes, *plane = s->share.plane,
                   halo = s->place.ranks != NULL ? s->share.halo[0] + s->share.halo[1] : 0;
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
        bool ok = t.memory != NULL;
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < tasks; i++) {
            Task task = {s, plane[i / 2], i % 2, first - 1, &t};
            if (ok && first == 1) metric_start(&task);
            if (ok && first > 1) solver_redo(&task);
            solver_mind(s);
        }
        if (s->place.ranks != NULL) {
#pragma omp for schedule(dynamic)
            for (uint32_t i = 0; i < halo; i++)
                if (ok) solver_halo_legal(s, i, &t);
#pragma omp single
            solver_take(s, first - 1);
#pragma omp for schedule(dynamic)
            for (uint32_t i = 0; i < s->halo.items[0] + s->halo.items[1]; i++)
                if (ok) solver_take_won(s, i, &t);
        }
        while (n < LOG_TAGS) {
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++)
                if (ok) {
                    ply_losses(&(Task){s, plane[i / 2], i % 2, n, &t});
                    solver_mind(s);
                }
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++)
                if (ok) {
                    ply_wins(&(Task){s, plane[i / 2], i % 2, n, &t});
                    solver_mind(s);
                }
            if (s->place.ranks != NULL) {
#pragma omp single
                solver_take(s, n);
#pragma omp for schedule(dynamic)
                for (uint32_t i = 0; i < s->halo.items[0] + s->halo.items[1]; i++)
                    if (ok) solver_take_won(s, i, &t);
            }
#pragma omp single
            {
                n = end_ply(s, n);
                saving =
                    n < LOG_TAGS && s->saver != NULL && s->saver->due(s->saver->context, false);
            }
            if (!saving) continue;
            if (ok) keep_counts(s, &t);
#pragma omp for schedule(dynamic)
            for (uint32_t i = 0; i < tasks; i++)
                if (ok) solver_file(s, stream_of(plane[i / 2], i % 2), &t);
#pragma omp single
            solver_save(s, n);
        }
        if (ok) keep_counts(s, &t);
        buffers_free(&t);
    }
}

unsigned slice_weight(const Slice *slice, uint32_t kings)
{
    const uint8_t *king = slice->shape->king[kings];
    if (slice->shape->pawns) return 2;
    return king[0] % 9 == 0 && king[1] % 9 == 0 ? 4 : 8;
}

uint64_t slice_mirrored(const Slice *slice, size_t word)
{
    if (slice->shape->men == 0 || slice->mirrored == 0) return slice->mirrored;
    int lane = slice->shape->men == 1 ? word % KERNEL_LANES : 0;
    return slice->mirrored >> lane & 1 ? UINT64_MAX : 0;
}

/* Every position of a lane with such pawns stands there twice. */
static void find_mirrored(Slice *slice)
{
    slice->mirrored = 0;
    for (int i = 0; i < slice->lanes && slice->shape->pawns; i++)
        if (index_pawns_mirror(&slice->shape->index, slice->pawns[i]) < 0)
            slice->mirrored |= UINT64_C(1) << i;
}

static bool solves(const Solver *s, int metric)
{
    bool skip = metric == TREB_DTC && s->slice.dtc_is_dtz;
    return s->metrics >> metric & 1 && !skip;
}

/* All metrics, from ply `next` of one on: 1 at its start. */
static void solve_metrics(Solver *s, treb_metric from, unsigned next)
{
    for (int m = (int)from; m < TREB_METRICS && !solver_failed(s); m++, next = 1) {
        if (solves(s, m)) metric_run(s, (treb_metric)m, next);
    }
    solver_save_solved(s);
}

/* What every rank has counted of its planes, together. */
static void sum_counts(Solver *s)
{
    const Ranks *ranks = s->place.ranks;
    ranks->sum(ranks->context, s->slice.legal, 2);
    ranks->sum(ranks->context, s->slice.zeroing_wins, 2);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        for (int i = 0; i < 4 && solves(s, m); i++)
            ranks->sum(ranks->context, s->counts[m].of[i / 2][i % 2], s->slice.plies[m] + 1);
}

static treb_status solver_end(Solver *s, const Slice **out)
{
    if (s->place.ranks != NULL && s->status == TREB_OK) sum_counts(s);
    if (s->place.ranks != NULL) solver_take_end(s);
    s->slice.cursed = s->slice.plies[TREB_DTZ] > RULE_PLIES;
    *out = &s->slice;
    return (treb_status)s->status;
}

static void solver_begin(Solver *s, int lanes, const uint64_t pawns[][2], treb_error *error)
{
    assert(lanes >= 1 && lanes <= shape_lanes(s->shape));
    s->slice.lanes = lanes;
    s->slice.metrics = s->metrics;
    s->status = TREB_OK;
    s->error = error;
    memcpy(s->slice.pawns, pawns, lanes * sizeof *pawns);
    find_mirrored(&s->slice);
    for (int i = 0; i < KERNEL_LANES; i++)
        s->lane_pawns[i] = i < lanes ? pawns[i][0] | pawns[i][1] : UINT64_MAX;
    if (s->watch != NULL) {
        atomic_store(&s->watch->set_up, 0);
        atomic_store(&s->watch->planes, 2 * s->share.planes);
    }
    tell_ply(s, 0);
}

treb_status solver_run(Solver *s, int lanes, const uint64_t pawns[][2], const SolvedSource *source,
                       const Slice **out, treb_error *error)
{
    treb_error none;
    solver_begin(s, lanes, pawns, error != NULL ? error : &none);
    treb_status status = solver_setup(s, source, error);
    if (status != TREB_OK) return status;
    solve_metrics(s, TREB_DTZ, 1);
    return solver_end(s, out);
}

treb_status solver_resume(Solver *s, int lanes, const uint64_t pawns[][2], State *state,
                          const Slice **out, treb_error *error)
{
    treb_error none;
    solver_begin(s, lanes, pawns, error != NULL ? error : &none);
    const Ranks *ranks = s->place.ranks;
    bool usable = solver_get(s, state);
    if (ranks != NULL) usable = ranks->least(ranks->context, usable) == 1;
    if (!usable) return fail(error, TREB_ERR_DAMAGED, "what an earlier run left cannot be used");
    solver_set_legal(s);
    if (s->next < LOG_TAGS) solve_metrics(s, s->loop.metric, s->next);
    return solver_end(s, out);
}
