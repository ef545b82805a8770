/* look.h - what tables say of one position, asked for when it is needed and remembered.
 * Private to find/. */
#ifndef TREB_FIND_LOOK_H
#define TREB_FIND_LOOK_H

#include "core/chess/movegen.h"
#include "find/find.h"

/* Apart from any result and number of plies. */
enum { LOOK_UNKNOWN = -100, LOOK_NONE = -101 };

/* Results for the side to move: worse ones are less. */
enum { LOST = -1, DRAWN = 0, WON = 1 };

typedef struct Look {
    const treb_tables *tables; /* NULL: nothing of what follows may be asked, it fails */
    bool rule50;
    const atomic_bool *stop; /* when true what takes long ends early; NULL allowed */
    treb_position pos;
    int wdl, passed; /* LOOK_UNKNOWN at first */
    int plies[TREB_METRICS];
    int moves; /* LOOK_UNKNOWN at first */
    Move move[MOVES_MAX];
    int8_t result[MOVES_MAX]; /* for the one who makes it; LOOK_UNKNOWN at first */
    treb_status status;       /* the first failure: what is answered then means nothing */
    treb_error error;
} Look;

/* Turns to another position. */
void look_at(Look *look, const treb_position *pos);

/* Verdict and result of the side to move. */
treb_wdl look_wdl(Look *look);
int look_result(Look *look);

/* The result for the side to move if the other were to move; LOOK_NONE if that cannot be, as it is in
 * check. */
int look_passed(Look *look);

FindZugzwang look_zugzwang(Look *look);

/* Plies by a metric; LOOK_NONE in a draw. */
int look_plies(Look *look, treb_metric metric);

/* The legal moves: returns how many. */
int look_moves(Look *look);

/* What a move leads to, for the one who makes it. */
int look_move_result(Look *look, int move);

#endif
