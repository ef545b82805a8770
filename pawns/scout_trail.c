/* scout_trail.c - White's way to win against every defence: see scout_family.h. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "pawns/scout_family.h"

/* More than any way takes. */
enum { NO_WAY = 1 << 20 };

typedef struct Follow {
    Scout *scout;
    ScoutFamily *f;
    const uint8_t *plies;
    ScoutWay way[2][SCOUT_WAYS_MAX];
    int ways[2];
    ScoutRoom *room;
    uint64_t *seen;      /* cells of the family that the way comes by, as in a trail */
    int32_t left, steps; /* places that are still to be looked at, and steps so far, in `room` */
} Follow;

static size_t word_of(const ScoutPlace *p) { return (size_t)p->row * CELLS_ROW + p->king[0]; }

static uint64_t men_of(const Follow *w, const ScoutPlace *p)
{
    uint64_t men = cells_pawns(&w->f->key) | square_bit(p->king[0]) | square_bit(p->king[1]);
    return w->f->key.men > 0 ? men | square_bit(p->row) : men;
}

/* Puts a place on the trail of a family, which several threads may do. */
static bool mark(Scout *scout, ScoutFamily *f, const ScoutPlace *p)
{
    const size_t words = cells_words(&f->key);
    uint64_t *trail = __atomic_load_n(&f->trail, __ATOMIC_ACQUIRE);
    if (trail == NULL) {
        uint64_t *made = calloc(2 * words, sizeof *made);
        if (made == NULL) return false;
        if (__atomic_compare_exchange_n(&f->trail, &trail, made, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            trail = made;
            __atomic_fetch_add(&scout->bytes, 2 * words * sizeof *made, __ATOMIC_RELAXED);
        } else {
            free(made);
        }
    }
    const uint64_t bit = square_bit(p->king[1]);
    uint64_t *word = &trail[p->side * words + word_of(p)];
    __atomic_store_n(&f->met, true, __ATOMIC_RELAXED);
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) == 0)
        __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    return true;
}

bool scout_start(Scout *scout, ScoutFamily *f, Cell cell, int side)
{
    const ScoutPlace p = {(uint8_t)side, 0, {(uint8_t)(cell >> 6), (uint8_t)(cell & 63)}};
    return mark(scout, f, &p);
}

static bool go_within(Follow *w, const ScoutPlace *p)
{
    ScoutRoom *room = w->room;
    const uint64_t bit = square_bit(p->king[1]);
    uint64_t *word = &w->seen[p->side * cells_words(&w->f->key) + word_of(p)];
    if (*word & bit) return true;
    *word |= bit;
    if (!scout_grow((void **)&room->place, w->left, &room->places, sizeof *room->place))
        return false;
    room->place[w->left++] = *p;
    return true;
}

static bool go_out(Follow *w, int32_t to, const ScoutPlace *p)
{
    ScoutRoom *room = w->room;
    if (!scout_grow((void **)&room->step, w->steps, &room->steps, sizeof *room->step)) return false;
    room->step[w->steps++] = (ScoutStep){to, *p};
    return true;
}

static bool is_lost(const ScoutFamily *f, const ScoutPlace *p)
{
    return bit_test(scout_lost_word(f, p->row, p->king[0]), p->king[1]);
}

/* ---- White ----------------------------------------------------------------------------------- */

/* Where a way of White's leads; false if it cannot be used. */
static bool white_way(const Follow *w, const ScoutPlace *p, const ScoutWay *way, ScoutPlace *out)
{
    const ConversionKind *kind = &way->kind;
    *out = (ScoutPlace){TREB_BLACK, p->row, {p->king[0], p->king[1]}};
    if (kind->mover == CONVERSION_KING) {
        out->king[0] = (uint8_t)kind->to;
        return bit_test(king_attacks(p->king[0]), kind->to);
    }
    if (kind->mover != CONVERSION_PAWN) {
        out->row = (uint8_t)kind->to;
        return bit_test(piece_attacks(TREB_QUEEN, p->row, men_of(w, p)), kind->to);
    }
    if (kind->promo != 0) out->row = (uint8_t)kind->to;
    return (men_of(w, p) & scout_path(kind)) == 0;
}

