/* distance.c - see distance.h.
 *
 *     lost at n   all quiet moves lead to what is won before n, and n is at least 1 after a capture or a promotion and
 *                 1 + r after a push to a position won at r
 *     won at n    a quiet move or a push leads to a position lost at n - 1, or n is 1 and a capture or promotion wins
 *
 * Who wins is known beforehand: only cells of the family's sets are ranked. */
#include "pawns/distance.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pawns/retake.h"
#include "core/chess/movegen.h"

enum { MEN = 1, NONE = UINT16_MAX, BOUNDS = 2 /* SURE and MAYBE */ };

/* The ranks of one family and winner. Without any where nothing is surely won: what may be is lost at 0 then, for all
 * that is known. */
typedef struct Ranked {
    Family *family;
    int winner;
    uint16_t
        *rank[BOUNDS]
             [2]; /* by level and side to move; both levels have the same where nothing differs */
} Ranked;

struct Distances {
    Lattice *lattice;
    uint64_t memory, bytes;
    bool full, failed, careful;
    Ranked **slot; /* a hash table */
    size_t slots, count;
    uint64_t families; /* of the lattice, and its round, when the first was found */
    unsigned round;
    uint64_t end; /* when no more are found, by now(); 0 for never */
};

/* ---- What there is --------------------------------------------------------------------------- */

static size_t cells_of(const Family *f) { return 64 * cells_words(&f->key); }

static uint64_t ranked_bytes(const Ranked *r)
{
    const size_t sets = r->rank[SURE][0] == NULL                ? 0
                        : r->rank[SURE][0] == r->rank[MAYBE][0] ? 2
                                                                : 4;
    return sizeof *r + sets * cells_of(r->family) * sizeof(uint16_t);
}

static void ranked_free(Ranked *r)
{
    if (r == NULL) return;
    for (int side = 0; side < 2; side++) {
        if (r->rank[MAYBE][side] != r->rank[SURE][side]) free(r->rank[MAYBE][side]);
        free(r->rank[SURE][side]);
    }
    free(r);
}

static void clear(Distances *d)
{
    for (size_t i = 0; i < d->slots; i++) ranked_free(d->slot[i]);
    free(d->slot);
    d->slot = NULL;
    d->slots = d->count = 0;
    d->bytes = 0;
    d->full = false;
    d->families = d->lattice->families;
    d->round = d->lattice->round;
}

Distances *distances_new(Lattice *lattice, uint64_t memory, bool careful)
{
    Distances *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    d->lattice = lattice;
    d->memory = memory;
    d->careful = careful;
    clear(d);
    return d;
}

void distances_free(Distances *d)
{
    if (d == NULL) return;
    clear(d);
    free(d);
}

bool distances_full(const Distances *d) { return d->full; }

bool distances_failed(const Distances *d) { return d->failed; }

/* In milliseconds. */
static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void distances_hurry(Distances *d, unsigned milliseconds)
{
    d->end = milliseconds > 0 ? now() + milliseconds : 0;
}

static bool is_late(const Distances *d) { return d->end > 0 && now() >= d->end; }

static size_t place(const Distances *d, const Family *f, int winner)
{
    uint64_t hash = ((uint64_t)(uintptr_t)f + (uint64_t)winner) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 32) & (d->slots - 1);
    while (d->slot[at] != NULL && !(d->slot[at]->family == f && d->slot[at]->winner == winner))
        at = (at + 1) & (d->slots - 1);
    return at;
}

/* Room for another. */
static bool grow(Distances *d)
{
    if (2 * d->count < d->slots) return true;
    const Distances old = *d;
    d->slots = old.slots ? 2 * old.slots : 256;
    d->slot = calloc(d->slots, sizeof *d->slot);
    if (d->slot == NULL) {
        d->slot = old.slot;
        d->slots = old.slots;
        return false;
    }
    for (size_t i = 0; i < old.slots; i++)
        if (old.slot[i] != NULL)
            d->slot[place(d, old.slot[i]->family, old.slot[i]->winner)] = old.slot[i];
    free(old.slot);
    return true;
}

