/* probe.h - the values of positions and moves. Private to probe/.
 *
 *   probe_wdl.c      verdicts
 *   probe_distance.c DTZ, DTC and DTM of positions
 *   probe_mate50.c   mate under the 50-move rule
 *   probe_metric.c   public functions that give a distance in any metric
 *   probe_same.c     where DTC is DTZ
 *   probe_moves.c    values under the 50-move rule of a position and its moves, the best line
 *   probe_rule.c     results under the 50-move rule
 *   probe_many.c     many positions in one call
 *   probe_public.c   checks of positions, texts and other public functions that need no tables
 *
 * Public functions check positions. The functions here rely on that: the position passes
 * position_check, has at most TREB_MEN_MAX men and no castling rights. Functions that return an int
 * return a result, or minus a treb_status with *error filled. `error` may be NULL. */
#ifndef TREB_PROBE_PROBE_H
#define TREB_PROBE_PROBE_H

#include "core/chess/movegen.h"
#include "probe/set.h"

/* Whether a result says that something is not in memory, for a reader that does not wait. A caller
 * that gets this goes on if the rest can still decide the result, or has to be fetched as well. */
static inline bool probe_not_ready(int result) { return result == -(int)TREB_ERR_NOT_READY; }

/* The verdict (a treb_wdl) of a position with a halfmove clock of 0, en passant included. */
int wdl_value(const ProbeReader *reader, const treb_position *pos, treb_error *error);

/* Returns what wdl_value does if that is less than `enough`; else a verdict from `enough` up to it,
 * which takes less time to find. */
int wdl_within(const ProbeReader *reader, const treb_position *pos, int enough, treb_error *error);

/* Inside the library a distance is a number: twice its plies, plus 1 if the true distance may be
 * one ply more, as Syzygy files are rounded. Comparing two such numbers compares the distances as
 * far as they are known. */
static inline int distance_plies(int distance) { return distance / 2; }
static inline int distance_rounded(int distance) { return distance & 1; }

/* The distance of a position whose verdict is known. */
int distance_value(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                   int verdict, treb_error *error);

/* For a probe that notes what is missing (probe/prefetch.h): notes what the distance of a position is read from, as its
 * verdict is not known yet and the distance will be asked for. So both are fetched at the same time, rather than one after
 * the other. */
void distance_note(const ProbeReader *reader, treb_metric metric, const treb_position *pos);

/* Whether distance_note may be called for a result: it is missing, and is noted. */
static inline bool probe_noting(const ProbeReader *reader, int result)
{
    return probe_not_ready(result) && reader->missing != NULL;
}

/* Writes the distance of a position of any number of men whose verdict is known; pawn files are asked
 * as well. `covered` says why no table can have the position; TREB_OK: one can. Returns 0, or minus a
 * status. */
int distance_known(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                   treb_status covered, int verdict, treb_distance *out, treb_error *error);

/* The distance of a position for the side to move if it makes a certain legal move. `child` is the
 * position after the move, `child_verdict` the verdict there. */
int distance_of_move(const ProbeReader *reader, treb_metric metric, const treb_position *pos,
                     Move m, const treb_position *child, int child_verdict, treb_error *error);

/* A mate under the 50-move rule, as a number that is the larger the better for the side to move:
 * MATE50_BEST - n is a win in n plies, n - MATE50_BEST a loss in n, 0 a draw. */
enum { MATE50_BEST = 1 << 14 };

/* Distances of a position that are known already, as distance_value returns them; negative: not
 * known. */
typedef struct Mate50Known {
    int dtm, dtz;
} Mate50Known;

static const Mate50Known mate50_nothing = {-1, -1};

/* Writes the value, with `left` plies left before the draw, of a position whose verdict is known.
 * Returns 0, or minus a status. */
int mate50_value(const ProbeReader *reader, const treb_position *pos, int verdict, int left,
                 const Mate50Known *known, int *value, treb_error *error);

/* distance_known for DTM50, with the position's clock. Pawn files do not know it. */
int mate50_distance(const ProbeReader *reader, const treb_position *pos, treb_status covered,
                    int verdict, treb_distance *out, treb_error *error);

