/* look.h - what tables say of one position, asked for when it is needed and remembered.
 * Private to find/. */
#ifndef TREB_FIND_POSITION_INFO_H
#define TREB_FIND_POSITION_INFO_H

#include "core/chess/movegen.h"
#include "find/find.h"

/* Apart from any result and number of plies. */
enum { INFO_UNKNOWN = -100, INFO_NONE = -101 };

/* Results for the side to move: worse ones are less. */
enum { LOST = -1, DRAWN = 0, WON = 1 };

typedef struct PositionInfo {
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
} PositionInfo;

/* Turns to another position. */
void info_set_position(PositionInfo *info, const treb_position *pos);

/* Verdict and result of the side to move. */
treb_wdl info_wdl(PositionInfo *info);
int info_result(PositionInfo *info);

/* The result for the side to move if the other were to move; LOOK_NONE if that cannot be, as it is in
 * check. */
int info_result_if_passed(PositionInfo *info);

FindZugzwang info_zugzwang(PositionInfo *info);

/* Plies by a metric; LOOK_NONE in a draw. */
int info_plies(PositionInfo *info, treb_metric metric);

/* The legal moves: returns how many. */
int info_moves(PositionInfo *info);

/* What a move leads to, for the one who makes it. */
int info_move_result(PositionInfo *info, int move);

#endif
