/* probe_wdl.c - verdicts.
 *
 * A table stores a lower bound for a position. The captures complete it, and in some tables the last
 * pawn's promotion to a queen: the verdict is the best of the stored verdict and the verdicts that
 * such moves lead to. So they are tried first, and if one of them wins the table is not read. The
 * position's own table must be installed all the same. This is checked before any move is tried, so
 * that a position of many men whose tables are not installed costs little.
 *
 * A small table has one side to move. With the other side to move all moves are tried in the same
 * way, and nothing is stored. */
#include <assert.h>

#include "probe/file_cell.h"
#include "probe/file_open.h"
#include "probe/file_syzygy.h"
#include "probe/pawn_file.h"
#include "probe/prefetch.h"
#include "probe/probe.h"

/* ---- Without the position's own table -------------------------------------------------------- */

static int verdict_by_pawn_file(const ProbeReader *reader, const treb_position *pos, int why,
                                treb_error *error);

/* The verdict after an en passant capture, or minus a status. */
static int verdict_after_ep(const ProbeReader *reader, const treb_position *child, int why)
{
    if (probe_check_covered(child, NULL) == TREB_OK) return wdl_value(reader, child, NULL);
    if (movegen_any(child)) return verdict_by_pawn_file(reader, child, why, NULL);
    return position_in_check(child) ? TREB_LOSS : TREB_DRAW;
}

/* Completes the verdict of a pawn file, which leaves en passant out, by the legal en passant
 * captures. Takes and returns a verdict or PAWN_FILE_UNKNOWN. */
static int complete_ep(const ProbeReader *reader, const treb_position *pos, int verdict, int why)
{
    Move moves[MOVES_MAX];
    bool known = verdict != PAWN_FILE_UNKNOWN;
    int count = movegen_legal(pos, moves), captures = 0, most = -1, best = known ? verdict : -1;
    for (int i = 0; i < count; i++) {
        treb_position child;
        if (!move_is_ep(pos, moves[i])) continue;
        captures++;
        position_make(pos, moves[i], &child);
        int after = verdict_after_ep(reader, &child, why);
        if (after < 0)
            known = false;
        else if (TREB_WIN - after > most)
            most = TREB_WIN - after;
    }
    /* If there are no other moves the cell calls the position mate or stalemate, which it is
     * not. */
    if (captures == count) best = most;
    if (most > best) best = most;
    return (known && best >= 0) || best == TREB_WIN ? best : PAWN_FILE_UNKNOWN;
}

/* Says why no table answers: `why` is minus TREB_ERR_NO_TABLE, or minus TREB_ERR_MEN. Returns minus
 * a status. */
static int fail_uncovered(const treb_position *pos, int why, treb_error *error)
{
    if (why == -(int)TREB_ERR_NO_TABLE) return set_fail_missing(pos, TREB_WDL, error);
    return -(int)probe_check_covered(pos, error);
}

/* The verdict of a position that has moves and no table, en passant included. If no pawn file knows
 * it, fails as fail_uncovered does. */
static int verdict_by_pawn_file(const ProbeReader *reader, const treb_position *pos, int why,
                                treb_error *error)
{
    if (reader->set->pawn_file_count == 0) return fail_uncovered(pos, why, error);
    int verdict = pawn_file_verdict(reader, pos, error);
    if (verdict < 0) return verdict;
    if (verdict != TREB_WIN && pos->ep != 0 && position_ep_legal(pos))
        verdict = complete_ep(reader, pos, verdict, why);
    return verdict != PAWN_FILE_UNKNOWN ? verdict : fail_uncovered(pos, why, error);
}

/* The verdict of a position whose table is not installed. It is known if neither side can mate, or
 * the game is over, or a pawn file has it. `entry` may be NULL. */
static int wdl_without_table(const ProbeReader *reader, const SetEntry *entry,
                             const treb_position *pos, treb_error *error)
{
    if (entry != NULL && entry->drawn) return TREB_DRAW;
    if (movegen_any(pos)) return verdict_by_pawn_file(reader, pos, -(int)TREB_ERR_NO_TABLE, error);
    return position_in_check(pos) ? TREB_LOSS : TREB_DRAW;
}

/* ---- By the table ---------------------------------------------------------------------------- */

/* What a search for a verdict wants. */
typedef struct Wish {
    int enough; /* any verdict from this on is as good as a better one */
    /* The cell is read before the moves that complete it. It may be enough by itself, as those of
     * lost positions mostly are when all moves of a position are tried; else it was read for
     * nothing if one of these moves wins. */
    bool cell_first;
} Wish;

static int search_verdict(const ProbeReader *reader, const treb_position *pos, Wish wish,
                          treb_error *error);

