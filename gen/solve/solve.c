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
 * Before the loop the plies of a metric hold each cell's best conversion. A cell whose conversion
 * wins waits in `pending` until n reaches its plies; a cell that can only lose by converting is
 * `held` back until n does. When a cell is decided its plies become n.
 *
 * Work is skipped by slabs (kernel.h): a ply looks only at slabs that some man can reach from a slab
 * in which something changed the ply before. Within a ply losses go first: they read what was won
 * before this ply, wins read what was lost before it, and no plane is written that another reads.
 */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "core/error.h"
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

/* The mask of one slab. */
static uint64_t slab_bit(const Solver *s, size_t slab)
{
    return s->slab_count == 1 ? KERNEL_ALL : square_bit(slab);
}

static size_t slab_index(const Solver *s, uint32_t kings, int slab)
{
    return (size_t)kings * s->slab_count + slab;
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

/* One plane for one side to move at ply n. */
typedef struct Task {
    Solver *s;
    uint32_t kings;
    int side;
    unsigned n;
    Buffers *t;
} Task;

/* A set of cells of one plane: empty, or not looked at, outside these slabs. */
typedef struct SlabSet {
    uint64_t *cells;
    uint64_t slabs;
} SlabSet;

/* Takes the cells of `set`, a set of all planes, whose distance is n in the slabs where that is
 * next; returns the slabs. What was taken is written to `found`, in those slabs only. */
__attribute__((always_inline)) static inline uint64_t take_due(const Task *task, uint64_t *set,
                                                               Plies *next, uint64_t *found)
{
    const Solver *s = task->s;
    const Plies *plies = s->loop.plies[task->side];
    const uint32_t kings = task->kings;
    const unsigned n = task->n;
    uint64_t due = 0;
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        Plies *when = &next[slab_index(s, kings, slab)];
        if (*when != n) continue;
        size_t at = slab * s->slab_words, plane = (size_t)kings * s->shape->plane_words;
        *when = s->kernel->take(set + plane + at, s->slab_words, n, plies + 64 * (plane + at),
                                found + at);
        due |= slab_bit(s, slab);
    }
    return due;
}

static bool slab_in(const Solver *s, uint64_t slabs, size_t slab)
{
    return s->slab_count == 1 ? slabs != 0 : slabs >> slab & 1;
}

static void slabs_clear(const Solver *s, uint64_t *plane, uint64_t slabs)
{
    for (size_t slab = 0; slab < s->slab_count; slab++)
        if (slab_in(s, slabs, slab))
            memset(plane + slab * s->slab_words, 0, s->slab_words * sizeof *plane);
}

/* Of `slabs`, those with a cell in a & ~b & ~c. */
static uint64_t slabs_with(const Solver *s, uint64_t slabs, const uint64_t *a, const uint64_t *b,
                           const uint64_t *c)
{
    uint64_t found = 0;
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        if (!slab_in(s, slabs, slab)) continue;
        uint64_t any = 0;
        for (size_t w = slab * s->slab_words, end = w + s->slab_words; w < end; w++)
            any |= a[w] & ~b[w] & ~c[w];
        if (any) found |= slab_bit(s, slab);
    }
    return found;
}

/* The words of one slab turn out lost: open and not held, without escape. Takes them from `open`;
 * returns whether there are any. */
static bool words_lose(uint64_t *restrict open, const uint64_t *restrict held,
                       const uint64_t *restrict escape, uint64_t *restrict lost, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        lost[w] = open[w] & ~held[w] & ~escape[w];
        open[w] &= ~lost[w];
        any |= lost[w];
    }
    return any != 0;
}

/* The words of one slab that can be won and were not are won: leaves just these in `won`. The byte
 * of a decided cell no longer speaks of its conversion. */
static bool words_win(uint64_t *restrict won, uint64_t *restrict unwon, uint64_t *restrict pending,
                      uint64_t *restrict held, size_t words)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t now = won[w] & unwon[w];
        won[w] = now;
        unwon[w] &= ~now;
        pending[w] &= ~now;
        held[w] &= ~now;
        any |= now;
    }
    return any != 0;
}

