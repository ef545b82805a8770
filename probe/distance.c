/* distance.c - plies to the zeroing move, to conversion, to mate.
 *
 * A distance needs the verdict first. It is read from the table if the side to move is stored
 * there, or else found among the moves, whose own positions are stored. Of what the tables leave
 * out because a move reveals it, a win by a zeroing move (DTZ) or by a capture or promotion (DTC)
 * is at 1 and is looked for before anything is read.
 *
 * A DTM file's cells may be bounds: what a cell says is then one more move that competes with the
 * conversions.
 *
 * What a probe costs is bounded by two things. A conversion leads to another table, in which the
 * side to move may not be stored either: such moves are looked at last. And each search knows
 * between which two distances the answer still matters to the one above it (Window), and ends as
 * soon as its own is outside. */
#include <assert.h>

#include "core/system/error.h"
#include "probe/gather.h"
#include "probe/probe.h"
#include "probe/solved.h"

enum {
    DISTANCE_MAX = 1 << 20,
    ONE = 2,                          /* ply, see distance_plies */
    ONE_CURSED = 2 * (RULE_PLIES + 1) /* a zeroing move into a win that the rule spoils */
};

/* Distances as probe.h has them. One matters if it is more than `low` and less than `high`. One that
 * does not may be given as any other that is outside on the same side. */
typedef struct Window {
    int low, high;
} Window;

static const Window any_distance = {-1, DISTANCE_MAX};

static int distance_within(const treb_tables *set, treb_metric metric, const treb_position *pos,
                           int verdict, Window window, treb_error *error);

static bool is_win(int verdict) { return verdict > TREB_DRAW; }

int distance_most_left(treb_metric metric, int verdict)
{
    if (!is_win(verdict)) return TREB_WIN;
    return metric == TREB_DTZ && verdict == TREB_WIN ? TREB_LOSS : TREB_BLESSED_LOSS;
}

/* The distance of a move, as distance_of_move has it, within a window of the mover's. */
static int move_within(const treb_tables *set, treb_metric metric, const treb_position *pos, Move m,
                       const treb_position *child, int child_verdict, Window window,
                       treb_error *error)
{
    if (child_verdict == TREB_DRAW) return 0;
    if (metric == TREB_DTZ && move_is_zeroing(pos, m)) {
        bool in_time = child_verdict == TREB_LOSS || child_verdict == TREB_WIN;
        return in_time ? ONE : ONE_CURSED;
    }
    if (metric == TREB_DTC && move_is_conversion(pos, m)) return ONE;
    Window after = {window.low - ONE, window.high - ONE};
    int distance = distance_within(set, metric, child, child_verdict, after, error);
    return distance < 0 ? distance : distance + ONE;
}

int distance_of_move(const treb_tables *set, treb_metric metric, const treb_position *pos, Move m,
                     const treb_position *child, int child_verdict, treb_error *error)
{
    return move_within(set, metric, pos, m, child, child_verdict, any_distance, error);
}

/* ---- The best so far ------------------------------------------------------------------------- */

/* The least distance of a winner or the greatest of a loser, and where one must lie to change
 * that. */
typedef struct Best {
    bool win;
    bool lacking; /* a move could not be valued without waiting for a disk */
    int distance;
    Window window;
} Best;

static Best best_of_none(int verdict, Window window)
{
    bool win = is_win(verdict);
    return (Best){.win = win, .distance = win ? DISTANCE_MAX : 0, .window = window};
}

static void best_take(Best *best, int distance)
{
    Window *window = &best->window;
    if (best->win && distance < best->distance) {
        best->distance = distance;
        if (distance < window->high) window->high = distance;
    } else if (!best->win && distance > best->distance) {
        best->distance = distance;
        if (distance > window->low) window->low = distance;
    }
}

/* Whether nothing that may still come makes a difference. */
static bool best_settled(const Best *best)
{
    return best->win ? best->distance <= best->window.low : best->distance >= best->window.high;
}

/* A winner has a move that wins, or the tables were not made together. */
static int best_distance(const Best *best, const treb_position *pos, treb_error *error)
{
    if (best->lacking && !best_settled(best)) return -(int)TREB_ERR_NOT_READY;
    if (best->distance < DISTANCE_MAX) return best->distance;
    return set_contradicts(pos, error);
}