/* What a search of the position after a move wants, where verdicts better than `best` matter. */
static Wish wish_after(Wish wish, int best)
{
    return (Wish){TREB_WIN - best, wish.cell_first || best > TREB_LOSS};
}

/* Reads the stored lower bound, without en passant. `open` is the file unless it is Syzygy's. Returns a
 * verdict, or minus a status. */
static int wdl_stored(const ProbeReader *reader, const SetPlace *place, ProbeFile *file,
                      const OpenTable *open, const treb_position *pos, treb_error *error)
{
    treb_position room;
    const treb_position *seen = set_orient(place, pos, &room);
    if (open == NULL) {
        const Syzygy *table;
        int ready = file_get_syzygy(reader, file, &table, error);
        if (ready == 0) ready = file_syzygy_ready(reader, file, table, seen, error);
        if (ready < 0) return ready;
        int stored = syzygy_verdict(table, seen, error);
        return stored >= 0 ? stored : file_syzygy_failed(file, stored);
    }
    uint64_t cell = index_of_position(&open->index[seen->turn], seen);
    int verdict = file_cell(reader, open, seen->turn, cell, error);
    if (verdict != FILE_NO_VERDICT) return verdict;
    return file_damaged(open, "a cell has a code without meaning", error);
}

/* Tries the remaining moves after one led to a position that is not in memory. Returns a verdict
 * that is enough if one of them leads there, else `missing`, the result of the move before.
 * All of the moves are tried, so that all that is missing is fetched, up to a failure of another
 * kind: that does not matter if the missing position turns out to be good enough. A function of its
 * own, not inlined, so that it does not slow down readers that wait. */
__attribute__((cold, noinline)) static int enough_or_missing(const ProbeReader *reader,
                                                             const treb_position *pos,
                                                             const Move *moves, int count,
                                                             Wish wish, int missing,
                                                             treb_error *error)
{
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        int verdict = search_verdict(reader, &child, wish_after(wish, wish.enough - 1), error);
        if (verdict >= 0 && TREB_WIN - verdict >= wish.enough) return TREB_WIN - verdict;
        if (verdict < 0 && !probe_not_ready(verdict)) break;
    }
    return missing;
}

/* The best verdict that the given moves lead to: 4 - the verdict of the position after one.
 * Stops at one that is enough, and at the first failure, which it returns. */
static int best_of(const ProbeReader *reader, const treb_position *pos, const Move *moves,
                   int count, Wish wish, treb_error *error)
{
    int best = TREB_LOSS;
    for (int i = 0; i < count && best < wish.enough; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        int verdict = search_verdict(reader, &child, wish_after(wish, best), error);
        if (verdict < 0) {
            if (!probe_not_ready(verdict)) return verdict;
            return enough_or_missing(reader, pos, moves + i + 1, count - i - 1, wish, verdict,
                                     error);
        }
        if (TREB_WIN - verdict > best) best = TREB_WIN - verdict;
    }
    return best;
}

/* Lists the moves that complete the stored verdict. */
static int list_completing(const OpenTable *open, const treb_position *pos, Move *out)
{
    const bool promotions = open != NULL && open->header->bounds && last_pawn_promotes(pos);
    return promotions ? movegen_completing(pos, out) : movegen_captures(pos, out);
}

/* Whether there is a legal move other than en passant captures. */
static bool has_other_moves(const treb_position *pos)
{
    treb_position bare = *pos;
    bare.ep = 0;
    return movegen_any(&bare);
}

/* Whether a file has no cells of the side to move. */
static bool lacks_side(const SetPlace *place, const OpenTable *open, const treb_position *pos)
{
    return open != NULL && !place->entry->symmetric && !open->stored[pos->turn ^ place->swapped];
}

/* Puts captures and promotions last: they lead to other files, which may not have the side to move
 * either, and then there are mostly good verdicts already. */
static void put_conversions_last(const treb_position *pos, Move *moves, int count)
{
    Move last[MOVES_MAX];
    int first = 0, conversions = 0;
    for (int i = 0; i < count; i++)
        if (move_is_conversion(pos, moves[i]))
            last[conversions++] = moves[i];
        else
            moves[first++] = moves[i];
    for (int i = 0; i < conversions; i++) moves[first + i] = last[i];
}

/* The verdict of a position whose side to move the file does not have. Such files are made only
 * where no quiet move takes a verdict over the limit of the 50-move rule. */
static int wdl_by_moves(const ProbeReader *reader, const treb_position *pos, int enough,
                        treb_error *error)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    if (count == 0) return position_in_check(pos) ? TREB_LOSS : TREB_DRAW;
    put_conversions_last(pos, moves, count);
    return best_of(reader, pos, moves, count, (Wish){enough, true}, error);
}