/* Notes which cells are decided just when their conversion is due, in these slabs. */
static void note_ends(const Task *task, const uint64_t *decided, const uint64_t *due,
                      uint64_t slabs)
{
    const Solver *s = task->s;
    const uint64_t *ends = plane_at(s, s->start.ends[task->side], task->kings);
    uint64_t *best = plane_at(s, s->slice.ends_best[task->side], task->kings);
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        if (!slab_in(s, slabs, slab)) continue;
        for (size_t w = slab * s->slab_words, end = w + s->slab_words; w < end; w++)
            best[w] |= decided[w] & due[w] & ends[w];
    }
}

/* Un-moves the men from `first` to `last`, as far as they are the mover's. */
static void unmove_men(const Task *task, int first, int last, SlabSet in, SlabSet out)
{
    const Shape *shape = task->s->shape;
    KernelPlane plane = plane_of(task->s, task->kings);
    for (int i = first; i <= last; i++)
        if (shape->man[i].color == task->side)
            task->s->kernel->unmove(&plane, i, shape->man[i].type, in.cells, in.slabs, out.cells,
                                    out.slabs);
}

/* Un-moves the king: brings the cells of the planes that it comes from. */
static void unmove_king(const Task *task, uint64_t *set, SlabSet out)
{
    const Shape *shape = task->s->shape;
    for (int i = 0; i < shape->links[task->kings][task->side]; i++) {
        ShapeLink link = shape->link[task->kings][task->side][i];
        task->s->kernel->merge(shape->men, link.symmetry, plane_at(task->s, set, link.kings),
                               out.cells, out.slabs);
    }
}

/* Notes that cells are won or lost in n plies: `words` words from `first` on of the plane, those of
 * `set`. */
static void decide(const Task *task, bool won, const uint64_t *set, size_t first, size_t words)
{
    const Solver *s = task->s;
    size_t at = (size_t)task->kings * s->shape->plane_words + first;
    uint64_t count = s->kernel->mark(set, words, task->n, s->loop.plies[task->side] + 64 * at);
    count *= slice_weight(&s->slice, task->kings);
    for (size_t w = 0; w < words && s->slice.mirrored; w++)
        count -= bit_count(set[w] & slice_mirrored(&s->slice, at + w));
    task->t->counts->of[task->side][won][task->n] += count;
}

/* The slabs of those candidates that some quiet move does not save: all moves are looked at, the
 * cheap ones first. Leaves in t->a the cells with such a move. */
static uint64_t slabs_losing(const Task *task, uint64_t slabs, const uint64_t *open,
                             const uint64_t *held)
{
    const Solver *s = task->s;
    const int men = s->shape->men, cheap = men > 2 ? men - 2 : 0;
    uint64_t *escape = task->t->a, *unwon = s->loop.unwon[!task->side];
    SlabSet here = {plane_at(s, unwon, task->kings), slabs};
    slabs_clear(s, escape, slabs);
    slabs = slabs_with(s, slabs, open, held, escape);
    here.slabs = slabs;
    unmove_men(task, cheap, men - 1, here, (SlabSet){escape, slabs});
    if (slabs) slabs = slabs_with(s, slabs, open, held, escape);
    if (slabs == 0) return 0;
    unmove_king(task, unwon, (SlabSet){escape, slabs});
    slabs = slabs_with(s, slabs, open, held, escape);
    here.slabs = KERNEL_ALL;
    if (slabs) unmove_men(task, 0, cheap - 1, here, (SlabSet){escape, slabs});
    return slabs;
}