/* ---- What moves out of a family lead to ------------------------------------------------------ */

static bool known(const EdgeChild *child) { return child->family != NULL && child->family->solved; }

static bool is_push(const Edge *edge)
{
    const int row = square_rank(edge->to);
    return edge->mover == CONVERSION_PAWN && edge->victim == CONVERSION_NOBODY && row != 0 &&
           row != 7;
}

static CellSource won_by(const EdgeChild *child, int winner, int side, int level)
{
    Family *f = child->family;
    return (CellSource){
        .all = f->won[level][winner][side], .family = f->oracle != NULL ? f : NULL, .side = side};
}

static CellSource all_of(const EdgeChild *child, int side)
{
    return (CellSource){.all = child->family != NULL ? child->family->legal[side] : NULL,
                        .side = side,
                        .legal = child->family == NULL && !child->beyond ? &child->key : NULL};
}

/* Sets `won` to the cells from which a capture or promotion by the winner wins, surely or maybe. */
static void find_conversions(const Family *f, int winner, const Edge *edge, int level,
                             const uint64_t *use, uint64_t *won)
{
    const size_t words = cells_words(&f->key);
    memset(won, 0, words * sizeof *won);
    if (known(&edge->child))
        edge_pull(f, winner, edge, won_by(&edge->child, winner, !winner, level), won);
    else if (level == MAYBE && edge->promotes)
        retake_pull(f, winner, edge, (RetakeGoal){winner, MAYBE, false}, won);
    const bool other = level == MAYBE && !known(&edge->child);
    for (size_t w = 0; w < words; w++) won[w] = (other ? ~won[w] : won[w]) & use[w];
}

/* What is found of one family, and room to find it in. */
typedef struct Work {
    Distances *distances;
    Ranked *ranked;
    Family *family;
    size_t words, cells;
    uint64_t *set[BOUNDS][2];               /* what is won, by side to move */
    uint16_t *seed[BOUNDS], *floor[BOUNDS]; /* the soonest win, and loss, that other moves allow */
    uint16_t *after;                        /* ranks of positions after a push */
    uint64_t *use, *room, *any, *hit, *answer;
} Work;

static const Ranked *find(Distances *d, Family *f, int winner);

/* The ranks of positions after a push to a known family, the right to take en passant left out. False if an oracle
 * cannot answer: of a search that was saved and goes on it was not asked yet. */
static bool plain_after(Work *k, int side, const Edge *edge, const Ranked *child, int level)
{
    Family *to = edge->child.family;
    const uint16_t *rank = child != NULL ? child->rank[level][!side] : NULL;
    if (rank != NULL) {
        memcpy(k->after, rank, k->cells * sizeof *rank);
        return true;
    }
    for (size_t w = 0; w < k->words; w++)
        family_fill(to, !side, w, k->use[w] & k->set[MAYBE][side][w]);
    if (family_failed(to)) return false;
    memset(k->after, 0xff, k->cells * sizeof *k->after);
    if (level == SURE) return true;
    for (size_t w = 0; w < k->words; w++)
        for (uint64_t left = to->won[MAYBE][k->ranked->winner][!side][w] & to->legal[!side][w];
             left != 0;)
            k->after[w << 6 | (size_t)bit_pop(&left)] = 0;
    return true;
}

