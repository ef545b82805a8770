/* needed.c - see needed.h.
 *
 * Of a position it is needed whether a side wins. Where it does, its shortest way is followed, by ranks,
 * and all moves of the other; where it does not, one move by which the other holds, and all of its own.
 * Families are looked at from above, each once, when all positions of it that are needed are known: the
 * family's sets `wanted` have them. */
#include "pawns/needed.h"

#include <stdlib.h>
#include <string.h>

#include "pawns/wanted.h"
#include "core/chess/movegen.h"

typedef struct Needed {
    Lattice *lattice;
    Family *family; /* that is being looked at */
    FamilyRanks ranks;
    uint64_t *done[2],
        *now[2]; /* of one winner, by side to move: cells that were followed, or wait */
    bool good;
} Needed;

enum { NO, YES, UNKNOWN };

static Family *family_of(const Lattice *lattice, const treb_position *pos, Cell *cell)
{
    CellsKey key;
    Family *f = cells_from_position(pos, &key, cell) ? lattice_find(lattice, &key) : NULL;
    return f != NULL && f->solved ? f : NULL;
}

/* ---- What is known --------------------------------------------------------------------------- */

static int wins(const Lattice *lattice, const treb_position *pos, int winner, int depth);

/* What some moves come to. */
static int wins_by(const Lattice *lattice, const treb_position *pos, int winner, bool ep_only,
                   int start, int depth)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), best = start;
    const int wanted = pos->turn == winner ? YES : NO; /* what whoever moves would have */
    for (int i = 0; i < count && best != wanted; i++) {
        treb_position child;
        if (ep_only && !move_is_ep(pos, moves[i])) continue;
        position_make(pos, moves[i], &child);
        int now = wins(lattice, &child, winner, depth);
        if (now == wanted || now == UNKNOWN) best = now;
    }
    return best;
}

static bool only_en_passant(const treb_position *pos)
{
    treb_position bare = *pos;
    bare.ep = 0;
    return !movegen_any(&bare);
}

/* Whether `winner` wins a position: by its family or, where that is unknown, so many moves ahead. */
static int wins(const Lattice *lattice, const treb_position *pos, int winner, int depth)
{
    Cell cell;
    if (!movegen_any(pos)) return position_in_check(pos) && pos->turn != winner ? YES : NO;
    const int worst = pos->turn == winner ? NO : YES;
    Family *f = family_of(lattice, pos, &cell);
    if (f == NULL)
        return depth > 0 ? wins_by(lattice, pos, winner, false, worst, depth - 1) : UNKNOWN;
    family_fill(f, pos->turn, cell >> 6, square_bit((int)(cell & 63)));
    int value = cell_in(f->won[SURE][winner][pos->turn], cell)    ? YES
                : cell_in(f->won[MAYBE][winner][pos->turn], cell) ? UNKNOWN
                                                                  : NO;
    if (!position_ep_legal(pos)) return value;
    return wins_by(lattice, pos, winner, true, only_en_passant(pos) ? worst : value, 0);
}

/* ---- What is needed -------------------------------------------------------------------------- */

/* Notes that it is needed whether `winner` wins a position. */
static void need(Needed *n, const treb_position *pos, int winner, int depth)
{
    Move moves[MOVES_MAX];
    Cell cell;
    Family *f = family_of(n->lattice, pos, &cell);
    if (f != NULL && f->oracle == NULL) {
        if (f == n->family) {
            if (!cell_in(n->done[pos->turn], cell))
                n->now[pos->turn][cell >> 6] |= square_bit((int)(cell & 63));
        } else if (!wanted_start(n->lattice, f)) {
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

/* How much it takes to follow a move from a position of the family; the least is followed. */
static int cost_of(const Needed *n, const treb_position *pos, Move m, const treb_position *child,
                   int winner, bool won)
{
    Cell cell;
    const Family *f = family_of(n->lattice, child, &cell);
    int men = f != NULL && f->oracle == NULL ? f->key.men : 0;
    if (move_is_zeroing(pos, m)) return won ? 4 + men : 2 + men;
    if (won) return 4 * (1 + n->ranks.rank[winner][child->turn][cell]);
    return cell_in(n->done[child->turn], cell) ? 0 : 1;
}

/* Follows a position of the family. */
static void follow(Needed *n, const treb_position *pos, int winner, bool won)
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
        if (wins(n->lattice, &child, winner, AHEAD) != (won ? YES : NO)) continue;
        int cost = cost_of(n, pos, moves[i], &child, winner, won);
        if (least >= 0 && cost >= least) continue;
        least = cost;
        best = child;
    }
    if (least >= 0) need(n, &best, winner, AHEAD);
}

/* Follows all positions of one winner that wait. */
static void follow_waiting(Needed *n, int winner)
{
    Family *f = n->family;
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

static bool any_won(const Family *f)
{
    for (int i = 0; i < 4; i++)
        for (size_t w = 0; w < cells_words(&f->key); w++)
            if (f->wanted[i >> 1][i & 1][w] & f->won[SURE][i >> 1][i & 1][w]) return true;
    return false;
}

static bool find_ranks(Needed *n)
{
    const size_t cells = 64 * cells_words(&n->family->key);
    uint16_t *room = malloc(4 * cells * sizeof *room);
    if (room == NULL) return false;
    memset(room, 0xff, 4 * cells * sizeof *room);
    for (int i = 0; i < 4; i++) n->ranks.rank[i / 2][i % 2] = room + (size_t)i * cells;
    /* One that was decided when it was read from a file is joined to nothing yet. */
    lattice_join(n->lattice, n->family);
    return family_solve(n->family, &n->ranks);
}

static bool look_at(Needed *n, Family *f)
{
    const size_t words = cells_words(&f->key);
    uint64_t *sets = malloc(4 * words * sizeof *sets);
    n->family = f;
    n->ranks = (FamilyRanks){.exact = false};
    n->good = sets != NULL && (!any_won(f) || find_ranks(n));
    f->met = n->lattice->round;
    for (int winner = 0; winner < 2 && n->good; winner++) {
        memset(sets, 0, 4 * words * sizeof *sets);
        for (int side = 0; side < 2; side++) {
            n->done[side] = sets + (size_t)side * words;
            n->now[side] = sets + (size_t)(2 + side) * words;
            memcpy(n->now[side], f->wanted[winner][side], words * sizeof *sets);
        }
        follow_waiting(n, winner);
    }
    n->family = NULL;
    wanted_end(n->lattice, f);
    free(n->ranks.rank[0][0]);
    free(sets);
    return n->good;
}

bool needed_mark(Lattice *lattice, const treb_position *root)
{
    Needed n = {.lattice = lattice, .good = true};
    Move moves[MOVES_MAX];
    int count = movegen_legal(root, moves);
    lattice->round++;
    for (int winner = 0; winner < 2; winner++) {
        need(&n, root, winner, 0);
        for (int i = 0; i < count; i++) {
            treb_position child;
            position_make(root, moves[i], &child);
            need(&n, &child, winner, 1);
        }
    }
    for (int p = LATTICE_POTENTIALS - 1; p >= 0 && n.good; p--)
        for (int i = 0; i < lattice->count[p] && n.good; i++)
            if (lattice->by_potential[p][i]->wanted[0][0] != NULL)
                n.good = look_at(&n, lattice->by_potential[p][i]);
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < lattice->count[p]; i++)
            wanted_end(lattice, lattice->by_potential[p][i]);
    return n.good && lattice_sound(lattice);
}