static void ply_losses(const Task *task)
{
    Solver *s = task->s;
    const uint32_t kings = task->kings;
    const int side = task->side;
    Frontier *out = &s->loop.lost_at[task->n & 1][side];
    uint64_t *open = plane_at(s, s->loop.open[side], kings);
    uint64_t *held = plane_at(s, s->loop.held[side], kings);
    out->slabs[kings] = 0;
    uint64_t due = take_due(task, s->loop.held[side], s->loop.next_held[side], task->t->b);
    uint64_t slabs = due | slabs_reached(s, kings, side, s->loop.won_slabs[~task->n & 1][!side]);
    if (slabs == 0) return;
    slabs = slabs_losing(task, slabs, open, held);
    uint64_t *lost = plane_at(s, out->set, kings), found = 0;
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        if (!slab_in(s, slabs, slab)) continue;
        size_t first = slab * s->slab_words;
        if (!words_lose(open + first, held + first, task->t->a + first, lost + first,
                        s->slab_words))
            continue;
        found |= slab_bit(s, slab);
        decide(task, false, lost + first, first, s->slab_words);
    }
    out->slabs[kings] = found;
    if (s->loop.ends) note_ends(task, lost, task->t->b, due & found);
}

/* Ors into t->a the cells from which a quiet move leads to what was just lost. */
static void unmove_lost(const Task *task, const Frontier *in, uint64_t slabs)
{
    const Solver *s = task->s;
    const Shape *shape = s->shape;
    SlabSet out = {task->t->a, slabs};
    for (int i = 0; i < shape->links[task->kings][task->side]; i++) {
        ShapeLink link = shape->link[task->kings][task->side][i];
        uint64_t from = in->slabs[link.kings];
        if (shape->men >= 3) from = unsymmetry(link.symmetry, from);
        if (from)
            s->kernel->merge(shape->men, link.symmetry, plane_at(s, in->set, link.kings), out.cells,
                             from);
    }
    SlabSet here = {plane_at(s, in->set, task->kings), in->slabs[task->kings]};
    if (here.slabs) unmove_men(task, 0, shape->men - 1, here, out);
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
    uint64_t due = take_due(task, s->loop.pending[side], s->loop.next_pending[side], won);
    if (s->loop.ends) note_ends(task, won, won, due);
    uint64_t slabs = slabs_reached(s, kings, side, in->slabs);
    slabs_clear(s, won, slabs & ~due);
    slabs |= due;
    if (slabs == 0) return;
    unmove_lost(task, in, slabs);
    uint64_t *unwon = plane_at(s, s->loop.unwon[side], kings), found = 0;
    uint64_t *pending = plane_at(s, s->loop.pending[side], kings);
    uint64_t *held = plane_at(s, s->loop.held[side], kings);
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        if (!slab_in(s, slabs, slab)) continue;
        size_t first = slab * s->slab_words;
        if (!words_win(won + first, unwon + first, pending + first, held + first, s->slab_words))
            continue;
        found |= slab_bit(s, slab);
        decide(task, true, won + first, first, s->slab_words);
    }
    *won_slabs = found;
}

/* ---- a metric -------------------------------------------------------------------------------- */

/* Prepares a metric: nothing decided but the mates. */
static void metric_start(const Task *task)
{
    Solver *s = task->s;
    const uint32_t kings = task->kings;
    const int side = task->side;
    uint64_t *spare = task->t->a;
    size_t words = s->shape->plane_words, at = (size_t)kings * words;
    uint64_t mates = 0;
    for (size_t w = at; w < at + words; w++) {
        if (s->loop.ends) s->slice.ends_best[side][w] = 0;
        s->loop.unwon[side][w] = s->slice.legal[side][w];
        s->loop.open[side][w] = s->start.losable[side][w];
        s->loop.pending[side][w] = s->start.converts[side][w];
        s->loop.held[side][w] = s->start.must[side][w] & s->start.losable[side][w];
        s->loop.lost_at[0][side].set[w] = s->start.mated[side][w];
        mates |= s->start.mated[side][w];
    }
    s->loop.lost_at[0][side].slabs[kings] = mates ? KERNEL_ALL : 0;
    s->loop.lost_at[1][side].slabs[kings] = 0;
    s->loop.won_slabs[0][side][kings] = s->loop.won_slabs[1][side][kings] = 0;
    Plies *plies = s->loop.plies[side] + 64 * at;
    decide(task, false, s->start.mated[side] + at, 0, words);
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        size_t first = slab * s->slab_words, index = slab_index(s, kings, slab);
        /* No conversion takes 0 plies: this only looks for the least. */
        s->loop.next_pending[side][index] = s->kernel->take(
            s->loop.pending[side] + at + first, s->slab_words, 0, plies + 64 * first, spare);
        s->loop.next_held[side][index] = s->kernel->take(
            s->loop.held[side] + at + first, s->slab_words, 0, plies + 64 * first, spare);
    }
}

