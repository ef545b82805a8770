/* score.h - the meaning of scores, for the side to move, in hundredths of a pawn.
 *
 *     SCORE_MATE - n     mate in n plies from the root: found by the search, or in a DTM table
 *     SCORE_WIN ...      a win by a WDL table, at an unknown distance
 *     SCORE_CURSED       a win that the 50-move rule makes a draw
 *     0                  a draw
 *
 * Losses have the negative scores. Both kinds of wins count plies from the root. So a score falls by one
 * with each additional ply of a win, also through captures and promotions. DTZ and DTC cannot give such
 * scores: a value of 1 before a capture says nothing about the rest. An engine that searches with them
 * delays winning captures and never promotes. */
#ifndef UCI_SCORE_H
#define UCI_SCORE_H

enum {
    SCORE_INFINITE = 32500,
    SCORE_MATE = 32000,
    SCORE_MATE_MIN = 31000, /* any mate: the longest in a table is far below 900 plies */
    SCORE_WIN = 30000,
    SCORE_WIN_MIN = 29000,  /* any win */
    SCORE_EVAL_MAX = 20000, /* any evaluation */
    SCORE_CURSED = 2
};

#endif
