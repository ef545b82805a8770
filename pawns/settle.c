/* settle.c - see settle.h. */
#include "pawns/settle.h"

#include <stdlib.h>
#include <string.h>

/* ---- Values ---------------------------------------------------------------------------------- */

static BlockedValue family_value(Family *f, int side, Cell cell)
{
    BlockedValue value = {.verdict = BLOCKED_DRAW, .plies = -1};
    if (!f->solved)
        return (BlockedValue){.verdict = BLOCKED_OPEN, .plies = -1, .can = {true, true}};
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

/* What is known of a position without the right to take en passant, with its family, or NULL. */
static bool known_plain(const Lattice *lattice, const treb_position *pos, BlockedValue *out,
                        Family **family, Cell *cell)
{
    CellsKey key;
    *out = (BlockedValue){.verdict = BLOCKED_OPEN, .plies = -1, .can = {true, true}};
    *family = cells_from_position(pos, &key, cell) ? lattice_find(lattice, &key) : NULL;
    if (*family == NULL) return true;
    *out = family_value(*family, pos->turn, *cell);
    return !family_failed(*family);
}

/* The same, settled as far as the limits allow. A table is asked even when all else was stopped. */
static bool settle_plain(Lattice *lattice, const treb_position *pos, BlockedValue *out,
                         Family **family, Cell *cell)
{
    CellsKey key;
    if (!lattice_sound(lattice)) return false;
    if (cells_from_position(pos, &key, cell) && lattice_find(lattice, &key) == NULL)
        lattice_add(lattice, &key, true, FAMILY_BOTH);
    if (lattice->failed || !known_plain(lattice, pos, out, family, cell)) return false;
    if (*family == NULL || out->verdict != BLOCKED_OPEN || lattice->stopped) return true;
    uint64_t *set = calloc(2 * cells_words(&key), sizeof *set);
    if (set == NULL) return false;
    uint64_t *wanted[2] = {set, set + cells_words(&key)};
    wanted[pos->turn][*cell >> 6] = square_bit((int)(*cell & 63));
    bool good = lattice_resolve(lattice, *family, wanted) || lattice->stopped;
    free(set);
    /* A table that could not be read may have been one of another family. */
    return known_plain(lattice, pos, out, family, cell) && good && lattice_sound(lattice);
}

/* The least, or the most, that a value may be for `side`: -1, 0 or 1. */
static int bound(const BlockedValue *value, int side, bool most)
{
    if (value->verdict == BLOCKED_OPEN) return most ? value->can[side] : -value->can[!side];
    return wins_for(value->verdict, side) ? 1 : loses_for(value->verdict, side) ? -1 : 0;
}

void settle_take_better(BlockedValue *value, const BlockedValue *other, int side)
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

/* With that right: `out` is what the position is worth without it. */
static bool add_en_passant(Lattice *lattice, const treb_position *pos, bool learn,
                           BlockedValue *out)
{
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
        bool good = learn ? settle_plain(lattice, &child, &value, &ignored_family, &ignored_cell)
                          : known_plain(lattice, &child, &value, &ignored_family, &ignored_cell);
        if (!good) return false;
        if (first)
            *out = value;
        else
            settle_take_better(out, &value, pos->turn);
        first = false;
    }
    return true;
}

bool settle_position(Lattice *lattice, const treb_position *pos, BlockedValue *out, Family **family,
                     Cell *cell)
{
    return settle_plain(lattice, pos, out, family, cell) &&
           (!position_ep_legal(pos) || add_en_passant(lattice, pos, true, out));
}

bool settle_known(Lattice *lattice, const treb_position *pos, BlockedValue *out)
{
    Family *family;
    Cell cell;
    return known_plain(lattice, pos, out, &family, &cell) &&
           (!position_ep_legal(pos) || add_en_passant(lattice, pos, false, out));
}

void settle_hurry(const Lattice *lattice, Distances *distances, unsigned seconds)
{
    if (lattice->stopped) distances_hurry(distances, 1000 * seconds);
}

bool settle_plies(Distances *distances, const treb_position *pos, BlockedValue *value)
{
    Distance d;
    value->plies = -1;
    value->at_most = false;
    const int winner = verdict_winner(value->verdict);
    if (winner < 0) return true;
    if (!distance_of(distances, pos, winner, &d)) return !distances_failed(distances);
    value->plies = d.most;
    value->at_most = d.least < d.most;
    return true;
}

bool settle_converts(const treb_position *pos, Move move)
{
    return move_is_capture(pos, move) || move_promo(move) != 0;
}