/* The next ply at which a conversion is due, from n on; NEVER if none. */
static unsigned next_due(const Solver *s, unsigned n)
{
    unsigned least = NEVER;
    size_t entries = (size_t)s->shape->kings * s->slab_count;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < entries; i++) {
            unsigned a = s->loop.next_pending[side][i], b = s->loop.next_held[side][i];
            if (a >= n && a < least) least = a;
            if (b >= n && b < least) least = b;
        }
    return least;
}

static bool ply_changed(const Solver *s, unsigned n)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t k = 0; k < s->shape->kings; k++)
            if (s->loop.lost_at[n & 1][side].slabs[k] | s->loop.won_slabs[n & 1][side][k])
                return true;
    return false;
}

static void add_counts(PlyCounts *sum, const PlyCounts *part)
{
    for (int i = 0; i < 4; i++)
        for (int n = 0; n <= PLIES_MOST; n++) sum->of[i / 2][i % 2][n] += part->of[i / 2][i % 2][n];
}

/* Runs all plies of the metric whose distances are in s->loop.plies. False: out of memory. */
static bool metric_run(Solver *s, treb_metric metric)
{
    unsigned *longest = &s->slice.plies[metric];
    bool enough = true;
    unsigned n = 1;
    bool more = true;
    uint32_t tasks = 2 * s->shape->kings;
    *longest = 0;
    memset(&s->counts[metric], 0, sizeof s->counts[metric]);
#pragma omp parallel
    {
        Buffers t;
        bool ok = buffers_init(&t, s, false);
        if (!ok) {
#pragma omp atomic write
            enough = false;
        }
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < tasks; i++)
            if (ok) metric_start(&(Task){s, i / 2, i % 2, 0, &t});
        while (more) {
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++)
                if (ok) ply_losses(&(Task){s, i / 2, i % 2, n, &t});
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++)
                if (ok) ply_wins(&(Task){s, i / 2, i % 2, n, &t});
#pragma omp single
            {
                bool changed = ply_changed(s, n);
                if (changed) *longest = n;
                if (s->watch) atomic_store_explicit(s->watch, n, memory_order_relaxed);
                n++;
                if (!changed && n > 2) {
                    unsigned due = next_due(s, n);
                    /* Nothing happens before: both frontiers are empty. */
                    if (due == NEVER)
                        more = false;
                    else
                        n = due;
                }
                /* Longer distances cannot be kept: solver_run notices what stays open. */
                if (n > PLIES_MOST) more = false;
                if (!enough) more = false;
            }
        }
#pragma omp critical(ply_counts)
        if (ok) add_counts(&s->counts[metric], t.counts);
        if (ok) buffers_free(&t);
    }
    return enough;
}

static void metric_select(Solver *s, treb_metric metric)
{
    s->loop.ends = metric == TREB_DTM;
    for (int side = 0; side < 2; side++) {
        s->loop.plies[side] = s->slice.distance[metric][side];
        /* Without pawns every conversion is one. */
        if (metric == TREB_DTC && !s->shape->pawns)
            for (size_t i = 0; i < s->shape->cells; i++) s->loop.plies[side][i] = 1;
    }
}

/* What was decided by the first metric holds for all. */
static void keep_results(Solver *s)
{
    size_t words = s->shape->words;
    for (int side = 0; side < 2; side++) {
#pragma omp parallel for
        for (size_t w = 0; w < words; w++) {
            s->slice.won[side][w] = s->slice.legal[side][w] & ~s->loop.unwon[side][w];
            s->start.losable[side][w] &= ~s->loop.open[side][w];
            s->slice.lost[side][w] = s->start.losable[side][w] | s->start.mated[side][w];
        }
    }
}