/* Corrects them where the other side can take en passant. */
static void answers_after(Work *k, int side, const Edge *edge, int level)
{
    const int winner = k->ranked->winner;
    const Family *to = edge->child.family;
    memset(k->any, 0, k->words * sizeof *k->any);
    memset(k->hit, 0, k->words * sizeof *k->hit);
    for (int i = 0; i < edge->captures; i++) {
        const EdgeChild *answer = &edge->answer[i];
        memset(k->answer, 0, k->words * sizeof *k->answer);
        memset(k->room, 0, k->words * sizeof *k->room);
        edge_pull_en_passant(edge, all_of(answer, side), k->answer);
        if (known(answer))
            edge_pull_en_passant(edge, won_by(answer, winner, side, level), k->room);
        else if (level == MAYBE)
            memcpy(k->room, k->answer, k->words * sizeof *k->room);
        for (size_t w = 0; w < k->words; w++) {
            k->any[w] |= k->answer[w];
            k->hit[w] |= k->answer[w] & (side == winner ? ~k->room[w] : k->room[w]);
        }
    }
    for (size_t w = 0; w < k->words; w++)
        for (uint64_t left = k->any[w] & to->legal[!side][w]; left != 0;) {
            const int bit = bit_pop(&left);
            uint16_t *rank = &k->after[w << 6 | (size_t)bit];
            const bool hit = k->hit[w] >> bit & 1;
            if (side != winner) /* the winner may take */
                *rank = hit ? 1 : *rank;
            else if (hit)
                *rank = NONE;
            else if (to->stuck[!side][w] >> bit & 1 || *rank == 0) /* taking is all there is */
                *rank = 1;
        }
}

/* A push by the winner is as good as the best, one by the other must be waited for. */
static bool take_push(Work *k, int side, const Edge *edge, int level)
{
    const int winner = k->ranked->winner;
    const bool there = known(&edge->child);
    const Ranked *child = there ? find(k->distances, edge->child.family, winner) : NULL;
    if (there && child == NULL && edge->child.family->oracle == NULL) return false;
    if (there && !plain_after(k, side, edge, child, level)) return false;
    if (!there) memset(k->after, level == MAYBE ? 0 : 0xff, k->cells * sizeof *k->after);
    if (there && edge->captures > 0) answers_after(k, side, edge, level);
    for (size_t w = 0; w < k->words; w++)
        for (uint64_t left = k->use[w] & k->set[level][side][w]; left != 0;) {
            const size_t cell = w << 6 | (size_t)bit_pop(&left);
            const uint16_t n = k->after[cell] == NONE ? NONE : (uint16_t)(k->after[cell] + 1);
            if (side == winner && n < k->seed[level][cell]) k->seed[level][cell] = n;
            /* What only may be won is not won where a move leads out of it, and has no distance. */
            if (side != winner && n > k->floor[level][cell] && (level == SURE || n != NONE))
                k->floor[level][cell] = n;
        }
    return true;
}

static void take_conversion(Work *k, int side, const Edge *edge, int level)
{
    const int winner = k->ranked->winner;
    const uint64_t *cells = k->use;
    if (side == winner) {
        find_conversions(k->family, winner, edge, level, k->use, k->room);
        cells = k->room;
    }
    for (size_t w = 0; w < k->words; w++)
        for (uint64_t left = cells[w] & k->set[level][side][w]; left != 0;) {
            const size_t cell = w << 6 | (size_t)bit_pop(&left);
            if (side == winner)
                k->seed[level][cell] = 1;
            else if (k->distances->careful && edge->victim >= 0)
                k->floor[level][cell] = NONE;
            else if (k->floor[level][cell] == 0)
                k->floor[level][cell] = 1;
        }
}

static bool take_edges(Work *k)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < k->family->edges[side]; i++) {
            const Edge *edge = &k->family->edge[side][i];
            edge_use(k->family, side, edge, k->use);
            for (int level = SURE; level < BOUNDS; level++)
                if (!is_push(edge))
                    take_conversion(k, side, edge, level);
                else if (!take_push(k, side, edge, level))
                    return false;
        }
    return true;
}

/* ---- Ply by ply ------------------------------------------------------------------------------ */

/* Cells by the ply at which they are due. */
typedef struct Due {
    uint32_t *head, *next; /* 1 + a cell, or 0 */
    int last;
} Due;

