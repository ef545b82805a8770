/* eval.h - static evaluation. */
#ifndef UCI_EVAL_H
#define UCI_EVAL_H

#include "board.h"

/* Returns hundredths of a pawn for the side to move. */
int eval_position(const Board *b);

/* Values of the men, by type. */
extern const int eval_man[TYPES];

#endif
