/* rule50.c - see rule50.h. Families in order of potential, the highest first, each with the cells that are reached. */
#include "pawns/rule50.h"

#include <stdlib.h>
#include <string.h>

#include "pawns/retake.h"
#include "core/chess/movegen.h"

enum { MEN = 2, NONE = UINT16_MAX };

/* The cells of a family that are reached, by side to move. */
typedef struct Reach {
    const Family *family;
    uint64_t *cells[2];
} Reach;

typedef struct Follow {
    Lattice *lattice;
    int winner;
    Rule50 *out;
    const Family *root; /* the position's, unless it is one of those below */
    Reach *slot;        /* a hash table */
    size_t slots, count;
    bool stopped;
} Follow;

/* ---- Where it has come to -------------------------------------------------------------------- */

static size_t place(const Follow *f, const Family *family)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)family * UINT64_C(0x9e3779b97f4a7c15)) >> 32) &
                (f->slots - 1);
    while (f->slot[at].family != NULL && f->slot[at].family != family)
        at = (at + 1) & (f->slots - 1);
    return at;
}

static bool grow(Follow *f)
{
    if (2 * f->count < f->slots) return true;
    Reach *old = f->slot;
    const size_t slots = f->slots;
    f->slots = slots ? 2 * slots : 256;
    f->slot = calloc(f->slots, sizeof *f->slot);
    if (f->slot == NULL) {
        f->slot = old;
        f->slots = slots;
        return false;
    }
    for (size_t i = 0; i < slots; i++)
        if (old[i].family != NULL) f->slot[place(f, old[i].family)] = old[i];
    free(old);
    return true;
}

/* Adds what the winner wins of some cells. */
static bool reach(Follow *f, Family *family, int side, const uint64_t *cells)
{
    const size_t words = cells_words(&family->key);
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        if (cells[w] != 0) family_fill(family, side, w, cells[w]);
        any |= cells[w] & family->legal[side][w] & family->won[SURE][f->winner][side][w];
    }
    if (any == 0) return !family_failed(family);
    if (!grow(f)) return false;
    Reach *r = &f->slot[place(f, family)];
    if (r->family == NULL) {
        r->cells[0] = calloc(2 * words, sizeof *r->cells[0]);
        if (r->cells[0] == NULL) return false;
        r->cells[1] = r->cells[0] + words;
        r->family = family;
        f->count++;
    }
    for (size_t w = 0; w < words; w++)
        r->cells[side][w] |=
            cells[w] & family->legal[side][w] & family->won[SURE][f->winner][side][w];
    return true;
}

static void forget(Follow *f)
{
    for (size_t i = 0; i < f->slots; i++) free(f->slot[i].cells[0]);
    free(f->slot);
}

/* ---- Out of a family ------------------------------------------------------------------------- */

static bool follow_answers(Follow *f, int side, const Edge *edge, const uint64_t *there)
{
    uint64_t *after = calloc(cells_words(&edge->child.key), sizeof *after);
    bool good = after != NULL;
    if (good) edge_push_en_passant(edge, there, after);
    for (int i = 0; i < edge->captures && good; i++)
        if (edge->answer[i].family != NULL) good = reach(f, edge->answer[i].family, side, after);
    free(after);
    return good;
}

/* The other side's promotion to what is not known, or of which only wins of that side were looked for: the new piece is
 * taken at once. */
static bool follow_retake(Follow *f, const Family *from, int side, const Edge *edge,
                          const uint64_t *cells)
{
    const EdgeChild *child = edge->answer;
    if (side == f->winner || !edge->promotes || child->family == NULL) return true;
    uint64_t *there = calloc(cells_words(&child->key), sizeof *there);
    bool good = there != NULL;
    if (good) retake_push(from, side, edge, cells, there);
    good = good && reach(f, child->family, side, there);
    free(there);
    return good;
}