static bool due_list(Due *due, const uint64_t *set, size_t words, const uint16_t *ply)
{
    due->last = 0;
    due->next = malloc(64 * words * sizeof *due->next);
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = set[w]; left != 0;) {
            const uint16_t n = ply[w << 6 | (size_t)bit_pop(&left)];
            if (n != NONE && n > due->last) due->last = n;
        }
    due->head = calloc((size_t)due->last + 1, sizeof *due->head);
    if (due->next == NULL || due->head == NULL) return false;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = set[w]; left != 0;) {
            const size_t c = w << 6 | (size_t)bit_pop(&left);
            if (ply[c] == NONE) continue;
            due->next[c] = due->head[ply[c]];
            due->head[ply[c]] = (uint32_t)c + 1;
        }
    return true;
}

static void due_free(Due *due)
{
    free(due->head);
    free(due->next);
}

/* Ors the cells of a ply into a set. */
static void due_take(const Due *due, int ply, uint64_t *set)
{
    for (uint32_t at = ply <= due->last ? due->head[ply] : 0; at != 0; at = due->next[at - 1])
        set[(at - 1) >> 6] |= square_bit((int)((at - 1) & 63));
}

/* Ranks those of `found` that are in `left`, and takes them out of there. */
static bool rank_found(size_t words, uint64_t *found, uint64_t *left, uint16_t *rank, int n)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        found[w] &= left[w];
        left[w] &= ~found[w];
        any |= found[w];
        for (uint64_t cells = found[w]; cells != 0;)
            rank[w << 6 | (size_t)bit_pop(&cells)] = (uint16_t)n;
    }
    return any != 0;
}

typedef struct Sets {
    uint64_t *unwon, *wins, *losses, *due, *lost, *won, *reach;
} Sets;

static void play_plies(const Work *k, int level, const Due *seed, const Due *floor, const Sets *s)
{
    const Family *f = k->family;
    const int winner = k->ranked->winner;
    uint16_t *const *rank = k->ranked->rank[level];
    const size_t bytes = k->words * sizeof(uint64_t);
    for (size_t w = 0; w < k->words; w++) s->lost[w] = f->stuck[!winner][w];
    bool lost = rank_found(k->words, s->lost, s->losses, rank[!winner], 0), won = true;
    due_take(floor, 0, s->due);
    for (int n = 1; won || lost || n <= seed->last || n <= floor->last; n++) {
        memset(s->won, 0, bytes);
        if (lost) cells_unmove(&f->key, winner, s->lost, NULL, s->won, NULL);
        due_take(seed, n, s->won);
        memset(s->lost, 0, bytes);
        due_take(floor, n, s->due);
        if (won || n <= floor->last) {
            memset(s->reach, 0, bytes);
            cells_unmove(&f->key, !winner, s->unwon, NULL, s->reach, NULL);
            for (size_t w = 0; w < k->words; w++) s->lost[w] = s->due[w] & ~s->reach[w];
        }
        lost = rank_found(k->words, s->lost, s->losses, rank[!winner], n);
        won = rank_found(k->words, s->won, s->wins, rank[winner], n);
        for (size_t w = 0; w < k->words && won; w++) s->unwon[w] &= ~s->won[w];
    }
}

/* Ranks what is won at a level. */
static bool play(const Work *k, int level)
{
    const int winner = k->ranked->winner;
    uint64_t *room = calloc(7 * k->words, sizeof *room);
    if (room == NULL) return false;
    const Sets s = {room,
                    room + k->words,
                    room + 2 * k->words,
                    room + 3 * k->words,
                    room + 4 * k->words,
                    room + 5 * k->words,
                    room + 6 * k->words};
    Due seed = {0}, floor = {0};
    bool good = due_list(&seed, k->set[level][winner], k->words, k->seed[level]) &&
                due_list(&floor, k->set[level][!winner], k->words, k->floor[level]);
    if (good) {
        memcpy(s.unwon, k->family->legal[winner], k->words * sizeof *room);
        memcpy(s.wins, k->set[level][winner], k->words * sizeof *room);
        memcpy(s.losses, k->set[level][!winner], k->words * sizeof *room);
        play_plies(k, level, &seed, &floor, &s);
    }
    due_free(&seed);
    due_free(&floor);
    free(room);
    return good;
}

/* ---- One family ------------------------------------------------------------------------------ */

