/* mate50.h - checks DTM50, the plies to mate under the 50-move rule, for every clock. Private to
 * check/verify/.
 *
 * With b plies left before the draw a position's value rests on those after its moves: with 100 left
 * after a capture or pawn move, else with b - 1 left. If this holds for each position and each b,
 * every value is right: with nothing left only a mated side has lost, and by induction on b, and on
 * captures and pawn moves, everything else follows. Tables of fewer men are assumed to be right. */
#ifndef TREB_CHECK_VERIFY_MATE50_H
#define TREB_CHECK_VERIFY_MATE50_H

#include "check/verify/full_check.h"
#include "check/verify/report.h"

/* Values for the side to move, the larger the better: MATE50_BEST - n is a win in n plies,
 * n - MATE50_BEST a loss in n, 0 a draw. */
enum { MATE50_BEST = 1 << 14, MATE50_CLOCKS = RULE_PLIES + 1 };

static inline int mate50_in(bool win, unsigned plies)
{
    return win ? MATE50_BEST - (int)plies : (int)plies - MATE50_BEST;
}

static inline unsigned mate50_plies(int value)
{
    return (unsigned)(value > 0 ? MATE50_BEST - value : MATE50_BEST + value);
}

/* What a value of the opponent after a move is worth to the side that made it. */
static inline int mate50_before(int value)
{
    return value < 0 ? -value - 1 : value > 0 ? 1 - value : 0;
}

/* Whether the file of an entry stores the side to move of a position. */
bool verify_mate50_stored(const VerifyEntry *entry, int turn);

/* Writes the value of a position of a stored side, without a right to capture en passant, for each
 * number of plies left, as its files have it. */
void verify_mate50_claim(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                         int value[MATE50_CLOCKS]);

/* Returns the value of a position of `entry`, en passant included: as the files have it, or from its
 * moves where they do not store the side to move. */
int verify_mate50(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos, int left);

/* Returns the value of the best move. `left` is not 0. */
int verify_mate50_by_moves(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           int left);

/* Checks a position that was drawn for a sample, where its value may change. */
void verify_mate50_sample(VerifyReport *report, VerifyReader *reader, VerifyEntry *entry,
                          const treb_position *pos, uint64_t key);

/* Checks every position for every number of plies left. */
void verify_mate50_full(VerifyReport *report, VerifyStore *store, VerifyCount *count);

void verify_mate50_report(VerifyReport *report, const treb_position *pos, uint64_t key, int left,
                          int claim, int made);

#endif
