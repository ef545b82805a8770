/* table_blocked.h - blocked-pawn tables: kings among blocked pawns, in the container of tables.
 * Their files are called "ranks" in names of metrics, in JSON and in options.
 *
 * A side has two halves of cells: whether White wins (or reaches the goal), and whether Black does.
 * Each half first has a cell for each placement of the kings, then cells for positions after a
 * capture: the other king has just taken a pawn of the side to move and stands on its square. The
 * value map gives the distance of a cell in plies, or one of the values DISTANCE_... below.
 *
 * A file also answers for the left-right mirror image of its pawns, and for both with colours
 * exchanged, which turns the board upside down. Of these four orientations, the one that comes
 * first is written. */
#ifndef TREB_CORE_FORMAT_TABLE_BLOCKED_H
#define TREB_CORE_FORMAT_TABLE_BLOCKED_H

#include "core/format/table.h"

typedef enum TableGoal {
    GOAL_EXACT, /* the result of the game */
    GOAL_TAKE,  /* the king takes an undefended pawn on the next move */
    GOAL_REACH, /* the king stands on one of some squares */
    GOALS
} TableGoal;

enum {
    DISTANCE_LONGEST = 0xfffc, /* the longest distance that can be stored */
    DISTANCE_WON = 0xfffd,     /* won, the distance is not stored: after captures */
    DISTANCE_OPEN = 0xfffe,    /* it is not known whether it is won */
    DISTANCE_NONE = 0xffff     /* not won */
};

enum { BLOCKED_PLACEMENTS = 4096 };

/* Makes the header of a blocked-pawn table with both sides, one byte for each cell, and no counts
 * yet. Returns false if a colour has more than 8 pawns. */
bool table_blocked_header(const TableBlocked *blocked, TableHeader *out);

/* Writes the name of a file: "a3c4-a4c5c6.take-d6d7-safe.treb", or without pawns
 * "kings.reach-a8.treb". */
void table_blocked_name(const TableBlocked *blocked, char out[TABLE_LONG_NAME_SIZE]);

/* Returns whether a name is one that table_blocked_name writes: pawns, a goal, ".treb". */
bool table_blocked_is_name(const char *name);

/* Parts of names of files. table_put_squares writes a set of squares as "a3c4" and returns its end.
 * table_read_squares reads one, and moves *text behind it. */
char *table_put_squares(char *at, uint64_t set);
uint64_t table_read_squares(const char **text);

/* Brings pawns and squares into the orientation of files. Returns the symmetry that does it:
 * SYM_FILES and, if the colours are exchanged too, SYM_RANKS. */
int table_blocked_orient(TableBlocked *blocked);

/* table_blocked_cell returns the cell of a placement of the kings; table_blocked_taken that of a
 * king's square after it captured pawn number `pawn`, counted among the pawns of the side to move
 * from a1 on. */
static inline uint64_t table_blocked_cell(const TableHeader *h, int winner, int white, int black)
{
    return (uint64_t)winner * (h->index.size / 2) + 64 * (uint64_t)white + (uint64_t)black;
}

static inline uint64_t table_blocked_taken(const TableHeader *h, int winner, int pawn, int king)
{
    return (uint64_t)winner * (h->index.size / 2) + BLOCKED_PLACEMENTS + 64 * (uint64_t)pawn +
           (uint64_t)king;
}

#endif