/* Whether what may be is all sure, with the same moves to it. */
static bool same_bounds(const Work *k)
{
    const size_t bytes = k->words * sizeof(uint64_t), plies = k->cells * sizeof(uint16_t);
    for (int side = 0; side < 2; side++)
        if (memcmp(k->set[SURE][side], k->set[MAYBE][side], bytes) != 0) return false;
    return memcmp(k->seed[SURE], k->seed[MAYBE], plies) == 0 &&
           memcmp(k->floor[SURE], k->floor[MAYBE], plies) == 0;
}

static bool rank_level(const Work *k, int level)
{
    for (int side = 0; side < 2; side++) {
        uint16_t *rank = malloc(k->cells * sizeof *rank);
        k->ranked->rank[level][side] = rank;
        if (rank == NULL) return false;
        memset(rank, 0xff, k->cells * sizeof *rank);
    }
    return play(k, level);
}

static bool rank_family(Work *k)
{
    Ranked *r = k->ranked;
    if (!take_edges(k) || !rank_level(k, SURE)) return false;
    if (!same_bounds(k)) return rank_level(k, MAYBE);
    for (int side = 0; side < 2; side++) r->rank[MAYBE][side] = r->rank[SURE][side];
    return true;
}

static bool find_ranks(Distances *d, Ranked *r)
{
    Family *f = r->family;
    Work k = {.distances = d,
              .ranked = r,
              .family = f,
              .words = cells_words(&f->key),
              .cells = cells_of(f)};
    uint64_t *sets = calloc(9 * k.words, sizeof *sets);
    uint16_t *plies = malloc(5 * k.cells * sizeof *plies);
    bool good = sets != NULL && plies != NULL;
    if (good) {
        memset(plies, 0xff, 2 * k.cells * sizeof *plies);
        memset(plies + 2 * k.cells, 0, 2 * k.cells * sizeof *plies);
        for (int i = 0; i < 2 * BOUNDS; i++) {
            k.set[i / 2][i % 2] = sets + (size_t)i * k.words;
            for (size_t w = 0; w < k.words; w++)
                k.set[i / 2][i % 2][w] = f->won[i / 2][r->winner][i % 2][w] & f->legal[i % 2][w];
        }
        for (int level = SURE; level < BOUNDS; level++) {
            k.seed[level] = plies + (size_t)level * k.cells;
            k.floor[level] = plies + (size_t)(BOUNDS + level) * k.cells;
        }
        k.after = plies + 4 * k.cells;
        k.use = sets + 4 * k.words;
        k.room = sets + 5 * k.words;
        k.any = sets + 6 * k.words;
        k.hit = sets + 7 * k.words;
        k.answer = sets + 8 * k.words;
        good = rank_family(&k);
    }
    free(sets);
    free(plies);
    return good;
}

/* Whether a winner surely wins anything in a family. */
static bool wins_any(const Family *f, int winner)
{
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            if (f->won[SURE][winner][side][w] & f->legal[side][w]) return true;
    return false;
}

/* Ranks what pushes lead to, before there is any room for the family itself. */
static bool find_children(Distances *d, const Family *f, int winner)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < f->edges[side]; i++) {
            const Edge *edge = &f->edge[side][i];
            if (is_push(edge) && known(&edge->child) && edge->child.family->oracle == NULL &&
                find(d, edge->child.family, winner) == NULL)
                return false;
        }
    return true;
}

