/* squares.h - corresponding squares: two squares correspond if the kings on them are in mutual
 * zugzwang.
 *
 * They follow from the values of all placements of the two kings among the same pawns. All that the
 * pawns can do is included in these values: a placement in which a pawn move saves the side to move
 * is no zugzwang. */
#ifndef TREB_PAWNS_SOLVE_SQUARES_H
#define TREB_PAWNS_SOLVE_SQUARES_H

#include <stdio.h>

#include "core/chess/position.h"

/* The values of all placements of the kings, by side to move and white king, the black king a
 * bit. */
typedef struct Placements {
    treb_position pos; /* one of the placements; the others have the same pawns */
    uint64_t legal[2][64];
    uint64_t won[2][2][64], open[2][2][64]; /* by winner first; open: unknown whether won */
} Placements;

enum { SQUARES_GROUPS_MAX = 64 };

/* Squares of the attacking king that are in mutual zugzwang with the same squares of the defending
 * king. When the attacker steps on one of `squares`, the defender must be able to step on one of
 * `answers`. */
typedef struct SquaresGroup {
    uint64_t squares, answers;
} SquaresGroup;

typedef struct Squares {
    int attacker;
    SquaresGroup group[SQUARES_GROUPS_MAX]; /* those with few answers first */
    int groups;
    /* By square of the attacking king, the squares of the defending king: the attacker to move does
     * not win, and the defender to move loses. */
    uint64_t zugzwang[64];
    int zugzwangs;
    /* Likewise, the pairs in which the side to move loses, whichever it is. */
    uint64_t double_zugzwang[64];
    int double_zugzwangs;
    /* Number of placements of which it is unknown whether the attacker wins: if there are any,
     * there may be more zugzwangs. */
    int open;
} Squares;

/* Finds the corresponding squares. Only squares of `region`, by colour of the king, are
 * examined. */
void squares_find(const Placements *placements, int attacker, const uint64_t region[2],
                  Squares *out);

/* The side whose wins are shown: `winner` unless it is negative, else the side that wins more
 * placements. */
int squares_attacker(const Placements *placements, int winner);

/* The mark of group number `group`: "1", "2", ... */
void squares_mark(int group, char out[8]);

/* Prints them as text (squares_text.c) and as an SVG picture (squares_svg.c). */
void squares_print(FILE *out, const Placements *placements, const Squares *squares);
void squares_print_svg(FILE *out, const Placements *placements, const Squares *squares);

#endif
