/* eval.h - what a position looks like to be worth. */
#ifndef UCI_EVAL_H
#define UCI_EVAL_H

#include "board.h"

/* Hundredths of a pawn for the side to move. */
int eval_position(const Board *b);

/* What a man is worth, by type. */
extern const int eval_man[TYPES];

#endif