/* All moves out of some cells that keep the win. */
static bool follow_edge(Follow *f, const Family *from, int side, const Edge *edge,
                        const uint64_t *cells)
{
    const size_t words = cells_words(&from->key);
    uint64_t *use = calloc(words, sizeof *use), any = 0;
    if (use == NULL) return false;
    edge_use(from, side, edge, use);
    for (size_t w = 0; w < words; w++) any |= use[w] &= cells[w];
    const Family *to = edge->child.family;
    bool good = true;
    if (any != 0 && (to == NULL || to->only != FAMILY_BOTH))
        good = follow_retake(f, from, side, edge, use);
    if (any != 0 && to != NULL && good) {
        uint64_t *there = calloc(cells_words(&edge->child.key), sizeof *there);
        good = there != NULL;
        if (good) edge_push(from, side, edge, use, there);
        good = good && reach(f, edge->child.family, !side, there);
        good = good && (edge->captures == 0 || follow_answers(f, side, edge, there));
        free(there);
    }
    free(use);
    return good;
}

/* ---- Within a family ------------------------------------------------------------------------- */

/* Sets `out` to the cells of a rank. */
static bool of_rank(size_t words, const uint64_t *cells, const uint16_t *rank, int n, uint64_t *out)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        out[w] = 0;
        for (uint64_t left = cells[w]; left != 0;) {
            const int bit = bit_pop(&left);
            if (rank[w << 6 | (size_t)bit] == n) out[w] |= square_bit(bit);
        }
        any |= out[w];
    }
    return any != 0;
}

static int longest(size_t words, const uint64_t *cells, const uint16_t *rank)
{
    int most = 0;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = cells[w]; left != 0;) {
            const uint16_t n = rank[w << 6 | (size_t)bit_pop(&left)];
            if (n != NONE && n > most) most = n;
        }
    return most;
}

/* Follows quiet moves from the cells that are reached, ply by ply: the winner to positions one ply nearer, the other
 * side everywhere. The longest way may be one of what is met by then. */
static void follow_quiet(const Follow *f, const Family *family, uint64_t *const cells[2],
                         uint16_t *const rank[2], uint64_t *now, uint64_t *to)
{
    const size_t words = cells_words(&family->key);
    const int winner = f->winner;
    int most = longest(words, cells[winner], rank[winner]);
    const int other = longest(words, cells[!winner], rank[!winner]);
    if (other > most) most = other;
    if (most > f->out->plies) f->out->plies = most;
    if (family == f->root) f->out->first = most; /* nothing else is reached there */
    for (int n = most; n > 0; n--) {
        if (n > 1 && of_rank(words, cells[winner], rank[winner], n, now)) {
            memset(to, 0, words * sizeof *to);
            cells_unmove(&family->key, winner, now, NULL, to, NULL);
            for (size_t w = 0; w < words; w++)
                to[w] &= family->won[SURE][winner][!winner][w] & family->legal[!winner][w];
            of_rank(words, to, rank[!winner], n - 1, now);
            for (size_t w = 0; w < words; w++) cells[!winner][w] |= now[w];
        }
        if (of_rank(words, cells[!winner], rank[!winner], n, now)) {
            memset(to, 0, words * sizeof *to);
            cells_unmove(&family->key, !winner, now, NULL, to, NULL);
            for (size_t w = 0; w < words; w++) cells[winner][w] |= to[w] & family->legal[winner][w];
        }
    }
}

