/* dtm50.c - see dtm50.h.
 *
 * With b plies left, V(b), in plies for the side to move:
 *
 *     V(0)   0 if mated, else none
 *     V(b)   the best of Z, the values of conversions at a fresh clock, and of one ply more than V(b - 1) of the
 *            positions that quiet moves lead to
 *
 * Nothing rests on itself, so each b is one pass over the cells whose value can be new:
 *
 *   - A cell is won or lost from b = DTZ on, and the solver's log lists these cells by DTZ. Their value is found by
 *     looking at all their moves, unless it is DTM: nothing is shorter.
 *   - A value falls only if that of a child has fallen, or has just become known, at b - 1. So retro-moves are made
 *     from the cells that changed at b - 1. A winner's value falls if such a child is better than what he had; a
 *     loser's moves are all looked at again if the child was his best.
 *
 * All values of b - 1 are read before the first one of b is written, and no thread writes a plane that another thread
 * writes, so nothing depends on threads. */
#include "gen/solve/dtm50.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/system/error.h"
#include "core/system/memory_layout.h"
#include "core/system/stop.h"
#include "gen/solve/solver.h"

enum {
    NONE = PLIES_OPEN,
    MOVES_MOST = 27 * KERNEL_MEN_MAX /* quiet moves of the men of a cell */
};

/* A cell and its value: while a pass runs the new one, afterwards the one before. */
typedef struct Change {
    uint32_t cell;
    Plies value;
} Change;

typedef struct Changes {
    Change *of;
    size_t count, capacity;
} Changes;

struct Dtm50 {
    Solver *s;
    const Layout *layout;
    Profiles *profiles;
    MemoryBudget *budget;
    SolvedSlice slice;
    PlyCounts *counts; /* by metric */
    /* By side to move, for all cells of all planes: the value now, the distance to mate, and the best conversion. */
    Plies *value[2], *mate[2], *zeroing[2];
    uint32_t *profile[2];
    Changes *changed[2][2]; /* by parity of b and side, by kings */
};

/* The work space of one thread. */
typedef struct Worker {
    Dtm50 *d;
    uint64_t *set, *seen; /* of a plane; `seen` is empty between two planes */
    uint32_t *touched;    /* the cells of `seen` */
    LogBuffer log_buffer;
    void *memory;
} Worker;

/* One plane and side to move with `left` plies left. */
typedef struct Pass {
    Worker *w;
    uint32_t kings;
    int side;
    unsigned left;
    Plies *value;       /* of the plane's cells */
    Changes *out;
    size_t touched;
} Pass;

static Plies *plane_values(const Dtm50 *d, Plies *const of[2], int side, uint32_t kings)
{
    return of[side] + kings * d->layout->plane_cells;
}

/* ---- Quiet moves ----------------------------------------------------------------------------- */

/* Returns the squares of kings and pawns of the lane of a cell. */
static uint64_t fixed_squares(const Dtm50 *d, uint32_t kings, uint32_t cell)
{
    const Layout *layout = d->layout;
    const uint8_t *king = layout->king[kings];
    const unsigned lane = layout->men == 0 ? cell : layout->men == 1 ? cell >> 6 : 0;
    return square_bit(king[0]) | square_bit(king[1]) | d->slice.pawns[lane][0] |
           d->slice.pawns[lane][1];
}

/* Lists the cells of the plane that quiet moves of a side's men lead to. They lead back as well. */
static int quiet_cells(const Dtm50 *d, uint32_t kings, int side, uint32_t cell,
                       uint32_t out[MOVES_MOST])
{
    const Layout *layout = d->layout;
    uint64_t occupied = fixed_squares(d, kings, cell);
    int count = 0;
    for (int i = 0; i < layout->men; i++)
        occupied |= square_bit(cell >> 6 * (layout->men - 1 - i) & 63);
    for (int i = 0; i < layout->men; i++) {
        const int shift = 6 * (layout->men - 1 - i), from = cell >> shift & 63;
        if (layout->man[i].color != side) continue;
        uint64_t to = piece_attacks(layout->man[i].type, from, occupied) & ~occupied;
        const uint32_t others = cell & ~((uint32_t)63 << shift);
        while (to)
            out[count++] =
                (uint32_t)layout_cell(layout, others | (uint32_t)bit_pop(&to) << shift);
    }
    return count;
}

