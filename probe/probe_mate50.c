/* probe_mate50.c - plies to mate under the 50-move rule (DTM50).
 *
 * The value depends on how many plies are left before the draw. A mate by the shortest line (DTM)
 * that takes no more plies than are left is the value, and DTZ says whether there is a mate in time
 * at all. Only between the two is the file of DTM50 needed: a cell has a profile, which says how
 * many plies the rule adds to DTM by the number of plies left. The file stores the sides to move
 * that the DTM file stores; for the other one, and with a right to capture en passant, the moves are
 * searched. After a capture or pawn move 100 plies are left.
 *
 * Values are numbers, the larger the better for the side to move: see Mate50 in probe.h. */
#include <assert.h>

#include "core/format/table_profile.h"
#include "core/system/error.h"
#include "probe/file_cell.h"
#include "probe/file_open.h"
#include "probe/prefetch.h"
#include "probe/probe.h"

enum { FAILED = -(1 << 20) }; /* FAILED - status: no value */

/* A value matters if it is more than `low` and less than `high`; otherwise any other on the same side
 * may be returned. */
typedef struct Bounds {
    int low, high;
} Bounds;

static bool is_failure(int value) { return value <= FAILED; }
static int failure(int result) { return FAILED + result; }
static int failure_result(int value) { return value - FAILED; }

static int mate_in(int verdict, int plies)
{
    return verdict == TREB_WIN ? MATE50_BEST - plies : plies - MATE50_BEST;
}

/* What a value after a move is worth to the side that made it; and the value before which it comes. */
static int one_ply_before(int value) { return value < 0 ? -value - 1 : value > 0 ? 1 - value : 0; }

static Bounds after_move(Bounds b) { return (Bounds){-b.high - 1, -b.low + 1}; }

/* The value of a position whose verdict is win or loss. `known` has the distances that are known. */
static int decided(const ProbeReader *reader, const treb_position *pos, int verdict, int left,
                   const Mate50Known *known, Bounds bounds, treb_error *error);

/* ---- By the moves ---------------------------------------------------------------------------- */

/* The value of a move that keeps the verdict; 0 if it does not. */
static int mate50_of_move(const ProbeReader *reader, const treb_position *pos, Move m, int verdict,
                          int left, Bounds bounds, treb_error *error)
{
    treb_position child;
    position_make(pos, m, &child);
    int other = verdict == TREB_LOSS ? (int)TREB_WIN : wdl_value(reader, &child, error);
    if (other < 0) return failure(other);
    if (other != TREB_WIN - verdict) return 0;
    int after = move_is_zeroing(pos, m) ? (int)RULE_PLIES : left - 1;
    int value = decided(reader, &child, other, after, &mate50_nothing, after_move(bounds), error);
    return is_failure(value) ? value : one_ply_before(value);
}

/* The best move; of captures and pawn moves alone if `zeroing`. Those that stay in the table are tried first. What is
 * missing is noted for all moves, and does not matter if another move settles the result. */
static int mate50_search(const ProbeReader *reader, const treb_position *pos, int verdict, int left,
                         bool zeroing, Bounds bounds, treb_error *error)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), best = -MATE50_BEST, missing = 0;
    for (int conversions = 0; conversions < 2; conversions++)
        for (int i = 0; i < count; i++) {
            if (move_is_conversion(pos, moves[i]) != (conversions == 1)) continue;
            if (zeroing && !move_is_zeroing(pos, moves[i])) continue;
            int value = mate50_of_move(reader, pos, moves[i], verdict, left, bounds, error);
            if (is_failure(value) && !probe_not_ready(failure_result(value)) && missing == 0)
                return value;
            if (is_failure(value)) missing = value;
            if (is_failure(value) || value <= best) continue;
            best = value;
            if (best > bounds.low) bounds.low = best;
            if (best >= bounds.high) return best;
        }
    return missing != 0 ? missing : best;
}

/* ---- By the tables --------------------------------------------------------------------------- */

static int read_place(const ProbeReader *reader, const OpenTable *open, const treb_position *pos, treb_error *error)
{
    return file_cell(reader, open, 0, index_of_position(&open->index[0], pos), error);
}

/* Returns how many plies the profile of a position of a class adds (table_profile_extra), or minus a status. The file
 * stores the side to move. */
static int read_extra(const ProbeReader *reader, const OpenTable *open, const treb_position *pos,
                      const TableProfileClass *of, unsigned short_by, treb_error *error)
{
    const TableProfiles *p = &open->header->profiles;
    const int place = of->count > 1 ? read_place(reader, open, pos, error) : 0;
    if (place < 0) return place;
    const int profile = table_profile_at(p, of, (unsigned)place);
    if (profile < 0) return file_damaged(open, "a cell has a code without meaning", error);
    if ((unsigned)profile < p->count)
        return table_profile_extra(open->header, of, (unsigned)profile, short_by);
    const uint64_t cell = index_of_position(&open->index[1], pos);
    return file_own_profile(reader, open, cell, of, short_by, error);
}

/* Opens the file for a position. Returns 1 if it stores the side to move, 0 if not, or minus a status. */
static int open_stored(const ProbeReader *reader, const SetPlace *place, const treb_position *seen,
                       const OpenTable **open, treb_error *error)
{
    int opened = file_get(reader, place->entry->file[TREB_DTM50], open, error);
    return opened < 0 ? opened : seen->turn == (*open)->header->profiles.turn;
}

/* The value of a position whose mate comes in time, but not by the shortest line. `seen` is the position as the file
 * stores it. The distances are exact. */
