/* distance.c - see distance.h.
 *
 *     lost at n   all quiet moves lead to positions won before n; n is at least 1 if there is a
 *                 capture or promotion, and 1 + r if there is a push to a position won at r
 *     won at n    a quiet move or a push leads to a position lost at n - 1; or n is 1 and a capture
 *                 or promotion wins
 *
 * Who wins is known beforehand: only cells of the structure's sets get distances. */
#include "pawns/solve/distance.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/chess/movegen.h"
#include "core/system/clock.h"
#include "core/system/hash.h"
#include "pawns/solve/recapture.h"

enum { PIECES = 1, NONE = UINT16_MAX, BOUNDS = 2 /* SURE and MAYBE */ };

/* The distances of one structure and winner, by level, side to move and cell; both levels share
 * their arrays if nothing differs. There are none if nothing is surely won: then a position that
 * may be won counts as lost at 0. */
typedef struct StructureDistances {
    Structure *structure;
    int winner;
    uint16_t *plies[BOUNDS][2];
} StructureDistances;

struct Distances {
    ProofGraph *graph;
    uint64_t memory, bytes;
    bool full, failed, careful;
    StructureDistances **slot; /* a hash table */
    size_t slots, count;
    uint64_t structures; /* number of structures of the graph when the table was empty */
    unsigned round;      /* the graph's round at that time */
    uint64_t end;        /* the time limit, by clock_milliseconds(); 0: none */
};

/* ---- What there is --------------------------------------------------------------------------- */

static size_t cells_of(const Structure *f) { return 64 * cells_words(&f->key); }

static uint64_t distances_bytes_of(const StructureDistances *r)
{
    const size_t sets = r->plies[SURE][0] == NULL                 ? 0
                        : r->plies[SURE][0] == r->plies[MAYBE][0] ? 2
                                                                  : 4;
    return sizeof *r + sets * cells_of(r->structure) * sizeof(uint16_t);
}

static void free_one(StructureDistances *r)
{
    if (r == NULL) return;
    for (int side = 0; side < 2; side++) {
        if (r->plies[MAYBE][side] != r->plies[SURE][side]) free(r->plies[MAYBE][side]);
        free(r->plies[SURE][side]);
    }
    free(r);
}

/* Forgets all distances. */
static void clear(Distances *d)
{
    for (size_t i = 0; i < d->slots; i++) free_one(d->slot[i]);
    free(d->slot);
    d->slot = NULL;
    d->slots = d->count = 0;
    d->bytes = 0;
    d->full = false;
    d->structures = d->graph->structures;
    d->round = d->graph->round;
}

Distances *distances_new(ProofGraph *graph, uint64_t memory, bool careful)
{
    Distances *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    d->graph = graph;
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

void distances_set_time_limit(Distances *d, unsigned milliseconds)
{
    d->end = milliseconds > 0 ? clock_milliseconds() + milliseconds : 0;
}

static bool is_late(const Distances *d) { return d->end > 0 && clock_milliseconds() >= d->end; }

/* The slot of an entry, or the free slot where it belongs. */
static size_t place(const Distances *d, const Structure *f, int winner)
{
    uint64_t hash = ((uint64_t)(uintptr_t)f + (uint64_t)winner) * HASH_FACTOR;
    size_t at = (size_t)(hash >> 32) & (d->slots - 1);
    while (d->slot[at] != NULL && !(d->slot[at]->structure == f && d->slot[at]->winner == winner))
        at = (at + 1) & (d->slots - 1);
    return at;
}

/* Makes room for one more entry. False without memory. */
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
            d->slot[place(d, old.slot[i]->structure, old.slot[i]->winner)] = old.slot[i];
    free(old.slot);
    return true;
}

/* ---- What moves out of a structure lead to
 * ------------------------------------------------------ */

static bool known(const EdgeChild *child)
{
    return child->structure != NULL && child->structure->solved;
}

static bool is_push(const Edge *edge)
{
    const int row = square_rank(edge->to);
    return edge->mover == CONVERSION_PAWN && edge->victim == CONVERSION_NOBODY && row != 0 &&
           row != 7;
}

static TargetCells won_by(const EdgeChild *child, int winner, int side, int level)
{
    Structure *f = child->structure;
    return (TargetCells){.all = f->won[level][winner][side],
                         .structure = f->oracle != NULL ? f : NULL,
                         .side = side};
}

static TargetCells all_of(const EdgeChild *child, int side)
{
    return (TargetCells){.all = child->structure != NULL ? child->structure->legal[side] : NULL,
                         .side = side,
                         .legal = child->structure == NULL && !child->beyond ? &child->key : NULL};
}

/* Sets `won` to those cells of `use` from which a capture or promotion of the winner wins, surely
 * or maybe. */
