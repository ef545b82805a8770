/* evaluate.c - see evaluate.h. */
#include "pawns/solve/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "pawns/solve/search.h"

/* ---- Values ---------------------------------------------------------------------------------- */

static PawnValue structure_value(Structure *f, int side, Cell cell)
{
    PawnValue value = {.verdict = VERDICT_DRAW, .plies = -1};
    if (!f->solved) return (PawnValue){.verdict = VERDICT_OPEN, .plies = -1, .can = {true, true}};
    structure_ask_oracle(f, side, cell >> 6, square_bit((int)(cell & 63)));
    for (int winner = 0; winner < 2; winner++) {
        bool sure = cell_in(f->won[SURE][winner][side], cell);
        if (sure) value.verdict = winner == TREB_WHITE ? VERDICT_WHITE : VERDICT_BLACK;
        value.can[winner] = !sure && cell_in(f->won[MAYBE][winner][side], cell);
    }
    if (value.verdict == VERDICT_DRAW && (value.can[0] || value.can[1]))
        value.verdict = VERDICT_OPEN;
    return value;
}

/* Finds what is known of a position, its right to take en passant ignored. `structure` is NULL if
 * it is unknown. */
static bool known_plain(const ProofGraph *graph, const treb_position *pos, PawnValue *out,
                        Structure **structure, Cell *cell)
{
    CellsKey key;
    *out = (PawnValue){.verdict = VERDICT_OPEN, .plies = -1, .can = {true, true}};
    *structure = cells_from_position(pos, &key, cell) ? proof_graph_find(graph, &key) : NULL;
    if (*structure == NULL) return true;
    *out = structure_value(*structure, pos->turn, *cell);
    return !structure_failed(*structure);
}

/* Decides such a position as far as the limits allow. An oracle is asked even if the graph is
 * stopped. */
static bool decide_plain(ProofGraph *graph, const treb_position *pos, PawnValue *out,
                         Structure **structure, Cell *cell)
{
    CellsKey key;
    if (!proof_graph_sound(graph)) return false;
    if (cells_from_position(pos, &key, cell) && proof_graph_find(graph, &key) == NULL)
        proof_graph_add(graph, &key, true, BOTH_WINNERS);
    if (graph->failed || !known_plain(graph, pos, out, structure, cell)) return false;
    if (*structure == NULL || out->verdict != VERDICT_OPEN || graph->stopped) return true;
    uint64_t *set = calloc(2 * cells_words(&key), sizeof *set);
    if (set == NULL) return false;
    uint64_t *wanted[2] = {set, set + cells_words(&key)};
    wanted[pos->turn][*cell >> 6] = square_bit((int)(*cell & 63));
    bool good = search_decide(graph, *structure, wanted) || graph->stopped;
    free(set);
    /* An oracle may have failed for another structure: proof_graph_sound() tells. */
    return known_plain(graph, pos, out, structure, cell) && good && proof_graph_sound(graph);
}

/* The lower or, with `most`, the upper bound of a value for `side`: -1, 0 or 1. */
static int bound(const PawnValue *value, int side, bool most)
{
    if (value->verdict == VERDICT_OPEN) return most ? value->can[side] : -value->can[!side];
    return wins_for(value->verdict, side) ? 1 : loses_for(value->verdict, side) ? -1 : 0;
}

void evaluate_take_better(PawnValue *value, const PawnValue *other, int side)
{
    int least = bound(value, side, false), most = bound(value, side, true);
    int least_other = bound(other, side, false), most_other = bound(other, side, true);
    if (least_other > least) least = least_other;
    if (most_other > most) most = most_other;
    static const PawnVerdict verdicts[2][3] = {{VERDICT_BLACK, VERDICT_DRAW, VERDICT_WHITE},
                                               {VERDICT_WHITE, VERDICT_DRAW, VERDICT_BLACK}};
    value->verdict = least == most ? verdicts[side][least + 1] : VERDICT_OPEN;
    value->can[side] = value->verdict == VERDICT_OPEN && most > 0;
    value->can[!side] = value->verdict == VERDICT_OPEN && least < 0;
}

