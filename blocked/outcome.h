/* outcome.h - solving a family from what is known of those its edges lead to. */
#ifndef TREB_BLOCKED_OUTCOME_H
#define TREB_BLOCKED_OUTCOME_H

#include "blocked/family.h"
#include "blocked/game.h"

/* Ranks by winner, side to move and cell, plies to mate or to the next move that leaves the family;
 * RANK_NONE where there is none. Any may be NULL. They are exact if all of the family is decided
 * and nobody who wins could win sooner by a move to what is not. */
typedef struct FamilyRanks {
    uint16_t *rank[2][2];
    bool exact;
} FamilyRanks;

/* Solves a family from what is known of its children. `ranks` may be NULL. False without
 * memory: the family has then failed. */
bool family_solve(Family *family, FamilyRanks *ranks);

#endif
