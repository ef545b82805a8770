/* quiet_moves.h - the quiet moves of one cell at a time. The kernels (kernel.h) move whole sets of cells. */
#ifndef TREB_GEN_SOLVE_QUIET_MOVES_H
#define TREB_GEN_SOLVE_QUIET_MOVES_H

#include "gen/solve/layout.h"

enum { QUIET_MOST = 27 * KERNEL_MEN_MAX /* moves of the men of a cell */ };

/* Lists the cells of the plane that quiet moves of a side's men lead to; `fixed`: the squares of kings and pawns. They
 * lead back as well. Returns their number. */
int quiet_cells(const Layout *layout, uint64_t fixed, int side, uint32_t cell,
                uint32_t out[QUIET_MOST]);

/* A king's move may lead to a plane that is turned round (KingLink). Returns the cell there of a cell here, and the
 * cell here of a cell there. */
uint32_t quiet_cell_there(const Layout *layout, KingLink link, uint32_t cell);
uint32_t quiet_cell_here(const Layout *layout, KingLink link, uint32_t cell);

#endif
