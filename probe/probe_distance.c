/* probe_distance.c - plies to the zeroing move (DTZ), to conversion (DTC), to mate (DTM).
 *
 * The verdict is known first. If the table stores the side to move the distance is read from it.
 * Else it is found by a search among the moves, as the positions after them are stored. Tables
 * leave out what a move reveals: a win by a zeroing move (DTZ) or by a capture or promotion (DTC)
 * has distance 1, and such moves are tried before anything is read.
 *
 * The cells of a DTM file may be bounds. The distance in such a cell then competes with those of
 * the captures and promotions.
 *
 * Two things bound the cost of a probe. A capture or promotion leads to another table, which may
 * not store the side to move either: such moves are tried last. And each search knows between which
 * two distances its result matters to the search above it (Window), and ends as soon as its result
 * is outside. */
#include <assert.h>

#include "core/system/error.h"
#include "probe/file_cell.h"
#include "probe/file_open.h"
#include "probe/file_syzygy.h"
#include "probe/pawn_file.h"
#include "probe/probe.h"

enum {
    DISTANCE_MAX = 1 << 20,
    ONE = 2,                          /* a distance of one ply, see distance_plies */
    ONE_CURSED = 2 * (RULE_PLIES + 1) /* a zeroing move into a win that the rule spoils */
};

/* Distances as in probe.h. A distance matters if it is more than `low` and less than `high`. A
 * function that takes a window may return, for a distance outside, any other distance outside on
 * the same side. */
typedef struct Window {
    int low, high;
} Window;

static const Window any_distance = {-1, DISTANCE_MAX};

/* distance_value within a window. */
static int distance_within(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                           int verdict, Window window, treb_error *error);

static bool is_win(int verdict) { return verdict > TREB_DRAW; }

int distance_most_left(treb_metric metric, int verdict)
{
    if (!is_win(verdict)) return TREB_WIN;
    return metric == TREB_DTZ && verdict == TREB_WIN ? TREB_LOSS : TREB_BLESSED_LOSS;
}

/* distance_of_move within a window. The window is about the result: the distance for the side that
 * moves. */
static int move_within(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                       Move m, const treb_position *child, int child_verdict, Window window,
                       treb_error *error)
{
    if (child_verdict == TREB_DRAW) return 0;
    if (metric == TREB_DTZ && move_is_zeroing(pos, m)) {
        bool in_time = child_verdict == TREB_LOSS || child_verdict == TREB_WIN;
        return in_time ? ONE : ONE_CURSED;
    }
    if (metric == TREB_DTC && move_is_conversion(pos, m)) return ONE;
    Window after = {window.low - ONE, window.high - ONE};
    int distance = distance_within(reader, metric, child, child_verdict, after, error);
    return distance < 0 ? distance : distance + ONE;
}

int distance_of_move(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                     Move m, const treb_position *child, int child_verdict, treb_error *error)
{
    return move_within(reader, metric, pos, m, child, child_verdict, any_distance, error);
}

/* ---- The best so far ------------------------------------------------------------------------- */

/* The best distance found so far, the least for a winner and the greatest for a loser, and the
 * window in which a distance must lie to be better. */
