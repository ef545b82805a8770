/* mate50.h - checks DTM50, the plies to mate under the 50-move rule, for every clock. Private to
 * check/verify/.
 *
 * With b plies left before the draw a position's value rests on those after its moves: with 100 left
 * after a capture or pawn move, else with b - 1 left. If this holds for each position and each b,
 * every value is right: with nothing left only a mated side has lost, and by induction on b, and on
 * captures and pawn moves, everything else follows. Tables of fewer men are assumed to be right.
 *
 * With fewer plies left than DTZ the value is a draw, and with as many as DTM or more it is DTM. So
 * where these are right, only the numbers from DTZ to DTM - 1 are left. */
#ifndef TREB_CHECK_VERIFY_MATE50_H
#define TREB_CHECK_VERIFY_MATE50_H

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

/* The distances of a position that is won, or lost, under the rule. */
typedef struct Mate50Distances {
    bool win;
    int dtm, dtz;
} Mate50Distances;

/* Returns the end of the range of the plies left with which the rule may delay the mate. It begins with
 * DTZ. */
static inline int mate50_end(const Mate50Distances *of)
{
    return of->dtm < MATE50_CLOCKS ? of->dtm : MATE50_CLOCKS;
}

/* Whether the file of an entry stores the side to move of a position. */
bool verify_mate50_stored(const VerifyEntry *entry, int turn);

/* Writes by how many plies the rule delays the mate of a position of a stored side, without a right to
 * capture en passant, for each number of plies left in its range, as the file has it; MATE50_ZEROING
 * where the value is that of the best capture or pawn move. If all are 0 returns true and may write
 * nothing. */
enum { MATE50_ZEROING = -1 };
bool verify_mate50_claim(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                         const Mate50Distances *of, int delay[MATE50_CLOCKS]);

/* Returns the value of a position of `entry`, en passant included: as the files have it, or from its
 * moves where they do not store the side to move. */
int verify_mate50(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos, int left);

/* Returns the value of such a position whose distances are known, without a right to capture en
 * passant. */
int verify_mate50_from(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                       const Mate50Distances *of, int left);

/* Returns the value of the best move. `left` is not 0. */
int verify_mate50_by_moves(VerifyReader *reader, VerifyEntry *entry, const treb_position *pos,
                           int left);

/* Checks a position that was drawn for a sample, where its value may change. */
void verify_mate50_sample(VerifyReport *report, VerifyReader *reader, VerifyEntry *entry,
                          const treb_position *pos, uint64_t key);

/* Reports that with so many plies left the file claims another value than the moves have. */
void verify_mate50_report(VerifyReport *report, const treb_position *pos, uint64_t key, int left,
                          int claim, int made);

#endif
