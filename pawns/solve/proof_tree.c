/* proof_tree.c - see proof_tree.h.
 *
 * A question is whether one side wins a position. If it does, its shortest way is followed, and all
 * moves of the other side; if not, one move by which the other side holds is followed, and all
 * moves of the first side. Structures are examined in order of falling potential, each once, when
 * all questions about its positions are known: they are its sets `wanted`. */
#include "pawns/solve/proof_tree.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "pawns/solve/wanted.h"

typedef struct ProofTree {
    ProofGraph *graph;
    Structure *structure; /* the one that is being examined */
    StructurePlies plies;
    uint64_t *done[2],
        *now[2]; /* for one winner, by side to move: cells that were followed, and that are to be followed */
    bool good;
} ProofTree;

enum { NO, YES, UNKNOWN };

static Structure *structure_of(const ProofGraph *graph, const treb_position *pos, Cell *cell)
{
    CellsKey key;
    Structure *f = cells_from_position(pos, &key, cell) ? proof_graph_find(graph, &key) : NULL;
    return f != NULL && f->solved ? f : NULL;
}

/* ---- What is known --------------------------------------------------------------------------- */

static int wins(const ProofGraph *graph, const treb_position *pos, int winner, int depth);

/* The value of a position by some of its moves. */
static int wins_by(const ProofGraph *graph, const treb_position *pos, int winner, bool ep_only,
                   int start, int depth)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), best = start;
    const int wanted = pos->turn == winner ? YES : NO; /* the best value for the side to move */
    for (int i = 0; i < count && best != wanted; i++) {
        treb_position child;
        if (ep_only && !move_is_ep(pos, moves[i])) continue;
        position_make(pos, moves[i], &child);
        int now = wins(graph, &child, winner, depth);
        if (now == wanted || now == UNKNOWN) best = now;
    }
    return best;
}

/* Whether captures en passant are the only moves. */
static bool only_en_passant(const treb_position *pos)
{
    treb_position bare = *pos;
    bare.ep = 0;
    return !movegen_any(&bare);
}

/* Whether `winner` wins a position: by its structure or, if that is unknown, by its moves, `depth`
 * moves ahead. */
static int wins(const ProofGraph *graph, const treb_position *pos, int winner, int depth)
{
    Cell cell;
    if (!movegen_any(pos)) return position_in_check(pos) && pos->turn != winner ? YES : NO;
    const int worst = pos->turn == winner ? NO : YES;
    Structure *f = structure_of(graph, pos, &cell);
    if (f == NULL)
        return depth > 0 ? wins_by(graph, pos, winner, false, worst, depth - 1) : UNKNOWN;
    structure_ask_oracle(f, pos->turn, cell >> 6, square_bit((int)(cell & 63)));
    int value = cell_in(f->won[SURE][winner][pos->turn], cell)    ? YES
                : cell_in(f->won[MAYBE][winner][pos->turn], cell) ? UNKNOWN
                                                                  : NO;
    if (!position_ep_legal(pos)) return value;
    return wins_by(graph, pos, winner, true, only_en_passant(pos) ? worst : value, 0);
}

/* ---- What is needed -------------------------------------------------------------------------- */

/* Notes the question whether `winner` wins a position. */
static void need(ProofTree *n, const treb_position *pos, int winner, int depth)
{
    Move moves[MOVES_MAX];
    Cell cell;
    Structure *f = structure_of(n->graph, pos, &cell);
    if (f != NULL && f->oracle == NULL) {
        if (f == n->structure) {
            if (!cell_in(n->done[pos->turn], cell))
                n->now[pos->turn][cell >> 6] |= square_bit((int)(cell & 63));
        } else if (!wanted_start(n->graph, f)) {
            n->good = false;
        } else {
            f->wanted[winner][pos->turn][cell >> 6] |= square_bit((int)(cell & 63));
        }
    }
    const bool ahead = f == NULL && depth > 0;
    if (!ahead && !position_ep_legal(pos)) return;
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        treb_position child;
        if (!ahead && !move_is_ep(pos, moves[i])) continue;
        position_make(pos, moves[i], &child);
        need(n, &child, winner, ahead ? depth - 1 : 0);
    }
}

/* The cost of following a move from a position of the structure; the cheapest move is followed. */
static int cost_of(const ProofTree *n, const treb_position *pos, Move m, const treb_position *child,
                   int winner, bool won)
{
    Cell cell;
    const Structure *f = structure_of(n->graph, child, &cell);
    int men = f != NULL && f->oracle == NULL ? f->key.pieces : 0;
    if (move_is_zeroing(pos, m)) return won ? 4 + men : 2 + men;
    if (won) return 4 * (1 + n->plies.plies[winner][child->turn][cell]);
    return cell_in(n->done[child->turn], cell) ? 0 : 1;
}