/* Returns the cell of a symmetric position. */
static uint32_t cell_through(const Layout *layout, int symmetry, uint32_t cell)
{
    uint32_t out = 0;
    if (symmetry == 0) return cell;
    for (int shift = 0; shift < 6 * layout->men; shift += 6)
        out |= (uint32_t)index_symmetry_square(symmetry, cell >> shift & 63) << shift;
    return (uint32_t)layout_cell(layout, out);
}

static int inverse(int symmetry)
{
    if (!(symmetry & SYM_DIAGONAL)) return symmetry;
    return SYM_DIAGONAL | (symmetry & SYM_FILES ? SYM_RANKS : 0) |
           (symmetry & SYM_RANKS ? SYM_FILES : 0);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Takes a child's value into account. Values of the winner's moves are even, of the loser's odd. */
static inline void best_of(bool wins, Plies child, Plies *best)
{
    if (child == NONE || (child & 1) == wins) return;
    if (wins ? child + 1 < *best : child + 1 > *best) *best = (Plies)(child + 1);
}

/* Returns the value of a cell by looking at all its moves. */
static Plies look(const Pass *p, uint32_t cell, bool wins)
{
    const Dtm50 *d = p->w->d;
    const Layout *layout = d->layout;
    const Plies *there = plane_values(d, d->value, !p->side, p->kings);
    const Plies zeroing = plane_values(d, d->zeroing, p->side, p->kings)[cell];
    Plies best = zeroing != NONE && (zeroing & 1) == wins ? zeroing : wins ? NONE : 0;
    uint32_t to[MOVES_MOST];
    const int count = quiet_cells(d, p->kings, p->side, cell, to);
    for (int i = 0; i < count; i++) best_of(wins, there[to[i]], &best);
    for (int i = 0; i < layout->links[p->kings][p->side]; i++) {
        const KingLink link = layout->link[p->kings][p->side][i];
        best_of(wins,
                plane_values(d, d->value, !p->side, link.kings)[cell_through(layout, link.symmetry,
                                                                             cell)],
                &best);
    }
    return best;
}

static treb_status add_change(Changes *changes, Change change, treb_error *error)
{
    if (changes->count == changes->capacity) {
        const size_t capacity = changes->capacity ? 2 * changes->capacity : 16;
        Change *grown = realloc(changes->of, capacity * sizeof *grown);
        if (grown == NULL) return fail_memory(error);
        changes->of = grown;
        changes->capacity = capacity;
    }
    changes->of[changes->count++] = change;
    return TREB_OK;
}

/* Finds the values of the cells that are won or lost from this number of plies left on. */
static treb_status decide(Pass *p, treb_error *error)
{
    Worker *w = p->w;
    Solver *s = w->d->s;
    const size_t words = w->d->layout->plane_words;
    const uint32_t stream = stream_of(p->kings, p->side);
    const Plies *mate = plane_values(w->d, w->d->mate, p->side, p->kings);
    treb_status status = TREB_OK;
    while (status == TREB_OK && decided_plies(log_due(s->decided[TREB_DTZ], stream)) == p->left) {
        LogEntry entry;
        status = log_take(s->decided[TREB_DTZ], stream, &w->log_buffer, &entry, error);
        if (status != TREB_OK) break;
        memset(w->set, 0, words * sizeof *w->set);
        log_entry_or(s->decided[TREB_DTZ], &entry, w->set);
        for (size_t i = 0; i < words && status == TREB_OK; i++)
            for (uint64_t bits = w->set[i]; bits && status == TREB_OK;) {
                const uint32_t cell = (uint32_t)(64 * i) + (uint32_t)bit_pop(&bits);
                const Plies value = mate[cell] <= p->left ? mate[cell]
                                                          : look(p, cell, decided_won(entry.tag));
                status = add_change(p->out, (Change){cell, value}, error);
            }
    }
    return status;
}

/* Looks at a cell again, one of whose children has changed. */
static treb_status reconsider(Pass *p, uint32_t cell, Plies before, Plies now, treb_error *error)
{
    const Plies value = p->value[cell];
    const bool wins = value & 1;
    if (value == NONE || (now & 1) == wins || bit_test(p->w->seen[cell >> 6], cell & 63))
        return TREB_OK;
    if (wins ? now + 1 >= value : before + 1 != value) return TREB_OK;
    p->w->seen[cell >> 6] |= square_bit(cell & 63);
    p->w->touched[p->touched++] = cell;
    const Plies found = look(p, cell, wins);
    return found < value ? add_change(p->out, (Change){cell, found}, error) : TREB_OK;
}

/* Looks again at the cells from which a move leads to a cell that has changed. */
static treb_status follow_changes(Pass *p, treb_error *error)
{
    const Dtm50 *d = p->w->d;
    const Layout *layout = d->layout;
    Changes *const changed = d->changed[~p->left & 1][!p->side];
    treb_status status = TREB_OK;
    for (size_t i = 0; i < changed[p->kings].count && status == TREB_OK; i++) {
        const Change c = changed[p->kings].of[i];
        const Plies now = plane_values(d, d->value, !p->side, p->kings)[c.cell];
        uint32_t from[MOVES_MOST];
        const int count = quiet_cells(d, p->kings, p->side, c.cell, from);
        for (int m = 0; m < count && status == TREB_OK; m++)
            status = reconsider(p, from[m], c.value, now, error);
    }
    for (int l = 0; l < layout->links[p->kings][p->side]; l++) {
        const KingLink link = layout->link[p->kings][p->side][l];
        const Plies *there = plane_values(d, d->value, !p->side, link.kings);
        for (size_t i = 0; i < changed[link.kings].count && status == TREB_OK; i++) {
            const Change c = changed[link.kings].of[i];
            status = reconsider(p, cell_through(layout, inverse(link.symmetry), c.cell), c.value,
                                there[c.cell], error);
        }
    }
    while (p->touched > 0) {
        const uint32_t cell = p->w->touched[--p->touched];
        p->w->seen[cell >> 6] &= ~square_bit(cell & 63);
    }
    return status;
}

static treb_status plane_pass(Worker *w, uint32_t kings, int side, unsigned left, treb_error *error)
{
    Dtm50 *d = w->d;
    Pass p = {w, kings, side, left, plane_values(d, d->value, side, kings),
              &d->changed[left & 1][side][kings], 0};
    p.out->count = 0;
    treb_status status = left > 0 ? follow_changes(&p, error) : TREB_OK;
    return status == TREB_OK ? decide(&p, error) : status;
}

/* Returns the profile of a cell whose value has changed. Where the line without the rule fits, the value is that
 * line's, and no step says so. PROFILE_NONE: out of memory. */
static uint32_t longer_profile(const Dtm50 *d, uint32_t profile, Plies before, Plies now, Plies mate,
                               unsigned left)
{
    const bool first = before == NONE;
    if (mate <= left) return first ? PROFILE_ANY : profile;
    if (first && now == mate) return PROFILE_EMPTY;
    return profiles_add(d->profiles,
                        (ProfileStep){first ? PROFILE_EMPTY : profile,
                                      (uint16_t)(first ? PROFILE_START : mate - left),
                                      (uint16_t)(now - mate)});
}

/* Writes the new values of a plane. */
static treb_status plane_write(Dtm50 *d, uint32_t kings, int side, unsigned left, treb_error *error)
{
    Changes *changes = &d->changed[left & 1][side][kings];
    Plies *value = plane_values(d, d->value, side, kings);
    const Plies *mate = plane_values(d, d->mate, side, kings);
    uint32_t *profile = d->profile[side] + kings * d->layout->plane_cells;
    for (size_t i = 0; i < changes->count; i++) {
        Change *c = &changes->of[i];
        const uint32_t cell = c->cell;
        const Plies before = value[cell];
        value[cell] = c->value;
        profile[cell] = longer_profile(d, profile[cell], before, c->value, mate[cell], left);
        if (profile[cell] == PROFILE_NONE) return fail_memory(error);
        c->value = before;
    }
    return TREB_OK;
}

/* ---- What is known before -------------------------------------------------------------------- */

/* Reads the distances to mate of a plane. */
static treb_status read_mates(Dtm50 *d, Plane *plane, int side, uint32_t kings, treb_error *error)
{
    treb_status status = plane_read(plane, &d->s->slice, side, kings, error);
    if (status == TREB_OK)
        memcpy(plane_values(d, d->mate, side, kings), plane->distance[TREB_DTM],
               d->layout->plane_cells * sizeof(Plies));
    return status;
}

/* Finds the best conversions of a plane. */
static treb_status read_zeroing(Dtm50 *d, Converter *const *converter, const Outcomes *o,
                                SolvedBuffer *fetched, int side, uint32_t kings, treb_error *error)
{
    Plies *zeroing = plane_values(d, d->zeroing, side, kings);
    treb_status status = TREB_OK;
    outcomes_clear(o, d->layout->plane_cells);
    for (int lane = 0; lane < d->slice.lanes && status == TREB_OK; lane++)
        status = converter_plane(converter[2 * lane + side], kings, lane, o, fetched, error);
    for (size_t i = 0; i < d->layout->plane_cells; i++)
        zeroing[i] = (Plies)(o->dtm[i] > OUTCOME_DRAW                                ? OUTCOME_WIN - o->dtm[i]
                             : o->dtm[i] == OUTCOME_NONE || o->dtm[i] == OUTCOME_DRAW ? NONE
                                                                                     : o->dtm[i]);
    return status;
}

static void place_outcomes(Outcomes *o, const Layout *layout, MemoryLayout *arrays)
{
    o->verdict = memory_layout_place(arrays, layout->plane_cells);
    o->capture = memory_layout_place(arrays, layout->plane_cells);
    o->ends = memory_layout_place(arrays, layout->plane_cells);
    o->dtm = memory_layout_place(arrays, layout->plane_cells * sizeof *o->dtm);
}

typedef struct Reader {
    Plane plane;
    Outcomes outcomes;
    SolvedBuffer fetched[CONVERTER_BUFFERS];
    void *memory;
} Reader;

static bool reader_init(Reader *r, const Dtm50 *d)
{
    MemoryLayout arrays = {NULL, 0};
    memset(r, 0, sizeof *r);
    place_outcomes(&r->outcomes, d->layout, &arrays);
    if (!plane_init(&r->plane, d->layout, PLANE_DISTANCE << TREB_DTM, d->budget)) return false;
    r->memory = budget_alloc(d->budget, arrays.size);
    arrays = (MemoryLayout){r->memory, 0};
    if (r->memory != NULL) place_outcomes(&r->outcomes, d->layout, &arrays);
    return r->memory != NULL;
}

static void reader_free(Reader *r)
{
    plane_free(&r->plane);
    budget_free(r->memory);
    for (int i = 0; i < CONVERTER_BUFFERS; i++) free(r->fetched[i].bytes);
}

/* Reads all planes, in parallel. */
static void read_planes(Dtm50 *d, Converter *const *converter)
{
#pragma omp parallel
    {
        Reader r;
        treb_error error;
        const bool enough = reader_init(&r, d);
        if (!enough) solver_fail(d->s, fail_memory(&error), &error);
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < 2 * d->layout->kings; i++) {
            const int side = (int)(i % 2);
            if (!enough || solver_failed(d->s)) continue;
            treb_status own = read_mates(d, &r.plane, side, i / 2, &error);
            if (own == TREB_OK)
                own = read_zeroing(d, converter, &r.outcomes, r.fetched, side, i / 2, &error);
            if (own != TREB_OK) solver_fail(d->s, own, &error);
            log_rewind(d->s->decided[TREB_DTZ], stream_of(i / 2, side));
        }
        reader_free(&r);
    }
}

