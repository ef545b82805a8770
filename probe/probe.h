/* probe.h - the values of positions and moves. Private to probe/.
 *
 * Positions are checked by the callers in public functions: those here rely on position_check, on
 * at most TREB_MEN_MAX men and on no castling rights. Functions that return an int return what was
 * asked for, or minus a treb_status with *error (which may be NULL) filled. */
#ifndef TREB_PROBE_PROBE_H
#define TREB_PROBE_PROBE_H

#include "core/chess/movegen.h"
#include "probe/set.h"

/* Whether a result says that something is not in memory, by a view of the set that does not wait.
 * Who meets that goes on as long as the rest may settle the matter, or needs to be fetched too. */
static inline bool probe_lacks(int result) { return result == -(int)TREB_ERR_NOT_READY; }

/* The verdict at a clock of 0, en passant included. */
int wdl_value(const treb_tables *set, const treb_position *pos, treb_error *error);

/* Inside the library a distance is twice its plies, and 1 more if it may be one ply more: a Syzygy
 * file is rounded. The lesser of two such numbers is the lesser distance, as far as is known, and
 * the greater the greater. */
static inline int distance_plies(int distance) { return distance / 2; }
static inline int distance_rounded(int distance) { return distance & 1; }

/* The distance of a position whose verdict is known. */
int distance_value(const treb_tables *set, treb_metric metric, const treb_position *pos,
                   int verdict, treb_error *error);

/* The distance that a legal move means for the one who makes it, given the position after it and
 * the verdict there. */
int distance_of_move(const treb_tables *set, treb_metric metric, const treb_position *pos, Move m,
                     const treb_position *child, int child_verdict, treb_error *error);

/* What a move must leave to the opponent, at most, if it is to keep the mover's verdict; of a
 * loser's move nothing is asked. DTZ of a mere loss may exceed the rule by one ply. */
int distance_most_left(treb_metric metric, int verdict);

/* A capture or promotion, which leads to another material. */
static inline bool move_is_conversion(const treb_position *pos, Move m)
{
    return move_promo(m) != 0 || move_is_capture(pos, m);
}

/* Whether a position can arise; TREB_OK or why not. */
treb_status probe_check_possible(const treb_position *pos, treb_error *error);

/* Whether there can be a table for a position that can arise; TREB_OK or why not. */
treb_status probe_check_covered(const treb_position *pos, treb_error *error);

/* Both: whether a position can be probed at all. */
treb_status probe_check_fully(const treb_position *pos, treb_error *error);

/* Whether nothing is wrong at first sight: true only if probe_check_fully would accept. What that
 * asks about promoted men holds by itself with at most eight of them. */
static inline bool probe_plain(const treb_position *pos)
{
    uint64_t white = pos->by_color[TREB_WHITE], black = pos->by_color[TREB_BLACK];
    uint64_t kings = pos->by_type[TREB_KING], seen = 0, twice = white & black;
    for (int type = TREB_PAWN; type < TREB_TYPES; type++) {
        twice |= seen & pos->by_type[type];
        seen |= pos->by_type[type];
    }
    uint64_t occ = white | black, men = occ;
    for (int i = 0; i < TREB_MEN_MAX; i++) men &= men - 1; /* quicker than a count, everywhere */
    uint64_t edge = pos->by_type[TREB_PAWN] & (rank_bits(0) | rank_bits(7));
    if ((twice | (seen ^ occ) | men | edge) != 0) return false;
    if ((kings & white) == 0 || (kings & black) == 0 || bit_many(kings & white) ||
        bit_many(kings & black))
        return false;
    if (pos->turn > TREB_BLACK || (pos->ep | pos->castling) != 0) return false;
    int king = position_king(pos, pos->turn ^ 1);
    return square_attackers(pos, king, pos->turn, occ) == 0;
}

/* What the functions below public ones rely on; for assertions. */
static inline bool probe_accepts(const treb_position *pos)
{
    return position_check(pos, NULL) == TREB_OK && pos->castling == 0 &&
           bit_count(position_occupied(pos)) <= TREB_MEN_MAX;
}

static inline treb_status probe_check(const treb_position *pos, treb_error *error)
{
    return probe_plain(pos) ? TREB_OK : probe_check_fully(pos, error);
}

/* Whether a position is refused for its many men alone, and there are files that may have it. */
static inline bool probe_many_men(const treb_tables *set, const treb_position *pos,
                                  treb_status status)
{
    return status == TREB_ERR_MEN && set->solved_count > 0 && pos->castling == 0;
}

/* The verdict of any position: what no table covers is known by a solved pawn ending, or if the game is
 * over. */
int probe_verdict(const treb_tables *set, const treb_position *pos, treb_error *error);

/* Says that there is no such metric. */
treb_status probe_no_metric(treb_error *error);

/* Passes a failure on to the caller. `result` is minus a status. */
treb_status probe_fail(int result, const treb_error *from, treb_error *error);

#endif
