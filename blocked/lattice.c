/* lattice.c - see lattice.h. */
#include "lattice.h"

#include <stdlib.h>
#include <string.h>

Lattice *lattice_new(const LatticeLimits *limits)
{
    Lattice *lattice = calloc(1, sizeof *lattice);
    if (lattice != NULL) lattice->limits = *limits;
    return lattice;
}

void lattice_free(Lattice *lattice)
{
    if (lattice == NULL) return;
    for (int p = 0; p < LATTICE_POTENTIALS; p++) {
        for (int i = 0; i < lattice->count[p]; i++) family_free(lattice->by_potential[p][i]);
        free(lattice->by_potential[p]);
    }
    free(lattice);
}

/* ---- Finding and adding -------------------------------------------------------------------- */

static size_t bucket_of(const CellsKey *key)
{
    uint64_t hash = key->pawns[0] * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29 ^ key->pawns[1]) * UINT64_C(0xbf58476d1ce4e5b9);
    for (int i = 0; i < key->men; i++)
        hash = (hash ^ hash >> 31) + (unsigned)(key->man[i].color << 3 | key->man[i].type) * 77u;
    hash *= UINT64_C(0x94d049bb133111eb);
    return (size_t)(hash >> 40) % LATTICE_BUCKETS;
}

Family *lattice_find(const Lattice *lattice, const CellsKey *key)
{
    Family *family = lattice->bucket[bucket_of(key)];
    while (family != NULL && memcmp(&family->key, key, sizeof *key) != 0) family = family->next;
    return family;
}

static bool list_family(Lattice *lattice, Family *family)
{
    int p = family->potential;
    if (lattice->count[p] == lattice->capacity[p]) {
        int capacity = lattice->capacity[p] ? 2 * lattice->capacity[p] : 8;
        Family **grown = realloc(lattice->by_potential[p], capacity * sizeof *grown);
        if (grown == NULL) return false;
        lattice->by_potential[p] = grown;
        lattice->capacity[p] = capacity;
    }
    lattice->by_potential[p][lattice->count[p]++] = family;
    return true;
}

Family *lattice_add(Lattice *lattice, const CellsKey *key, bool ask)
{
    uint64_t bytes = family_bytes(key) + sizeof(Family), work = 2 * bytes; /* to solve it */
    if (bytes + work > lattice->limits.memory ||
        lattice->bytes > lattice->limits.memory - bytes - work) {
        lattice->full = true;
        return NULL;
    }
    Family *family = family_new(key);
    const LatticeLimits *limits = &lattice->limits;
    if (family != NULL && ask && limits->covers != NULL &&
        limits->covers(limits->oracle.context, &family->key)) {
        family->oracle = &limits->oracle;
        family->solved = family->decided = true;
    }
    if (family == NULL || !family_allocate(family) || !list_family(lattice, family)) {
        family_free(family);
        lattice->failed = true;
        return NULL;
    }
    Family **bucket = &lattice->bucket[bucket_of(key)];
    family->next = *bucket;
    *bucket = family;
    family->changed = true;
    lattice->families++;
    lattice->bytes += bytes;
    return family;
}

/* ---- Solving ------------------------------------------------------------------------------- */

static void link_child(const Lattice *lattice, EdgeChild *child)
{
    if (child->family == NULL && !child->beyond) child->family = lattice_find(lattice, &child->key);
}

/* Joins a family to what has come to be known. True if one of its children has changed. */
static bool link_family(const Lattice *lattice, Family *family)
{
    bool changed = false;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < family->edges[side]; i++) {
            Edge *edge = &family->edge[side][i];
            link_child(lattice, &edge->child);
            changed = changed || (edge->child.family != NULL && edge->child.family->changed);
            for (int e = 0; e < edge->captures; e++) {
                EdgeChild *answer = &edge->en_passant[e];
                link_child(lattice, answer);
                changed = changed || (answer->family != NULL && answer->family->changed);
            }
        }
    return changed;
}

/* Differs whenever what is known or guessed does, but for rare accidents: after one something may
 * stay open that need not. */
