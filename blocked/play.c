/* play.c - what the moves of a position are worth, and the best play from it. */
#include <stdlib.h>
#include <string.h>

#include "blocked/blocked.h"

/* A winner's best is the least rank, a loser's the greatest. */
static bool wins_for(BlockedVerdict verdict, int side)
{
    return verdict == (side == TREB_WHITE ? BLOCKED_WHITE : BLOCKED_BLACK);
}

static bool loses_for(BlockedVerdict verdict, int side) { return wins_for(verdict, !side); }

/* ---- What a position of another family is worth ---------------------------------------------- */

static BlockedValue family_value(Family *f, int side, Cell cell)
{
    BlockedValue value = {.verdict = BLOCKED_DRAW, .plies = -1};
    family_fill(f, side, cell >> 6, square_bit((int)(cell & 63)));
    for (int winner = 0; winner < 2; winner++) {
        bool sure = cell_in(f->won[SURE][winner][side], cell);
        if (sure) value.verdict = winner == TREB_WHITE ? BLOCKED_WHITE : BLOCKED_BLACK;
        value.can[winner] = !sure && cell_in(f->won[MAYBE][winner][side], cell);
    }
    if (value.verdict == BLOCKED_DRAW && (value.can[0] || value.can[1]))
        value.verdict = BLOCKED_OPEN;
    return value;
}

/* The value of a position without its right to take en passant, settled as far as memory allows;
 * `family` is NULL if it has none. */
static bool settle_cell(Blocked *b, const treb_position *pos, BlockedValue *out, Family **family,
                        Cell *cell)
{
    CellsKey key;
    *out = (BlockedValue){.verdict = BLOCKED_OPEN, .plies = -1, .can = {true, true}};
    *family = NULL;
    if (!lattice_sound(b->lattice)) return false;
    if (!cells_from_position(pos, &key, cell)) return true;
    Family *f = lattice_find(b->lattice, &key);
    if (f == NULL) f = lattice_add(b->lattice, &key, true);
    if (f == NULL) return !b->lattice->failed;
    *family = f;
    *out = family_value(f, pos->turn, *cell);
    if (out->verdict != BLOCKED_OPEN && f->solved) return !f->failed;
    uint64_t *set = calloc(2 * cells_words(&key), sizeof *set);
    if (set == NULL) return false;
    uint64_t *wanted[2] = {set, set + cells_words(&key)};
    wanted[pos->turn][*cell >> 6] = square_bit((int)(*cell & 63));
    bool good = lattice_resolve(b->lattice, f, wanted);
    free(set);
    *out = family_value(f, pos->turn, *cell);
    return good && !f->failed;
}

/* The least, or the most, that a value may be for `side`: -1, 0 or 1. */
static int bound(const BlockedValue *value, int side, bool most)
{
    if (value->verdict == BLOCKED_OPEN) return most ? value->can[side] : -value->can[!side];
    return wins_for(value->verdict, side) ? 1 : loses_for(value->verdict, side) ? -1 : 0;
}

/* Makes `value` the better of it and `other` for `side`. */
static void take_better(BlockedValue *value, const BlockedValue *other, int side)
{
    int least = bound(value, side, false), most = bound(value, side, true);
    int least_other = bound(other, side, false), most_other = bound(other, side, true);
    if (least_other > least) least = least_other;
    if (most_other > most) most = most_other;
    static const BlockedVerdict verdicts[2][3] = {{BLOCKED_BLACK, BLOCKED_DRAW, BLOCKED_WHITE},
                                                  {BLOCKED_WHITE, BLOCKED_DRAW, BLOCKED_BLACK}};
    value->verdict = least == most ? verdicts[side][least + 1] : BLOCKED_OPEN;
    value->can[side] = value->verdict == BLOCKED_OPEN && most > 0;
    value->can[!side] = value->verdict == BLOCKED_OPEN && least < 0;
}

/* The same with that right. */
static bool settle_position(Blocked *b, const treb_position *pos, BlockedValue *out,
                            Family **family, Cell *cell)
{
    if (!settle_cell(b, pos, out, family, cell)) return false;
    if (!position_ep_legal(pos)) return true;
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), captures = 0;
    for (int i = 0; i < count; i++) captures += move_is_ep(pos, moves[i]);
    bool first = captures == count; /* the family knows of no move at all */
    for (int i = 0; i < count; i++) {
        treb_position child;
        BlockedValue value;
        Family *ignored_family;
        Cell ignored_cell;
        if (!move_is_ep(pos, moves[i])) continue;
        position_make(pos, moves[i], &child);
        if (!settle_cell(b, &child, &value, &ignored_family, &ignored_cell)) return false;
        if (first)
            *out = value;
        else
            take_better(out, &value, pos->turn);
        first = false;
    }
    return true;
}

