/* near.c - see near.h. It tries positions by their difference, the smallest first. */
#include "find/near.h"

#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "find/position_info.h"

enum { NEVER = 99 };

typedef struct Man {
    int color, type, square;
} Man;

typedef struct Walk {
    const NearQuery *query;
    Near *out;
    PositionInfo info;
    Man man[TREB_MEN_MAX];
    int men, moves;        /* number of men; difference of the positions that are tried now */
    int8_t knight[64][64]; /* number of moves between two squares */
} Walk;

static void fill_knight(Walk *w)
{
    memset(w->knight, -1, sizeof w->knight);
    for (int from = 0; from < 64; from++) {
        uint64_t seen = square_bit(from), last = seen;
        for (int moves = 0; last != 0; moves++) {
            uint64_t next = 0;
            for (uint64_t left = last; left != 0;) {
                int square = bit_pop(&left);
                w->knight[from][square] = (int8_t)moves;
                next |= knight_attacks(square);
            }
            last = next & ~seen;
            seen |= next;
        }
    }
}

/* Returns the number of moves that take a man from its square to another one on an empty board. */
static int moves_between(const Walk *w, const Man *man, int to)
{
    const int from = man->square, files = abs(square_file(to) - square_file(from));
    const int up = square_rank(to) - square_rank(from), ranks = abs(up);
    const int rook = files == 0 || ranks == 0 ? 1 : 2;
    const int bishop = files == ranks ? 1 : (files + ranks) % 2 ? NEVER : 2;
    if (from == to) return 0;
    switch (man->type) {
    case TREB_KING:
        return files > ranks ? files : ranks;
    case TREB_QUEEN:
        return rook < bishop ? rook : bishop;
    case TREB_ROOK:
        return rook;
    case TREB_BISHOP:
        return bishop;
    case TREB_KNIGHT:
        return w->knight[from][to];
    default: {
        const bool white = man->color == TREB_WHITE;
        if (files != 0 || (white ? up < 0 : up > 0)) return NEVER;
        if (square_rank(to) == 0 || square_rank(to) == 7) return NEVER;
        /* The first step may be a double step. */
        return ranks - (ranks >= 2 && square_rank(from) == (white ? 1 : 6));
    }
    }
}

static bool known(const Near *out, int side, const treb_position *pos)
{
    for (int i = 0; i < out->count[side]; i++)
        if (position_equal(&out->better[side][i].pos, pos)) return true;
    return false;
}

/* Whether a capture wins at once. Such a position teaches nothing. */
static bool hangs(PositionInfo *info)
{
    if (info_result(info) != WON) return false;
    for (int i = 0, count = info_moves(info); i < count; i++)
        if (move_is_capture(&info->pos, info->move[i]) && info_move_result(info, i) == WON)
            return true;
    return false;
}

/* Adds a position if it has another result. `path` has the men that stand elsewhere. */
static void try_position(Walk *w, const treb_position *there, const Move *path, int count)
{
    Near *out = w->out;
    for (int turn = 0; turn < 2; turn++) {
        treb_position pos = *there;
        pos.turn = (uint8_t)turn;
        if ((w->query->turn != FIND_EITHER && turn != w->query->turn) ||
            position_check(&pos, NULL) != TREB_OK)
            continue;
        info_set_position(&w->info, &pos);
        int result = info_result(&w->info) * (turn == TREB_WHITE ? 1 : -1);
        out->looked++;
        if (w->info.status != TREB_OK || result == out->result) continue;
        int side = result > out->result ? TREB_WHITE : TREB_BLACK;
        if (out->count[side] >= w->query->shown || known(out, side, &pos) || hangs(&w->info))
            continue;
        NearPlace *place = &out->better[side][out->count[side]++];
        *place = (NearPlace){.pos = pos, .moves = w->moves, .count = count, .result = result};
        memcpy(place->path, path, (size_t)count * sizeof *path);
    }
}

/* Places man `i` and the following ones in all ways that use exactly `left` moves and move at most
 * `men` men. */
static void walk(Walk *w, int i, int left, int men, treb_position *there, Move *path, int count)
{
    if (w->info.status != TREB_OK || (w->query->stop && atomic_load(w->query->stop))) return;
    if (left == 0) {
        treb_position all = *there;
        for (int m = i; m < w->men; m++) {
            const Man *man = &w->man[m];
            if (bit_test(position_occupied(&all), man->square)) return;
            position_put(&all, man->color, man->type, man->square);
        }
        try_position(w, &all, path, count);
        return;
    }
    if (i == w->men) return;
    const Man *man = &w->man[i];
    for (int to = 0; to < 64; to++) {
        int moves = moves_between(w, man, to);
        if (moves > left || (moves > 0 && men == 0) || bit_test(position_occupied(there), to))
            continue;
        if (moves > 0) path[count] = move_make(man->square, to, 0);
        position_put(there, man->color, man->type, to);
        walk(w, i + 1, left - moves, men - (moves > 0), there, path, count + (moves > 0));
        position_remove(there, to);
    }
}

static void list_men(Walk *w)
{
    const treb_position *pos = &w->query->pos;
    for (uint64_t men = position_occupied(pos); men != 0;) {
        Man *man = &w->man[w->men++];
        man->square = bit_pop(&men);
        man->type = position_piece_at(pos, man->square, &man->color);
    }
}

treb_status near_find(const NearQuery *query, Near *out, treb_error *error)
{
    Walk w = {.query = query, .out = out, .info = {.tables = query->tables}};
    memset(out, 0, sizeof *out);
    info_set_position(&w.info, &query->pos);
    out->result = info_result(&w.info) * (query->pos.turn == TREB_WHITE ? 1 : -1);
    if (w.info.status != TREB_OK) {
        if (error != NULL) *error = w.info.error;
        return w.info.status;
    }
    list_men(&w);
    fill_knight(&w);
    /* A difference of 0 is the position with the other side to move. */
    for (w.moves = 0; w.moves <= query->moves && w.info.status == TREB_OK; w.moves++) {
        treb_position there = {.fullmove = 1};
        Move path[TREB_MEN_MAX];
        if (out->count[0] >= query->shown && out->count[1] >= query->shown) break;
        walk(&w, 0, w.moves, query->men, &there, path, 0);
        if (query->stop != NULL && atomic_load(query->stop)) break;
    }
    if (w.info.status != TREB_OK && error != NULL) *error = w.info.error;
    return w.info.status;
}