/* Adds the captures en passant to the value of a position without them, `out`. With `learn` the
 * positions after them are decided, else only what is known of them is used. */
static bool add_en_passant(ProofGraph *graph, const treb_position *pos, bool learn, PawnValue *out)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), captures = 0;
    for (int i = 0; i < count; i++) captures += move_is_ep(pos, moves[i]);
    /* Without the right the position has no move: its value there does not count. */
    bool first = captures == count;
    for (int i = 0; i < count; i++) {
        treb_position child;
        PawnValue value;
        Structure *ignored_structure;
        Cell ignored_cell;
        if (!move_is_ep(pos, moves[i])) continue;
        position_make(pos, moves[i], &child);
        bool good = learn ? decide_plain(graph, &child, &value, &ignored_structure, &ignored_cell)
                          : known_plain(graph, &child, &value, &ignored_structure, &ignored_cell);
        if (!good) return false;
        if (first)
            *out = value;
        else
            evaluate_take_better(out, &value, pos->turn);
        first = false;
    }
    return true;
}

bool evaluate_position(ProofGraph *graph, const treb_position *pos, PawnValue *out,
                       Structure **structure, Cell *cell)
{
    return decide_plain(graph, pos, out, structure, cell) &&
           (!position_ep_legal(pos) || add_en_passant(graph, pos, true, out));
}

bool evaluate_known(ProofGraph *graph, const treb_position *pos, PawnValue *out)
{
    Structure *structure;
    Cell cell;
    return known_plain(graph, pos, out, &structure, &cell) &&
           (!position_ep_legal(pos) || add_en_passant(graph, pos, false, out));
}

void evaluate_set_time_limit(const ProofGraph *graph, Distances *distances, unsigned seconds)
{
    if (graph->stopped) distances_set_time_limit(distances, 1000 * seconds);
}

bool evaluate_distance(Distances *distances, const treb_position *pos, PawnValue *value)
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

bool evaluate_converts(const treb_position *pos, Move move)
{
    return move_is_capture(pos, move) || move_promo(move) != 0;
}

bool evaluate_move_distance(Distances *distances, const treb_position *pos, PawnMove *move)
{
    treb_position child;
    PawnValue *value = &move->value;
    if (evaluate_converts(pos, move->move)) {
        value->plies = verdict_winner(value->verdict) >= 0 ? 1 : -1;
        return true;
    }
    position_make(pos, move->move, &child);
    bool good = evaluate_distance(distances, &child, value);
    if (value->plies >= 0) value->plies++;
    return good;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* The merit of a move for `side`, from 0 for the worst. */
static int merit(const PawnMove *move, int side)
{
    if (move->goal) return 4;
    if (move->value.verdict == VERDICT_OPEN) return 1;
    return wins_for(move->value.verdict, side) ? 3 : loses_for(move->value.verdict, side) ? 0 : 2;
}

int evaluate_compare_moves(const PawnMove *a, const PawnMove *b, int side)
{
    int order = merit(b, side) - merit(a, side);
    if (order == 0 && a->value.plies != b->value.plies) {
        order = a->value.plies < b->value.plies ? -1 : 1;
        if (loses_for(a->value.verdict, side)) order = -order;
    }
    if (order == 0) order = a->value.at_most - b->value.at_most;
    return order ? order : (int)a->move - (int)b->move;
}

void evaluate_sort_moves(PawnMove *move, int count, int side)
{
    for (int i = 1; i < count; i++) {
        PawnMove m = move[i];
        int j = i;
        for (; j > 0 && evaluate_compare_moves(&m, &move[j - 1], side) < 0; j--)
            move[j] = move[j - 1];
        move[j] = m;
    }
}
