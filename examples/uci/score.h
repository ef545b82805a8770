/* score.h - what scores mean, from the side to move, in hundredths of a pawn.
 *
 *     SCORE_MATE - n     mate in n plies from the root: found by the search, or in a DTM table
 *     SCORE_WIN ...      won, as a WDL table says, with nothing known of the way
 *     SCORE_CURSED       won but for the 50-move rule: hardly more than a draw
 *     0                  a draw
 *
 * and the same below zero for losses. As both kinds of win count the plies from the root, a score
 * falls steadily with each ply that a win takes longer, across captures and promotions too. That
 * is what DTZ and DTC cannot give: their 1 before a capture hides the rest of the way, and an
 * engine that searched with them would put off winning captures and never promote. */
#ifndef UCI_SCORE_H
#define UCI_SCORE_H

enum {
    SCORE_INFINITE = 32500,
    SCORE_MATE = 32000,
    SCORE_MATE_MIN = 31000, /* any mate: the longest in a table is far below 900 plies */
    SCORE_WIN = 30000,
    SCORE_WIN_MIN = 29000,  /* any win whatever */
    SCORE_EVAL_MAX = 20000, /* any evaluation */
    SCORE_CURSED = 2
};

#endif