static void find_conversions(const Structure *f, int winner, const Edge *edge, int level,
                             const uint64_t *use, uint64_t *won)
{
    const size_t words = cells_words(&f->key);
    memset(won, 0, words * sizeof *won);
    if (known(&edge->child))
        edge_predecessors(f, winner, edge, won_by(&edge->child, winner, !winner, level), won);
    else if (level == MAYBE && edge->promotes)
        recapture_predecessors(f, winner, edge, (RecaptureGoal){winner, MAYBE, false}, won);
    const bool other = level == MAYBE && !known(&edge->child);
    for (size_t w = 0; w < words; w++) won[w] = (other ? ~won[w] : won[w]) & use[w];
}

/* The computation for one structure. */
typedef struct Work {
    Distances *distances;
    StructureDistances *result;
    Structure *structure;
    size_t words, cells;
    uint64_t *set[BOUNDS][2]; /* cells that are won for the winner, by side to move */
    uint16_t *seed[BOUNDS],
        *floor
            [BOUNDS]; /* by cell, from moves that are not quiet: the fastest win; the least plies of a loss */
    uint16_t *after; /* plies of positions after a push */
    uint64_t *use, *room, *any, *hit, *answer;
} Work;

static const StructureDistances *find(Distances *d, Structure *f, int winner);

/* Sets k->after to the plies of positions after a push to a known structure, captures en passant
 * left out. False if an oracle cannot answer: it was not asked yet if the search was saved and goes
 * on. */
static bool plain_after(Work *k, int side, const Edge *edge, const StructureDistances *child,
                        int level)
{
    Structure *to = edge->child.structure;
    const uint16_t *plies = child != NULL ? child->plies[level][!side] : NULL;
    if (plies != NULL) {
        memcpy(k->after, plies, k->cells * sizeof *plies);
        return true;
    }
    for (size_t w = 0; w < k->words; w++)
        structure_ask_oracle(to, !side, w, k->use[w] & k->set[MAYBE][side][w]);
    if (structure_failed(to)) return false;
    memset(k->after, 0xff, k->cells * sizeof *k->after);
    if (level == SURE) return true;
    for (size_t w = 0; w < k->words; w++)
        for (uint64_t left = to->won[MAYBE][k->result->winner][!side][w] & to->legal[!side][w];
             left != 0;)
            k->after[w << 6 | (size_t)bit_pop(&left)] = 0;
    return true;
}

/* Corrects k->after where the other side can capture en passant. */
static void answers_after(Work *k, int side, const Edge *edge, int level)
{
    const int winner = k->result->winner;
    const Structure *to = edge->child.structure;
    memset(k->any, 0, k->words * sizeof *k->any);
    memset(k->hit, 0, k->words * sizeof *k->hit);
    for (int i = 0; i < edge->captures; i++) {
        const EdgeChild *answer = &edge->answer[i];
        memset(k->answer, 0, k->words * sizeof *k->answer);
        memset(k->room, 0, k->words * sizeof *k->room);
        edge_predecessors_en_passant(edge, all_of(answer, side), k->answer);
        if (known(answer))
            edge_predecessors_en_passant(edge, won_by(answer, winner, side, level), k->room);
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
            uint16_t *plies = &k->after[w << 6 | (size_t)bit];
            const bool hit = k->hit[w] >> bit & 1;
            if (side != winner) /* the winner may capture */
                *plies = hit ? 1 : *plies;
            else if (hit)
                *plies = NONE;
            else if (to->stuck[!side][w] >> bit & 1 || *plies == 0) /* capturing is the only move */
                *plies = 1;
        }
}

/* Applies a push: a push of the winner may win, a push of the loser delays the loss. False without
 * memory. */
static bool take_push(Work *k, int side, const Edge *edge, int level)
{
    const int winner = k->result->winner;
    const bool there = known(&edge->child);
    const StructureDistances *child =
        there ? find(k->distances, edge->child.structure, winner) : NULL;
    if (there && child == NULL && edge->child.structure->oracle == NULL) return false;
    if (there && !plain_after(k, side, edge, child, level)) return false;
    if (!there) memset(k->after, level == MAYBE ? 0 : 0xff, k->cells * sizeof *k->after);
    if (there && edge->captures > 0) answers_after(k, side, edge, level);
    for (size_t w = 0; w < k->words; w++)
        for (uint64_t left = k->use[w] & k->set[level][side][w]; left != 0;) {
            const size_t cell = w << 6 | (size_t)bit_pop(&left);
            const uint16_t n = k->after[cell] == NONE ? NONE : (uint16_t)(k->after[cell] + 1);
            if (side == winner && n < k->seed[level][cell]) k->seed[level][cell] = n;
            /* A position that may be won is not won if a push leads to one that is not; it has no
             * distance. */
            if (side != winner && n > k->floor[level][cell] && (level == SURE || n != NONE))
                k->floor[level][cell] = n;
        }
    return true;
}

