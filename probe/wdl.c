/* wdl.c - verdicts.
 *
 * What a table stores for a position is a lower bound, which the captures complete: the verdict
 * is the best of the stored one and those that legal captures lead to. So captures come first,
 * and when one of them wins the table is not looked at. A table that is missing can sometimes be
 * done without, and so can a capture whose own table is missing. */
#include "probe/probe.h"

/* The stored lower bound, en passant left out. */
static int wdl_stored(const treb_tables *set, const treb_position *pos, treb_error *error)
{
    const SetPlace *place = set_find(set, pos);
    if (place->entry == NULL) return set_missing(pos, TREB_WDL, error);
    if (place->entry->drawn) return TREB_DRAW;
    ProbeFile *file = place->entry->file[TREB_WDL];
    if (file == NULL) return set_missing(pos, TREB_WDL, error);
    const OpenFile *open;
    int opened = file_get(file, &open, error);
    if (opened < 0) return opened;
    treb_position room;
    const treb_position *seen = set_orient(place, pos, &room);
    uint64_t cell = index_of_position(&open->index, seen);
    /* The pool is the set's changing part. */
    int verdict = file_cell((ProbePool *)&set->pool, open, seen->turn, cell, error);
    if (verdict != FILE_NO_VERDICT) return verdict;
    return file_damaged(open, "a cell has a code without meaning", error);
}

/* The best that the given moves lead to: 4 - the verdict of the position after one. -1 if there is
 * none. The first failure is put in *failure (0 if none) and *error. Stops at a win. */
static int best_of(const treb_tables *set, const treb_position *pos, const Move *moves, int count,
                   int *failure, treb_error *error)
{
    int best = -1;
    for (int i = 0; i < count && best < TREB_WIN; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        int verdict = wdl_value(set, &child, *failure == 0 ? error : NULL);
        if (verdict < 0) {
            if (*failure == 0) *failure = verdict;
        } else if (TREB_WIN - verdict > best) {
            best = TREB_WIN - verdict;
        }
    }
    return best;
}

/* The verdict from the rules and conversions alone, or -1 if they do not settle it. */
static int wdl_without_table(const treb_tables *set, const treb_position *pos)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), conversions = 0, failure = 0;
    if (count == 0) return position_in_check(pos) ? TREB_LOSS : TREB_DRAW;
    for (int i = 0; i < count; i++)
        if (move_is_conversion(pos, moves[i])) moves[conversions++] = moves[i];
    int best = best_of(set, pos, moves, conversions, &failure, NULL);
    if (best == TREB_WIN) return best;
    return conversions == count && failure == 0 ? best : -1;
}

/* Whether there is a legal move other than en passant captures. */
static bool has_other_moves(const treb_position *pos)
{
    treb_position bare = *pos;
    bare.ep = 0;
    return movegen_any(&bare);
}

int wdl_value(const treb_tables *set, const treb_position *pos, treb_error *error)
{
    Move captures[MOVES_MAX];
    int count = movegen_captures(pos, captures), failure = 0, best = -1;
    if (count > 0) {
        best = best_of(set, pos, captures, count, &failure, error);
        if (best == TREB_WIN) return best;
        if (pos->ep != 0 && !has_other_moves(pos)) return failure != 0 ? failure : best;
    }
    int stored = wdl_stored(set, pos, failure == 0 ? error : NULL);
    if (stored == TREB_WIN) return stored;
    if (stored < 0) {
        int verdict = stored == -(int)TREB_ERR_NO_TABLE ? wdl_without_table(set, pos) : -1;
        if (verdict >= 0) return verdict;
    }
    if (failure != 0) return failure;
    return stored > best || stored < 0 ? stored : best;
}

treb_status treb_probe_wdl(const treb_tables *tables, const treb_position *pos, treb_wdl *out,
                           treb_error *error)
{
    treb_error why;
    treb_status status = probe_check(pos, error);
    if (status != TREB_OK) return status;
    int verdict = wdl_value(tables, pos, error != NULL ? &why : NULL);
    if (verdict < 0) return probe_fail(verdict, &why, error);
    *out = (treb_wdl)verdict;
    return TREB_OK;
}
