/* dtm50_passes.c - see dtm50_passes.h.
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
#include "gen/solve/dtm50_passes.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/memory_layout.h"
#include "gen/solve/quiet_moves.h"

/* The work space of one thread. */
typedef struct Worker {
    Dtm50 *d;
    uint64_t *set;     /* cells of a plane */
    uint64_t *seen;    /* places of a plane; empty between two planes */
    uint32_t *touched; /* the places of `seen` */
    LogBuffer log_buffer;
    void *memory;
} Worker;

/* One plane and side to move with `left` plies left. */
typedef struct Pass {
    Worker *w;
    uint32_t kings;
    int side;
    unsigned left;
    Plies *value; /* of the plane's places */
    Changes *out;
    size_t touched;
} Pass;

/* ---- Values ---------------------------------------------------------------------------------- */

/* Returns the squares of kings and pawns of the lane of a cell. */
static uint64_t fixed_squares(const Dtm50 *d, uint32_t kings, uint32_t cell)
{
    const Layout *layout = d->layout;
    const uint8_t *king = layout->king[kings];
    const unsigned lane = layout->men == 0 ? cell : layout->men == 1 ? cell >> 6 : 0;
    return square_bit(king[0]) | square_bit(king[1]) | d->slice.pawns[lane][0] |
           d->slice.pawns[lane][1];
}

/* Takes a child's value into account. Values of the winner's moves are even, of the loser's odd. */
static inline void best_of(bool wins, Plies child, Plies *best)
{
    if (child >= VALUE_NONE || (child & 1) == wins) return;
    if (wins ? child + 1 < *best : child + 1 > *best) *best = (Plies)(child + 1);
}

/* Returns the value of a cell by looking at all its moves. */
static Plies look(const Pass *p, uint32_t cell, bool wins)
{
    const Dtm50 *d = p->w->d;
    const Layout *layout = d->layout;
    const Plies *there = dtm50_plane(d, d->value, !p->side, p->kings);
    const Plies zeroing = dtm50_plane(d, d->zeroing, p->side, p->kings)[places_of(&d->places, cell)];
    Plies best = zeroing != VALUE_NONE && (zeroing & 1) == wins ? zeroing : wins ? VALUE_NONE : 0;
    uint32_t to[QUIET_MOST];
    const int count =
        quiet_cells(layout, fixed_squares(d, p->kings, cell), p->side, cell, to);
    for (int i = 0; i < count; i++) best_of(wins, there[places_of(&d->places, to[i])], &best);
    for (int i = 0; i < layout->links[p->kings][p->side]; i++) {
        const KingLink link = layout->link[p->kings][p->side][i];
        const uint32_t there_cell = quiet_cell_there(layout, link, cell);
        there = dtm50_plane(d, d->value, !p->side, link.kings);
        best_of(wins, there[places_of(&d->places, there_cell)], &best);
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
    const Places *places = &w->d->places;
    const size_t words = w->d->layout->plane_words;
    const uint32_t stream = stream_of(p->kings, p->side);
    treb_status status = TREB_OK;
    while (status == TREB_OK && decided_plies(log_due(s->decided[TREB_DTZ], stream)) == p->left) {
        LogEntry entry;
        status = log_take(s->decided[TREB_DTZ], stream, &w->log_buffer, &entry, error);
        if (status != TREB_OK) break;
        memset(w->set, 0, words * sizeof *w->set);
        log_entry_or(s->decided[TREB_DTZ], &entry, w->set);
        for (size_t i = 0; i < words && status == TREB_OK; i++)
            for (uint64_t bits = places->first ? w->set[i] & places->first[i] : w->set[i];
                 bits && status == TREB_OK;) {
                const uint32_t cell = (uint32_t)(64 * i) + (uint32_t)bit_pop(&bits);
                const Plies mate = p->value[places_of(places, cell)] & ~VALUE_WAITING;
                const Plies value =
                    mate <= p->left ? mate : look(p, cell, decided_won(entry.tag));
                status = add_change(p->out, (Change){cell, value}, error);
            }
    }
    return status;
}

/* Looks at a cell again, one of whose children has changed. */
static treb_status reconsider(Pass *p, uint32_t cell, Plies before, Plies now, treb_error *error)
{
    const uint32_t place = (uint32_t)places_of(&p->w->d->places, cell);
    const Plies value = p->value[place];
    const bool wins = value & 1;
    if (value >= VALUE_NONE || (now & 1) == wins || bit_test(p->w->seen[place >> 6], place & 63))
        return TREB_OK;
    if (wins ? now + 1 >= value : before + 1 != value) return TREB_OK;
    p->w->seen[place >> 6] |= square_bit(place & 63);
    p->w->touched[p->touched++] = place;
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
        const Plies now = dtm50_plane(d, d->value, !p->side, p->kings)[places_of(&d->places, c.cell)];
        uint32_t from[QUIET_MOST];
        const int count =
            quiet_cells(layout, fixed_squares(d, p->kings, c.cell), p->side, c.cell, from);
        for (int m = 0; m < count && status == TREB_OK; m++)
            status = reconsider(p, from[m], c.value, now, error);
    }
    for (int l = 0; l < layout->links[p->kings][p->side]; l++) {
        const KingLink link = layout->link[p->kings][p->side][l];
        const Plies *there = dtm50_plane(d, d->value, !p->side, link.kings);
        for (size_t i = 0; i < changed[link.kings].count && status == TREB_OK; i++) {
            const Change c = changed[link.kings].of[i];
            status = reconsider(p, quiet_cell_here(layout, link, c.cell), c.value,
                                there[places_of(&d->places, c.cell)], error);
        }
    }
    while (p->touched > 0) {
        const uint32_t place = p->w->touched[--p->touched];
        p->w->seen[place >> 6] &= ~square_bit(place & 63);
    }
    return status;
}