/* NULL where there are no ranks. */
static const Ranked *find(Distances *d, Family *f, int winner)
{
    if (f->oracle != NULL || f->key.men > MEN || !f->solved || d->failed) return NULL;
    if (d->slots > 0) {
        const Ranked *r = d->slot[place(d, f, winner)];
        if (r != NULL) return r;
    }
    if (d->full || is_late(d)) return NULL;
    const bool any = wins_any(f, winner);
    if (any) lattice_join(d->lattice, f);
    if (any && !find_children(d, f, winner)) return NULL;
    const uint64_t most = sizeof(Ranked) + (any ? 4 * cells_of(f) * sizeof(uint16_t) : 0);
    d->full = d->bytes + most > d->memory;
    if (d->full) return NULL;
    Ranked *r = calloc(1, sizeof *r);
    if (r != NULL) *r = (Ranked){.family = f, .winner = winner};
    d->failed = r == NULL || (any && !find_ranks(d, r)) || !grow(d);
    if (d->failed) {
        ranked_free(r);
        return NULL;
    }
    d->slot[place(d, f, winner)] = r;
    d->count++;
    d->bytes += ranked_bytes(r);
    return r;
}

/* ---- One position ---------------------------------------------------------------------------- */

/* Bounds by the family alone. NONE where there are none. */
static bool plain_distance(Distances *d, const treb_position *pos, int winner, Distance *out)
{
    CellsKey key;
    Cell cell;
    *out = (Distance){NONE, NONE};
    Family *f = cells_from_position(pos, &key, &cell) ? lattice_find(d->lattice, &key) : NULL;
    const Ranked *r = f != NULL ? find(d, f, winner) : NULL;
    if (r == NULL) return false;
    if (r->rank[SURE][0] == NULL) return true;
    out->most = r->rank[SURE][pos->turn][cell];
    out->least = r->rank[MAYBE][pos->turn][cell];
    return true;
}

/* Whether `winner` surely, or maybe, wins a position without a right to take en passant. */
static bool wins(const Distances *d, const treb_position *pos, int winner, int level)
{
    CellsKey key;
    Cell cell;
    Family *f = cells_from_position(pos, &key, &cell) ? lattice_find(d->lattice, &key) : NULL;
    if (f == NULL || !f->solved) return level == MAYBE;
    family_fill(f, pos->turn, cell >> 6, square_bit((int)(cell & 63)));
    return cell_in(f->won[level][winner][pos->turn], cell);
}

/* A capture en passant counts 1. Whoever has nothing else must take. */
static void add_en_passant(Distances *d, const treb_position *pos, int winner, Distance *out)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), captures = 0;
    for (int i = 0; i < count; i++) {
        treb_position child;
        if (!move_is_ep(pos, moves[i])) continue;
        captures++;
        position_make(pos, moves[i], &child);
        if (pos->turn != winner) continue;
        if (wins(d, &child, winner, SURE)) out->most = 1;
        if (wins(d, &child, winner, MAYBE)) out->least = 1;
    }
    if (pos->turn != winner && captures == count) *out = (Distance){1, 1};
}

/* Where an oracle answers for the family it knows the rights to take en passant as well. */
static bool ask_oracle(const Distances *d, const treb_position *pos, Distance *out)
{
    CellsKey key;
    const Family *f = cells_from_position(pos, &key, NULL) ? lattice_find(d->lattice, &key) : NULL;
    const FamilyOracle *oracle = f != NULL ? f->oracle : NULL;
    int plies;
    if (oracle == NULL || oracle->distance == NULL ||
        !oracle->distance(oracle->context, pos, &plies))
        return false;
    *out = (Distance){plies, plies};
    return true;
}

static bool find_distance(Distances *d, const treb_position *pos, int winner, Distance *out)
{
    if (ask_oracle(d, pos, out)) return true;
    if (!plain_distance(d, pos, winner, out)) return false;
    if (position_ep_legal(pos)) add_en_passant(d, pos, winner, out);
    if (out->least > out->most) out->least = out->most;
    return out->most != NONE;
}

bool distance_of(Distances *d, const treb_position *pos, int winner, Distance *out)
{
    if (!movegen_any(pos)) {
        *out = (Distance){0, 0};
        return true;
    }
    d->failed = false;
    if (find_distance(d, pos, winner, out)) return true;
    const bool more = d->families != d->lattice->families || d->round != d->lattice->round;
    if (d->failed || is_late(d) || (!more && (!d->full || d->count == 0))) return false;
    clear(d); /* more is known by now, or others took the room */
    return find_distance(d, pos, winner, out);
}
