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
 *   - A cell is won or lost from b = DTZ on. From b = DTM on its value is DTM: nothing is shorter. The solver's logs list
 *     the cells by both.
 *   - Before that a value can be new only if that of a child has fallen, or has just become known, at b - 1, so retro-moves
 *     are made from cells that changed then. A winner's new value is the least of what those children give, and of the
 *     value that he had. A loser's takes a look at all his moves: when he is lost first, and when a child has fallen that
 *     was his best.
 *   - Two kinds of changes say nothing about parents. A cell that is won for the first time has no lost parents, as all
 *     children of a lost cell are won before it. A cell that is now lost in b - 1 plies or fewer has the shortest line in
 *     time, and so has each parent at b.
 *
 * All values of b - 1 are read before the first one of b is written, and no thread writes a plane that another thread
 * writes, so nothing depends on threads. */
#include "gen/solve/dtm50_passes.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/memory_layout.h"
#include "gen/solve/quiet_moves.h"

enum { LOOK = 0 /* a loser whose moves are to be looked at; no value is found to be 0 */ };

/* The work space of one thread. */
typedef struct Worker {
    Dtm50 *d;
    uint64_t *set;     /* cells of a plane */
    /* By place of a plane: the least value that a child which has changed gives a winner; DTM where it is new that it is
     * in time; LOOK. VALUE_NONE for all others, and between two planes for all places. */
    Plies *found;
    uint32_t *touched; /* the cells that have another one */
    RecentLists *recent;
    LogBuffer log_buffer;
    void *memory;
    Dtm50Delays delays;
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

static unsigned lane_of(const Layout *layout, uint32_t cell)
{
    return layout->men == 0 ? cell : layout->men == 1 ? cell >> 6 : 0;
}

/* Returns the squares of kings and pawns of the lane of a cell. */
static uint64_t fixed_squares(const Dtm50 *d, uint32_t kings, uint32_t cell)
{
    const Layout *layout = d->layout;
    const uint8_t *king = layout->king[kings];
    const unsigned lane = lane_of(layout, cell);
    return square_bit(king[0]) | square_bit(king[1]) | d->slice.pawns[lane][0] |
           d->slice.pawns[lane][1];
}

/* Takes a child's value into account: the loser of a cell holds out as long as he can. */
static inline void longest_of(Plies child, Plies *most)
{
    if (child < VALUE_NONE && child & 1 && child + 1 > *most) *most = (Plies)(child + 1);
}

/* Returns the value of a lost cell by looking at all its moves. */
static Plies look(const Pass *p, uint32_t cell)
{
    const Dtm50 *d = p->w->d;
    const Layout *layout = d->layout;
    const Plies *there = dtm50_plane(d, d->value, !p->side, p->kings);
    const Plies zeroing = dtm50_plane(d, d->zeroing, p->side, p->kings)[places_of(&d->places, cell)];
    Plies most = zeroing < VALUE_NONE && !(zeroing & 1) ? zeroing : 0;
    uint32_t to[QUIET_MOST];
    const int count =
        quiet_cells(layout, fixed_squares(d, p->kings, cell), p->side, cell, to);
    for (int i = 0; i < count; i++) longest_of(there[places_of(&d->places, to[i])], &most);
    for (int i = 0; i < layout->links[p->kings][p->side]; i++) {
        const KingLink link = layout->link[p->kings][p->side][i];
        const uint32_t there_cell = quiet_cell_there(layout, link, cell);
        there = dtm50_plane(d, d->value, !p->side, link.kings);
        longest_of(there[places_of(&d->places, there_cell)], &most);
    }
    return most;
}

/* Returns the value of a cell that is won or lost from this number of plies left on. */
static Plies first_value(const Pass *p, uint32_t cell, bool wins)
{
    const Dtm50 *d = p->w->d;
    const size_t place = places_of(&d->places, cell);
    const Plies mate = p->value[place] & ~VALUE_WAITING;
    if (mate <= p->left) return mate;
    if (!wins) return look(p, cell);
    return p->left > 1 ? p->w->found[place] : dtm50_plane(d, d->zeroing, p->side, p->kings)[place];
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

/* What is done with a cell that a log lists. */
typedef treb_status UseCell(Pass *p, uint32_t cell, bool wins, treb_error *error);

/* Calls `use` with the cells of the next entry of a log. */
static treb_status take_due(Pass *p, Log *log, UseCell *use, treb_error *error)
{
    Worker *w = p->w;
    const Places *places = &w->d->places;
    const size_t words = w->d->layout->plane_words;
    LogEntry entry;
    treb_status status = log_take(log, stream_of(p->kings, p->side), &w->log_buffer, &entry, error);
    if (status != TREB_OK) return status;
    memset(w->set, 0, words * sizeof *w->set);
    log_entry_or(log, &entry, w->set);
    for (size_t i = 0; i < words; i++)
        for (uint64_t bits = places->first ? w->set[i] & places->first[i] : w->set[i];
             bits && status == TREB_OK;)
            status = use(p, (uint32_t)(64 * i) + (uint32_t)bit_pop(&bits), decided_won(entry.tag), error);
    return status;
}

/* Calls `use` with the cells whose distance is the number of plies left. */
static treb_status each_due(Pass *p, treb_metric metric, UseCell *use, treb_error *error)
{
    Log *log = p->w->d->s->decided[metric];
    treb_status status = TREB_OK;
    while (status == TREB_OK && decided_plies(log_due(log, stream_of(p->kings, p->side))) == p->left)
        status = take_due(p, log, use, error);
    return status;
}

/* Finds the value of a cell that is won or lost from now on. A UseCell. */
static treb_status decide(Pass *p, uint32_t cell, bool wins, treb_error *error)
{
    const Plies before = p->value[places_of(&p->w->d->places, cell)];
    return add_change(p->out, (Change){cell, before, first_value(p, cell, wins)}, error);
}

static void note(Pass *p, uint32_t cell, size_t place, Plies found)
{
    if (p->w->found[place] == VALUE_NONE) p->w->touched[p->touched++] = cell;
    p->w->found[place] = found;
}

/* Notes a cell that was won or lost before, and whose shortest line is in time from now on. A UseCell. */
static treb_status note_mate(Pass *p, uint32_t cell, bool wins, treb_error *error)
{
    const size_t place = places_of(&p->w->d->places, cell);
    (void)wins, (void)error;
    if (p->value[place] < VALUE_NONE) note(p, cell, place, (Plies)p->left);
    return TREB_OK;
}

/* Notes a cell with a move to a cell that has changed, if its value may be new. */
static inline void note_parent(Pass *p, uint32_t cell, Change child)
{
    const size_t place = places_of(&p->w->d->places, cell);
    const Plies value = p->value[place];
    if (child.now & 1) {
        if (value == child.before + 1) note(p, cell, place, LOOK);
    } else if (child.now + 1 < value && child.now + 1 < p->w->found[place]) {
        note(p, cell, place, child.now + 1);
    }
}

/* Notes the cells from which a move leads to a cell that has changed. */
static void note_parents(Pass *p)
{
    const Dtm50 *d = p->w->d;
    const Layout *layout = d->layout;
    const Changes *changed = d->changed[~p->left & 1][!p->side];
    for (size_t i = 0; i < changed[p->kings].count; i++) {
        const Change c = changed[p->kings].of[i];
        uint32_t from[QUIET_MOST];
        const int count =
            quiet_cells(layout, fixed_squares(d, p->kings, c.cell), p->side, c.cell, from);
        for (int m = 0; m < count; m++) note_parent(p, from[m], c);
    }
    for (int l = 0; l < layout->links[p->kings][p->side]; l++) {
        const KingLink link = layout->link[p->kings][p->side][l];
        for (size_t i = 0; i < changed[link.kings].count; i++) {
            const Change c = changed[link.kings].of[i];
            note_parent(p, quiet_cell_here(layout, link, c.cell), c);
        }
    }
}

/* Finds the new values of the cells that were won or lost before. */
static treb_status improve(Pass *p, treb_error *error)
{
    treb_status status = TREB_OK;
    for (size_t i = 0; i < p->touched && status == TREB_OK; i++) {
        const uint32_t cell = p->w->touched[i];
        const size_t place = places_of(&p->w->d->places, cell);
        const Plies value = p->value[place];
        if (value >= VALUE_NONE) continue;
        const Plies found = p->w->found[place], now = found == LOOK ? look(p, cell) : found;
        if (now < value) status = add_change(p->out, (Change){cell, value, now}, error);
    }
    return status;
}

static void forget_parents(Pass *p)
{
    while (p->touched > 0)
        p->w->found[places_of(&p->w->d->places, p->w->touched[--p->touched])] = VALUE_NONE;
}

static treb_status plane_pass(Worker *w, uint32_t kings, int side, unsigned left, treb_error *error)
{
    Dtm50 *d = w->d;
    Pass p = {w, kings, side, left, dtm50_plane(d, d->value, side, kings),
              &d->changed[left & 1][side][kings], 0};
    p.out->count = 0;
    if (left > 0) note_parents(&p);
    treb_status status = each_due(&p, TREB_DTM, note_mate, error);
    if (status == TREB_OK) status = improve(&p, error);
    if (status == TREB_OK) status = each_due(&p, TREB_DTZ, decide, error);
    forget_parents(&p);
    return status;
}

/* Returns the profile of a cell whose value has changed: before that it was `before`, a value or, flagged, the distance
 * to mate. Where the line without the rule fits, the value is that line's, and no step says so. PROFILE_NONE: out of
 * memory. */
static uint32_t longer_profile(const Worker *w, uint32_t profile, Plies before, Plies now,
                               unsigned left)
{
    const Plies mate = before & ~VALUE_WAITING;
    if (now <= left) return before & VALUE_WAITING ? PROFILE_ANY : profile;
    if (before & VALUE_WAITING)
        profile = profiles_add(w->d->profiles, w->recent, (ProfileStep){PROFILE_EMPTY, 0, mate});
    if (profile == PROFILE_NONE) return PROFILE_NONE;
    return profiles_add(w->d->profiles, w->recent, (ProfileStep){profile, (uint16_t)left, now});
}

/* Whether a change can matter to parents when there is one ply more left. */
static bool matters(Change change, unsigned left)
{
    return change.now & 1 ? !(change.before & VALUE_WAITING) : change.now > left;
}

/* ---- Delays ---------------------------------------------------------------------------------- */

/* Whether a cell is to be kept rather than another one: it is delayed longer, or as long and comes first. */
static bool is_longer(const Dtm50Delay *a, const Dtm50Delay *b)
{
    const int more = (a->dtm50 - a->dtm) - (b->dtm50 - b->dtm);
    if (more != 0) return more > 0;
    if (a->side != b->side) return a->side < b->side;
    return a->kings != b->kings ? a->kings < b->kings : a->cell < b->cell;
}

static void keep_longest(Dtm50Delay *longest, const Dtm50Delay *delay)
{
    if (is_longer(delay, longest)) *longest = *delay;
}

static void add_delay(Worker *w, int clocks, const Dtm50Delay *delay)
{
    const Layout *layout = w->d->layout;
    const SolvedSlice *slice = &w->d->slice;
    const uint64_t mirrored = slice_mirrored(slice, delay->kings * layout->plane_words + delay->cell / 64);
    w->delays.count[clocks] += slice_weight(slice, delay->kings) - (mirrored >> delay->cell % 64 & 1);
    keep_longest(&w->delays.longest[clocks][lane_of(layout, delay->cell)], delay);
}

/* Adds what a thread has found. */
static void merge_delays(Dtm50Delays *sum, const Dtm50Delays *part)
{
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        sum->count[i] += part->count[i];
        for (int lane = 0; lane < SLICE_LANES; lane++) keep_longest(&sum->longest[i][lane], &part->longest[i][lane]);
    }
}

/* Looks at a cell whose mate takes p->left plies, more than the rule allows. A UseCell. */
static treb_status note_fresh(Pass *p, uint32_t cell, bool wins, treb_error *error)
{
    const Plies value = p->value[places_of(&p->w->d->places, cell)];
    const Dtm50Delay delay = {(Plies)p->left, value, p->side, p->kings, cell, 0};
    (void)wins, (void)error;
    if (value < VALUE_NONE && value > p->left) add_delay(p->w, DELAYED_FRESH, &delay);
    return TREB_OK;
}

/* Finds what is delayed at a fresh clock, when the values are known. */
static treb_status plane_fresh(Worker *w, uint32_t kings, int side, treb_error *error)
{
    Dtm50 *d = w->d;
    Log *log = d->s->decided[TREB_DTM];
    Pass p = {.w = w, .kings = kings, .side = side, .value = dtm50_plane(d, d->value, side, kings)};
    treb_status status = TREB_OK;
    for (unsigned tag; status == TREB_OK && (tag = log_due(log, stream_of(kings, side))) != LOG_TAGS;) {
        p.left = decided_plies(tag);
        status = take_due(&p, log, note_fresh, error);
    }
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* Writes the new values of a plane, and keeps the changes that matter. */
static treb_status plane_write(Worker *w, uint32_t kings, int side, unsigned left, treb_error *error)
{
    Dtm50 *d = w->d;
    Changes *changes = &d->changed[left & 1][side][kings];
    Plies *value = dtm50_plane(d, d->value, side, kings);
    uint32_t *profile = d->profile[side] ? d->profile[side] + kings * d->places.count : NULL;
    size_t kept = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const Change c = changes->of[i];
        const size_t place = places_of(&d->places, c.cell);
        value[place] = c.now;
        const Plies mate = c.before & ~VALUE_WAITING;
        if (c.before & VALUE_WAITING && c.now > mate)
            add_delay(w, DELAYED_LATE, &(Dtm50Delay){mate, c.now, side, kings, c.cell, RULE_PLIES - left});
        if (profile != NULL) {
            profile[place] = longer_profile(w, profile[place], c.before, c.now, left);
            if (profile[place] == PROFILE_NONE) return fail_memory(error);
        }
        if (matters(c, left)) changes->of[kept++] = c;
    }
    changes->count = kept;
    return TREB_OK;
}

/* ---- All passes ------------------------------------------------------------------------------ */

static void place_worker(Worker *w, const Layout *layout, size_t places, MemoryLayout *arrays)
{
    w->set = memory_layout_place(arrays, layout->plane_words * sizeof *w->set);
    w->found = memory_layout_place(arrays, places * sizeof *w->found);
    w->touched = memory_layout_place(arrays, places * sizeof *w->touched);
    w->recent = memory_layout_place(arrays, sizeof *w->recent);
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
    for (size_t i = 0; i < d->places.count; i++) w->found[i] = VALUE_NONE;
    memset(w->recent, 0, sizeof *w->recent);
    return true;
}

static void tell_progress(const Dtm50 *d, unsigned left)
{
    if (d->s->progress == NULL) return;
    atomic_store(&d->s->progress->metric, TREB_DTM50);
    atomic_store(&d->s->progress->ply, left);
}

void dtm50_passes(Dtm50 *d)
{
    const uint32_t tasks = 2 * d->layout->kings;
#pragma omp parallel
    {
        Worker w = {0};
        treb_error error;
        const bool enough = worker_init(&w, d);
        if (!enough) solver_fail(d->s, fail_memory(&error), &error);
        for (unsigned left = 0; left <= RULE_PLIES; left++) {
            tell_progress(d, left);
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++) {
                if (!enough || solver_failed(d->s)) continue;
                treb_status own = plane_pass(&w, i / 2, (int)(i % 2), left, &error);
                if (own != TREB_OK) solver_fail(d->s, own, &error);
            }
#pragma omp for schedule(dynamic, 4)
            for (uint32_t i = 0; i < tasks; i++) {
                if (!enough || solver_failed(d->s)) continue;
                treb_status own = plane_write(&w, i / 2, (int)(i % 2), left, &error);
                if (own != TREB_OK) solver_fail(d->s, own, &error);
            }
        }
#pragma omp for schedule(dynamic, 4)
        for (uint32_t i = 0; i < tasks; i++) {
            if (!enough || solver_failed(d->s)) continue;
            treb_status own = plane_fresh(&w, i / 2, (int)(i % 2), &error);
            if (own != TREB_OK) solver_fail(d->s, own, &error);
        }
#pragma omp critical(dtm50_delays)
        merge_delays(&d->delays, &w.delays);
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