/* The best quiet move so far. */
typedef struct Best {
    int cost;
    int32_t to; /* SCOUT_NONE: within the family */
    ScoutPlace place;
} Best;

static void try_quiet(const Follow *w, const ScoutPlace *to, Best *best)
{
    const size_t word = word_of(to);
    if (!bit_test(w->f->lost[word], to->king[1])) return;
    const int cost = w->f->key.men > 0 ? w->plies[word << 6 | to->king[1]]
                                       : scout_plies(w->f, to->king[0], to->king[1]);
    if (cost < best->cost) *best = (Best){cost, SCOUT_NONE, *to};
}

static bool follow_white(Follow *w, const ScoutPlace *p)
{
    const uint64_t men = men_of(w, p);
    Best best = {.cost = NO_WAY};
    ScoutPlace to;
    for (int i = 0; i < w->ways[TREB_WHITE]; i++) {
        const ScoutFamily *there = w->scout->family[w->f->to[i]];
        if (!white_way(w, p, &w->way[TREB_WHITE][i], &to) || !is_lost(there, &to)) continue;
        const int cost = there->key.men == 0 && there->plies != NULL
                             ? scout_plies(there, to.king[0], to.king[1])
                             : 0;
        if (cost < best.cost) best = (Best){cost, w->f->to[i], to};
    }
    for (uint64_t left = king_attacks(p->king[0]) & ~men; left != 0;) {
        to = (ScoutPlace){TREB_BLACK, p->row, {(uint8_t)bit_pop(&left), p->king[1]}};
        try_quiet(w, &to, &best);
    }
    if (w->f->key.men > 0)
        for (uint64_t left = piece_attacks(TREB_QUEEN, p->row, men) & ~men; left != 0;) {
            to = (ScoutPlace){TREB_BLACK, (uint8_t)bit_pop(&left), {p->king[0], p->king[1]}};
            try_quiet(w, &to, &best);
        }
    if (best.cost == NO_WAY) {
        w->f->wrong = true;
        return true;
    }
    return best.to == SCOUT_NONE ? go_within(w, &best.place) : go_out(w, best.to, &best.place);
}

/* ---- Black ----------------------------------------------------------------------------------- */

static bool can_move_to(const ScoutFamily *to, const ScoutPlace *p)
{
    return cells_legal_one(&to->key, TREB_WHITE, p->row, p->king[0], p->king[1]);
}

/* White takes the promoted piece, with her king or queen. */
static bool follow_retake(Follow *w, const ScoutPlace *p, const ScoutWay *way, int32_t after)
{
    const int square = way->kind.to;
    const ScoutFamily *there = w->scout->family[after];
    ScoutPlace to = {TREB_BLACK, there->key.men > 0 ? p->row : 0, {(uint8_t)square, p->king[1]}};
    if (bit_test(king_attacks(p->king[0]), square) && is_lost(there, &to))
        return go_out(w, after, &to);
    to = (ScoutPlace){TREB_BLACK, (uint8_t)square, {p->king[0], p->king[1]}};
    if (there->key.men > 0 && is_lost(there, &to)) return go_out(w, after, &to);
    return true;
}

static bool follow_black_way(Follow *w, const ScoutPlace *p, const ScoutWay *way, int32_t next)
{
    const ConversionKind *kind = &way->kind;
    ScoutPlace to = {TREB_WHITE, p->row, {p->king[0], p->king[1]}};
    if (kind->promo != 0) {
        if (scout_promotes(&w->f->key, way, p->row, p->king[0], square_bit(p->king[1])) == 0)
            return true;
        return follow_retake(w, p, way, next);
    }
    if (kind->mover == CONVERSION_KING) {
        const int square = kind->victim == 0 ? p->row : kind->to;
        if (!bit_test(king_attacks(p->king[1]), square)) return true;
        to.king[1] = (uint8_t)square;
    } else {
        if ((men_of(w, p) & scout_path(kind)) != 0 || (kind->victim == 0 && p->row != kind->to))
            return true;
    }
    if (kind->victim == 0) to.row = 0;
    return !can_move_to(w->scout->family[next], &to) || go_out(w, next, &to);
}