static treb_status read_all(Dtm50 *d, const SliceProvider *provider, treb_error *error)
{
    Converter *converter[2 * SLICE_LANES] = {NULL};
    treb_status status = TREB_OK;
    for (int i = 0; i < 2 * d->slice.lanes && status == TREB_OK; i++)
        status = converter_new(d->layout, d->slice.pawns[i / 2], i % 2, MOVES_CONVERSIONS, provider,
                               &converter[i], error);
    if (status == TREB_OK) read_planes(d, converter);
    for (int i = 0; i < 2 * d->slice.lanes; i++) converter_free(converter[i]);
    return status == TREB_OK ? (treb_status)d->s->status : status;
}

/* ---- A slice --------------------------------------------------------------------------------- */

static void place_worker(Worker *w, const Layout *layout, MemoryLayout *arrays)
{
    w->set = memory_layout_place(arrays, layout->plane_words * sizeof *w->set);
    w->seen = memory_layout_place(arrays, layout->plane_words * sizeof *w->seen);
    w->touched = memory_layout_place(arrays, layout->plane_cells * sizeof *w->touched);
    log_buffer_place(&w->log_buffer, layout->plane_words, arrays);
}

static bool worker_init(Worker *w, Dtm50 *d)
{
    MemoryLayout arrays = {NULL, 0};
    place_worker(w, d->layout, &arrays);
    w->d = d;
    w->memory = budget_alloc(d->budget, arrays.size);
    if (w->memory == NULL) return false;
    arrays = (MemoryLayout){w->memory, 0};
    place_worker(w, d->layout, &arrays);
    memset(w->seen, 0, d->layout->plane_words * sizeof *w->seen);
    return true;
}