static inline int mate50_plies(int value)
{
    if (value == 0) return 0;
    return value > 0 ? MATE50_BEST - value : MATE50_BEST + value;
}

/* How many plies are left before the draw. */
static inline int mate50_left(int halfmove)
{
    return halfmove < RULE_PLIES ? RULE_PLIES - halfmove : 0;
}

/* Whether DTC is known to be DTZ in all positions of the position's ending. */
bool distance_dtc_is_dtz(const ProbeReader *reader, const treb_position *pos);

/* The best verdict that the opponent may have after a move that preserves the mover's verdict. If
 * the mover does not win it is TREB_WIN, that means any. For DTZ this is not sufficient: after a
 * move that leaves a loss in 100 plies the distance is 101, one more than the 50-move rule
 * allows. */
int distance_most_left(treb_metric metric, int verdict);

/* Whether a move is a capture or promotion, which leads to another material. */
static inline bool move_is_conversion(const treb_position *pos, Move m)
{
    return move_promo(m) != 0 || move_is_capture(pos, m);
}

/* Checks that a position can arise in a game. Returns TREB_OK, or why not. */
treb_status probe_check_possible(const treb_position *pos, treb_error *error);

/* Checks that there can be a table for a position: TREB_OK, TREB_ERR_MEN or TREB_ERR_CASTLING. */
treb_status probe_check_covered(const treb_position *pos, treb_error *error);

/* Makes both checks. */
treb_status probe_check_fully(const treb_position *pos, treb_error *error);

/* A quick check, true only if probe_check_fully accepts the position. Some positions need the full
 * check: this one refuses all with en passant. It need not count promoted men: with at most eight
 * men the counts are possible. */
static inline bool probe_plain(const treb_position *pos)
{
    uint64_t white = pos->by_color[TREB_WHITE], black = pos->by_color[TREB_BLACK];
    uint64_t kings = pos->by_type[TREB_KING], seen = 0, twice = white & black;
    for (int type = TREB_PAWN; type < TREB_TYPES; type++) {
        twice |= seen & pos->by_type[type];
        seen |= pos->by_type[type];
    }
    uint64_t occ = white | black, men = occ;
    for (int i = 0; i < TREB_MEN_MAX; i++) men &= men - 1; /* faster than a count */
    uint64_t edge = pos->by_type[TREB_PAWN] & (rank_bits(0) | rank_bits(7));
    if ((twice | (seen ^ occ) | men | edge) != 0) return false;
    if ((kings & white) == 0 || (kings & black) == 0 || bit_many(kings & white) ||
        bit_many(kings & black))
        return false;
    if (pos->turn > TREB_BLACK || (pos->ep | pos->castling) != 0) return false;
    int king = position_king(pos, pos->turn ^ 1);
    return square_attackers(pos, king, pos->turn, occ) == 0;
}

/* For assertions: whether a position is as the functions of this header require. */
static inline bool probe_accepts(const treb_position *pos)
{
    return position_check(pos, NULL) == TREB_OK && pos->castling == 0 &&
           bit_count(position_occupied(pos)) <= TREB_MEN_MAX;
}

/* Whether a position can be probed: TREB_OK, or why not. */
static inline treb_status probe_check(const treb_position *pos, treb_error *error)
{
    return probe_plain(pos) ? TREB_OK : probe_check_fully(pos, error);
}

/* Whether a position was refused only for its many men, and pawn files may have it. */
static inline bool probe_many_men(const ProbeReader *reader, const treb_position *pos,
                                  treb_status status)
{
    return status == TREB_ERR_MEN && reader->set->pawn_file_count > 0 && pos->castling == 0;
}

/* The verdict of a position of any number of men. If no table covers it, it is known if the game is
 * over or a pawn file has it. */
int probe_verdict(const ProbeReader *reader, const treb_position *pos, treb_error *error);

/* Fills in the error "there is no such metric". */
treb_status probe_no_metric(treb_error *error);

/* Copies a failure to the caller's `error`. `result` is minus a status, which is returned. */
treb_status probe_fail(int result, const treb_error *from, treb_error *error);

#endif
