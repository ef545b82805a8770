/* blocked_table.c - see blocked_table.h. */
#include "json/blocked_table.h"
#include "pawns/blocked/blocked_file.h"

#include "core/system/error.h"

Blocked *answer_open_blocked(const AnswerContext *context, const treb_position *pos,
                             treb_error *error)
{
    char why[BLOCKED_WHY_SIZE];
    BlockedRequest request = {.pos = *pos, .goal = GOAL_EXACT};
    treb_status status = blocked_check(pos, why);
    if (status == TREB_OK)
        return blocked_file_find(context->directories, context->directory_count, &request, error);
    fail(error, status, "%s", why);
    return NULL;
}

treb_status answer_find_blocked(AnswerContext *context, const treb_position *pos, Blocked **out,
                                treb_error *error)
{
    treb_error why;
    *out = answer_open_blocked(context, pos, &why);
    /* A table, or a better one, may be installed later. */
    if (*out != NULL || why.status == TREB_ERR_NO_TABLE) context->flags |= ANSWER_PARTIAL;
    if (*out != NULL || why.status == TREB_ERR_POSITION || why.status == TREB_ERR_NO_TABLE)
        return TREB_OK;
    return fail_again(error, &why);
}

Blocked *answer_blocked_after_move(AnswerContext *context, const treb_position *pos)
{
    treb_error why;
    Blocked *b;
    answer_note(context, answer_find_blocked(context, pos, &b, &why));
    return b;
}

PawnValue answer_blocked_root(const Blocked *b)
{
    const treb_position *pos = &b->request.pos;
    return blocked_value(b, pos->turn, position_king(pos, TREB_WHITE),
                         position_king(pos, TREB_BLACK));
}

bool answer_blocked_value(AnswerContext *context, const treb_position *pos, treb_value *out)
{
    Blocked *b = answer_blocked_after_move(context, pos);
    if (b == NULL) return false;
    PawnValue value = answer_blocked_root(b);
    bool exact = value.plies >= 0 && !b->upper_bounds;
    blocked_free(b);
    treb_wdl wdl = answer_blocked_wdl(value.verdict, pos->turn);
    *out = (treb_value){.wdl = wdl, .rule = wdl};
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        out->status[m] = m == TREB_DTC && exact ? TREB_OK : TREB_ERR_NO_TABLE;
    out->dtm50_status = TREB_ERR_NO_TABLE;
    if (exact) out->plies[TREB_DTC] = value.plies;
    return value.verdict != VERDICT_OPEN;
}

treb_wdl answer_blocked_wdl(PawnVerdict verdict, int side)
{
    if (verdict == VERDICT_DRAW || verdict == VERDICT_OPEN) return TREB_DRAW;
    return (verdict == VERDICT_WHITE) == (side == TREB_WHITE) ? TREB_WIN : TREB_LOSS;
}

bool answer_tables_go_on(const treb_tables *tables, LineEnd end, const treb_position *last)
{
    treb_wdl wdl;
    return end == LINE_END_CAPTURE && tables != NULL &&
           treb_probe_wdl(tables, last, &wdl, NULL) == TREB_OK;
}