/* Does the passes for all numbers of plies left. */
static void run_passes(Dtm50 *d)
{
    const uint32_t tasks = 2 * d->layout->kings;
#pragma omp parallel
    {
        Worker w;
        treb_error error;
        const bool enough = worker_init(&w, d);
        if (!enough) solver_fail(d->s, fail_memory(&error), &error);
        for (unsigned left = 0; left <= RULE_PLIES; left++) {
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++) {
                if (!enough || solver_failed(d->s)) continue;
                treb_status own = plane_pass(&w, i / 2, (int)(i % 2), left, &error);
                if (own != TREB_OK) solver_fail(d->s, own, &error);
            }
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++) {
                if (!enough || solver_failed(d->s)) continue;
                treb_status own = plane_write(d, i / 2, (int)(i % 2), left, &error);
                if (own != TREB_OK) solver_fail(d->s, own, &error);
            }
        }
        if (enough) budget_free(w.memory);
    }
}

static bool allocate(Dtm50 *d)
{
    const size_t cells = d->layout->cells;
    bool ok = (d->counts = budget_calloc(d->budget, TREB_METRICS * sizeof *d->counts)) != NULL;
    for (int side = 0; side < 2 && ok; side++) {
        d->value[side] = budget_alloc(d->budget, cells * sizeof(Plies));
        d->mate[side] = budget_alloc(d->budget, cells * sizeof(Plies));
        d->zeroing[side] = budget_alloc(d->budget, cells * sizeof(Plies));
        d->profile[side] = budget_alloc(d->budget, cells * sizeof(uint32_t));
        ok = d->value[side] && d->mate[side] && d->zeroing[side] && d->profile[side];
        for (size_t i = 0; i < cells && ok; i++) {
            d->value[side][i] = NONE;
            d->profile[side][i] = PROFILE_ANY;
        }
        for (int parity = 0; parity < 2 && ok; parity++) {
            d->changed[parity][side] = calloc(d->layout->kings, sizeof(Changes));
            ok = d->changed[parity][side] != NULL;
        }
    }
    return ok;
}

