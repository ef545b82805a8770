/* near.h - positions of the same men near a position, with another verdict: what to aim for, and what to avoid.
 *
 * After PIONEER (Botvinnik and others, 1983): the mismatch of two positions is how many men stand elsewhere, the
 * difference how many moves would carry these over, each on an empty board; it is 0 with the other side to
 * move. Positions that a capture wins at
 * once are passed over. Results are those without the 50-move rule. */
#ifndef TREB_FIND_NEAR_H
#define TREB_FIND_NEAR_H

#include "core/chess/movegen.h"
#include "find/find.h"

enum { NEAR_SHOWN_MAX = 100, NEAR_MOVES_MAX = 20 };

typedef struct NearQuery {
    const treb_tables *tables;
    treb_position pos;
    int men;                 /* that may stand elsewhere, at most */
    int moves;               /* at most */
    int turn;                /* who is to move there, or FIND_EITHER */
    int shown;               /* of each kind */
    const atomic_bool *stop; /* NULL allowed */
} NearQuery;

typedef struct NearPlace {
    treb_position pos;
    int moves;               /* the difference */
    int count;               /* the mismatch: */
    Move path[TREB_MEN_MAX]; /* the men that stand elsewhere: from, to */
    int result;              /* for White: -1, 0, 1 */
} NearPlace;

typedef struct Near {
    int result; /* of the position itself, for White */
    /* Where White, or Black, has a better result, the nearest first. */
    NearPlace better[2][NEAR_SHOWN_MAX];
    int count[2];
    uint64_t looked;
} Near;

/* The library's errors. */
treb_status near_find(const NearQuery *query, Near *out, treb_error *error);

#endif
