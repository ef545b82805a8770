/* game.h - who can force what, ply by ply, within one family. */
#ifndef TREB_BLOCKED_GAME_H
#define TREB_BLOCKED_GAME_H

#include "pawns/cells.h"

/* One player wants to reach something, the other to hold. Sets are of the family's cells, with the
 * winner to move (`won...`) or the other (`lost...`). Nothing but quiet moves is looked at here:
 * what other moves lead to is said beforehand. */
typedef struct Game {
    const CellsKey *key;
    int winner;
    const uint64_t *legal[2];            /* by side to move */
    const uint64_t *won_at_0, *won_at_1; /* reached already, by a move; NULL: nowhere */
    const uint64_t *lost_at_0;
    const uint64_t *losable; /* where the other can lose: no way out but by quiet moves */
    uint64_t *won, *lost;    /* the result; what is in them beforehand counts as reached */
    uint16_t *rank[2];       /* plies by side to move and cell, written where there are any;
                                NULL: not wanted */
    uint8_t *plies; /* those with the other side to move in bytes, up to GAME_FAR; or NULL */
    uint64_t *room; /* game_room() words to work in; or NULL: they are allocated */
} Game;

enum { GAME_FAR = 255 };

/* Words that a game of such a family works in. */
size_t game_room(const CellsKey *key);

/* False without memory. */
bool game_solve(const Game *game);

#endif
