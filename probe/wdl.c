/* wdl.c - verdicts.
 *
 * What a table stores for a position is a lower bound, which the captures complete: the verdict
 * is the best of the stored one and those that legal captures lead to. So captures come first,
 * and when one of them wins the table is not looked at. The position's own table must be there
 * all the same, and is asked for before any move is looked at: a position of many men whose
 * tables are not installed costs nothing. */
#include <assert.h>

#include "probe/gather.h"
#include "probe/probe.h"
#include "probe/solved.h"

/* What is known of a position without its own table: whether nobody can win, or it is over. Else
 * a solved pawn ending may have it. */
static int wdl_without_table(const treb_tables *set, const SetEntry *entry,
                             const treb_position *pos, treb_error *error)
{
    if (entry != NULL && entry->drawn) return TREB_DRAW;
    if (movegen_any(pos)) return solved_verdict(set, pos, -(int)TREB_ERR_NO_TABLE, error);
    return position_in_check(pos) ? TREB_LOSS : TREB_DRAW;
}

/* The stored lower bound, en passant left out. */
static int wdl_stored(const treb_tables *set, const SetPlace *place, ProbeFile *file,
                      const treb_position *pos, treb_error *error)
{
    treb_position room;
    const treb_position *seen = set_orient(place, pos, &room);
    if (file->format == TREB_FORMAT_SYZYGY) {
        const Syzygy *table;
        int ready = file_get_syzygy(&set->reader, file, &table, error);
        if (ready == 0) ready = file_syzygy_ready(&set->reader, file, table, seen, error);
        return ready < 0 ? ready : syzygy_verdict(table, seen, error);
    }
    const OpenFile *open;
    int opened = file_get(&set->reader, file, &open, error);
    if (opened < 0) return opened;
    uint64_t cell = index_of_position(&open->index[seen->turn], seen);
    int verdict = file_cell(&set->reader, open, seen->turn, cell, error);
    if (verdict != FILE_NO_VERDICT) return verdict;
    return file_damaged(open, "a cell has a code without meaning", error);
}

/* What the given captures lead to where one before them led to something that is not in memory: a
 * win if one of them wins, or what is lacking. All of it is fetched, up to a failure of another
 * kind, which does not matter if what is lacking wins. Apart, so that those who wait need not go
 * around it. */
__attribute__((cold, noinline)) static int win_or_lacking(const treb_tables *set,
                                                          const treb_position *pos,
                                                          const Move *captures, int count,
                                                          int lacking, treb_error *error)
{
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_make(pos, captures[i], &child);
        int verdict = wdl_value(set, &child, error);
        if (verdict == TREB_LOSS) return TREB_WIN;
        if (verdict < 0 && !probe_lacks(verdict)) break;
    }
    return lacking;
}

/* The best that the given captures lead to: 4 - the verdict of the position after one. The first
 * failure ends it. Stops at a win. */
static int best_of(const treb_tables *set, const treb_position *pos, const Move *captures,
                   int count, treb_error *error)
{
    int best = TREB_LOSS;
    for (int i = 0; i < count && best < TREB_WIN; i++) {
        treb_position child;
        position_make(pos, captures[i], &child);
        int verdict = wdl_value(set, &child, error);
        if (verdict < 0) {
            if (!probe_lacks(verdict)) return verdict;
            return win_or_lacking(set, pos, captures + i + 1, count - i - 1, verdict, error);
        }
        if (TREB_WIN - verdict > best) best = TREB_WIN - verdict;
    }
    return best;
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
    assert(probe_accepts(pos));
    const SetPlace *place = set_find(set, pos);
    ProbeFile *file = place->entry != NULL ? place->entry->file[TREB_WDL] : NULL;
    if (file == NULL) return wdl_without_table(set, place->entry, pos, error);
    Move captures[MOVES_MAX];
    int count = movegen_captures(pos, captures), best = TREB_LOSS, bar = best;
    if (count > 0) {
        bar = best = best_of(set, pos, captures, count, error);
        if (best < 0 || best == TREB_WIN) {
            if (!probe_lacks(best)) return best;
            /* The table alone may still say that it is a win, and is to be fetched, too. */
            bar = TREB_CURSED_WIN;
        }
        if (pos->ep != 0 && !has_other_moves(pos)) return best;
    }
    int stored = wdl_stored(set, place, file, pos, error);
    if (stored >= 0) return stored > bar ? stored : best;
    return best >= 0 ? stored : best;
}

int probe_verdict(const treb_tables *set, const treb_position *pos, treb_error *error)
{
    if (probe_check_covered(pos, NULL) == TREB_OK) return wdl_value(set, pos, error);
    if (movegen_any(pos)) return solved_verdict(set, pos, -(int)TREB_ERR_MEN, error);
    return position_in_check(pos) ? TREB_LOSS : TREB_DRAW;
}

typedef struct WdlCall {
    const treb_position *pos;
    treb_wdl *out;
    treb_error *error;
} WdlCall;

static treb_status call_wdl(const treb_tables *set, void *context)
{
    const WdlCall *call = context;
    return treb_probe_wdl(set, call->pos, call->out, call->error);
}

treb_status treb_probe_wdl(const treb_tables *tables, const treb_position *pos, treb_wdl *out,
                           treb_error *error)
{
    treb_error why;
    treb_status status = probe_check(pos, error);
    if (status != TREB_OK && !probe_many_men(tables, pos, status)) return status;
    int verdict = probe_verdict(tables, pos, error != NULL ? &why : NULL);
    if (verdict < 0 && gather_wanted(tables))
        return gather(tables, call_wdl, &(WdlCall){pos, out, error});
    if (verdict < 0) return probe_fail(verdict, &why, error);
    *out = (treb_wdl)verdict;
    return TREB_OK;
}