bool settle_move_plies(Distances *distances, const treb_position *pos, BlockedMove *move)
{
    treb_position child;
    BlockedValue *value = &move->value;
    if (settle_converts(pos, move->move)) {
        value->plies = verdict_winner(value->verdict) >= 0 ? 1 : -1;
        return true;
    }
    position_make(pos, move->move, &child);
    bool good = settle_plies(distances, &child, value);
    if (value->plies >= 0) value->plies++;
    return good;
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
    if (order == 0) order = a->value.at_most - b->value.at_most;
    return order ? order : (int)a->move - (int)b->move;
}

void settle_sort(BlockedMove *move, int count, int side)
{
    for (int i = 1; i < count; i++) {
        BlockedMove m = move[i];
        int j = i;
        for (; j > 0 && compare_moves(&m, &move[j - 1], side) < 0; j--) move[j] = move[j - 1];
        move[j] = m;
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

void settle_line_add(SettleLine *line, const BlockedMove *move)
{
    line->out[line->count++] = *move;
    position_make(&line->pos, move->move, &line->pos);
}

/* One move, both sides at their best. The proof that it is won has a move that is proven to win, and no other needs to
 * be looked at; only after a double push it may not be known yet. */
static bool step(SettleLine *line, int winner, Distances *by, bool learn, bool *found)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(&line->pos, moves);
    BlockedMove chosen = {0};
    *found = false;
    for (int i = 0; i < count; i++) {
        BlockedMove m = {.move = moves[i], .leaves = move_is_zeroing(&line->pos, moves[i])};
        treb_position child;
        Family *family;
        Cell cell;
        position_make(&line->pos, moves[i], &child);
        bool good = learn ? settle_position(line->lattice, &child, &m.value, &family, &cell)
                          : settle_known(line->lattice, &child, &m.value);
        if (!good) return false;
        if (!wins_for(m.value.verdict, winner)) continue;
        if (!settle_move_plies(by, &line->pos, &m)) return false;
        /* Without a distance a move may lead round in a circle. */
        if (m.value.plies < 0) continue;
        /* The first of those that settle_sort has in front. */
        if (*found && compare_moves(&m, &chosen, line->pos.turn) > 0) continue;
        chosen = m;
        *found = true;
    }
    if (!*found) return true;
    move_to_uci(chosen.move, chosen.uci);
    move_to_san(&line->pos, chosen.move, chosen.san);
    settle_line_add(line, &chosen);
    return true;
}

bool settle_line_start(SettleLine *line)
{
    enum { SHARE = 32 };
    const uint64_t memory = line->lattice->limits.memory / SHARE;
    line->distances = distances_new(line->lattice, memory, false);
    line->careful = distances_new(line->lattice, memory, true);
    if (line->distances == NULL || line->careful == NULL) return false;
    settle_hurry(line->lattice, line->careful, 1);
    settle_hurry(line->lattice, line->distances, 2);
    return true;
}

void settle_line_end(SettleLine *line)
{
    distances_free(line->distances);
    distances_free(line->careful);
}

bool settle_line(SettleLine *line, BlockedEnd *end)
{
    bool good = true, found = true;
    *end = BLOCKED_END_CAPACITY;
    while (good && line->count < line->capacity) {
        BlockedValue value;
        Family *family;
        Cell cell;
        if (!movegen_any(&line->pos)) {
            *end = position_in_check(&line->pos) ? BLOCKED_END_MATE : BLOCKED_END_DRAW;
            break;
        }
        good = settle_position(line->lattice, &line->pos, &value, &family, &cell);
        *end = value.verdict == BLOCKED_DRAW   ? BLOCKED_END_DRAW
               : family == NULL                ? BLOCKED_END_PIECES
               : family->oracle != NULL        ? BLOCKED_END_TABLES
               : family->key.men > line->men   ? BLOCKED_END_PIECES
               : value.verdict == BLOCKED_OPEN ? BLOCKED_END_OPEN
                                               : BLOCKED_END_CAPACITY;
        if (!good || *end != BLOCKED_END_CAPACITY) break;
        int winner = verdict_winner(value.verdict);
        good = step(line, winner, line->careful, false, &found);
        if (good && !found) good = step(line, winner, line->distances, false, &found);
        if (good && !found) good = step(line, winner, line->distances, true, &found);
        /* A double push that can be answered en passant is no position of its family. */
        if (good && !found) *end = BLOCKED_END_OPEN;
        if (!found) break;
    }
    return good;
}