/* Whether a later metric decided what the first did: a distance that is too long stays open. */
static bool metric_complete(const Solver *s)
{
    uint64_t left = 0;
#pragma omp parallel for reduction(| : left)
    for (size_t w = 0; w < s->shape->words; w++)
        for (int side = 0; side < 2; side++)
            left |= s->loop.open[side][w] | (s->slice.won[side][w] & s->loop.unwon[side][w]);
    return left == 0;
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

/* Without pawns the metrics differ only where the 50-move rule delays a conversion. */
static bool dtc_equals_dtz(const Solver *s) { return !s->shape->pawns && !s->slice.cursed; }

static treb_status fail_plies(const Solver *s, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(&s->shape->material, name);
    return fail(error, TREB_ERR_ARGUMENT,
                "%s: a distance exceeds %d plies, the most this build can handle%s", name,
                PLIES_MOST, sizeof(Plies) == 1 ? "; one made with 'make WIDE=yes' can" : "");
}

static treb_status solve_zeroing(Solver *s, treb_error *error)
{
    metric_select(s, TREB_DTZ);
    if (!metric_run(s, TREB_DTZ)) return fail_memory(error);
    if (s->slice.plies[TREB_DTZ] > ZEROING_MOST) return fail_plies(s, error);
    keep_results(s);
    s->slice.cursed = s->slice.plies[TREB_DTZ] > RULE_PLIES;
    s->slice.dtc_is_dtz = dtc_equals_dtz(s);
    return TREB_OK;
}

/* A metric after the first. */
static treb_status solve_metric(Solver *s, treb_metric metric, treb_error *error)
{
    if (metric == TREB_DTC && !solver_add_dtc(s)) return fail_memory(error);
    metric_select(s, metric);
    if (!metric_run(s, metric)) return fail_memory(error);
    bool too_long = metric == TREB_DTC && s->slice.plies[metric] > ZEROING_MOST;
    return too_long || !metric_complete(s) ? fail_plies(s, error) : TREB_OK;
}

treb_status solver_run(Solver *s, int lanes, const uint64_t pawns[][2], const SolvedSource *source,
                       const Slice **out, treb_error *error)
{
    assert(lanes >= 1 && lanes <= shape_lanes(s->shape));
    s->slice.lanes = lanes;
    memcpy(s->slice.pawns, pawns, lanes * sizeof *pawns);
    find_mirrored(&s->slice);
    for (int i = 0; i < KERNEL_LANES; i++)
        s->lane_pawns[i] = i < lanes ? pawns[i][0] | pawns[i][1] : UINT64_MAX;
    treb_status status = solver_setup(s, source, error);
    if (status == TREB_OK) status = solve_zeroing(s, error);
    for (int metric = TREB_DTC; metric < TREB_METRICS && status == TREB_OK; metric++) {
        bool skip = metric == TREB_DTC && s->slice.dtc_is_dtz;
        if (s->metrics >> metric & 1 && !skip) status = solve_metric(s, metric, error);
    }
    *out = &s->slice;
    return status;
}

void slice_values(const Slice *slice, int side, size_t first, size_t words, Plies *code)
{
    enum { PART = 64 };
    const Kernel *kernel = kernel_best();
    const Plies *dtm = slice->distance[TREB_DTM][side];
    const uint64_t *won = slice->won[side], *lost = slice->lost[side];
    for (size_t w = first, end = first + words; w < end; w += PART, code += 64 * PART) {
        uint64_t decided[PART];
        size_t part = end - w < PART ? end - w : PART;
        for (size_t i = 0; i < part; i++) decided[i] = won[w + i] | lost[w + i];
        if (dtm) {
            kernel->pick(decided, part, 0, dtm + 64 * w, code);
            continue;
        }
        for (size_t i = 0; i < 64 * part; i++) code[i] = PLIES_OPEN;
        kernel->mark(won + w, part, 1, code);
        kernel->mark(lost + w, part, 2, code);
    }
}
