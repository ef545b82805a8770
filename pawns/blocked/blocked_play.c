/* blocked_play.c - what the moves of a blocked position are worth, and the best play from it. */
#include <stdlib.h>

#include "pawns/blocked/blocked.h"

/* The value after the capture of the pawn on `pawn`, from b->captures. */
static PawnValue value_after_capture(const Blocked *b, const treb_position *child, int pawn)
{
    PawnValue value = {.verdict = VERDICT_DRAW, .plies = -1};
    int side = child->turn, king = position_king(child, side);
    for (int winner = 0; winner < 2; winner++) {
        if (bit_test(b->captures[winner].won[side][pawn], king))
            value.verdict = winner == TREB_WHITE ? VERDICT_WHITE : VERDICT_BLACK;
        value.can[winner] = bit_test(b->captures[winner].open[side][pawn], king);
    }
    if (value.verdict == VERDICT_DRAW && (value.can[0] || value.can[1]))
        value.verdict = VERDICT_OPEN;
    return value;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* Whether a capture by the side to move reaches the goal. */
static bool takes_goal(const Blocked *b, const treb_position *pos)
{
    PawnValue now =
        blocked_value(b, pos->turn, position_king(pos, TREB_WHITE), position_king(pos, TREB_BLACK));
    return b->request.goal == GOAL_TAKE && now.plies == 0 && wins_for(now.verdict, pos->turn);
}

static bool fill_move(Blocked *b, const treb_position *pos, PawnMove *out)
{
    treb_position child;
    Structure *structure;
    Cell cell;
    move_to_uci(out->move, out->uci);
    move_to_san(pos, out->move, out->san);
    position_make(pos, out->move, &child);
    out->leaves = move_is_capture(pos, out->move);
    out->goal = out->leaves && takes_goal(b, pos);
    if (out->leaves) {
        if (b->request.goal == GOAL_EXACT) {
            if (b->captures_known)
                out->value = value_after_capture(b, &child, move_to(out->move));
            else if (!evaluate_position(b->graph, &child, &out->value, &structure, &cell))
                return false;
            if (out->value.verdict == VERDICT_WHITE || out->value.verdict == VERDICT_BLACK)
                out->value.plies = 1;
            return true;
        }
        out->value = (PawnValue){.verdict = VERDICT_DRAW, .plies = -1};
        return true;
    }
    out->value = blocked_value(b, child.turn, position_king(&child, TREB_WHITE),
                               position_king(&child, TREB_BLACK));
    if (out->value.plies >= 0) out->value.plies++;
    return true;
}

static int list_moves(Blocked *b, const treb_position *pos, PawnMove out[MOVES_MAX])
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        out[i] = (PawnMove){.move = moves[i]};
        if (!fill_move(b, pos, &out[i])) return -1;
    }
    evaluate_sort_moves(out, count, pos->turn);
    return count;
}

int blocked_moves(Blocked *b, PawnMove out[MOVES_MAX])
{
    return list_moves(b, &b->request.pos, out);
}

/* ---- The line -------------------------------------------------------------------------------- */

/* Plays on while only the kings move. -1 on failure, 0 if the line has ended, 1 if it goes on after
 * a capture. */
static int play_kings(Blocked *b, BestLine *line, PawnMove list[MOVES_MAX], LineEnd *end)
{
    while (line->count < line->capacity) {
        PawnValue now = blocked_value(b, line->pos.turn, position_king(&line->pos, TREB_WHITE),
                                      position_king(&line->pos, TREB_BLACK));
        *end = now.verdict == VERDICT_OPEN ? LINE_END_OPEN : LINE_END_DRAW;
        if (now.verdict == VERDICT_OPEN || now.verdict == VERDICT_DRAW) return 0;
        *end = b->request.goal == GOAL_EXACT ? LINE_END_MATE : LINE_END_GOAL;
        if (now.plies == 0 && b->request.goal != GOAL_TAKE) return 0;
        int count = list_moves(b, &line->pos, list);
        if (count < 0) return -1;
        if (count == 0) return 0;
        best_line_add(line, &list[0]);
        if (list[0].goal) return 0;
        if (list[0].leaves) return 1;
    }
    *end = LINE_END_CAPACITY;
    return 0;
}

int blocked_line(Blocked *b, PawnMove *out, int capacity, LineEnd *end, treb_position *last)
{
    BestLine line = {.graph = b->graph, .out = out, .capacity = capacity, .pos = b->request.pos};
    PawnMove *list = malloc(MOVES_MAX * sizeof *list);
    if (list == NULL) return -1;
    int more = play_kings(b, &line, list, end);
    bool good = more >= 0;
    if (more > 0 && b->graph != NULL) {
        good = best_line_start(&line) && best_line_play(&line, end);
        best_line_end(&line);
    }
    if (more > 0 && b->graph == NULL) *end = LINE_END_CAPTURE;
    free(list);
    *last = line.pos;
    return good ? line.count : -1;
}
