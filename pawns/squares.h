/* squares.h - corresponding squares: two squares correspond if the kings on them are in mutual zugzwang.
 *
 * They are read from what all placements of two kings among the same pawns are worth. Whatever the pawns can do is in
 * these values: a placement in which a pawn move saves whoever is to move is no zugzwang. */
#ifndef TREB_BLOCKED_SQUARES_H
#define TREB_BLOCKED_SQUARES_H

#include <stdio.h>

#include "pawns/cells.h"

/* By side to move and white king, the black king a bit. */
typedef struct Placements {
    treb_position pos; /* one of them, of which the others have the pawns */
    uint64_t legal[2][64];
    uint64_t won[2][2][64], open[2][2][64]; /* by winner first: won, and not known whether */
} Placements;

enum { SQUARES_GROUPS_MAX = 64 };

/* Squares of the attacking king that are in mutual zugzwang with the same squares of the defender:
 * they correspond. When the attacker steps on one, the defender must be able to step on one of
 * `answers`. */
typedef struct SquaresGroup {
    uint64_t squares, answers;
} SquaresGroup;

typedef struct Squares {
    int attacker;
    SquaresGroup group[SQUARES_GROUPS_MAX]; /* those with few answers first */
    int groups;
    uint64_t zugzwang[64]; /* by attacker's square: defender's squares where the attacker to move
                              does not win, and the defender to move loses */
    int zugzwangs;
    uint64_t double_zugzwang[64]; /* of them, where whoever moves loses */
    int double_zugzwangs;
    int open; /* placements of which it is not known whether the attacker wins: there may be more */
} Squares;

/* Only squares of `region`, by colour, are looked at. */
void squares_find(const Placements *placements, int attacker, const uint64_t region[2],
                  Squares *out);

/* The side whose win is of interest: `winner` if that is one, else whoever wins more placements. */
int squares_attacker(const Placements *placements, int winner);

/* The mark of group number `group`: "1", "2", ... */
void squares_mark(int group, char out[8]);

void squares_print(FILE *out, const Placements *placements, const Squares *squares);
void squares_print_svg(FILE *out, const Placements *placements, const Squares *squares);

#endif