typedef struct Best {
    bool win;
    bool missing; /* a move could not be evaluated without waiting */
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

/* Whether no further move can make a difference. */
static bool best_is_final(const Best *best)
{
    return best->win ? best->distance <= best->window.low : best->distance >= best->window.high;
}

/* The result of a search. A winner has a winning move, else the tables contradict each other. */
static int best_distance(const Best *best, const treb_position *pos, treb_error *error)
{
    if (best->missing && !best_is_final(best)) return -(int)TREB_ERR_NOT_READY;
    if (best->distance < DISTANCE_MAX) return best->distance;
    return set_fail_contradiction(pos, error);
}

/* The result of a search that failed. If something is missing it may decide the result, and then
 * the failure does not matter. */
static int failed_search(const Best *best, int failed)
{
    return best->missing ? -(int)TREB_ERR_NOT_READY : failed;
}

/* ---- Searching ------------------------------------------------------------------------------- */

/* Whether the metric counts to this move. */
static bool ends_count(treb_metric metric, const treb_position *pos, Move m)
{
    if (metric == TREB_DTZ) return move_is_zeroing(pos, m);
    return metric == TREB_DTC && move_is_conversion(pos, m);
}

/* Looks for a winning move to which the metric counts. Returns the distance then, 0 if there is
 * none, or minus a status. Our DTZ tables hold the distance of a cursed win also in this case;
 * Syzygy's do not. */
static int wins_at_once(const ProbeReader *reader, treb_metric metric, treb_format format,
                        const treb_position *pos, int verdict, treb_error *error)
{
    if (metric == TREB_DTM || !is_win(verdict)) return 0;
    bool cursed = metric == TREB_DTZ && verdict != TREB_WIN;
    if (cursed && format == TREB_FORMAT_TREBUCHET) return 0;
    Move moves[MOVES_MAX];
    bool pawns = pos->by_color[pos->turn] & pos->by_type[TREB_PAWN];
    int count = pawns ? movegen_legal(pos, moves) : movegen_captures(pos, moves), missing = 0;
    for (int i = 0; i < count; i++) {
        if (!ends_count(metric, pos, moves[i])) continue;
        treb_position child;
        position_make(pos, moves[i], &child);
        int most = distance_most_left(metric, verdict);
        int other = wdl_within(reader, &child, most + 1, error);
        if (probe_not_ready(other)) missing = other;
        if (other < 0 && missing == 0) return other;
        if (other < 0) continue; /* does not matter if the missing position is won */
        if (other <= most) return cursed ? ONE_CURSED : ONE;
    }
    return missing;
}

/* The verdict of the position after a move, or any more than `most`, if it is more. If the position
 * before it is lost, all moves lead to won ones, and nothing is read. */
static int verdict_after(const ProbeReader *reader, int verdict, int most,
                         const treb_position *child, treb_error *error)
{
    if (verdict == TREB_LOSS) return TREB_WIN;
    return wdl_within(reader, child, most < TREB_WIN ? most + 1 : (int)TREB_WIN, error);
}

/* Compares a move with the best so far. Sets best->missing if the move cannot be evaluated without
 * waiting. Returns 0, or minus another status. */
static int try_move(const ProbeReader *reader, treb_metric metric, const treb_position *pos, Move m,
                    int verdict, Best *best, treb_error *error)
{
    treb_position child;
    position_make(pos, m, &child);
    const int most = distance_most_left(metric, verdict);
    int other = verdict_after(reader, verdict, most, &child, error), distance = other;
    if (other > most) return 0;
    if (other >= 0)
        distance = move_within(reader, metric, pos, m, &child, other, best->window, error);
    if (probe_noting(reader, other) && !ends_count(metric, pos, m))
        distance_note(reader, metric, &child);
    if (probe_not_ready(distance)) {
        best->missing = true;
        return 0;
    }
    if (distance < 0) return distance;
    best_take(best, distance);
    return 0;
}

/* Finds the distance among the moves. Moves that stay in the table are tried first, as it stores
 * the side to move after them. */
static int search_moves(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                        int verdict, Window window, treb_error *error)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    Best best = best_of_none(verdict, window);
    for (int conversions = 0; conversions < 2; conversions++)
        for (int i = 0; i < count; i++) {
            if (move_is_conversion(pos, moves[i]) != (conversions == 1)) continue;
            int tried = try_move(reader, metric, pos, moves[i], verdict, &best, error);
            if (tried < 0 && !best.missing) return tried;
            if (best_is_final(&best)) return best.distance;
        }
    return best_distance(&best, pos, error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

enum { NO_MEANING = -1000 }; /* less than minus any status */

/* Reads the distance in the cell of a position: NO_MEANING if its code has none. */
static int read_any_cell(const ProbeReader *reader, const OpenTable *open, const treb_position *pos,
                         int verdict, treb_error *error)
{
    assert(open->stored[pos->turn]);
    uint64_t cell = index_of_position(&open->index[pos->turn], pos);
    int code = file_cell(reader, open, pos->turn, cell, error);
    if (code < 0) return code;
    const TableSide *side = &open->header->side[pos->turn];
    return code < side->codes[verdict] ? ONE * side->plies[verdict][code] : NO_MEANING;
}

/* Reads the distance in the cell of a position, whose code must have a meaning. */
static int read_cell(const ProbeReader *reader, const OpenTable *open, const treb_position *pos,
                     int verdict, treb_error *error)
{
    int distance = read_any_cell(reader, open, pos, verdict, error);
    if (distance != NO_MEANING) return distance;
    return file_damaged(open, "a cell has a code without meaning", error);
}

/* The distance of a position whose cell is a bound: captures and promotions complete it. The cell
 * is read first, as it often decides the result or leaves few moves to try. A mate in one cannot be
 * improved. */
static int distance_bounded(const ProbeReader *reader, treb_metric metric, const OpenTable *open,
                            const treb_position *pos, const treb_position *seen, int verdict,
                            Window window, treb_error *error)
{
    Best best = best_of_none(verdict, window);
    int cell = read_cell(reader, open, seen, verdict, error);
    if (cell < 0 && !probe_not_ready(cell)) return cell;
    if (cell < 0)
        best.missing = true;
    else
        best_take(&best, cell);
    if (best_is_final(&best) || (best.win && best.distance <= ONE)) return best.distance;
    Move moves[MOVES_MAX];
    int count = movegen_completing(pos, moves);
    for (int i = 0; i < count; i++) {
        int tried = try_move(reader, metric, pos, moves[i], verdict, &best, error);
        if (tried < 0 && !best.missing) return tried;
        if (best_is_final(&best)) return best.distance;
    }
    return best_distance(&best, pos, error);
}

/* The distance of a position whose side to move is stored. If a move wins at once the cell means
 * nothing. But if the cell says `low` or less, the distance is outside the window in both cases,
 * and no move is tried. */
static int distance_stored(const ProbeReader *reader, treb_metric metric, const OpenTable *open,
                           const treb_position *pos, const treb_position *seen, int verdict,
                           Window window, treb_error *error)
{
    int distance = -1;
    if (open->header->bounds)
        return distance_bounded(reader, metric, open, pos, seen, verdict, window, error);
    if (window.low > 0 && is_win(verdict)) {
        distance = read_any_cell(reader, open, seen, verdict, NULL);
        if (distance >= 0 && distance <= window.low) return distance;
    }
    int at_once = wins_at_once(reader, metric, TREB_FORMAT_TREBUCHET, pos, verdict, error);
    if (at_once != 0) return at_once;
    return distance >= 0 ? distance : read_cell(reader, open, seen, verdict, error);
}

/* DTZ from a Syzygy file. It counts one ply for a position that is mate, we count none. */
static int distance_syzygy(const ProbeReader *reader, const SetPlace *place,
                           const treb_position *pos, int verdict, Window window, treb_error *error)
{
    const Syzygy *table;
    ProbeFile *file = place->entry->file[TREB_DTZ];
    int opened = file_get_syzygy(reader, file, &table, error);
    if (opened < 0) return opened;
    int at_once = wins_at_once(reader, TREB_DTZ, TREB_FORMAT_SYZYGY, pos, verdict, error);
    if (at_once != 0) return at_once;
    treb_position room;
    const treb_position *seen = set_orient(place, pos, &room);
    if (!syzygy_stores(table, seen))
        return search_moves(reader, TREB_DTZ, pos, verdict, window, error);
    int ready = file_syzygy_ready(reader, file, table, seen, error);
    if (ready < 0) return ready;
    int distance = syzygy_dtz(table, seen, verdict, error);
    if (distance < 0) return file_syzygy_failed(file, distance);
    bool mated = distance < 2 * ONE && !is_win(verdict) && !movegen_any(pos);
    return mated ? 0 : distance;
}

/* The distance of a position whose table is installed, without en passant. */
static int distance_bare(const ProbeReader *reader, treb_metric metric, const SetPlace *place,
                         const treb_position *pos, int verdict, Window window, treb_error *error)
{
    const OpenTable *open;
    ProbeFile *file = place->entry->file[metric];
    if (file_is_syzygy(file))
        return distance_syzygy(reader, place, pos, verdict, window, error);
    int opened = file_get(reader, file, &open, error);
    if (opened < 0) return opened;
    treb_position room;
    const treb_position *seen = set_orient(place, pos, &room);
    if (open->stored[seen->turn])
        return distance_stored(reader, metric, open, pos, seen, verdict, window, error);
    int at_once = wins_at_once(reader, metric, TREB_FORMAT_TREBUCHET, pos, verdict, error);
    return at_once != 0 ? at_once : search_moves(reader, metric, pos, verdict, window, error);
}

/* The distance of a position with legal en passant captures: the best of these captures and, if
 * there are other moves, of the position without en passant. */
static int distance_ep(const ProbeReader *reader, treb_metric metric, const SetPlace *place,
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
        int tried = try_move(reader, metric, pos, moves[i], verdict, &best, error);
        if (tried < 0 && !best.missing) return tried;
    }
    if (captures < count && !best_is_final(&best)) {
        int rest = wdl_value(reader, &bare, error);
        if (rest < 0) return failed_search(&best, rest);
        if (TREB_WIN - rest <= distance_most_left(metric, verdict)) {
            int distance = distance_bare(reader, metric, place, &bare, rest, best.window, error);
            if (distance < 0) return failed_search(&best, distance);
            best_take(&best, distance);
        }
    }
    return best_distance(&best, pos, error);
}

static int distance_within(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                           int verdict, Window window, treb_error *error)
{
    assert(probe_accepts(pos));
    assert(verdict >= TREB_LOSS && verdict <= TREB_WIN);
    assert(metric >= TREB_WDL && metric < TREB_METRICS);
    if (verdict == TREB_DRAW || metric == TREB_WDL) return 0;
    const SetPlace *place = set_find(reader->set, pos);
    if (!set_has(place, metric)) return movegen_any(pos) ? set_fail_missing(pos, metric, error) : 0;
    if (pos->ep != 0 && position_ep_legal(pos))
        return distance_ep(reader, metric, place, pos, verdict, window, error);
    return distance_bare(reader, metric, place, pos, verdict, window, error);
}

int distance_value(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                   int verdict, treb_error *error)
{
    return distance_within(reader, metric, pos, verdict, any_distance, error);
}

/* ---- Noting ---------------------------------------------------------------------------------- */

static bool file_is_closed(const ProbeFile *file)
{
    return atomic_load_explicit(&file->open, memory_order_acquire) == NULL &&
           atomic_load_explicit(&file->syzygy, memory_order_acquire) == NULL;
}

/* What the cell of a position says about what else its distance needs. */
typedef enum NotedCell {
    NOTED_ALL,   /* nothing else, or the file is not open */
    NOTED_BOUND, /* captures and promotions complete it */
    NOTED_NONE   /* the file has no cells for the side to move: the moves are searched */
} NotedCell;

/* Notes the cell of a position, or that its file is to be opened. */
static NotedCell note_cell(const ProbeReader *reader, treb_metric metric, const SetPlace *place,
                           const treb_position *pos)
{
    const OpenTable *open;
    const Syzygy *table;
    ProbeFile *file = place->entry->file[metric];
    treb_position room;
    const treb_position *seen = set_orient(place, pos, &room);
    if (file->format == TREB_FORMAT_SYZYGY) {
        if (file_get_syzygy(reader, file, &table, NULL) < 0) return NOTED_ALL;
        if (!syzygy_stores(table, seen)) return NOTED_NONE;
        (void)file_syzygy_ready(reader, file, table, seen, NULL);
        return NOTED_ALL;
    }
    if (file_get(reader, file, &open, NULL) < 0) return NOTED_ALL;
    if (!open->stored[seen->turn]) return NOTED_NONE;
    uint64_t cell = index_of_position(&open->index[seen->turn], seen);
    (void)file_cell(reader, open, seen->turn, cell, NULL);
    return open->header->bounds ? NOTED_BOUND : NOTED_ALL;
}

static void note_distance(const ProbeReader *reader, treb_metric metric, const SetPlace *place,
                          const treb_position *pos, int more);

/* Notes the verdicts of the positions after the given moves, and their distances. */
static void note_moves(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                       const Move *moves, int count, int more)
{
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        int verdict = wdl_value(reader, &child, NULL);
        const SetPlace *place = set_find(reader->set, &child);
        if (verdict != TREB_DRAW && !ends_count(metric, pos, moves[i]) && set_has(place, metric))
            note_distance(reader, metric, place, &child, more);
    }
}