static bool follow_family(Follow *f, Family *family, const Reach *r)
{
    const size_t words = cells_words(&family->key), plies = 64 * words;
    uint16_t *rank = malloc(2 * plies * sizeof *rank);
    uint64_t *room = malloc(2 * words * sizeof *room);
    bool good = rank != NULL && room != NULL;
    FamilyRanks ranks = {.rank = {{NULL}}};
    for (int side = 0; side < 2 && good; side++)
        ranks.rank[f->winner][side] = rank + (size_t)side * plies;
    if (good) memset(rank, 0xff, 2 * plies * sizeof *rank);
    lattice_join(f->lattice, family);
    const uint64_t before = family_bytes_now(family);
    good = good && family_solve(family, &ranks);
    f->lattice->bytes -= before - family_bytes_now(family); /* more may be settled now */
    if (good) follow_quiet(f, family, r->cells, ranks.rank[f->winner], room, room + words);
    /* The winner leaves where it is time to, the other side wherever it can. */
    if (good) of_rank(words, r->cells[f->winner], ranks.rank[f->winner][f->winner], 1, room);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < family->edges[side] && good; i++)
            good = follow_edge(f, family, side, &family->edge[side][i],
                               side == f->winner ? room : r->cells[side]);
    free(rank);
    free(room);
    return good;
}

/* What an oracle says of the rule: 2 for a win that it does not spoil. */
static bool ask_family(Follow *f, Family *family, const Reach *r)
{
    f->out->asked = true;
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&family->key); w++)
            for (uint64_t left = r->cells[side][w]; left != 0 && !f->out->spoiled;) {
                treb_position pos;
                int value = 0;
                cells_to_position(&family->key, w << 6 | (Cell)bit_pop(&left), side, &pos);
                if (!family->oracle->value(family->oracle->context, &pos, &value)) return false;
                f->out->spoiled = abs(value) < 2;
            }
    return true;
}

static bool follow(Follow *f)
{
    for (int p = LATTICE_POTENTIALS - 1; p >= 0; p--)
        for (int i = 0; i < f->lattice->count[p]; i++) {
            Family *family = f->lattice->by_potential[p][i];
            if (f->slot[place(f, family)].family == NULL) continue;
            f->stopped = lattice_stopped(f->lattice);
            if (f->stopped) return true;
            f->out->families++;
            const Reach r = f->slot[place(f, family)];
            f->stopped = family->key.men > MEN && family->oracle == NULL;
            if (f->stopped) return true;
            if (!(family->oracle != NULL ? ask_family(f, family, &r)
                                         : follow_family(f, family, &r)))
                return false;
        }
    return true;
}

/* ---- The position ---------------------------------------------------------------------------- */

static bool start_at(Follow *f, const treb_position *pos)
{
    CellsKey key;
    Cell cell;
    Family *family = cells_from_position(pos, &key, &cell) ? lattice_find(f->lattice, &key) : NULL;
    if (family == NULL || !family->solved) return true;
    uint64_t *cells = calloc(cells_words(&key), sizeof *cells);
    if (cells == NULL) return false;
    cells[cell >> 6] = square_bit((int)(cell & 63));
    bool good = reach(f, family, pos->turn, cells);
    free(cells);
    f->root = family;
    return good;
}

/* The position, and what captures en passant lead to. */
static bool start(Follow *f, const treb_position *pos)
{
    Move moves[MOVES_MAX];
    if (!start_at(f, pos)) return false;
    int count = position_ep_legal(pos) ? movegen_legal(pos, moves) : 0;
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        if (move_is_ep(pos, moves[i]) && !start_at(f, &child)) return false;
    }
    return true;
}

bool rule50_find(Lattice *lattice, const treb_position *pos, int winner, Rule50 *out)
{
    Follow f = {.lattice = lattice, .winner = winner, .out = out};
    *out = (Rule50){.plies = 0};
    bool good = grow(&f) && start(&f, pos);
    if (position_ep_legal(pos)) f.root = NULL; /* a clock of 0 */
    const bool any = f.count > 0;
    good = good && follow(&f);
    forget(&f);
    /* An oracle knows of no clock that runs already. */
    const bool late = f.root != NULL && f.root->oracle != NULL && pos->halfmove > 0;
    if (!any || f.stopped || late || !good) out->plies = -1;
    return good && lattice_sound(lattice);
}