static treb_status plane_pass(Worker *w, uint32_t kings, int side, unsigned left, treb_error *error)
{
    Dtm50 *d = w->d;
    Pass p = {w, kings, side, left, dtm50_plane(d, d->value, side, kings),
              &d->changed[left & 1][side][kings], 0};
    p.out->count = 0;
    treb_status status = left > 0 ? follow_changes(&p, error) : TREB_OK;
    return status == TREB_OK ? decide(&p, error) : status;
}

/* Returns the profile of a cell whose value has changed: before that it was `before`, a value or, flagged, the distance
 * to mate. Where the line without the rule fits, the value is that line's, and no step says so. PROFILE_NONE: out of
 * memory. */
static uint32_t longer_profile(const Dtm50 *d, uint32_t profile, Plies before, Plies now,
                               unsigned left)
{
    if (now <= left) return before & VALUE_WAITING ? PROFILE_ANY : profile;
    if (before & VALUE_WAITING) profile = profiles_begin(d->profiles, before & ~VALUE_WAITING);
    if (profile == PROFILE_NONE) return PROFILE_NONE;
    return profiles_add(d->profiles, (ProfileStep){profile, (uint16_t)left, now});
}

/* Writes the new values of a plane. */
static treb_status plane_write(Dtm50 *d, uint32_t kings, int side, unsigned left, treb_error *error)
{
    Changes *changes = &d->changed[left & 1][side][kings];
    Plies *value = dtm50_plane(d, d->value, side, kings);
    uint32_t *profile = d->profile[side] ? d->profile[side] + kings * d->places.count : NULL;
    for (size_t i = 0; i < changes->count; i++) {
        Change *c = &changes->of[i];
        const size_t place = places_of(&d->places, c->cell);
        const Plies before = value[place];
        value[place] = c->value;
        if (profile != NULL) {
            profile[place] = longer_profile(d, profile[place], before, c->value, left);
            if (profile[place] == PROFILE_NONE) return fail_memory(error);
        }
        c->value = before;
    }
    return TREB_OK;
}

/* ---- All passes ------------------------------------------------------------------------------ */

static size_t seen_words(size_t places) { return (places + 63) / 64; }

static void place_worker(Worker *w, const Layout *layout, size_t places, MemoryLayout *arrays)
{
    w->set = memory_layout_place(arrays, layout->plane_words * sizeof *w->set);
    w->seen = memory_layout_place(arrays, seen_words(places) * sizeof *w->seen);
    w->touched = memory_layout_place(arrays, places * sizeof *w->touched);
    log_buffer_place(&w->log_buffer, layout->plane_words, arrays);
}

static bool worker_init(Worker *w, Dtm50 *d)
{
    MemoryLayout arrays = {NULL, 0};
    place_worker(w, d->layout, d->places.count, &arrays);
    w->d = d;
    w->memory = budget_alloc(d->budget, arrays.size);
    if (w->memory == NULL) return false;
    arrays = (MemoryLayout){w->memory, 0};
    place_worker(w, d->layout, d->places.count, &arrays);
    memset(w->seen, 0, seen_words(d->places.count) * sizeof *w->seen);
    return true;
}

void dtm50_passes(Dtm50 *d)
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

uint64_t dtm50_passes_memory(const Layout *layout)
{
    MemoryLayout arrays = {NULL, 0};
    Worker w;
    place_worker(&w, layout, places_count(layout), &arrays);
    return budget_cost(arrays.size);
}