static int search_verdict(const ProbeReader *reader, const treb_position *pos, Wish wish,
                          treb_error *error)
{
    assert(probe_accepts(pos));
    const SetPlace *place = set_find(reader->set, pos);
    ProbeFile *file = place->entry != NULL ? place->entry->file[TREB_WDL] : NULL;
    if (file == NULL) return wdl_without_table(reader, place->entry, pos, error);
    /* The file is opened once: where it is not open yet another thread may open it at any time, and what
     * its header says must not be known for a part of the search only. */
    const OpenTable *open = NULL;
    treb_error why;
    const int opened =
        file_is_syzygy(file) ? 0 : file_get(reader, file, &open, error ? &why : NULL);
    if (lacks_side(place, open, pos)) return wdl_by_moves(reader, pos, wish.enough, error);
    Move completing[MOVES_MAX];
    int stored = opened;
    /* If there are no other moves than en passant the cell is no bound. */
    const bool first = wish.cell_first && pos->ep == 0 && opened == 0;
    if (first) stored = wdl_stored(reader, place, file, open, pos, error);
    if (first && stored >= wish.enough) return stored;
    int count = list_completing(open, pos, completing), best = TREB_LOSS, bar = best;
    if (count > 0) {
        bar = best = best_of(reader, pos, completing, count, wish, error);
        if (best < 0 || best >= wish.enough) {
            if (!probe_not_ready(best)) return best;
            /* The table may still say that this is enough, and it is to be fetched as well. */
            bar = wish.enough - 1;
        }
        if (pos->ep != 0 && !has_other_moves(pos)) return best;
    }
    if (!first && opened == 0) stored = wdl_stored(reader, place, file, open, pos, error);
    if (opened < 0 && error != NULL) *error = why;
    if (stored >= 0) return stored > bar ? stored : best;
    return best >= 0 ? stored : best;
}

int wdl_within(const ProbeReader *reader, const treb_position *pos, int enough, treb_error *error)
{
    return search_verdict(reader, pos, (Wish){enough, enough < TREB_WIN}, error);
}

int wdl_value(const ProbeReader *reader, const treb_position *pos, treb_error *error)
{
    return search_verdict(reader, pos, (Wish){TREB_WIN, false}, error);
}

int probe_verdict(const ProbeReader *reader, const treb_position *pos, treb_error *error)
{
    if (probe_check_covered(pos, NULL) == TREB_OK) return wdl_value(reader, pos, error);
    if (movegen_any(pos)) return verdict_by_pawn_file(reader, pos, -(int)TREB_ERR_MEN, error);
    return position_in_check(pos) ? TREB_LOSS : TREB_DRAW;
}

/* ---- Public ---------------------------------------------------------------------------------- */

static PrefetchProbe call_wdl;

typedef struct WdlCall {
    const treb_position *pos;
    treb_wdl *out;
    treb_error *error;
} WdlCall;

static treb_status probe_wdl(const ProbeReader *reader, const treb_position *pos, treb_wdl *out,
                             treb_error *error)
{
    treb_error why;
    treb_status status = probe_check(pos, error);
    if (status != TREB_OK && !probe_many_men(reader, pos, status)) return status;
    treb_error *from = error != NULL ? &why : NULL;
    int verdict =
        status == TREB_OK ? wdl_value(reader, pos, from) : probe_verdict(reader, pos, from);
    if (verdict < 0 && prefetch_needed(reader)) {
        WdlCall call = {pos, out, error};
        return prefetch_run(reader, call_wdl, &call, error);
    }
    if (verdict < 0) return probe_fail(verdict, &why, error);
    *out = (treb_wdl)verdict;
    return TREB_OK;
}

static treb_status call_wdl(const ProbeReader *reader, void *context)
{
    const WdlCall *call = (const WdlCall *)context;
    return probe_wdl(reader, call->pos, call->out, call->error);
}

treb_status treb_probe_wdl(const treb_tables *tables, const treb_position *pos, treb_wdl *out,
                           treb_error *error)
{
    return probe_wdl(set_reader(tables), pos, out, error);
}

treb_status treb_probe_wdl_try(const treb_tables *tables, const treb_position *pos, treb_wdl *out,
                               treb_error *error)
{
    const ProbeReader reader = {.set = tables, .wait = WAIT_NEVER};
    return probe_wdl(&reader, pos, out, error);
}

void treb_prefetch(const treb_tables *tables, const treb_position *pos)
{
    treb_wdl unused;
    const ProbeReader reader = {.set = tables, .wait = WAIT_NEVER_FETCH};
    (void)probe_wdl(&reader, pos, &unused, NULL);
}
