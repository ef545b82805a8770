/* plain_mate50.h - a plain solver of mates under the 50-move rule, to compare tables with.
 *
 * It solves every position of an ending of three or four men for every number of plies that may be
 * left before the draw, by the definition alone, with the plain move generator. It shares the
 * numbering of cells with the tables (core/format/index.h), and nothing else. */
#ifndef TREB_TESTS_SUPPORT_PLAIN_MATE50_H
#define TREB_TESTS_SUPPORT_PLAIN_MATE50_H

#include "core/format/index.h"

/* The value of a position for the side to move. The better it is, the larger: MATE50_BEST - n is a
 * win in n plies, n - MATE50_BEST a loss in n, 0 a draw. */
enum { MATE50_BEST = 16384, MATE50_ILLEGAL = -32768, MATE50_CLOCKS = 101 };

static inline int mate50_plies(int value)
{
    return value > 0 ? MATE50_BEST - value : MATE50_BEST + value;
}

/* Called for each slice of an ending and each number of plies that are left, 0 to 100 in this
 * order. value[turn][i] is the value of cell first + i; MATE50_ILLEGAL: no legal position. */
typedef void (*Mate50Layer)(void *context, const Index *index, int left, uint64_t first,
                            uint64_t cells, const int16_t *const value[2]);

/* The endings that were solved: their values with 100 plies left. */
typedef struct PlainMate50 PlainMate50;
PlainMate50 *plain_mate50_new(void);
void plain_mate50_free(PlainMate50 *solved);

/* Solves an ending, first its sub-endings. `layer` may be NULL. The cells are those of
 * index_init(&index, &material, NULL, 1). */
void plain_mate50_solve(PlainMate50 *solved, const Material *material, Mate50Layer layer,
                        void *context);

/* Returns the value with 100 plies left of a position whose ending is solved. An en passant right
 * counts. */
int plain_mate50_value(PlainMate50 *solved, const treb_position *pos);

#endif
