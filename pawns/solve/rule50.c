/* rule50.c - see rule50.h. Structures are followed in order of falling potential, each with the
 * cells that are reached. */
#include "pawns/solve/rule50.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/system/hash.h"
#include "pawns/solve/recapture.h"

enum { PIECES = 2, NONE = UINT16_MAX };

/* The cells of a structure that are reached, by side to move. */
typedef struct Reach {
    const Structure *structure;
    uint64_t *cells[2];
} Reach;

typedef struct Follow {
    ProofGraph *graph;
    int winner;
    Rule50 *out;
    const Structure *root; /* of the position itself, unless captures en passant lead to several */
    Reach *slot;           /* a hash table */
    size_t slots, count;
    bool stopped;
} Follow;

/* ---- Where it has come to -------------------------------------------------------------------- */

static size_t place(const Follow *f, const Structure *structure)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)structure * HASH_FACTOR) >> 32) & (f->slots - 1);
    while (f->slot[at].structure != NULL && f->slot[at].structure != structure)
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
        if (old[i].structure != NULL) f->slot[place(f, old[i].structure)] = old[i];
    free(old);
    return true;
}

/* Adds those of some cells that the winner wins. False if it failed. */
static bool reach(Follow *f, Structure *structure, int side, const uint64_t *cells)
{
    const size_t words = cells_words(&structure->key);
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        if (cells[w] != 0) structure_ask_oracle(structure, side, w, cells[w]);
        any |= cells[w] & structure->legal[side][w] & structure->won[SURE][f->winner][side][w];
    }
    if (any == 0) return !structure_failed(structure);
    if (!grow(f)) return false;
    Reach *r = &f->slot[place(f, structure)];
    if (r->structure == NULL) {
        r->cells[0] = calloc(2 * words, sizeof *r->cells[0]);
        if (r->cells[0] == NULL) return false;
        r->cells[1] = r->cells[0] + words;
        r->structure = structure;
        f->count++;
    }
    for (size_t w = 0; w < words; w++)
        r->cells[side][w] |=
            cells[w] & structure->legal[side][w] & structure->won[SURE][f->winner][side][w];
    return true;
}

static void forget(Follow *f)
{
    for (size_t i = 0; i < f->slots; i++) free(f->slot[i].cells[0]);
    free(f->slot);
}

/* ---- Out of a structure
 * ------------------------------------------------------------------------- */

static bool follow_answers(Follow *f, int side, const Edge *edge, const uint64_t *there)
{
    uint64_t *after = calloc(cells_words(&edge->child.key), sizeof *after);
    bool good = after != NULL;
    if (good) edge_successors_en_passant(edge, there, after);
    for (int i = 0; i < edge->captures && good; i++)
        if (edge->answer[i].structure != NULL)
            good = reach(f, edge->answer[i].structure, side, after);
    free(after);
    return good;
}

/* For a promotion of the other side to a structure that is unknown or not completely looked for:
 * the winner captures the new piece at once. */
static bool follow_recapture(Follow *f, const Structure *from, int side, const Edge *edge,
                             const uint64_t *cells)
{
    const EdgeChild *child = edge->answer;
    if (side == f->winner || !edge->promotes || child->structure == NULL) return true;
    uint64_t *there = calloc(cells_words(&child->key), sizeof *there);
    bool good = there != NULL;
    if (good) recapture_successors(from, side, edge, cells, there);
    good = good && reach(f, child->structure, side, there);
    free(there);
    return good;
}

/* Follows an edge from some cells; only moves that keep the win matter. */
static bool follow_edge(Follow *f, const Structure *from, int side, const Edge *edge,
                        const uint64_t *cells)
{
    const size_t words = cells_words(&from->key);
    uint64_t *use = calloc(words, sizeof *use), any = 0;
    if (use == NULL) return false;
    edge_sources(from, side, edge, use);
    for (size_t w = 0; w < words; w++) any |= use[w] &= cells[w];
    const Structure *to = edge->child.structure;
    bool good = true;
    if (any != 0 && (to == NULL || to->only_winner != BOTH_WINNERS))
        good = follow_recapture(f, from, side, edge, use);
    if (any != 0 && to != NULL && good) {
        uint64_t *there = calloc(cells_words(&edge->child.key), sizeof *there);
        good = there != NULL;
        if (good) edge_successors(from, side, edge, use, there);
        good = good && reach(f, edge->child.structure, !side, there);
        good = good && (edge->captures == 0 || follow_answers(f, side, edge, there));
        free(there);
    }
    free(use);
    return good;
}

/* ---- Within a structure
 * ------------------------------------------------------------------------- */

/* Sets `out` to those cells that are won in n plies; false if there are none. */
static bool with_plies(size_t words, const uint64_t *cells, const uint16_t *plies, int n,
                       uint64_t *out)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) {
        out[w] = 0;
        for (uint64_t left = cells[w]; left != 0;) {
            const int bit = bit_pop(&left);
            if (plies[w << 6 | (size_t)bit] == n) out[w] |= square_bit(bit);
        }
        any |= out[w];
    }
    return any != 0;
}

/* The most plies of some cells. */
static int longest(size_t words, const uint64_t *cells, const uint16_t *plies)
{
    int most = 0;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = cells[w]; left != 0;) {
            const uint16_t n = plies[w << 6 | (size_t)bit_pop(&left)];
            if (n != NONE && n > most) most = n;
        }
    return most;
}

/* Follows quiet moves from the reached cells, ply by ply: the winner moves to positions one ply
 * nearer, the other side to all. */
