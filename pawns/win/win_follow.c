/* win_follow.c - see win_follow.h. */
#include "pawns/win/win_follow.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "pawns/win/win_solve.h"

enum { NO_MOVE = 1 << 20 }; /* a cost above that of any move */

typedef struct Follow {
    WinSearch *search;
    WinStructure *f;
    const uint8_t *plies; /* of f's cells with Black to move */
    WinEdge edge[2][WIN_EDGES_MAX];
    int edges[2];
    WinBuffers *buffers;
    uint64_t *seen; /* cells of the structure that the strategy reaches, laid out like f->entries */
    int32_t waiting, exits; /* number of positions and exits in `buffers` */
} Follow;

static size_t word_of(const WinPosition *p) { return (size_t)p->row * CELLS_ROW + p->king[0]; }

static uint64_t men_of(const Follow *w, const WinPosition *p)
{
    uint64_t men = cells_pawns(&w->f->key) | square_bit(p->king[0]) | square_bit(p->king[1]);
    return w->f->key.pieces > 0 ? men | square_bit(p->row) : men;
}

/* Adds a position to the entries of a structure. Several threads may do so at a time. False without
 * memory. */
static bool add_entry(WinSearch *search, WinStructure *f, const WinPosition *p)
{
    const size_t words = cells_words(&f->key);
    uint64_t *entries = __atomic_load_n(&f->entries, __ATOMIC_ACQUIRE);
    if (entries == NULL) {
        uint64_t *made = calloc(2 * words, sizeof *made);
        if (made == NULL) return false;
        if (__atomic_compare_exchange_n(&f->entries, &entries, made, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            entries = made;
            __atomic_fetch_add(&search->bytes, 2 * words * sizeof *made, __ATOMIC_RELAXED);
        } else {
            free(made);
        }
    }
    const uint64_t bit = square_bit(p->king[1]);
    uint64_t *word = &entries[p->side * words + word_of(p)];
    __atomic_store_n(&f->reached, true, __ATOMIC_RELAXED);
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) == 0)
        __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    return true;
}

bool win_follow_start(WinSearch *search, WinStructure *f, Cell cell, int side)
{
    const WinPosition p = {(uint8_t)side, 0, {(uint8_t)(cell >> 6), (uint8_t)(cell & 63)}};
    return add_entry(search, f, &p);
}

static bool go_within(Follow *w, const WinPosition *p)
{
    WinBuffers *buffers = w->buffers;
    const uint64_t bit = square_bit(p->king[1]);
    uint64_t *word = &w->seen[p->side * cells_words(&w->f->key) + word_of(p)];
    if (*word & bit) return true;
    *word |= bit;
    if (!win_grow((void **)&buffers->position, w->waiting, &buffers->positions,
                  sizeof *buffers->position))
        return false;
    buffers->position[w->waiting++] = *p;
    return true;
}

static bool go_out(Follow *w, int32_t to, const WinPosition *p)
{
    WinBuffers *buffers = w->buffers;
    if (!win_grow((void **)&buffers->exit, w->exits, &buffers->exits, sizeof *buffers->exit))
        return false;
    buffers->exit[w->exits++] = (WinExit){to, *p};
    return true;
}

static bool is_lost(const WinStructure *f, const WinPosition *p)
{
    return bit_test(win_lost_word(f, p->row, p->king[0]), p->king[1]);
}

/* ---- White ----------------------------------------------------------------------------------- */

/* Where an edge of White leads from a position; false if it cannot be used there. */
static bool white_edge(const Follow *w, const WinPosition *p, const WinEdge *edge, WinPosition *out)
{
    const ConversionKind *kind = &edge->kind;
    *out = (WinPosition){TREB_BLACK, p->row, {p->king[0], p->king[1]}};
    if (kind->mover == CONVERSION_KING) {
        out->king[0] = (uint8_t)kind->to;
        return bit_test(king_attacks(p->king[0]), kind->to);
    }
    if (kind->mover != CONVERSION_PAWN) {
        out->row = (uint8_t)kind->to;
        return bit_test(piece_attacks(TREB_QUEEN, p->row, men_of(w, p)), kind->to);
    }
    if (kind->promo != 0) out->row = (uint8_t)kind->to;
    return (men_of(w, p) & win_edge_path(kind)) == 0;
}