static void free_changes(Dtm50 *d)
{
    for (int i = 0; i < 4; i++) {
        Changes *changes = d->changed[i / 2][i % 2];
        for (uint32_t k = 0; changes != NULL && k < d->layout->kings; k++) free(changes[k].of);
        free(changes);
        d->changed[i / 2][i % 2] = NULL;
    }
}

void dtm50_free(Dtm50 *d)
{
    if (d == NULL) return;
    free_changes(d);
    for (int side = 0; side < 2; side++) {
        budget_free(d->value[side]);
        budget_free(d->mate[side]);
        budget_free(d->zeroing[side]);
        budget_free(d->profile[side]);
    }
    budget_free(d->counts);
    free(d);
}

/* Counts the positions of a plane by their value. */
static void count_plane(Dtm50 *d, int side, uint32_t kings)
{
    const Plies *value = plane_values(d, d->value, side, kings);
    const unsigned weight = slice_weight(&d->slice, kings);
    for (size_t i = 0; i < d->layout->plane_cells; i++) {
        const size_t word = kings * d->layout->plane_words + i / 64;
        if (value[i] == NONE) continue;
        d->counts[TREB_DTM].of[side][value[i] & 1][value[i]] +=
            (weight - (slice_mirrored(&d->slice, word) >> i % 64 & 1)) << d->layout->pair;
        if (value[i] > d->slice.plies[TREB_DTM]) d->slice.plies[TREB_DTM] = value[i];
    }
}