static uint64_t fingerprint(const Family *f)
{
    uint64_t hash = 0;
    for (int i = 0; i < 4 * LEVELS; i++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            hash = (hash ^ f->won[i / 4][i / 2 % 2][i % 2][w]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static bool update_family(Lattice *lattice, Family *family)
{
    if (family->decided) return true;
    bool reason = link_family(lattice, family);
    if (family->solved && !reason) return true;
    uint64_t before = fingerprint(family);
    bool first = !family->solved;
    if (!family_solve(family, NULL)) return false;
    if (family->decided)
        lattice->bytes -= family_bytes(&family->key) - family_bytes_decided(&family->key);
    family->changed = first || fingerprint(family) != before;
    return true;
}

/* Solves whatever has new children, the least first. */
static bool update(Lattice *lattice)
{
    const LatticeLimits *limits = &lattice->limits;
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < lattice->count[p]; i++) {
            if (limits->stop != NULL &&
                limits->stop(limits->stop_context, lattice->families, lattice->bytes)) {
                lattice->stopped = true;
                return false;
            }
            if (update_family(lattice, lattice->by_potential[p][i])) continue;
            lattice->failed = true;
            return false;
        }
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < lattice->count[p]; i++)
            lattice->failed = lattice->failed || lattice->by_potential[p][i]->failed;
    if (lattice->failed) return false;
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < lattice->count[p]; i++) lattice->by_potential[p][i]->changed = false;
    return true;
}

/* ---- Looking for what is missing ------------------------------------------------------------ */

/* Bytes of families with pieces that a round takes in, one at least. */
enum { ROUND_BYTES = 64 << 20 };

typedef struct Search {
    Lattice *lattice;
    int men;         /* pieces of families that may be taken in */
    bool thorough;   /* look at under-promotions that are not expected to matter, too */
    uint64_t missed; /* needed ones that were not */
    uint64_t added;
    uint64_t bytes; /* of those added this round that have pieces */
    bool put_off;   /* more are left to a later round */
} Search;

/* Sets for what is wanted of a family; false without memory. */
static bool wanted_start(Family *f)
{
    size_t words = cells_words(&f->key);
    for (int i = 0; i < 4; i++) {
        uint64_t **set = &f->wanted[i / 2][i % 2];
        if (*set == NULL && (*set = calloc(words, sizeof(uint64_t))) == NULL) return false;
    }
    return true;
}

static void wanted_end(Family *f)
{
    for (int i = 0; i < 4; i++) {
        free(f->wanted[i / 2][i % 2]);
        f->wanted[i / 2][i % 2] = NULL;
    }
}

/* Of a word, the open cells that are guessed to be won, or those that are not. */
static uint64_t word_guessed(const Family *f, int winner, int side, size_t w, bool won)
{
    uint64_t guess = f->won[GUESS][winner][side][w];
    return word_open(f, winner, side, w) & f->legal[side][w] & (won ? guess : ~guess);
}

/* Wants those of `cells` that are open and guessed as said; NULL stands for all. */
static bool want(Family *f, int winner, int side, const uint64_t *cells, bool won)
{
    for (size_t w = 0; w < cells_words(&f->key); w++) {
        uint64_t found = word_guessed(f, winner, side, w, won) & (cells ? cells[w] : UINT64_MAX);
        if (found == 0) continue;
        if (!wanted_start(f)) return false;
        f->wanted[winner][side][w] |= found;
    }
    return true;
}

/* Whether a family is better left to a later round. Of many large ones that might help a few
 * mostly do: with those solved the others are not asked for again. */
static bool put_off(Search *search, const EdgeChild *child)
{
    bool later = child->key.men > 0 && search->bytes > 0 &&
                 search->bytes + family_bytes(&child->key) > ROUND_BYTES;
    search->put_off = search->put_off || later;
    return later;
}

/* Takes an unknown child in, if it may be. */
static bool take_in(Search *search, const EdgeChild *child)
{
    Lattice *lattice = search->lattice;
    if (child->beyond || child->key.men > search->men)
        search->missed++;
    else if (lattice_find(lattice, &child->key) != NULL)
        return true;
    else if (!put_off(search, child) && lattice_add(lattice, &child->key, true) != NULL) {
        search->added++;
        search->bytes += child->key.men > 0 ? family_bytes(&child->key) : 0;
    } else
        search->missed++;
    return !lattice->failed;
}

