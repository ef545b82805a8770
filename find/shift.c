/* shift.c - see shift.h. */
#include "find/shift.h"

#include <string.h>

#include "core/chess/bitboard.h"
#include "core/system/error.h"
#include "find/position_info.h"

const char *shift_edge_text(ShiftEdge edge)
{
    static const char *const text[SHIFT_EDGES] = {"free of the edges", "at a side edge",
                                                  "at the top or bottom", "in a corner"};
    return text[edge];
}

const char *shift_result_text(int result)
{
    static const char *const text[SHIFT_IMPOSSIBLE + 1] = {"loss", "draw", "win", "impossible"};
    return text[result];
}

void shift_move_name(const treb_position *place, int turn, Move m, char out[SAN_SIZE])
{
    treb_position pos = *place;
    Move legal[MOVES_MAX];
    pos.turn = (uint8_t)turn;
    pos.ep = 0;
    bool possible = position_check(&pos, NULL) == TREB_OK;
    for (int i = 0, count = possible ? movegen_legal(&pos, legal) : 0; i < count; i++)
        if (legal[i] == m) {
            move_to_san(&pos, m, out);
            return;
        }
    move_to_uci(m, out);
}

void shift_place_fen(const ShiftPlace *place, char fen[TREB_FEN_SIZE])
{
    treb_position pos = place->pos;
    pos.turn = TREB_WHITE;
    position_to_fen(&pos, fen);
}

/* Shifts men by a number of files and ranks. Returns false if one leaves the board. */
static bool slide(uint64_t men, int files, int ranks, uint64_t *out)
{
    *out = 0;
    while (men != 0) {
        int square = bit_pop(&men), file = square_file(square) + files,
            rank = square_rank(square) + ranks;
        if (file < 0 || file > 7 || rank < 0 || rank > 7) return false;
        *out |= square_bit(square_at(file, rank));
    }
    return true;
}

static bool slide_position(const treb_position *pos, int files, int ranks, treb_position *out)
{
    *out = *pos;
    out->ep = 0;
    out->halfmove = 0;
    out->fullmove = 1;
    for (int c = 0; c < 2; c++)
        if (!slide(pos->by_color[c], files, ranks, &out->by_color[c])) return false;
    for (int t = 0; t < TREB_TYPES; t++) slide(pos->by_type[t], files, ranks, &out->by_type[t]);
    return !(out->by_type[TREB_PAWN] & (rank_bits(0) | rank_bits(7)));
}

static ShiftEdge edge_of(const treb_position *pos)
{
    const uint64_t men = position_occupied(pos);
    bool side = (men & (file_bits(0) | file_bits(7))) != 0;
    bool top = (men & (rank_bits(0) | rank_bits(7))) != 0;
    return side && top ? SHIFT_CORNER : side ? SHIFT_SIDE : top ? SHIFT_TOP : SHIFT_FREE;
}

/* Returns a move as it would be before the shift. */
static Move unshift(Move m, int files, int ranks)
{
    int by = 8 * ranks + files;
    return move_make(move_from(m) - by, move_to(m) - by, move_promo(m));
}

/* Whether a move, shifted back, stays on the board. If not, it has no counterpart in other
 * places. */
static bool comparable(Move m, int files, int ranks)
{
    int file = square_file(move_to(m)) - files, rank = square_rank(move_to(m)) - ranks;
    return file >= 0 && file < 8 && rank >= 0 && rank < 8;
}

static void place_set_side(PositionInfo *info, ShiftPlace *place, int turn)
{
    treb_position pos = place->pos;
    pos.turn = (uint8_t)turn;
    place->result[turn] = SHIFT_IMPOSSIBLE;
    if (position_check(&pos, NULL) != TREB_OK) return;
    info_set_position(info, &pos);
    int result = info_result(info);
    place->result[turn] = result - LOST;
    place->moves[turn] = info_moves(info);
    for (int i = 0; i < place->moves[turn] && result != LOST; i++)
        if (info_move_result(info, i) == result)
            place->keep[turn][place->kept[turn]++] = info->move[i];
}

/* Lists the moves that keep the result in a place, as moves in the original position. Returns their
 * number. */
static int moves_unshifted(const ShiftPlace *place, int turn, Move out[MOVES_MAX])
{
    int count = 0;
    for (int i = 0; i < place->kept[turn]; i++)
        if (comparable(place->keep[turn][i], place->files, place->ranks))
            out[count++] = unshift(place->keep[turn][i], place->files, place->ranks);
    return count;
}

static bool has_move(const Move *list, int count, Move m)
{
    for (int i = 0; i < count; i++)
        if (list[i] == m) return true;
    return false;
}

/* Adds a place to its group, and updates what the group has in common. */
static void join(ShiftGroup *group, const ShiftPlace *place)
{
    group->places++;
    for (int turn = 0; turn < 2; turn++) {
        const int result = place->result[turn];
        group->count[turn][result]++;
        if (result == SHIFT_IMPOSSIBLE) continue;
        Move moves[MOVES_MAX];
        int seen = 0, kept = 0, count = moves_unshifted(place, turn, moves);
        for (int r = 0; r < SHIFT_IMPOSSIBLE; r++) seen += group->count[turn][r];
        group->one_verdict[turn] = group->count[turn][result] == seen;
        if (seen == 1) {
            memcpy(group->common[turn], moves, (size_t)count * sizeof *moves);
            group->commons[turn] = count;
            continue;
        }
        for (int i = 0; i < group->commons[turn]; i++)
            if (has_move(moves, count, group->common[turn][i]))
                group->common[turn][kept++] = group->common[turn][i];
        group->commons[turn] = kept;
    }
}

treb_status shift_find(const treb_tables *tables, const treb_position *pos, ShiftStopped stopped,
                       void *context, Shift *out, treb_error *error)
{
    PositionInfo info = {.tables = tables};
    memset(out, 0, sizeof *out);
    out->pos = *pos;
    for (int ranks = -7; ranks <= 7; ranks++)
        for (int files = -7; files <= 7; files++) {
            ShiftPlace *place = &out->place[out->places];
            treb_position there;
            if (!slide_position(pos, files, ranks, &there)) continue;
            if (stopped != NULL && stopped(context)) return fail(error, TREB_ERR_IO, "stopped");
            memset(place, 0, sizeof *place);
            place->pos = there;
            place->files = files;
            place->ranks = ranks;
            place->edge = edge_of(&there);
            for (int turn = 0; turn < 2; turn++) place_set_side(&info, place, turn);
            if (info.status != TREB_OK) {
                if (error != NULL) *error = info.error;
                return info.status;
            }
            join(&out->group[place->edge], place);
            out->places++;
        }
    return TREB_OK;
}
