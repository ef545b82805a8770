/* position_info.c - see position_info.h. */
#include "find/position_info.h"

#include "core/system/error.h"

void info_set_position(PositionInfo *info, const treb_position *pos)
{
    info->pos = *pos;
    info->wdl = info->passed = info->moves = INFO_UNKNOWN;
    for (int m = 0; m <= TREB_DTM50; m++) info->plies[m] = INFO_UNKNOWN;
}

static int result_of(const PositionInfo *info, treb_wdl wdl)
{
    if (info->rule50) return wdl == TREB_WIN ? WON : wdl == TREB_LOSS ? LOST : DRAWN;
    return wdl > TREB_DRAW ? WON : wdl < TREB_DRAW ? LOST : DRAWN;
}

/* Whether tables can be probed: there was no error yet. */
static bool may_probe(PositionInfo *info)
{
    if (info->tables == NULL && info->status == TREB_OK)
        info->status = fail(&info->error, TREB_ERR_ARGUMENT,
                            "a strategy sees only the board: it cannot read the tables");
    return info->status == TREB_OK;
}

/* Probes a position. Keeps the first error; after an error the answer is a draw. */
static treb_wdl probe(PositionInfo *info, const treb_position *pos)
{
    treb_wdl wdl = TREB_DRAW;
    if (may_probe(info)) info->status = treb_probe_wdl(info->tables, pos, &wdl, &info->error);
    return wdl;
}

/* Probes a distance in this way. */
static treb_distance probe_distance(PositionInfo *info, const treb_position *pos,
                                    treb_metric metric)
{
    treb_distance d = {.wdl = TREB_DRAW};
    if (may_probe(info))
        info->status = treb_probe_distance(info->tables, pos, metric, &d, &info->error);
    return d;
}

treb_wdl info_wdl(PositionInfo *info)
{
    if (info->wdl == INFO_UNKNOWN) info->wdl = (int)probe(info, &info->pos);
    return (treb_wdl)info->wdl;
}

int info_result(PositionInfo *info) { return result_of(info, info_wdl(info)); }

int info_result_if_passed(PositionInfo *info)
{
    if (info->passed != INFO_UNKNOWN) return info->passed;
    if (position_in_check(&info->pos)) return info->passed = INFO_NONE;
    treb_position other = info->pos;
    other.turn ^= 1;
    other.ep = 0;
    return info->passed = -result_of(info, probe(info, &other));
}

FindZugzwang info_zugzwang(PositionInfo *info)
{
    int now = info_result(info);
    if (now == WON) return FIND_NO_ZUGZWANG;
    int passed = info_result_if_passed(info);
    if (passed == INFO_NONE || passed <= now) return FIND_NO_ZUGZWANG;
    return passed - now == WON - LOST ? FIND_FULL_POINT : FIND_HALF_POINT;
}

int info_plies(PositionInfo *info, treb_metric metric)
{
    if (info->plies[metric] != INFO_UNKNOWN) return info->plies[metric];
    if (info->wdl == TREB_DRAW) return info->plies[metric] = INFO_NONE;
    const treb_distance d = probe_distance(info, &info->pos, metric);
    const bool late = metric == TREB_DTM50 && d.wdl != TREB_WIN && d.wdl != TREB_LOSS;
    if (metric != TREB_DTM50) info->wdl = (int)d.wdl;
    return info->plies[metric] = late || d.wdl == TREB_DRAW ? (int)INFO_NONE : d.plies;
}

int info_moves(PositionInfo *info)
{
    if (info->moves != INFO_UNKNOWN) return info->moves;
    info->moves = movegen_legal(&info->pos, info->move);
    for (int i = 0; i < info->moves; i++) info->result[i] = INFO_UNKNOWN;
    info->move_metrics = 0;
    return info->moves;
}

/* Under the 50-move rule, the verdict of a position that a quiet move leads to: the clock is 1. A rounded
 * distance may be a ply more. */
static treb_wdl probe_after_quiet(PositionInfo *info, const treb_position *pos)
{
    enum { CLOCK = 1 };
    const treb_distance d = probe_distance(info, pos, TREB_DTZ);
    return treb_wdl_with_clock(d.wdl, d.plies + (d.rounded == TREB_ROUNDED), CLOCK);
}

int info_move_result(PositionInfo *info, int move)
{
    if (info->result[move] != INFO_UNKNOWN) return info->result[move];
    const bool quiet = !move_is_zeroing(&info->pos, info->move[move]);
    treb_position child;
    position_make(&info->pos, info->move[move], &child);
    const treb_wdl wdl =
        info->rule50 && quiet ? probe_after_quiet(info, &child) : probe(info, &child);
    return info->result[move] = (int8_t)-result_of(info, wdl);
}

/* The distance of a move by a metric; INFO_NONE if it leads to a draw. */
static int16_t plies_of(const treb_value *value, treb_metric metric)
{
    if (metric == TREB_DTM50 ? value->rule != TREB_WIN && value->rule != TREB_LOSS
                             : value->wdl == TREB_DRAW)
        return INFO_NONE;
    return (int16_t)(metric == TREB_DTM50 ? value->dtm50 : value->plies[metric]);
}

/* Finds the distances of all moves by a metric. */
static void fill_move_plies(PositionInfo *info, treb_metric metric)
{
    treb_move moves[TREB_MOVES_MAX];
    size_t count = 0;
    int16_t *plies = info->move_plies[metric];
    info->move_metrics |= 1u << metric;
    for (int i = 0; i < info->moves; i++) plies[i] = INFO_NONE;
    if (may_probe(info))
        info->status = treb_probe_moves(info->tables, &info->pos, metric, TREB_RULE_NONE, moves,
                                        TREB_MOVES_MAX, &count, &info->error);
    for (size_t j = 0; j < count; j++) {
        const Move move = move_make(moves[j].from, moves[j].to, moves[j].promotion);
        int i = 0;
        while (i < info->moves && info->move[i] != move) i++;
        if (i < info->moves) plies[i] = plies_of(&moves[j].value, metric);
    }
}

int info_move_plies(PositionInfo *info, int move, treb_metric metric)
{
    (void)info_moves(info);
    if (!(info->move_metrics & 1u << metric)) fill_move_plies(info, metric);
    return info->move_plies[metric][move];
}