/* What is wanted of a family: in the game of one winner, one side to move, guessed to be won or
 * not. A win is proven by positions that are won, a hold by such as are not, so a trail leads only
 * to what is guessed to be the same. Whoever has the choice there needs one move; for the other all
 * must be looked at. */
typedef struct Trail {
    Search *search;
    Family *family;
    int winner, side;
    bool won;
    uint64_t *cells; /* of the family: where the trail is */
    uint64_t *use;   /* those of them that use an edge */
} Trail;

static bool trail_chooses(const Trail *t) { return (t->side == t->winner) == t->won; }

/* Takes in an unknown child that is guessed to be as the trail would have it. */
static bool follow_unknown(const Trail *t, const EdgeChild *child)
{
    return outcome_guess(&child->key, t->winner) != t->won || take_in(t->search, child);
}

/* Follows a double push on to the answers en passant; `cells` are those after it. */
static bool follow_answers(const Trail *t, const Edge *edge, const uint64_t *cells)
{
    size_t words = cells_words(&edge->child.key);
    uint64_t *there = calloc(words, sizeof *there), any = 0;
    bool good = there != NULL;
    if (good) edge_push_en_passant(edge, cells, there);
    for (size_t w = 0; w < words && good; w++) any |= there[w];
    for (int i = 0; i < edge->captures && good && any; i++) {
        const EdgeChild *answer = &edge->en_passant[i];
        good = answer->family == NULL ? follow_unknown(t, answer)
                                      : want(answer->family, t->winner, t->side, there, t->won);
    }
    free(there);
    return good;
}

/* A promotion that the trail need not look at before there is no other hope: whoever makes it
 * hardly does better by it than by a queen. */
static bool skips(const Trail *t, const Edge *edge)
{
    if (t->search->thorough || trail_chooses(t) || t->won) return false;
    for (int i = 0; i < edge->child.key.men; i++)
        if (edge->place[i] == EDGE_NEW && edge->child.key.man[i].type != TREB_QUEEN) return true;
    return false;
}

/* Finds the cells of the trail from which the edge leads to what it looks for, as far as is known;
 * false if there are none. */
static bool find_users(const Trail *t, const Edge *edge)
{
    Family *to = edge->child.family;
    size_t words = cells_words(&t->family->key);
    uint64_t any = 0;
    CellSource source = {0};
    /* The answers to a double push may be what counts. */
    bool any_child = edge->captures > 0;
    if (to == NULL && !any_child && outcome_guess(&edge->child.key, t->winner) != t->won)
        return false;
    if (to != NULL && !any_child) {
        uint64_t *won = to->won[GUESS][t->winner][!t->side];
        source.all = t->won ? won : to->legal[!t->side];
        source.none = t->won ? NULL : won;
        source.family = to->oracle != NULL ? to : NULL;
    } else if (to == NULL && !edge->child.beyond) {
        source.legal = &edge->child.key;
    }
    source.side = !t->side;
    memset(t->use, 0, words * sizeof *t->use);
    edge_pull(t->family, t->side, edge, source, t->use);
    for (size_t w = 0; w < words; w++) any |= t->use[w] &= t->cells[w];
    return any != 0;
}

static bool follow_edge(const Trail *t, const Edge *edge)
{
    Family *to = edge->child.family;
    if (to == NULL && !follow_unknown(t, &edge->child)) return false;
    if (edge->captures == 0 && (to == NULL || to->decided)) return true;
    uint64_t *there = calloc(cells_words(&edge->child.key), sizeof *there);
    if (there == NULL) return false;
    edge_push(t->family, t->side, edge, t->use, there);
    bool good = to == NULL || want(to, t->winner, !t->side, there, t->won);
    good = good && (edge->captures == 0 || follow_answers(t, edge, there));
    free(there);
    return good;
}

/* Follows the edges: all of them or, by choice, for each cell the first, rather to known families.
 * What is left in t->cells found none. */
