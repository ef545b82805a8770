/* near.h - finds positions with the same men that are near a position and have another verdict:
 * what a player should aim for, and what to avoid.
 *
 * The terms come from PIONEER (Botvinnik and others, 1983). The mismatch of two positions is the
 * number of men that stand on different squares. Their difference is the number of moves that take
 * these men to their other squares, each on an empty board; it is 0 if only the side to move
 * differs. Positions in which a capture wins at once are skipped. Results are those without the
 * 50-move rule. */
#ifndef TREB_FIND_NEAR_H
#define TREB_FIND_NEAR_H

#include "core/chess/movegen.h"
#include "find/find.h"

enum { NEAR_SHOWN_MAX = 100, NEAR_MOVES_MAX = 20 };

typedef struct NearQuery {
    const treb_tables *tables;
    treb_position pos;
    int men;                 /* maximum mismatch */
    int moves;               /* maximum difference */
    int turn;                /* side to move in the positions to find, or FIND_EITHER */
    int shown;               /* maximum number of positions to return for each side */
    const atomic_bool *stop; /* may be NULL */
} NearQuery;

typedef struct NearPlace {
    treb_position pos;
    int moves;               /* the difference */
    int count;               /* the mismatch */
    Move path[TREB_MEN_MAX]; /* the men that stand on different squares: from, to */
    int result;              /* result for White: -1, 0 or 1 */
} NearPlace;

typedef struct Near {
    int result; /* result of the given position, for White */
    /* positions in which White (or Black) has a better result, the nearest first */
    NearPlace better[2][NEAR_SHOWN_MAX];
    int count[2];
    uint64_t looked;
} Near;

/* Fills in `out`. Returns the errors of the library. */
treb_status near_find(const NearQuery *query, Near *out, treb_error *error);

#endif