/* Notes that the files of a material are to be opened. Only verdicts and mate distances go on behind a capture or
 * promotion. */
static void note_files(const ProbeReader *reader, const SetPlace *place)
{
    const OpenTable *open;
    const Syzygy *table;
    for (int m = TREB_WDL; m < TREB_METRICS; m += TREB_DTM - TREB_WDL) {
        ProbeFile *file = place->entry != NULL ? place->entry->file[m] : NULL;
        if (file != NULL && file->format == TREB_FORMAT_SYZYGY)
            (void)file_get_syzygy(reader, file, &table, NULL);
        else if (file != NULL)
            (void)file_get(reader, file, &open, NULL);
    }
}

/* Notes the files of what captures and promotions lead to, now or after one quiet move, and after these to `more` of
 * them. */
static void note_conversions(const ProbeReader *reader, const treb_position *pos, bool quiet,
                             int more)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        treb_position child;
        bool conversion = move_is_conversion(pos, moves[i]);
        if (!conversion && !quiet) continue;
        position_make(pos, moves[i], &child);
        if (conversion) note_files(reader, set_find(reader->set, &child));
        if (!conversion || more > 0)
            note_conversions(reader, &child, quiet && conversion, conversion ? more - 1 : more);
    }
}

/* Notes the files of all materials with one man less. */
static void note_captures(const ProbeReader *reader, const treb_position *pos)
{
    const uint64_t key = set_key(pos);
    for (int color = 0; color < 2; color++)
        for (int type = TREB_PAWN; type < TREB_KING; type++)
            if ((pos->by_color[color] & pos->by_type[type]) != 0)
                note_files(reader, set_place(reader->set, key - set_unit(color, type)));
}