/* The best move so far. */
typedef struct Best {
    int cost;
    int32_t to; /* WIN_NONE: within the structure */
    WinPosition position;
} Best;

static void try_quiet(const Follow *w, const WinPosition *to, Best *best)
{
    const size_t word = word_of(to);
    if (!bit_test(w->f->lost[word], to->king[1])) return;
    const int cost = w->f->key.pieces > 0 ? w->plies[word << 6 | to->king[1]]
                                          : win_plies(w->f, to->king[0], to->king[1]);
    if (cost < best->cost) *best = (Best){cost, WIN_NONE, *to};
}

static bool follow_white(Follow *w, const WinPosition *p)
{
    const uint64_t men = men_of(w, p);
    Best best = {.cost = NO_MOVE};
    WinPosition to;
    for (int i = 0; i < w->edges[TREB_WHITE]; i++) {
        const WinStructure *there = w->search->structure[w->f->child[i]];
        if (!white_edge(w, p, &w->edge[TREB_WHITE][i], &to) || !is_lost(there, &to)) continue;
        const int cost = there->key.pieces == 0 && there->plies != NULL
                             ? win_plies(there, to.king[0], to.king[1])
                             : 0;
        if (cost < best.cost) best = (Best){cost, w->f->child[i], to};
    }
    for (uint64_t left = king_attacks(p->king[0]) & ~men; left != 0;) {
        to = (WinPosition){TREB_BLACK, p->row, {(uint8_t)bit_pop(&left), p->king[1]}};
        try_quiet(w, &to, &best);
    }
    if (w->f->key.pieces > 0)
        for (uint64_t left = piece_attacks(TREB_QUEEN, p->row, men) & ~men; left != 0;) {
            to = (WinPosition){TREB_BLACK, (uint8_t)bit_pop(&left), {p->king[0], p->king[1]}};
            try_quiet(w, &to, &best);
        }
    if (best.cost == NO_MOVE) {
        w->f->wrong = true;
        return true;
    }
    return best.to == WIN_NONE ? go_within(w, &best.position) : go_out(w, best.to, &best.position);
}

/* ---- Black ----------------------------------------------------------------------------------- */

static bool can_move_to(const WinStructure *to, const WinPosition *p)
{
    return cells_legal_one(&to->key, TREB_WHITE, p->row, p->king[0], p->king[1]);
}

/* After a promotion of Black: White captures the new piece with her king or queen. `after` is the
 * structure then. */
static bool follow_recapture(Follow *w, const WinPosition *p, const WinEdge *edge, int32_t after)
{
    const int square = edge->kind.to;
    const WinStructure *there = w->search->structure[after];
    WinPosition to = {
        TREB_BLACK, there->key.pieces > 0 ? p->row : 0, {(uint8_t)square, p->king[1]}};
    if (bit_test(king_attacks(p->king[0]), square) && is_lost(there, &to))
        return go_out(w, after, &to);
    to = (WinPosition){TREB_BLACK, (uint8_t)square, {p->king[0], p->king[1]}};
    if (there->key.pieces > 0 && is_lost(there, &to)) return go_out(w, after, &to);
    return true;
}

static bool follow_black_edge(Follow *w, const WinPosition *p, const WinEdge *edge, int32_t next)
{
    const ConversionKind *kind = &edge->kind;
    WinPosition to = {TREB_WHITE, p->row, {p->king[0], p->king[1]}};
    if (kind->promo != 0) {
        if (win_promotes(&w->f->key, edge, p->row, p->king[0], square_bit(p->king[1])) == 0)
            return true;
        return follow_recapture(w, p, edge, next);
    }
    if (kind->mover == CONVERSION_KING) {
        const int square = kind->victim == 0 ? p->row : kind->to;
        if (!bit_test(king_attacks(p->king[1]), square)) return true;
        to.king[1] = (uint8_t)square;
    } else {
        if ((men_of(w, p) & win_edge_path(kind)) != 0 || (kind->victim == 0 && p->row != kind->to))
            return true;
    }
    if (kind->victim == 0) to.row = 0;
    return !can_move_to(w->search->structure[next], &to) || go_out(w, next, &to);
}