static int value_stored(const ProbeReader *reader, const OpenTable *open, const treb_position *pos,
                        const treb_position *seen, int left, int dtm, int dtz, Bounds bounds,
                        treb_error *error)
{
    const int verdict = dtm % 2 ? (int)TREB_WIN : (int)TREB_LOSS;
    const TableProfileClass *of = table_profile_class(open->header, dtm, dtz);
    if (of == NULL) return failure(file_damaged(open, "no position has such distances", error));
    int extra = read_extra(reader, open, seen, of, (unsigned)(dtm - left), error);
    if (extra < 0) return failure(extra);
    if (extra != TABLE_PROFILE_ZEROING) return mate_in(verdict, dtm + extra);
    return mate50_search(reader, pos, verdict, left, true, bounds, error);
}

/* The value of such a position, whichever side to move the file stores. */
static int bound_by_rule(const ProbeReader *reader, const treb_position *pos, int verdict, int left,
                         int dtm, int dtz, Bounds bounds, treb_error *error)
{
    const SetPlace *place = set_find(reader->set, pos);
    if (!set_has(place, TREB_DTM50)) return failure(set_fail_missing(pos, TREB_DTM50, error));
    if (pos->ep == 0 || !position_ep_legal(pos)) {
        const OpenTable *open;
        treb_position room;
        const treb_position *seen = set_orient(place, pos, &room);
        int stored = open_stored(reader, place, seen, &open, error);
        if (stored < 0) return failure(stored);
        if (stored) return value_stored(reader, open, pos, seen, left, dtm, dtz, bounds, error);
    }
    return mate50_search(reader, pos, verdict, left, false, bounds, error);
}

static int fail_rounded(const treb_position *pos, treb_error *error)
{
    if (error == NULL) return -(int)TREB_ERR_NO_TABLE;
    char name[MATERIAL_NAME_SIZE];
    Material material = material_of_position(pos);
    material_canonical(&material);
    material_name(&material, name);
    return -(int)fail(error, TREB_ERR_NO_TABLE,
                      "DTM50 of %s needs its DTZ file of Trebuchet: Syzygy's distances are rounded",
                      name);
}

static int distance_or_known(const ProbeReader *reader, treb_metric metric,
                             const treb_position *pos, int verdict, int known, treb_error *error)
{
    return known >= 0 ? known : distance_value(reader, metric, pos, verdict, error);
}

/* Notes what is read after the distance that is missing. */
static void note_rest(const ProbeReader *reader, const treb_position *pos)
{
    const OpenTable *open;
    treb_position room;
    const SetPlace *place = set_find(reader->set, pos);
    distance_note(reader, TREB_DTZ, pos);
    if (!set_has(place, TREB_DTM50)) return;
    const treb_position *seen = set_orient(place, pos, &room);
    if (open_stored(reader, place, seen, &open, NULL) > 0)
        (void)read_place(reader, open, seen, NULL);
}

static int decided(const ProbeReader *reader, const treb_position *pos, int verdict, int left,
                   const Mate50Known *known, Bounds bounds, treb_error *error)
{
    assert(verdict == TREB_WIN || verdict == TREB_LOSS);
    if (left == 0) return verdict == TREB_LOSS && !movegen_any(pos) ? -MATE50_BEST : 0;
    int dtm = distance_or_known(reader, TREB_DTM, pos, verdict, known->dtm, error);
    if (probe_noting(reader, dtm)) note_rest(reader, pos);
    if (dtm < 0) return failure(dtm);
    int most = mate_in(verdict, distance_plies(dtm));
    if (distance_plies(dtm) <= left) return most;
    /* A mate under the rule is never shorter: a winner has no more than this, a loser no less. */
    if (verdict == TREB_WIN ? most <= bounds.low : most >= bounds.high) return most;
    int dtz = distance_or_known(reader, TREB_DTZ, pos, verdict, known->dtz, error);
    if (dtz < 0) return failure(dtz);
    if (distance_plies(dtz) > left) return 0;
    if (distance_rounded(dtz)) return failure(fail_rounded(pos, error));
    return bound_by_rule(reader, pos, verdict, left, distance_plies(dtm), distance_plies(dtz),
                         bounds, error);
}

int mate50_value(const ProbeReader *reader, const treb_position *pos, int verdict, int left,
                 const Mate50Known *known, int *value, treb_error *error)
{
    const Bounds any = {-MATE50_BEST - 1, MATE50_BEST + 1};
    *value = 0;
    if (verdict != TREB_WIN && verdict != TREB_LOSS) return 0;
    int found = decided(reader, pos, verdict, left, known, any, error);
    if (is_failure(found)) return failure_result(found);
    *value = found;
    return 0;
}

int mate50_distance(const ProbeReader *reader, const treb_position *pos, treb_status covered,
                    int verdict, treb_distance *out, treb_error *error)
{
    int value = 0, result = 0;
    CellMemo memo; /* DTM, DTZ and the moves may need the same cells */
    ProbeReader remembers = *reader;
    if (reader->memo == NULL) remembers.memo = &memo;
    memo.used = false;
    if (covered == TREB_OK)
        result = mate50_value(&remembers, pos, verdict, mate50_left(pos->halfmove), &mate50_nothing,
                              &value, error);
    else if (verdict != TREB_DRAW)
        result =
            -(int)fail(error, TREB_ERR_NO_TABLE, "no table gives this distance for so many men");
    if (result < 0) return result;
    treb_wdl wdl =
        value != 0 ? (treb_wdl)verdict : treb_wdl_with_clock((treb_wdl)verdict, 1, RULE_PLIES);
    *out = (treb_distance){wdl, mate50_plies(value), TREB_EXACT};
    return 0;
}