/* Applies a capture or promotion. */
static void take_conversion(Work *k, int side, const Edge *edge, int level)
{
    const int winner = k->result->winner;
    const uint64_t *cells = k->use;
    if (side == winner) {
        find_conversions(k->structure, winner, edge, level, k->use, k->room);
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
        for (int i = 0; i < k->structure->edges[side]; i++) {
            const Edge *edge = &k->structure->edge[side][i];
            edge_sources(k->structure, side, edge, k->use);
            for (int level = SURE; level < BOUNDS; level++)
                if (!is_push(edge))
                    take_conversion(k, side, edge, level);
                else if (!take_push(k, side, edge, level))
                    return false;
        }
    return true;
}

/* ---- Ply by ply ------------------------------------------------------------------------------ */

/* Lists of cells by ply. */
typedef struct Due {
    uint32_t *head, *next; /* 1 + number of a cell, or 0 at the end of a list */
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

/* Gives distance n to those cells of `found` that are in `left`, and removes them from `left`. True
 * if there are any. */
static bool accept_found(size_t words, uint64_t *found, uint64_t *left, uint16_t *plies, int n)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        found[w] &= left[w];
        left[w] &= ~found[w];
        any |= found[w];
        for (uint64_t cells = found[w]; cells != 0;)
            plies[w << 6 | (size_t)bit_pop(&cells)] = (uint16_t)n;
    }
    return any != 0;
}

typedef struct Sets {
    uint64_t *not_won, *wins, *losses, *due, *lost, *won, *reach;
} Sets;

static void play_plies(const Work *k, int level, const Due *seed, const Due *floor, const Sets *s)
{
    const Structure *f = k->structure;
    const int winner = k->result->winner;
    uint16_t *const *plies = k->result->plies[level];
    const size_t bytes = k->words * sizeof(uint64_t);
    for (size_t w = 0; w < k->words; w++) s->lost[w] = f->stuck[!winner][w];
    bool lost = accept_found(k->words, s->lost, s->losses, plies[!winner], 0), won = true;
    due_take(floor, 0, s->due);
    for (int n = 1; won || lost || n <= seed->last || n <= floor->last; n++) {
        memset(s->won, 0, bytes);
        if (lost) cells_quiet_moves(&f->key, winner, s->lost, NULL, s->won, NULL);
        due_take(seed, n, s->won);
        memset(s->lost, 0, bytes);
        due_take(floor, n, s->due);
        if (won || n <= floor->last) {
            memset(s->reach, 0, bytes);
            cells_quiet_moves(&f->key, !winner, s->not_won, NULL, s->reach, NULL);
            for (size_t w = 0; w < k->words; w++) s->lost[w] = s->due[w] & ~s->reach[w];
        }
        lost = accept_found(k->words, s->lost, s->losses, plies[!winner], n);
        won = accept_found(k->words, s->won, s->wins, plies[winner], n);
        for (size_t w = 0; w < k->words && won; w++) s->not_won[w] &= ~s->won[w];
    }
}

/* Finds the distances at a level. */
static bool find_level(const Work *k, int level)
{
    const int winner = k->result->winner;
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
        memcpy(s.not_won, k->structure->legal[winner], k->words * sizeof *room);
        memcpy(s.wins, k->set[level][winner], k->words * sizeof *room);
        memcpy(s.losses, k->set[level][!winner], k->words * sizeof *room);
        play_plies(k, level, &seed, &floor, &s);
    }
    due_free(&seed);
    due_free(&floor);
    free(room);
    return good;
}

/* ---- One structure
 * ------------------------------------------------------------------------------ */

/* Whether both levels have the same won positions and the same plies from other moves. */
static bool same_bounds(const Work *k)
{
    const size_t bytes = k->words * sizeof(uint64_t), plies = k->cells * sizeof(uint16_t);
    for (int side = 0; side < 2; side++)
        if (memcmp(k->set[SURE][side], k->set[MAYBE][side], bytes) != 0) return false;
    return memcmp(k->seed[SURE], k->seed[MAYBE], plies) == 0 &&
           memcmp(k->floor[SURE], k->floor[MAYBE], plies) == 0;
}

static bool solve_level(const Work *k, int level)
{
    for (int side = 0; side < 2; side++) {
        uint16_t *plies = malloc(k->cells * sizeof *plies);
        k->result->plies[level][side] = plies;
        if (plies == NULL) return false;
        memset(plies, 0xff, k->cells * sizeof *plies);
    }
    return find_level(k, level);
}

