/* mate50_moves.h - how much the 50-move rule delays the mate of a position, by its moves. Private to
 * check/verify/. */
#ifndef TREB_CHECK_VERIFY_MATE50_MOVES_H
#define TREB_CHECK_VERIFY_MATE50_MOVES_H

#include "check/verify/full_state.h"
#include "check/verify/mate50_functions.h"

/* The functions of the positions of some whole slices. */
typedef struct Mate50Group {
    uint64_t first, cells; /* the first cell; the number of cells */
    uint32_t *number[2];   /* by side and cell: the number of the function */
    Mate50Functions *functions;
} Mate50Group;

/* Writes the distances that a word has. Returns false if the rule allows no win and no loss. */
bool verify_mate50_known(const VerifyFullCheck *full, uint64_t word, Mate50Distances *out);

/* Returns the delay of the shortest win by a capture or pawn move in a won position; VERIFY_NONE: no
 * such move wins. */
int verify_mate50_zeroing(const VerifyWorker *w, const treb_position *pos,
                          const Mate50Distances *of);

/* Writes the delays of a won or lost position from the functions of the positions after its moves,
 * from DTZ to the end of its range. Returns whether there is any. */
bool verify_mate50_delays(const VerifyWorker *w, const Mate50Group *group,
                          const treb_position *pos, const Mate50Distances *of,
                          int delay[MATE50_CLOCKS]);

#endif