/* Follows the moves that answer the question for a position of the structure. */
static void follow(ProofTree *n, const treb_position *pos, int winner, bool won)
{
    enum { AHEAD = 1 };
    Move moves[MOVES_MAX];
    treb_position best;
    int count = movegen_legal(pos, moves), least = -1;
    const bool chooses = (pos->turn == winner) == won;
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        if (!chooses) {
            need(n, &child, winner, AHEAD);
            continue;
        }
        if (wins(n->graph, &child, winner, AHEAD) != (won ? YES : NO)) continue;
        int cost = cost_of(n, pos, moves[i], &child, winner, won);
        if (least >= 0 && cost >= least) continue;
        least = cost;
        best = child;
    }
    if (least >= 0) need(n, &best, winner, AHEAD);
}

/* Follows all positions of n->now. */
static void follow_waiting(ProofTree *n, int winner)
{
    Structure *f = n->structure;
    bool any = true;
    while (any && n->good) {
        any = false;
        for (int side = 0; side < 2; side++)
            for (size_t w = 0; w < cells_words(&f->key); w++)
                while (n->now[side][w] != 0) {
                    treb_position pos;
                    int king = bit_pop(&n->now[side][w]);
                    Cell cell = w << 6 | (Cell)king;
                    any = true;
                    n->done[side][w] |= square_bit(king);
                    bool won = cell_in(f->won[SURE][winner][side], cell);
                    if (!won && cell_in(f->won[MAYBE][winner][side], cell)) continue;
                    if (cell_in(f->legal[side], cell) &&
                        cells_to_position(&f->key, cell, side, &pos))
                        follow(n, &pos, winner, won);
                }
    }
}

static bool any_won(const Structure *f)
{
    for (int i = 0; i < 4; i++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            if (f->wanted[i >> 1][i & 1][w] & f->won[SURE][i >> 1][i & 1][w]) return true;
    return false;
}

/* Finds the plies of the structure's wins. False without memory. */
static bool find_plies(ProofTree *n)
{
    const size_t cells = 64 * cells_words(&n->structure->key);
    uint16_t *room = malloc(4 * cells * sizeof *room);
    if (room == NULL) return false;
    memset(room, 0xff, 4 * cells * sizeof *room);
    for (int i = 0; i < 4; i++) n->plies.plies[i / 2][i % 2] = room + (size_t)i * cells;
    /* A structure that was decided when it was read from a file has no links yet. */
    proof_graph_link(n->graph, n->structure);
    return structure_solve(n->structure, &n->plies);
}

static bool examine(ProofTree *n, Structure *f)
{
    const size_t words = cells_words(&f->key);
    uint64_t *sets = malloc(4 * words * sizeof *sets);
    n->structure = f;
    n->plies = (StructurePlies){.exact = false};
    n->good = sets != NULL && (!any_won(f) || find_plies(n));
    f->last_round = n->graph->round;
    for (int winner = 0; winner < 2 && n->good; winner++) {
        memset(sets, 0, 4 * words * sizeof *sets);
        for (int side = 0; side < 2; side++) {
            n->done[side] = sets + (size_t)side * words;
            n->now[side] = sets + (size_t)(2 + side) * words;
            memcpy(n->now[side], f->wanted[winner][side], words * sizeof *sets);
        }
        follow_waiting(n, winner);
    }
    n->structure = NULL;
    wanted_end(n->graph, f);
    free(n->plies.plies[0][0]);
    free(sets);
    return n->good;
}

bool proof_tree_mark(ProofGraph *graph, const treb_position *root)
{
    ProofTree n = {.graph = graph, .good = true};
    Move moves[MOVES_MAX];
    int count = movegen_legal(root, moves);
    graph->round++;
    for (int winner = 0; winner < 2; winner++) {
        need(&n, root, winner, 0);
        for (int i = 0; i < count; i++) {
            treb_position child;
            position_make(root, moves[i], &child);
            need(&n, &child, winner, 1);
        }
    }
    for (int p = PROOF_GRAPH_POTENTIALS - 1; p >= 0 && n.good; p--)
        for (int i = 0; i < graph->count[p] && n.good; i++)
            if (graph->by_potential[p][i]->wanted[0][0] != NULL)
                n.good = examine(&n, graph->by_potential[p][i]);
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < graph->count[p]; i++) wanted_end(graph, graph->by_potential[p][i]);
    return n.good && proof_graph_sound(graph);
}