/* What a failure comes to: what is lacking may settle the matter, and then none matters. */
static int failure(const Best *best, int failed)
{
    return best->lacking ? -(int)TREB_ERR_NOT_READY : failed;
}

/* ---- Searching ------------------------------------------------------------------------------- */

/* Whether a move ends the count by this metric. */
static bool ends_count(treb_metric metric, const treb_position *pos, Move m)
{
    if (metric == TREB_DTZ) return move_is_zeroing(pos, m);
    return metric == TREB_DTC && move_is_conversion(pos, m);
}

/* The distance if some move wins that ends the count at once; 0 if none does, or minus a status.
 * Our tables hold that of wins that are cursed; Syzygy's do not. */
static int wins_at_once(const treb_tables *set, treb_metric metric, treb_format format,
                        const treb_position *pos, int verdict, treb_error *error)
{
    if (metric == TREB_DTM || !is_win(verdict)) return 0;
    bool cursed = metric == TREB_DTZ && verdict != TREB_WIN;
    if (cursed && format == TREB_FORMAT_TREBUCHET) return 0;
    Move moves[MOVES_MAX];
    bool pawns = pos->by_color[pos->turn] & pos->by_type[TREB_PAWN];
    int count = pawns ? movegen_legal(pos, moves) : movegen_captures(pos, moves), lacking = 0;
    for (int i = 0; i < count; i++) {
        if (!ends_count(metric, pos, moves[i])) continue;
        treb_position child;
        position_make(pos, moves[i], &child);
        int other = wdl_value(set, &child, error);
        if (probe_lacks(other)) lacking = other;
        if (other < 0 && lacking == 0) return other;
        if (other < 0) continue; /* what is lacking may win, and then no failure matters */
        if (other <= distance_most_left(metric, verdict)) return cursed ? ONE_CURSED : ONE;
    }
    return lacking;
}

/* Lets a move compete with the best so far, which notes it if that must wait for a disk: 0 or minus
 * a status. */
static int try_move(const treb_tables *set, treb_metric metric, const treb_position *pos, Move m,
                    int verdict, Best *best, treb_error *error)
{
    treb_position child;
    position_make(pos, m, &child);
    int other = wdl_value(set, &child, error), distance = other;
    if (other > distance_most_left(metric, verdict)) return 0;
    if (other >= 0) distance = move_within(set, metric, pos, m, &child, other, best->window, error);
    if (probe_lacks(distance)) {
        best->lacking = true;
        return 0;
    }
    if (distance < 0) return distance;
    best_take(best, distance);
    return 0;
}

/* The best distance among the moves. Those that stay in the table come first: the side to move
 * after them is stored there. */
