/* kinds.c - see kinds.h. */
#include "find/kinds.h"

#include "core/chess/bitboard.h"

/* Returns the only move that keeps the result; -1 if there are several, or if the position is
 * lost. */
static int only_move(PositionInfo *info)
{
    int result = info_result(info), only = -1;
    if (result == LOST) return -1;
    for (int i = 0, count = info_moves(info); i < count; i++) {
        if (info_move_result(info, i) != result) continue;
        if (only >= 0) return -1;
        only = i;
    }
    return only;
}

static bool has_only_move(PositionInfo *info, Found *found)
{
    int only = only_move(info);
    if (only < 0 || info_moves(info) < 2) return false;
    found->move = info->move[only];
    return true;
}

static bool lesser(Move m) { return move_promo(m) != 0 && move_promo(m) != TREB_QUEEN; }

/* Whether all moves that keep a win or draw promote to less than a queen. */
static bool must_underpromote(PositionInfo *info)
{
    const treb_position *pos = &info->pos;
    uint64_t seventh = rank_bits(pos->turn == TREB_WHITE ? 6 : 1);
    if (!(position_men_of(pos, pos->turn, TREB_PAWN) & seventh)) return false;
    const int result = info_result(info);
    bool any = false;
    for (int i = 0, count = info_moves(info); i < count && result != LOST; i++) {
        if (info_move_result(info, i) != result) continue;
        if (!lesser(info->move[i])) return false;
        any = true;
    }
    return any;
}

static bool may_stalemate(PositionInfo *info)
{
    if (info_result(info) != WON) return false;
    for (int i = 0, count = info_moves(info); i < count; i++) {
        treb_position child;
        position_make(&info->pos, info->move[i], &child);
        if (!movegen_any(&child) && !position_in_check(&child)) return true;
    }
    return false;
}

static bool rule_matters(PositionInfo *info)
{
    treb_wdl wdl = info_wdl(info);
    return wdl == TREB_CURSED_WIN || wdl == TREB_BLESSED_LOSS;
}

/* Plays the loser's longest defence. Returns false if the loser is mated. */
static bool defend(PositionInfo *info, treb_position *pos)
{
    treb_move moves[TREB_MOVES_MAX];
    size_t count = 0;
    if (info->status == TREB_OK)
        info->status = treb_probe_moves(info->tables, pos, TREB_DTM, TREB_RULE_NONE, moves,
                                        TREB_MOVES_MAX, &count, &info->error);
    if (count == 0) return false;
    position_make(pos, move_make(moves[0].from, moves[0].to, moves[0].promotion), pos);
    return true;
}

/* Whether the winner has exactly one winning move at each turn. */
static bool unique_line(PositionInfo *info)
{
    if (info_result(info) != WON) return false;
    PositionInfo on = *info;
    for (;;) {
        int only = only_move(&on);
        if (only < 0) break;
        treb_position next;
        position_make(&on.pos, on.move[only], &next);
        if (!defend(&on, &next)) break;
        info_set_position(&on, &next);
    }
    bool ended = info_moves(&on) > 0 && only_move(&on) >= 0;
    info->status = on.status;
    info->error = on.error;
    return ended;
}

/* If the side to move draws, it is the other side that would lose if it were to move. */
static bool is_zugzwang(PositionInfo *info, Found *found)
{
    found->zugzwang = info_zugzwang(info);
    if (found->zugzwang == FIND_NO_ZUGZWANG) return false;
    found->loser = info_result(info) == LOST ? info->pos.turn : !info->pos.turn;
    return true;
}

static bool is_longest(const FindQuery *query, int longest, PositionInfo *info)
{
    return longest > 0 && info_result(info) == WON && info_plies(info, query->metric) == longest;
}

/* The kinds that take little time are tested first. */
bool kinds_hold(const FindQuery *query, int longest, PositionInfo *info, Found *found)
{
    const unsigned kinds = query->kinds;
    if (kinds & FIND_RULE_50 && !rule_matters(info)) return false;
    if (kinds & FIND_UNDERPROMOTION && !must_underpromote(info)) return false;
    if (kinds & FIND_ZUGZWANG && !is_zugzwang(info, found)) return false;
    if (kinds & FIND_LONGEST && !is_longest(query, longest, info)) return false;
    if (kinds & FIND_ONLY_MOVE && !has_only_move(info, found)) return false;
    if (kinds & FIND_STALEMATE && !may_stalemate(info)) return false;
    return !(kinds & FIND_UNIQUE_LINE) || unique_line(info);
}