/* Notes the cell of a position and, `more` times, those of the moves that complete it or take its place. */
static void note_distance(const ProbeReader *reader, treb_metric metric, const SetPlace *place,
                          const treb_position *pos, int more)
{
    Move moves[MOVES_MAX];
    NotedCell noted = note_cell(reader, metric, place, pos);
    if (more == 0) return;
    if (noted == NOTED_NONE)
        note_moves(reader, metric, pos, moves, movegen_legal(pos, moves), more - 1);
    else if (noted == NOTED_BOUND)
        note_moves(reader, metric, pos, moves, movegen_completing(pos, moves), more - 1);
}

void distance_note(const ProbeReader *reader, treb_metric metric, const treb_position *pos)
{
    enum { MORE = 2 };
    const SetPlace *place = set_find(reader->set, pos);
    if (!set_has(place, metric)) return;
    note_distance(reader, metric, place, pos, MORE);
    if (metric != TREB_DTM || !file_is_closed(place->entry->file[metric])) return;
    note_captures(reader, pos);
    note_conversions(reader, pos, true, MORE);
}

int distance_known(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                   treb_status covered, int verdict, treb_distance *out, treb_error *error)
{
    int distance = -(int)covered;
    if (covered == TREB_OK)
        distance = distance_value(reader, metric, pos, verdict, error);
    else if (verdict == TREB_DRAW || metric == TREB_WDL || !movegen_any(pos))
        distance = 0;
    if (distance < 0 && !probe_not_ready(distance) && metric == TREB_DTZ) {
        int plies = pawn_file_distance(reader, pos);
        if (plies >= 0) {
            *out = (treb_distance){(treb_wdl)verdict, plies, plies > 1 ? TREB_AT_MOST : TREB_EXACT};
            return 0;
        }
    }
    if (distance < 0 && covered != TREB_OK)
        return -(int)fail(error, TREB_ERR_NO_TABLE,
                          "no table gives this distance for so many men");
    if (distance < 0) return distance;
    *out = (treb_distance){(treb_wdl)verdict, distance_plies(distance), distance_rounded(distance)};
    return 0;
}