static void follow_quiet(const Follow *f, const Structure *structure, uint64_t *const cells[2],
                         uint16_t *const plies[2], uint64_t *now, uint64_t *to)
{
    const size_t words = cells_words(&structure->key);
    const int winner = f->winner;
    int most = longest(words, cells[winner], plies[winner]);
    const int other = longest(words, cells[!winner], plies[!winner]);
    if (other > most) most = other;
    if (most > f->out->plies) f->out->plies = most;
    if (structure == f->root) f->out->first = most; /* only the position itself was reached there */
    for (int n = most; n > 0; n--) {
        if (n > 1 && with_plies(words, cells[winner], plies[winner], n, now)) {
            memset(to, 0, words * sizeof *to);
            cells_quiet_moves(&structure->key, winner, now, NULL, to, NULL);
            for (size_t w = 0; w < words; w++)
                to[w] &= structure->won[SURE][winner][!winner][w] & structure->legal[!winner][w];
            with_plies(words, to, plies[!winner], n - 1, now);
            for (size_t w = 0; w < words; w++) cells[!winner][w] |= now[w];
        }
        if (with_plies(words, cells[!winner], plies[!winner], n, now)) {
            memset(to, 0, words * sizeof *to);
            cells_quiet_moves(&structure->key, !winner, now, NULL, to, NULL);
            for (size_t w = 0; w < words; w++)
                cells[winner][w] |= to[w] & structure->legal[winner][w];
        }
    }
}

static bool follow_structure(Follow *f, Structure *structure, const Reach *r)
{
    const size_t words = cells_words(&structure->key), cells = 64 * words;
    uint16_t *plies = malloc(2 * cells * sizeof *plies);
    uint64_t *room = malloc(2 * words * sizeof *room);
    bool good = plies != NULL && room != NULL;
    StructurePlies found = {.plies = {{NULL}}};
    for (int side = 0; side < 2 && good; side++)
        found.plies[f->winner][side] = plies + (size_t)side * cells;
    if (good) memset(plies, 0xff, 2 * cells * sizeof *plies);
    proof_graph_link(f->graph, structure);
    const uint64_t before = structure_bytes(structure);
    good = good && structure_solve(structure, &found);
    f->graph->bytes -= before - structure_bytes(structure); /* it may be decided for a winner now */
    if (good) follow_quiet(f, structure, r->cells, found.plies[f->winner], room, room + words);
    /* The winner leaves the structure where that wins next; the other side wherever it can. */
    if (good) with_plies(words, r->cells[f->winner], found.plies[f->winner][f->winner], 1, room);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < structure->edges[side] && good; i++)
            good = follow_edge(f, structure, side, &structure->edge[side][i],
                               side == f->winner ? room : r->cells[side]);
    free(plies);
    free(room);
    return good;
}

/* Asks the oracle whether the rule spoils the reached wins: it answers 2 for wins that it does not
 * spoil. */
static bool ask_structure(Follow *f, Structure *structure, const Reach *r)
{
    f->out->asked = true;
    for (int side = 0; side < 2; side++)
        for (size_t w = 0; w < cells_words(&structure->key); w++)
            for (uint64_t left = r->cells[side][w]; left != 0 && !f->out->spoiled;) {
                treb_position pos;
                int value = 0;
                cells_to_position(&structure->key, w << 6 | (Cell)bit_pop(&left), side, &pos);
                if (!structure->oracle->value(structure->oracle->context, &pos, &value))
                    return false;
                f->out->spoiled = abs(value) < 2;
            }
    return true;
}

static bool follow(Follow *f)
{
    for (int p = PROOF_GRAPH_POTENTIALS - 1; p >= 0; p--)
        for (int i = 0; i < f->graph->count[p]; i++) {
            Structure *structure = f->graph->by_potential[p][i];
            if (f->slot[place(f, structure)].structure == NULL) continue;
            f->stopped = proof_graph_stopped(f->graph);
            if (f->stopped) return true;
            f->out->structures++;
            const Reach r = f->slot[place(f, structure)];
            f->stopped = structure->key.pieces > PIECES && structure->oracle == NULL;
            if (f->stopped) return true;
            if (!(structure->oracle != NULL ? ask_structure(f, structure, &r)
                                            : follow_structure(f, structure, &r)))
                return false;
        }
    return true;
}

/* ---- The position ---------------------------------------------------------------------------- */

static bool start_at(Follow *f, const treb_position *pos)
{
    CellsKey key;
    Cell cell;
    Structure *structure =
        cells_from_position(pos, &key, &cell) ? proof_graph_find(f->graph, &key) : NULL;
    if (structure == NULL || !structure->solved) return true;
    uint64_t *cells = calloc(cells_words(&key), sizeof *cells);
    if (cells == NULL) return false;
    cells[cell >> 6] = square_bit((int)(cell & 63));
    bool good = reach(f, structure, pos->turn, cells);
    free(cells);
    f->root = structure;
    return good;
}

/* Starts at the position, and at those after captures en passant. */
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

bool rule50_find(ProofGraph *graph, const treb_position *pos, int winner, Rule50 *out)
{
    Follow f = {.graph = graph, .winner = winner, .out = out};
    *out = (Rule50){.plies = 0};
    bool good = grow(&f) && start(&f, pos);
    if (position_ep_legal(pos)) f.root = NULL; /* a clock of 0 */
    const bool any = f.count > 0;
    good = good && follow(&f);
    forget(&f);
    /* The oracle assumes a clock of 0. */
    const bool late = f.root != NULL && f.root->oracle != NULL && pos->halfmove > 0;
    if (!any || f.stopped || late || !good) out->plies = -1;
    return good && proof_graph_sound(graph);
}
