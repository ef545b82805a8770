/* play.c - what the moves of a blocked position are worth, and the best play from it. */
#include <stdlib.h>

#include "pawns/blocked.h"

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
            else if (!settle_position(b->lattice, &child, &out->value, &family, &cell))
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
    settle_sort(out, count, pos->turn);
    return count;
}

int blocked_moves(Blocked *b, BlockedMove out[MOVES_MAX])
{
    return list_moves(b, &b->request.pos, out);
}

/* ---- The line, as long as the structure lasts ------------------------------------------------ */

/* Plays on among the kings. -1 on failure, 0 if the line has ended, 1 if it goes on elsewhere. */
static int play_kings(Blocked *b, SettleLine *line, BlockedMove list[MOVES_MAX], BlockedEnd *end)
{
    while (line->count < line->capacity) {
        BlockedValue now = blocked_value(b, line->pos.turn, position_king(&line->pos, TREB_WHITE),
                                         position_king(&line->pos, TREB_BLACK));
        *end = now.verdict == BLOCKED_OPEN ? BLOCKED_END_OPEN : BLOCKED_END_DRAW;
        if (now.verdict == BLOCKED_OPEN || now.verdict == BLOCKED_DRAW) return 0;
        *end = b->request.goal == GOAL_EXACT ? BLOCKED_END_MATE : BLOCKED_END_GOAL;
        if (now.plies == 0 && b->request.goal != GOAL_TAKE) return 0;
        int count = list_moves(b, &line->pos, list);
        if (count < 0) return -1;
        if (count == 0) return 0;
        settle_line_add(line, &list[0]);
        if (list[0].goal) return 0;
        if (list[0].leaves) return 1;
    }
    *end = BLOCKED_END_CAPACITY;
    return 0;
}

int blocked_line(Blocked *b, BlockedMove *out, int capacity, BlockedEnd *end, treb_position *last)
{
    SettleLine line = {
        .lattice = b->lattice, .out = out, .capacity = capacity, .pos = b->request.pos};
    BlockedMove *list = malloc(MOVES_MAX * sizeof *list);
    if (list == NULL) return -1;
    int more = play_kings(b, &line, list, end);
    bool good = more >= 0;
    if (more > 0 && b->lattice != NULL) {
        good = settle_line_start(&line) && settle_line(&line, end);
        settle_line_end(&line);
    }
    if (more > 0 && b->lattice == NULL) *end = BLOCKED_END_CAPTURE;
    free(list);
    *last = line.pos;
    return good ? line.count : -1;
}