static bool solve_both_levels(Work *k)
{
    StructureDistances *r = k->result;
    if (!take_edges(k) || !solve_level(k, SURE)) return false;
    if (!same_bounds(k)) return solve_level(k, MAYBE);
    for (int side = 0; side < 2; side++) r->plies[MAYBE][side] = r->plies[SURE][side];
    return true;
}

/* Computes the distances of a structure whose children have theirs. False without memory. */
static bool compute(Distances *d, StructureDistances *r)
{
    Structure *f = r->structure;
    Work k = {.distances = d,
              .result = r,
              .structure = f,
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
        good = solve_both_levels(&k);
    }
    free(sets);
    free(plies);
    return good;
}

/* Whether a winner surely wins any position of a structure. */
static bool wins_any(const Structure *f, int winner)
{
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            if (f->won[SURE][winner][side][w] & f->legal[side][w]) return true;
    return false;
}

/* Finds the distances of the children by pushes, before memory is allocated for the structure
 * itself. */
static bool find_children(Distances *d, const Structure *f, int winner)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < f->edges[side]; i++) {
            const Edge *edge = &f->edge[side][i];
            if (is_push(edge) && known(&edge->child) && edge->child.structure->oracle == NULL &&
                find(d, edge->child.structure, winner) == NULL)
                return false;
        }
    return true;
}

/* The distances of a structure, computed if necessary; NULL if there are none. */
static const StructureDistances *find(Distances *d, Structure *f, int winner)
{
    if (f->oracle != NULL || f->key.pieces > PIECES || !f->solved || d->failed) return NULL;
    if (d->slots > 0) {
        const StructureDistances *r = d->slot[place(d, f, winner)];
        if (r != NULL) return r;
    }
    if (d->full || is_late(d)) return NULL;
    const bool any = wins_any(f, winner);
    if (any) proof_graph_link(d->graph, f);
    if (any && !find_children(d, f, winner)) return NULL;
    const uint64_t most =
        sizeof(StructureDistances) + (any ? 4 * cells_of(f) * sizeof(uint16_t) : 0);
    d->full = d->bytes + most > d->memory;
    if (d->full) return NULL;
    StructureDistances *r = calloc(1, sizeof *r);
    if (r != NULL) *r = (StructureDistances){.structure = f, .winner = winner};
    d->failed = r == NULL || (any && !compute(d, r)) || !grow(d);
    if (d->failed) {
        free_one(r);
        return NULL;
    }
    d->slot[place(d, f, winner)] = r;
    d->count++;
    d->bytes += distances_bytes_of(r);
    return r;
}

/* ---- One position ---------------------------------------------------------------------------- */

/* The bounds of a position, captures en passant left out; NONE where it is not won. False if there
 * are no distances. */
static bool plain_distance(Distances *d, const treb_position *pos, int winner, Distance *out)
{
    CellsKey key;
    Cell cell;
    *out = (Distance){NONE, NONE};
    Structure *f = cells_from_position(pos, &key, &cell) ? proof_graph_find(d->graph, &key) : NULL;
    const StructureDistances *r = f != NULL ? find(d, f, winner) : NULL;
    if (r == NULL) return false;
    if (r->plies[SURE][0] == NULL) return true;
    out->most = r->plies[SURE][pos->turn][cell];
    out->least = r->plies[MAYBE][pos->turn][cell];
    return true;
}

/* Whether `winner` surely, or maybe, wins a position without a right to take en passant. */
static bool wins(const Distances *d, const treb_position *pos, int winner, int level)
{
    CellsKey key;
    Cell cell;
    Structure *f = cells_from_position(pos, &key, &cell) ? proof_graph_find(d->graph, &key) : NULL;
    if (f == NULL || !f->solved) return level == MAYBE;
    structure_ask_oracle(f, pos->turn, cell >> 6, square_bit((int)(cell & 63)));
    return cell_in(f->won[level][winner][pos->turn], cell);
}

/* Adds captures en passant, which count 1 ply. A side that has no other move must capture. */
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

/* Asks the oracle of the position's structure, which knows en passant as well. */
static bool ask_oracle(const Distances *d, const treb_position *pos, Distance *out)
{
    CellsKey key;
    const Structure *f =
        cells_from_position(pos, &key, NULL) ? proof_graph_find(d->graph, &key) : NULL;
    const PositionOracle *oracle = f != NULL ? f->oracle : NULL;
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
    const bool more = d->structures != d->graph->structures || d->round != d->graph->round;
    if (d->failed || is_late(d) || (!more && (!d->full || d->count == 0))) return false;
    clear(d); /* more is known now, or distances of other structures took the memory */
    return find_distance(d, pos, winner, out);
}