/* Makes the slice that the store and the writer read: its distances to mate are the values at a fresh clock. */
static void finish_slice(Dtm50 *d)
{
    SolvedSlice *slice = &d->slice;
    d->counts[TREB_DTZ] = slice->counts[TREB_DTZ];
    slice->counts = d->counts;
    slice->metrics = 1u << TREB_DTM;
    slice->cursed = false;
    slice->plies[TREB_DTM] = 0;
    for (int side = 0; side < 2; side++) {
        slice->mates[side] = d->value[side];
        for (uint32_t k = 0; k < d->layout->kings; k++) count_plane(d, side, k);
    }
}

treb_status dtm50_run(Solver *s, const SliceProvider *provider, Profiles *profiles, Dtm50 **out,
                      treb_error *error)
{
    Dtm50 *d = *out = calloc(1, sizeof *d);
    if (d == NULL) return fail_memory(error);
    d->s = s;
    d->layout = s->layout;
    d->profiles = profiles;
    d->budget = s->place.logs.budget;
    d->slice = s->slice;
    treb_status status = allocate(d) ? TREB_OK : fail_memory(error);
    if (status == TREB_OK) status = read_all(d, provider, error);
    if (status == TREB_OK) {
        s->error = error;
        run_passes(d);
        status = (treb_status)s->status;
    }
    free_changes(d);
    if (status == TREB_OK) finish_slice(d);
    if (status == TREB_OK && stop_asked(s->stop)) status = STOPPED;
    if (status == TREB_OK) return TREB_OK;
    dtm50_free(d);
    *out = NULL;
    return status;
}

/* ---- The result ------------------------------------------------------------------------------ */

const SolvedSlice *dtm50_slice(const Dtm50 *d) { return &d->slice; }

const uint32_t *dtm50_profiles(const Dtm50 *d, int side, uint32_t kings)
{
    return d->profile[side] + kings * d->layout->plane_cells;
}

uint64_t dtm50_memory(const Layout *layout, int threads)
{
    MemoryLayout arrays = {NULL, 0};
    Worker w;
    place_worker(&w, layout, &arrays);
    /* The changes of two numbers of plies left take less than a byte for each cell. */
    const uint64_t cell = 3 * sizeof(Plies) + sizeof(uint32_t) + 1;
    return 2 * budget_cost(layout->cells * cell) + budget_cost(TREB_METRICS * sizeof(PlyCounts)) +
           (uint64_t)threads * (budget_cost(arrays.size) + plane_memory(layout, PLANE_DISTANCE << TREB_DTM) +
                                6 * budget_cost(layout->plane_cells));
}
