/* distance.c - plies to the zeroing move, to conversion, to mate.
 *
 * A distance needs the verdict first. It is read from the table if the side to move is stored
 * there, or else found among the moves, whose own positions are stored. Of what the tables leave
 * out because a move reveals it, a win by a zeroing move (DTZ) or by a capture or promotion (DTC)
 * is at 1 and is looked for before anything is read. */
#include "probe/probe.h"

enum { SCORE_TOP = 1 << 20, DTZ_LIMIT = 100 };

static bool is_win(int verdict) { return verdict > TREB_DRAW; }

/* More is better for the side to move: a near win, a far loss. */
static int score_of(int verdict, int plies)
{
    if (verdict == TREB_DRAW) return 0;
    return is_win(verdict) ? SCORE_TOP - plies : plies - SCORE_TOP;
}

static int plies_of(int score)
{
    if (score == 0) return 0;
    return score > 0 ? SCORE_TOP - score : score + SCORE_TOP;
}

int distance_of_move(const treb_tables *set, treb_metric metric, const treb_position *pos, Move m,
                     const treb_position *child, int child_verdict, treb_error *error)
{
    if (child_verdict == TREB_DRAW) return 0;
    if (metric == TREB_DTZ && move_is_zeroing(pos, m)) {
        bool in_time = child_verdict == TREB_LOSS || child_verdict == TREB_WIN;
        return in_time ? 1 : DTZ_LIMIT + 1;
    }
    if (metric == TREB_DTC && move_is_conversion(pos, m)) return 1;
    int plies = distance_value(set, metric, child, child_verdict, error);
    return plies < 0 ? plies : plies + 1;
}

/* Whether a move ends the count by this metric. */
static bool ends_count(treb_metric metric, const treb_position *pos, Move m)
{
    if (metric == TREB_DTZ) return move_is_zeroing(pos, m);
    return metric == TREB_DTC && move_is_conversion(pos, m);
}

/* Whether some move wins that ends the count at once: 1, 0, or minus a status. */
static int wins_at_once(const treb_tables *set, treb_metric metric, const treb_position *pos,
                        int verdict, treb_error *error)
{
    if (metric == TREB_DTM || !is_win(verdict)) return 0;
    if (metric == TREB_DTZ && verdict != TREB_WIN) return 0;
    Move moves[MOVES_MAX];
    bool pawns = pos->by_color[pos->turn] & pos->by_type[TREB_PAWN];
    int count = pawns ? movegen_legal(pos, moves) : movegen_captures(pos, moves), failure = 0;
    int most = metric == TREB_DTZ ? TREB_LOSS : TREB_BLESSED_LOSS; /* for the opponent */
    for (int i = 0; i < count; i++) {
        if (!ends_count(metric, pos, moves[i])) continue;
        treb_position child;
        position_make(pos, moves[i], &child);
        int other = wdl_value(set, &child, failure == 0 ? error : NULL);
        if (other < 0)
            failure = failure == 0 ? other : failure;
        else if (other <= most)
            return 1;
    }
    return failure;
}

/* Whether the rules and other materials settle a distance: every move leads there. */
static bool only_conversions(const treb_position *pos)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++)
        if (!move_is_conversion(pos, moves[i])) return false;
    return true;
}

/* The best distance among the moves. */
static int search_moves(const treb_tables *set, treb_metric metric, const treb_position *pos,
                        int verdict, treb_error *error)
{
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), best = -SCORE_TOP;
    /* What a move of a winner must leave: DTZ of a mere loss may exceed the rule by one ply. */
    int most = metric == TREB_DTZ && verdict == TREB_WIN ? TREB_LOSS : TREB_BLESSED_LOSS;
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_make(pos, moves[i], &child);
        int other = wdl_value(set, &child, error);
        if (other < 0) return other;
        if (is_win(verdict) && other > most) continue;
        int plies = distance_of_move(set, metric, pos, moves[i], &child, other, error);
        if (plies < 0) return plies;
        int score = score_of(verdict, plies);
        if (score > best) best = score;
    }
    return plies_of(best);
}

/* The value of the cell. */
static int read_stored(const treb_tables *set, const OpenFile *open, const treb_position *pos,
                       int verdict, treb_error *error)
{
    uint64_t cell = index_of_position(&open->index, pos);
    int code = file_cell((ProbePool *)&set->pool, open, pos->turn, cell, error);
    if (code < 0) return code;
    const TableSide *side = &open->header->side[pos->turn];
    if (code < side->codes[verdict]) return side->plies[verdict][code];
    return file_damaged(open, "a cell has a code without meaning", error);
}

/* En passant left out. */
static int distance_bare(const treb_tables *set, treb_metric metric, const treb_position *pos,
                         int verdict, treb_error *error)
{
    int at_once = wins_at_once(set, metric, pos, verdict, error);
    if (at_once != 0) return at_once;
    const SetPlace *place = set_find(set, pos);
    ProbeFile *file = place->entry != NULL ? place->entry->file[metric] : NULL;
    if (file == NULL) {
        if (only_conversions(pos)) return search_moves(set, metric, pos, verdict, error);
        return set_missing(pos, metric, error);
    }
    const OpenFile *open;
    int opened = file_get(file, &open, error);
    if (opened < 0) return opened;
    treb_position room;
    const treb_position *seen = set_orient(place, pos, &room);
    if (open->stored[seen->turn]) return read_stored(set, open, seen, verdict, error);
    return search_moves(set, metric, pos, verdict, error);
}

/* The best of the legal en passant captures and, where other moves exist, of the rest. */
static int distance_ep(const treb_tables *set, treb_metric metric, const treb_position *pos,
                       treb_error *error)
{
    treb_position bare = *pos, child;
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves), captures = 0, best = -SCORE_TOP;
    bare.ep = 0;
    for (int i = 0; i < count; i++) {
        if (!move_is_ep(pos, moves[i])) continue;
        captures++;
        position_make(pos, moves[i], &child);
        int other = wdl_value(set, &child, error);
        if (other < 0) return other;
        int plies = distance_of_move(set, metric, pos, moves[i], &child, other, error);
        if (plies < 0) return plies;
        int score = score_of(TREB_WIN - other, plies);
        if (score > best) best = score;
    }
    if (captures < count) {
        int verdict = wdl_value(set, &bare, error);
        if (verdict < 0) return verdict;
        int plies = distance_value(set, metric, &bare, verdict, error);
        if (plies < 0) return plies;
        int score = score_of(verdict, plies);
        if (score > best) best = score;
    }
    return plies_of(best);
}

int distance_value(const treb_tables *set, treb_metric metric, const treb_position *pos,
                   int verdict, treb_error *error)
{
    if (verdict == TREB_DRAW || metric == TREB_WDL) return 0;
    if (pos->ep != 0 && position_ep_legal(pos)) return distance_ep(set, metric, pos, error);
    return distance_bare(set, metric, pos, verdict, error);
}

treb_status treb_probe_distance(const treb_tables *tables, const treb_position *pos,
                                treb_metric metric, treb_distance *out, treb_error *error)
{
    treb_error why;
    if (metric < TREB_WDL || metric >= TREB_METRICS) return probe_no_metric(error);
    treb_status status = probe_check(pos, error);
    if (status != TREB_OK) return status;
    int verdict = wdl_value(tables, pos, &why), plies = verdict;
    if (verdict >= 0) plies = distance_value(tables, metric, pos, verdict, &why);
    if (plies < 0) return probe_fail(plies, &why, error);
    *out = (treb_distance){(treb_wdl)verdict, plies};
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
