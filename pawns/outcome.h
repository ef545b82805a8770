/* outcome.h - solving a family from what is known of those its edges lead to. */
#ifndef TREB_BLOCKED_OUTCOME_H
#define TREB_BLOCKED_OUTCOME_H

#include "pawns/family.h"
#include "pawns/game.h"

/* Ranks by winner, side to move and cell, plies to mate or to the next move that leaves the family;
 * RANK_NONE where there is none. Any may be NULL. They are exact if all of the family is decided
 * and nobody who wins could win sooner by a move to what is not. */
typedef struct FamilyRanks {
    uint16_t *rank[2][2];
    bool exact;
} FamilyRanks;

/* Sets `out` to the cells in which `side` has an edge. */
void edge_use(const Family *family, int side, const Edge *edge, uint64_t *out);

/* Sets `out` to those of them from which it is guessed to lead to a win of `winner`, or not to. */
void edge_guess(const Family *family, int side, const Edge *edge, int winner, bool won,
                uint64_t *room, uint64_t *out);

/* Solves a family from what is known of its children. `ranks` may be NULL. False without
 * memory: the family has then failed. */
bool family_solve(Family *family, FamilyRanks *ranks);

#endif