static bool follow_black(Follow *w, const WinPosition *p)
{
    const int32_t *next = w->f->child + w->edges[TREB_WHITE];
    const uint64_t legal = cells_legal_word(&w->f->key, TREB_WHITE, p->row, p->king[0]);
    for (uint64_t left = king_attacks(p->king[1]) & legal; left != 0;) {
        const WinPosition to = {TREB_WHITE, p->row, {p->king[0], (uint8_t)bit_pop(&left)}};
        if (!go_within(w, &to)) return false;
    }
    for (int i = 0; i < w->edges[TREB_BLACK]; i++)
        if (!follow_black_edge(w, p, &w->edge[TREB_BLACK][i], next[i])) return false;
    return true;
}

/* ---- The structure
 * ------------------------------------------------------------------------------ */

/* Follows the strategy within the structure from its entries. */
static bool follow_all(Follow *w)
{
    WinStructure *f = w->f;
    const size_t words = cells_words(&f->key);
    memset(w->seen, 0, 2 * words * sizeof *w->seen);
    for (int side = 0; side < 2; side++)
        for (size_t word = 0; word < words; word++) {
            uint64_t cells = f->entries[side * words + word];
            const uint64_t won = side == TREB_WHITE ? ~f->not_won[word] : f->lost[word];
            if ((cells & ~won) != 0) f->wrong = true;
            for (cells &= won; cells != 0;) {
                const WinPosition p = {(uint8_t)side,
                                       (uint8_t)(word / CELLS_ROW),
                                       {(uint8_t)(word % CELLS_ROW), (uint8_t)bit_pop(&cells)}};
                if (!go_within(w, &p)) return false;
            }
        }
    while (w->waiting > 0) {
        const WinPosition p = w->buffers->position[--w->waiting];
        if (!(p.side == TREB_WHITE ? follow_white(w, &p) : follow_black(w, &p))) return false;
    }
    return true;
}

/* Keeps the exits of a structure, unless it is wrong: then it will be solved and followed again. */
static void keep_exits(WinSearch *search, WinStructure *f, const WinExit *exit, int32_t exits,
                       uint64_t entries_hash)
{
    const size_t bytes = (size_t)exits * sizeof *exit;
    win_structure_forget_exits(search, f);
    if (f->wrong || !search->keeps_exits) return;
    f->exit = malloc(bytes + 1);
    if (f->exit == NULL) return;
    memcpy(f->exit, exit, bytes);
    f->exits = exits;
    f->entries_hash = entries_hash;
    __atomic_fetch_add(&search->bytes, bytes, __ATOMIC_RELAXED);
}

/* Adds the exits of a structure to the entries of its children. */
static bool enter_children(WinSearch *search, const WinExit *exit, int32_t exits)
{
    for (int32_t i = 0; i < exits; i++)
        if (!add_entry(search, search->structure[exit[i].to], &exit[i].position)) return false;
    return true;
}

static bool find_exits(Follow *w, uint64_t entries_hash)
{
    WinStructure *f = w->f;
    w->plies = f->plies != NULL ? f->plies : w->buffers->plies;
    w->seen = w->buffers->sets;
    for (int side = 0; side < 2; side++) w->edges[side] = win_edges(&f->key, side, w->edge[side]);
    if ((f->unsolved || (f->plies == NULL && f->key.pieces > 0)) &&
        !win_solve(w->search, f, w->buffers->plies))
        return false;
    if (!follow_all(w) || !enter_children(w->search, w->buffers->exit, w->exits)) return false;
    keep_exits(w->search, f, w->buffers->exit, w->exits, entries_hash);
    return true;
}

bool win_follow(WinSearch *search, WinStructure *f)
{
    const uint64_t entries_hash =
        XXH3_64bits(f->entries, 2 * cells_words(&f->key) * sizeof *f->entries);
    if (f->exit != NULL && f->entries_hash == entries_hash)
        return enter_children(search, f->exit, f->exits);
    Follow *w = malloc(sizeof *w);
    WinBuffers *buffers = win_buffers(search);
    bool good = w != NULL && buffers != NULL;
    if (good) {
        w->search = search;
        w->f = f;
        w->buffers = buffers;
        w->waiting = w->exits = 0;
        good = find_exits(w, entries_hash);
    }
    free(w);
    return good;
}
