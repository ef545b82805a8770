/* look.c - see look.h. */
#include "find/look.h"

#include "core/system/error.h"

void look_at(Look *look, const treb_position *pos)
{
    look->pos = *pos;
    look->wdl = look->passed = look->moves = LOOK_UNKNOWN;
    for (int m = 0; m < TREB_METRICS; m++) look->plies[m] = LOOK_UNKNOWN;
}

static int result_of(const Look *look, treb_wdl wdl)
{
    if (look->rule50) return wdl == TREB_WIN ? WON : wdl == TREB_LOSS ? LOST : DRAWN;
    return wdl > TREB_DRAW ? WON : wdl < TREB_DRAW ? LOST : DRAWN;
}

/* A failure is kept, and answered by a draw. */
static treb_wdl probe(Look *look, const treb_position *pos)
{
    treb_wdl wdl = TREB_DRAW;
    if (look->tables == NULL && look->status == TREB_OK)
        look->status = fail(&look->error, TREB_ERR_ARGUMENT,
                            "a strategy sees the board alone: it cannot ask what tables say");
    if (look->status == TREB_OK)
        look->status = treb_probe_wdl(look->tables, pos, &wdl, &look->error);
    return wdl;
}

treb_wdl look_wdl(Look *look)
{
    if (look->wdl == LOOK_UNKNOWN) look->wdl = (int)probe(look, &look->pos);
    return (treb_wdl)look->wdl;
}

int look_result(Look *look) { return result_of(look, look_wdl(look)); }

int look_passed(Look *look)
{
    if (look->passed != LOOK_UNKNOWN) return look->passed;
    if (position_in_check(&look->pos)) return look->passed = LOOK_NONE;
    treb_position other = look->pos;
    other.turn ^= 1;
    other.ep = 0;
    return look->passed = -result_of(look, probe(look, &other));
}

FindZugzwang look_zugzwang(Look *look)
{
    int now = look_result(look);
    if (now == WON) return FIND_NO_ZUGZWANG;
    int passed = look_passed(look);
    if (passed == LOOK_NONE || passed <= now) return FIND_NO_ZUGZWANG;
    return passed - now == WON - LOST ? FIND_FULL_POINT : FIND_HALF_POINT;
}

int look_plies(Look *look, treb_metric metric)
{
    if (look->plies[metric] != LOOK_UNKNOWN) return look->plies[metric];
    treb_distance d = {.plies = 0};
    if (look_wdl(look) == TREB_DRAW) return look->plies[metric] = LOOK_NONE;
    if (look->status == TREB_OK)
        look->status = treb_probe_distance(look->tables, &look->pos, metric, &d, &look->error);
    return look->plies[metric] = d.plies;
}

int look_moves(Look *look)
{
    if (look->moves != LOOK_UNKNOWN) return look->moves;
    look->moves = movegen_legal(&look->pos, look->move);
    for (int i = 0; i < look->moves; i++) look->result[i] = LOOK_UNKNOWN;
    return look->moves;
}

int look_move_result(Look *look, int move)
{
    if (look->result[move] != LOOK_UNKNOWN) return look->result[move];
    treb_position child;
    position_make(&look->pos, look->move[move], &child);
    int result = -result_of(look, probe(look, &child));
    return look->result[move] = (int8_t)result;
}