/* The same of a capture, if all captures are settled. */
static BlockedValue taken_value(const Blocked *b, const treb_position *child, int pawn)
{
    BlockedValue value = {.verdict = BLOCKED_DRAW, .plies = -1};
    int side = child->turn, king = position_king(child, side);
    for (int winner = 0; winner < 2; winner++) {
        if (bit_test(b->taken[winner].won[side][pawn], king))
            value.verdict = winner == TREB_WHITE ? BLOCKED_WHITE : BLOCKED_BLACK;
        value.can[winner] = bit_test(b->taken[winner].open[side][pawn], king);
    }
    if (value.verdict == BLOCKED_DRAW && (value.can[0] || value.can[1]))
        value.verdict = BLOCKED_OPEN;
    return value;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* From the worst for `side` to the best. */
static int merit(const BlockedMove *move, int side)
{
    if (move->goal) return 4;
    if (move->value.verdict == BLOCKED_OPEN) return 1;
    return wins_for(move->value.verdict, side) ? 3 : loses_for(move->value.verdict, side) ? 0 : 2;
}

static int compare_moves(const BlockedMove *a, const BlockedMove *b, int side)
{
    int order = merit(b, side) - merit(a, side);
    if (order == 0 && a->value.plies != b->value.plies) {
        order = a->value.plies < b->value.plies ? -1 : 1;
        if (loses_for(a->value.verdict, side)) order = -order;
    }
    return order ? order : (int)a->move - (int)b->move;
}

static void sort_moves(BlockedMove *move, int count, int side)
{
    for (int i = 1; i < count; i++) {
        BlockedMove m = move[i];
        int j = i;
        for (; j > 0 && compare_moves(&m, &move[j - 1], side) < 0; j--) move[j] = move[j - 1];
        move[j] = m;
    }
}

/* Whether taking is the goal: of a king that may be the attacker's. */
static bool takes_goal(const Blocked *b, const treb_position *pos)
{
    BlockedValue now =
        blocked_value(b, pos->turn, position_king(pos, TREB_WHITE), position_king(pos, TREB_BLACK));
    return b->request.goal == GOAL_TAKE && now.plies == 0 && wins_for(now.verdict, pos->turn);
}

static bool fill_move(Blocked *b, const treb_position *pos, BlockedMove *out)
{
    treb_position child;
    Family *family;
    Cell cell;
    move_to_uci(out->move, out->uci);
    move_to_san(pos, out->move, out->san);
    position_make(pos, out->move, &child);
    out->leaves = move_is_capture(pos, out->move);
    out->goal = out->leaves && takes_goal(b, pos);
    if (out->leaves) {
        if (b->request.goal == GOAL_EXACT) {
            if (b->settled)
                out->value = taken_value(b, &child, move_to(out->move));
            else if (!settle_position(b, &child, &out->value, &family, &cell))
                return false;
            if (out->value.verdict == BLOCKED_WHITE || out->value.verdict == BLOCKED_BLACK)
                out->value.plies = 1;
            return true;
        }
        out->value = (BlockedValue){.verdict = BLOCKED_DRAW, .plies = -1};
        return true;
    }
    out->value = blocked_value(b, child.turn, position_king(&child, TREB_WHITE),
                               position_king(&child, TREB_BLACK));
    if (out->value.plies >= 0) out->value.plies++;
    return true;
}

static int list_moves(Blocked *b, const treb_position *pos, BlockedMove out[MOVES_MAX])
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        out[i] = (BlockedMove){.move = moves[i]};
        if (!fill_move(b, pos, &out[i])) return -1;
    }
    sort_moves(out, count, pos->turn);
    return count;
}

int blocked_moves(Blocked *b, BlockedMove out[MOVES_MAX])
{
    return list_moves(b, &b->request.pos, out);
}

/* ---- The line, as long as the structure lasts ------------------------------------------------ */

typedef struct LineWriter {
    Blocked *b;
    BlockedMove *out, *list;
    int count, capacity;
    treb_position pos;
    bool left; /* the structure has changed */
} LineWriter;

static void add_to_line(LineWriter *w, const BlockedMove *move)
{
    w->out[w->count++] = *move;
    w->left = move->leaves;
    position_make(&w->pos, move->move, &w->pos);
}

/* Plays on among the kings. -1 on failure, 0 if the line has ended, 1 if it goes on elsewhere. */
static int play_kings(LineWriter *w, BlockedEnd *end)
{
    while (w->count < w->capacity) {
        BlockedValue now = blocked_value(w->b, w->pos.turn, position_king(&w->pos, TREB_WHITE),
                                         position_king(&w->pos, TREB_BLACK));
        *end = now.verdict == BLOCKED_OPEN ? BLOCKED_END_OPEN : BLOCKED_END_DRAW;
        if (now.verdict == BLOCKED_OPEN || now.verdict == BLOCKED_DRAW) return 0;
        *end = w->b->request.goal == GOAL_EXACT ? BLOCKED_END_MATE : BLOCKED_END_GOAL;
        if (now.plies == 0 && w->b->request.goal != GOAL_TAKE) return 0;
        int count = list_moves(w->b, &w->pos, w->list);
        if (count < 0) return -1;
        if (count == 0) return 0;
        add_to_line(w, &w->list[0]);
        if (w->list[0].goal) return 0;
        if (w->left) return 1;
    }
    *end = BLOCKED_END_CAPACITY;
    return 0;
}