static int search_moves(const treb_tables *set, treb_metric metric, const treb_position *pos,
                        int verdict, Window window, treb_error *error)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    Best best = best_of_none(verdict, window);
    for (int conversions = 0; conversions < 2; conversions++)
        for (int i = 0; i < count; i++) {
            if (move_is_conversion(pos, moves[i]) != (conversions == 1)) continue;
            int tried = try_move(set, metric, pos, moves[i], verdict, &best, error);
            if (tried < 0 && !best.lacking) return tried;
            if (best_settled(&best)) return best.distance;
        }
    return best_distance(&best, pos, error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The distance in a cell. */
static int read_cell(const treb_tables *set, const OpenFile *open, const treb_position *pos,
                     int verdict, treb_error *error)
{
    assert(open->stored[pos->turn]);
    uint64_t cell = index_of_position(&open->index[pos->turn], pos);
    int code = file_cell(&set->reader, open, pos->turn, cell, error);
    if (code < 0) return code;
    const TableSide *side = &open->header->side[pos->turn];
    if (code < side->codes[verdict]) return ONE * side->plies[verdict][code];
    return file_damaged(open, "a cell has a code without meaning", error);
}

/* The same from a cell that is a bound: the conversions complete it. It comes first, as most often
 * it settles the matter or leaves little to them. Of a won position, no conversion mates sooner
 * than at once. */
static int distance_bounded(const treb_tables *set, treb_metric metric, const OpenFile *open,
                            const treb_position *pos, const treb_position *seen, int verdict,
                            Window window, treb_error *error)
{
    Best best = best_of_none(verdict, window);
    int cell = read_cell(set, open, seen, verdict, error);
    if (cell < 0 && !probe_lacks(cell)) return cell;
    if (cell < 0)
        best.lacking = true;
    else
        best_take(&best, cell);
    if (best_settled(&best) || (best.win && best.distance <= ONE)) return best.distance;
    Move moves[MOVES_MAX];
    int count = movegen_completing(pos, moves);
    for (int i = 0; i < count; i++) {
        int tried = try_move(set, metric, pos, moves[i], verdict, &best, error);
        if (tried < 0 && !best.lacking) return tried;
        if (best_settled(&best)) return best.distance;
    }
    return best_distance(&best, pos, error);
}

/* The distance of a position whose side to move is stored. Where a move wins at once the cell
 * means nothing; but if it says no more than `low`, neither way matters, and the moves need not be
 * looked at. */
static int distance_stored(const treb_tables *set, treb_metric metric, const OpenFile *open,
                           const treb_position *pos, const treb_position *seen, int verdict,
                           Window window, treb_error *error)
{
    int distance = -1;
    if (open->header->bounds)
        return distance_bounded(set, metric, open, pos, seen, verdict, window, error);
    if (window.low > 0 && is_win(verdict)) {
        distance = read_cell(set, open, seen, verdict, NULL);
        if (distance >= 0 && distance <= window.low) return distance;
    }
    int at_once = wins_at_once(set, metric, TREB_FORMAT_TREBUCHET, pos, verdict, error);
    if (at_once != 0) return at_once;
    return distance >= 0 ? distance : read_cell(set, open, seen, verdict, error);
}

/* DTZ from a Syzygy file, which counts a ply of those who are mated. */
static int distance_syzygy(const treb_tables *set, const SetPlace *place, const treb_position *pos,
                           int verdict, Window window, treb_error *error)
{
    const Syzygy *table;
    ProbeFile *file = place->entry->file[TREB_DTZ];
    int opened = file_get_syzygy(&set->reader, file, &table, error);
    if (opened < 0) return opened;
    int at_once = wins_at_once(set, TREB_DTZ, TREB_FORMAT_SYZYGY, pos, verdict, error);
    if (at_once != 0) return at_once;
    treb_position room;
    const treb_position *seen = set_orient(place, pos, &room);
    if (!syzygy_stores(table, seen))
        return search_moves(set, TREB_DTZ, pos, verdict, window, error);
    int ready = file_syzygy_ready(&set->reader, file, table, seen, error);
    if (ready < 0) return ready;
    int distance = syzygy_dtz(table, seen, verdict, error);
    bool mated = distance >= 0 && distance < 2 * ONE && !is_win(verdict) && !movegen_any(pos);
    return mated ? 0 : distance;
}

/* En passant left out. */
static int distance_bare(const treb_tables *set, treb_metric metric, const SetPlace *place,
                         const treb_position *pos, int verdict, Window window, treb_error *error)
{
    const OpenFile *open;
    ProbeFile *file = place->entry->file[metric];
    if (file->format == TREB_FORMAT_SYZYGY)
        return distance_syzygy(set, place, pos, verdict, window, error);
    int opened = file_get(&set->reader, file, &open, error);
    if (opened < 0) return opened;
    treb_position room;
    const treb_position *seen = set_orient(place, pos, &room);
    if (open->stored[seen->turn])
        return distance_stored(set, metric, open, pos, seen, verdict, window, error);
    int at_once = wins_at_once(set, metric, TREB_FORMAT_TREBUCHET, pos, verdict, error);
    return at_once != 0 ? at_once : search_moves(set, metric, pos, verdict, window, error);
}

/* The best of the legal en passant captures and, where other moves exist, of the rest. */
static int distance_ep(const treb_tables *set, treb_metric metric, const SetPlace *place,
                       const treb_position *pos, int verdict, Window window, treb_error *error)
{
    treb_position bare = *pos;
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), captures = 0;
    Best best = best_of_none(verdict, window);
    bare.ep = 0;
    for (int i = 0; i < count; i++) {
        if (!move_is_ep(pos, moves[i])) continue;
        captures++;
        int tried = try_move(set, metric, pos, moves[i], verdict, &best, error);
        if (tried < 0 && !best.lacking) return tried;
    }
    if (captures < count && !best_settled(&best)) {
        int rest = wdl_value(set, &bare, error);
        if (rest < 0) return failure(&best, rest);
        if (TREB_WIN - rest <= distance_most_left(metric, verdict)) {
            int distance = distance_bare(set, metric, place, &bare, rest, best.window, error);
            if (distance < 0) return failure(&best, distance);
            best_take(&best, distance);
        }
    }
    return best_distance(&best, pos, error);
}

