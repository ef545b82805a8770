/* kinds.c - see kinds.h. */
#include "find/kinds.h"

#include "core/chess/bitboard.h"

/* The one move that keeps the result; -1 if there are more, or nothing to keep. */
static int only_move(Look *look)
{
    int result = look_result(look), only = -1;
    if (result == LOST) return -1;
    for (int i = 0, count = look_moves(look); i < count; i++) {
        if (look_move_result(look, i) != result) continue;
        if (only >= 0) return -1;
        only = i;
    }
    return only;
}

static bool has_only_move(Look *look, Found *found)
{
    int only = only_move(look);
    if (only < 0 || look_moves(look) < 2) return false;
    found->move = look->move[only];
    return true;
}

static bool lesser(Move m) { return move_promo(m) != 0 && move_promo(m) != TREB_QUEEN; }

/* Whether all moves that keep a win or draw promote to less than a queen. */
static bool must_underpromote(Look *look)
{
    const treb_position *pos = &look->pos;
    uint64_t seventh = rank_bits(pos->turn == TREB_WHITE ? 6 : 1);
    if (!(position_men_of(pos, pos->turn, TREB_PAWN) & seventh)) return false;
    const int result = look_result(look);
    bool any = false;
    for (int i = 0, count = look_moves(look); i < count && result != LOST; i++) {
        if (look_move_result(look, i) != result) continue;
        if (!lesser(look->move[i])) return false;
        any = true;
    }
    return any;
}

static bool may_stalemate(Look *look)
{
    if (look_result(look) != WON) return false;
    for (int i = 0, count = look_moves(look); i < count; i++) {
        treb_position child;
        position_make(&look->pos, look->move[i], &child);
        if (!movegen_any(&child) && !position_in_check(&child)) return true;
    }
    return false;
}

static bool rule_matters(Look *look)
{
    treb_wdl wdl = look_wdl(look);
    return wdl == TREB_CURSED_WIN || wdl == TREB_BLESSED_LOSS;
}

/* The loser's longest defence. False if there is none: it is mate. */
static bool defend(Look *look, treb_position *pos)
{
    treb_move moves[TREB_MOVES_MAX];
    size_t count = 0;
    if (look->status == TREB_OK)
        look->status = treb_probe_moves(look->tables, pos, TREB_DTM, TREB_RULE_NONE, moves,
                                        TREB_MOVES_MAX, &count, &look->error);
    if (count == 0) return false;
    position_make(pos, move_make(moves[0].from, moves[0].to, moves[0].promotion), pos);
    return true;
}

/* Whether the winner has one winning move at each turn. */
static bool unique_line(Look *look)
{
    if (look_result(look) != WON) return false;
    Look on = *look;
    for (;;) {
        int only = only_move(&on);
        if (only < 0) break;
        treb_position next;
        position_make(&on.pos, on.move[only], &next);
        if (!defend(&on, &next)) break;
        look_at(&on, &next);
    }
    bool ended = look_moves(&on) > 0 && only_move(&on) >= 0;
    look->status = on.status;
    look->error = on.error;
    return ended;
}

/* Who would draw by moving loses by not having to: the other does. */
static bool is_zugzwang(Look *look, Found *found)
{
    found->zugzwang = look_zugzwang(look);
    if (found->zugzwang == FIND_NO_ZUGZWANG) return false;
    found->loser = look_result(look) == LOST ? look->pos.turn : !look->pos.turn;
    return true;
}

static bool is_longest(const FindQuery *query, int longest, Look *look)
{
    return longest > 0 && look_result(look) == WON && look_plies(look, query->metric) == longest;
}

/* The cheap ones first. */
bool kinds_hold(const FindQuery *query, int longest, Look *look, Found *found)
{
    const unsigned kinds = query->kinds;
    if (kinds & FIND_RULE_50 && !rule_matters(look)) return false;
    if (kinds & FIND_UNDERPROMOTION && !must_underpromote(look)) return false;
    if (kinds & FIND_ZUGZWANG && !is_zugzwang(look, found)) return false;
    if (kinds & FIND_LONGEST && !is_longest(query, longest, look)) return false;
    if (kinds & FIND_ONLY_MOVE && !has_only_move(look, found)) return false;
    if (kinds & FIND_STALEMATE && !may_stalemate(look)) return false;
    return !(kinds & FIND_UNIQUE_LINE) || unique_line(look);
}