static bool follow_black(Follow *w, const ScoutPlace *p)
{
    const int32_t *next = w->f->to + w->ways[TREB_WHITE];
    const uint64_t legal = cells_legal_word(&w->f->key, TREB_WHITE, p->row, p->king[0]);
    for (uint64_t left = king_attacks(p->king[1]) & legal; left != 0;) {
        const ScoutPlace to = {TREB_WHITE, p->row, {p->king[0], (uint8_t)bit_pop(&left)}};
        if (!go_within(w, &to)) return false;
    }
    for (int i = 0; i < w->ways[TREB_BLACK]; i++)
        if (!follow_black_way(w, p, &w->way[TREB_BLACK][i], next[i])) return false;
    return true;
}

/* ---- The family ------------------------------------------------------------------------------ */

/* Follows the way from where it comes in. */
static bool follow_all(Follow *w)
{
    ScoutFamily *f = w->f;
    const size_t words = cells_words(&f->key);
    memset(w->seen, 0, 2 * words * sizeof *w->seen);
    for (int side = 0; side < 2; side++)
        for (size_t word = 0; word < words; word++) {
            uint64_t cells = f->trail[side * words + word];
            const uint64_t won = side == TREB_WHITE ? ~f->unwon[word] : f->lost[word];
            if ((cells & ~won) != 0) f->wrong = true;
            for (cells &= won; cells != 0;) {
                const ScoutPlace p = {(uint8_t)side,
                                      (uint8_t)(word / CELLS_ROW),
                                      {(uint8_t)(word % CELLS_ROW), (uint8_t)bit_pop(&cells)}};
                if (!go_within(w, &p)) return false;
            }
        }
    while (w->left > 0) {
        const ScoutPlace p = w->room->place[--w->left];
        if (!(p.side == TREB_WHITE ? follow_white(w, &p) : follow_black(w, &p))) return false;
    }
    return true;
}

void scout_forget_steps(Scout *scout, ScoutFamily *f)
{
    if (f->step == NULL) return;
    __atomic_fetch_sub(&scout->bytes, (size_t)f->steps * sizeof *f->step, __ATOMIC_RELAXED);
    free(f->step);
    f->step = NULL;
}

/* Keeps the steps of a family; one that is wrong is solved, and followed, again. */
static void keep_steps(Scout *scout, ScoutFamily *f, const ScoutStep *step, int32_t steps,
                       uint64_t entry)
{
    const size_t bytes = (size_t)steps * sizeof *step;
    scout_forget_steps(scout, f);
    if (f->wrong || !scout->keeps_steps) return;
    f->step = malloc(bytes + 1);
    if (f->step == NULL) return;
    memcpy(f->step, step, bytes);
    f->steps = steps;
    f->entry = entry;
    __atomic_fetch_add(&scout->bytes, bytes, __ATOMIC_RELAXED);
}

static bool take_steps(Scout *scout, const ScoutStep *step, int32_t steps)
{
    for (int32_t i = 0; i < steps; i++)
        if (!mark(scout, scout->family[step[i].to], &step[i].place)) return false;
    return true;
}

static bool find_steps(Follow *w, uint64_t entry)
{
    ScoutFamily *f = w->f;
    w->plies = f->plies != NULL ? f->plies : w->room->plies;
    w->seen = w->room->sets;
    for (int side = 0; side < 2; side++) w->ways[side] = scout_ways(&f->key, side, w->way[side]);
    if ((f->unsolved || (f->plies == NULL && f->key.men > 0)) &&
        !scout_solve(w->scout, f, w->room->plies))
        return false;
    if (!follow_all(w) || !take_steps(w->scout, w->room->step, w->steps)) return false;
    keep_steps(w->scout, f, w->room->step, w->steps, entry);
    return true;
}

bool scout_follow(Scout *scout, ScoutFamily *f)
{
    const uint64_t entry = XXH3_64bits(f->trail, 2 * cells_words(&f->key) * sizeof *f->trail);
    if (f->step != NULL && f->entry == entry) return take_steps(scout, f->step, f->steps);
    Follow *w = malloc(sizeof *w);
    ScoutRoom *room = scout_room(scout);
    bool good = w != NULL && room != NULL;
    if (good) {
        w->scout = scout;
        w->f = f;
        w->room = room;
        w->left = w->steps = 0;
        good = find_steps(w, entry);
    }
    free(w);
    return good;
}