static int distance_within(const treb_tables *set, treb_metric metric, const treb_position *pos,
                           int verdict, Window window, treb_error *error)
{
    assert(probe_accepts(pos));
    assert(verdict >= TREB_LOSS && verdict <= TREB_WIN);
    assert(metric >= TREB_WDL && metric < TREB_METRICS);
    if (verdict == TREB_DRAW || metric == TREB_WDL) return 0;
    const SetPlace *place = set_find(set, pos);
    if (!set_has(place, metric)) return movegen_any(pos) ? set_missing(pos, metric, error) : 0;
    if (pos->ep != 0 && position_ep_legal(pos))
        return distance_ep(set, metric, place, pos, verdict, window, error);
    return distance_bare(set, metric, place, pos, verdict, window, error);
}

int distance_value(const treb_tables *set, treb_metric metric, const treb_position *pos,
                   int verdict, treb_error *error)
{
    return distance_within(set, metric, pos, verdict, any_distance, error);
}

/* ---- Public ---------------------------------------------------------------------------------- */

typedef struct DistanceCall {
    const treb_position *pos;
    treb_metric metric;
    treb_distance *out;
    treb_error *error;
} DistanceCall;

static treb_status call_distance(const treb_tables *set, void *context)
{
    const DistanceCall *call = context;
    return treb_probe_distance(set, call->pos, call->metric, call->out, call->error);
}

treb_status treb_probe_distance(const treb_tables *tables, const treb_position *pos,
                                treb_metric metric, treb_distance *out, treb_error *error)
{
    treb_error why;
    if (metric < TREB_WDL || metric >= TREB_METRICS) return probe_no_metric(error);
    treb_status status = probe_check(pos, error);
    if (status != TREB_OK && !probe_many_men(tables, pos, status)) return status;
    int verdict = probe_verdict(tables, pos, &why), distance = verdict;
    if (verdict >= 0 && status == TREB_OK)
        distance = distance_value(tables, metric, pos, verdict, &why);
    else if (verdict >= 0)
        distance = verdict == TREB_DRAW || metric == TREB_WDL || !movegen_any(pos) ? 0 : -(int)status;
    if (verdict >= 0 && distance < 0 && !probe_lacks(distance) && metric == TREB_DTZ) {
        int plies = solved_distance(tables, pos);
        if (plies >= 0) {
            *out = (treb_distance){(treb_wdl)verdict, plies, plies > 1 ? TREB_AT_MOST : TREB_EXACT};
            return TREB_OK;
        }
    }
    if (verdict >= 0 && status != TREB_OK && distance < 0)
        return fail(error, TREB_ERR_NO_TABLE, "this distance is not known of so many men");
    if (distance < 0 && gather_wanted(tables))
        return gather(tables, call_distance, &(DistanceCall){pos, metric, out, error});
    if (distance < 0) return probe_fail(distance, &why, error);
    *out = (treb_distance){(treb_wdl)verdict, distance_plies(distance), distance_rounded(distance)};
    return TREB_OK;
}

treb_status treb_probe_dtz(const treb_tables *tables, const treb_position *pos, treb_distance *out,
                           treb_error *error)
{
    return treb_probe_distance(tables, pos, TREB_DTZ, out, error);
}

treb_status treb_probe_dtc(const treb_tables *tables, const treb_position *pos, treb_distance *out,
                           treb_error *error)
{
    return treb_probe_distance(tables, pos, TREB_DTC, out, error);
}

treb_status treb_probe_dtm(const treb_tables *tables, const treb_position *pos, treb_distance *out,
                           treb_error *error)
{
    return treb_probe_distance(tables, pos, TREB_DTM, out, error);
}