static bool follow_edges(const Trail *t)
{
    const Family *f = t->family;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < f->edges[t->side]; i++) {
            const Edge *edge = &f->edge[t->side][i];
            const Family *to = edge->child.family;
            if ((to == NULL) != round || (to != NULL && to->decided && edge->captures == 0))
                continue;
            if (round == 1 && edge->child.key.men > 1 && skips(t, edge)) {
                t->search->missed++;
                continue;
            }
            if (!find_users(t, edge)) continue;
            if (!follow_edge(t, edge)) return false;
            bool settled = trail_chooses(t) && edge->captures == 0;
            for (size_t w = 0; w < cells_words(&f->key) && settled; w++) t->cells[w] &= ~t->use[w];
        }
    return true;
}

/* Follows quiet moves from t->cells; `more` says whether they led to anything new. */
static void follow_quiet(const Trail *t, bool *more)
{
    Family *f = t->family;
    size_t words = cells_words(&f->key);
    memset(t->use, 0, words * sizeof *t->use);
    cells_unmove(&f->key, t->side, t->cells, NULL, t->use, NULL);
    for (size_t w = 0; w < words; w++) {
        uint64_t *to = &f->wanted[t->winner][!t->side][w];
        uint64_t found = t->use[w] & word_guessed(f, t->winner, !t->side, w, t->won) & ~*to;
        *to |= found;
        *more = *more || found != 0;
    }
}

/* Follows one trail from the cells that are wanted and were not in `done`. */
static bool follow_trail(const Trail *t, uint64_t *done, bool *more)
{
    const uint64_t *wanted = t->family->wanted[t->winner][t->side];
    uint64_t any = 0;
    for (size_t w = 0; w < cells_words(&t->family->key); w++) {
        t->cells[w] = wanted[w] & ~done[w] & word_guessed(t->family, t->winner, t->side, w, t->won);
        done[w] |= t->cells[w];
        any |= t->cells[w];
    }
    if (any == 0) return true;
    if (!follow_edges(t)) return false;
    follow_quiet(t, more);
    return true;
}

static bool search_family(Search *search, Family *f)
{
    if (f->wanted[0][0] == NULL) return true;
    size_t words = cells_words(&f->key);
    uint64_t *scratch = calloc(6 * words, sizeof *scratch);
    bool good = scratch != NULL, more = true;
    while (good && more) {
        more = false;
        for (int i = 0; i < 8 && good; i++) {
            Trail trail = {search, f, i >> 2, i >> 1 & 1, i & 1, scratch, scratch + words};
            good = follow_trail(&trail, scratch + (2 + (i >> 1)) * words, &more);
        }
    }
    wanted_end(f);
    free(scratch);
    return good;
}

/* One round: takes in what undecided cells lead to. */
static bool search_round(Search *search, Family *family, uint64_t *const wanted[2], bool *done)
{
    Lattice *lattice = search->lattice;
    search->missed = search->added = search->bytes = 0;
    search->put_off = false;
    if (!update(lattice)) return false;
    for (int i = 0; i < 8; i++) {
        int side = i >> 1 & 1;
        if (!want(family, i >> 2, side, wanted != NULL ? wanted[side] : NULL, i & 1)) return false;
    }
    *done = family->wanted[0][0] == NULL;
    for (int p = LATTICE_POTENTIALS - 1; p >= 0 && !*done; p--)
        for (int i = 0; i < lattice->count[p]; i++) {
            Family *f = lattice->by_potential[p][i];
            if (search->put_off && f->key.men > 0)
                wanted_end(f);
            else if (!search_family(search, f))
                return false;
        }
    return true;
}

bool lattice_resolve(Lattice *lattice, Family *family, uint64_t *const wanted[2])
{
    bool done = false;
    Search search = {.lattice = lattice};
    for (int stage = 0; stage < 2 * (lattice->limits.men + 1) && !done; stage++) {
        search.men = stage / 2;
        search.thorough = stage % 2;
        do {
            if (!search_round(&search, family, wanted, &done)) return false;
        } while (!done && search.added > 0);
        if (search.missed == 0) break;
    }
    return true;
}
