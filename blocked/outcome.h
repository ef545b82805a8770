/* outcome.h - what the moves out of a family lead to, and the family's own values. */
#ifndef TREB_BLOCKED_OUTCOME_H
#define TREB_BLOCKED_OUTCOME_H

#include "family.h"
#include "game.h"

/* Cells by what an edge offers the side to move, the last index being a level (family.h). */
typedef struct Outcomes {
    uint64_t *any[2];            /* has an edge, by side to move */
    uint64_t *win[2][LEVELS];    /* an edge wins */
    uint64_t *escape[2][LEVELS]; /* an edge does not lose: in the game that the opponent wins */
    bool open;                   /* something is unknown */
} Outcomes;

/* False without memory. Free with outcomes_free in either case. */
bool outcomes_find(const Family *family, Outcomes *out);
void outcomes_free(Outcomes *out);

/* Ranks by winner, side to move and cell, plies to mate or to the next move that leaves the family;
 * GAME_NO_RANK where there is none. Any may be NULL. */
typedef struct FamilyRanks {
    uint16_t *rank[2][2];
} FamilyRanks;

/* A guess at what `winner` makes of an unknown family, from its men alone. */
bool outcome_guess(const CellsKey *key, int winner);

/* Solves a family from what is known of its children. `ranks` may be NULL. False without memory. */
bool family_solve(Family *family, const FamilyRanks *ranks);

#endif
