/* table_ranks.h - rank files: kings among blocked pawns, in the container of the tables.
 *
 * A side has two halves of cells, whether White wins (or reaches the goal) and whether Black does.
 * In each a cell stands first for a placement of the kings, then for what is left after a capture:
 * the other king has just taken a pawn of the side to move and stands where it stood. The value map
 * gives a cell's rank in plies, or one of the words below.
 *
 * A file answers for the mirror image of its structure, left-right, and for that with the colours
 * exchanged, which is turned upside down. So it is written in the orientation that comes first. */
#ifndef TREB_CORE_TABLE_RANKS_H
#define TREB_CORE_TABLE_RANKS_H

#include "core/format/table.h"

typedef enum TableGoal {
    GOAL_EXACT, /* the result of the game */
    GOAL_TAKE,  /* the king takes an undefended pawn next move */
    GOAL_REACH, /* the king stands on one of some squares */
    GOALS
} TableGoal;

enum {
    RANK_LONGEST = 0xfffc,
    RANK_WON = 0xfffd,  /* won, by how much is not said: after captures */
    RANK_OPEN = 0xfffe, /* not known whether won */
    RANK_NONE = 0xffff  /* not won */
};

enum { RANKS_PLACEMENTS = 4096 };

/* Makes the header of a rank file, with both sides, bytes for cells, and nothing counted yet. False
 * if there are more pawns than a board has files. */
bool table_ranks_header(const TableRanks *ranks, TableHeader *out);

/* "a3c4-a4c5c6.take-d6d7-safe.treb", or with no pawns "kings.reach-a8.treb". */
void table_ranks_name(const TableRanks *ranks, char out[RANKS_NAME_SIZE]);

/* Whether a file has such a name: pawns, a goal, ".treb". */
bool table_ranks_is_name(const char *name);

/* Parts of names: writes "a3c4" and returns its end; skips it and returns what it is a set of. */
char *table_ranks_put_squares(char *at, uint64_t set);
uint64_t table_ranks_read_squares(const char **text);

/* Brings pawns and squares into the orientation of files and returns the symmetry that does it:
 * SYM_FILES and, where the colours are exchanged too, SYM_RANKS. */
int table_ranks_orient(TableRanks *ranks);

/* The cell of a placement of the kings; and of the king's square after a capture of the pawn that
 * is number `pawn` of the pawns of the side to move, from a1 on. */
static inline uint64_t table_ranks_cell(const TableHeader *h, int winner, int white, int black)
{
    return (uint64_t)winner * (h->index.size / 2) + 64 * (uint64_t)white + (uint64_t)black;
}

static inline uint64_t table_ranks_taken(const TableHeader *h, int winner, int pawn, int king)
{
    return (uint64_t)winner * (h->index.size / 2) + RANKS_PLACEMENTS + 64 * (uint64_t)pawn +
           (uint64_t)king;
}

#endif