/* ---- The line beyond ------------------------------------------------------------------------- */

/* The distances of one family to the next move that leaves it. */
typedef struct Distances {
    Family *family;
    FamilyRanks ranks;
} Distances;

static void distances_free(Distances *d)
{
    for (int i = 0; i < 4; i++) free(d->ranks.rank[i / 2][i % 2]);
    memset(d, 0, sizeof *d);
}

static bool distances_find(Distances *d, Lattice *lattice, Family *family)
{
    if (d->family == family) return true;
    distances_free(d);
    size_t bytes = cells_words(&family->key) * 64 * sizeof(uint16_t);
    for (int i = 0; i < 4; i++) {
        if ((d->ranks.rank[i / 2][i % 2] = malloc(bytes)) == NULL) return false;
        memset(d->ranks.rank[i / 2][i % 2], 0xff, bytes);
    }
    if (!family_solve(family, &d->ranks) || !lattice_sound(lattice)) return false;
    d->family = family;
    return true;
}

/* One move from a position of another structure, both sides at their best. */
static bool step(LineWriter *w, Distances *d, int winner, bool *found)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(&w->pos, moves), best = -1;
    bool winning = w->pos.turn == winner;
    BlockedMove chosen = {0};
    *found = false;
    for (int i = 0; i < count; i++) {
        BlockedMove m = {.move = moves[i]};
        treb_position child;
        Family *family;
        Cell cell;
        position_make(&w->pos, moves[i], &child);
        m.leaves = move_is_zeroing(&w->pos, moves[i]);
        if (!settle_position(w->b, &child, &m.value, &family, &cell)) return false;
        if (!wins_for(m.value.verdict, winner)) continue;
        int plies = m.leaves ? 1 : 1 + d->ranks.rank[winner][child.turn][cell];
        if (best >= 0 && (winning ? plies >= best : plies <= best)) continue;
        best = plies;
        chosen = m;
    }
    if (best < 0) return true;
    move_to_uci(chosen.move, chosen.uci);
    move_to_san(&w->pos, chosen.move, chosen.san);
    chosen.value.plies = -1;
    add_to_line(w, &chosen);
    return *found = true;
}

/* Plays on after the structure has changed. */
static bool play_beyond(LineWriter *w, BlockedEnd *end)
{
    Distances d = {0};
    bool good = true, found = true;
    *end = BLOCKED_END_CAPACITY;
    while (good && w->count < w->capacity) {
        BlockedValue value;
        Family *family;
        Cell cell;
        if (!movegen_any(&w->pos)) {
            *end = position_in_check(&w->pos) ? BLOCKED_END_MATE : BLOCKED_END_DRAW;
            break;
        }
        good = settle_position(w->b, &w->pos, &value, &family, &cell);
        *end = value.verdict == BLOCKED_DRAW   ? BLOCKED_END_DRAW
               : family == NULL                ? BLOCKED_END_PIECES
               : family->oracle != NULL        ? BLOCKED_END_TABLES
               : family->key.men > 0           ? BLOCKED_END_PIECES
               : value.verdict == BLOCKED_OPEN ? BLOCKED_END_OPEN
                                               : BLOCKED_END_CAPACITY;
        if (!good || *end != BLOCKED_END_CAPACITY) break;
        int winner = value.verdict == BLOCKED_WHITE ? TREB_WHITE : TREB_BLACK;
        good = distances_find(&d, w->b->lattice, family) && step(w, &d, winner, &found);
        /* A double push that can be answered en passant is no position of its family. */
        if (good && !found) *end = BLOCKED_END_OPEN;
        if (!found) break;
    }
    distances_free(&d);
    return good;
}

int blocked_line(Blocked *b, BlockedMove *out, int capacity, BlockedEnd *end, treb_position *last)
{
    LineWriter w = {.b = b, .out = out, .capacity = capacity, .pos = b->request.pos};
    w.list = malloc(MOVES_MAX * sizeof *w.list);
    if (w.list == NULL) return -1;
    int more = play_kings(&w, end);
    bool good = more >= 0;
    if (more > 0 && b->lattice != NULL)
        good = play_beyond(&w, end);
    else if (more > 0)
        *end = BLOCKED_END_CAPTURE;
    free(w.list);
    *last = w.pos;
    return good ? w.count : -1;
}
