/* position_info.h - what the tables say of one position. Each value is probed when it is first
 * needed, and kept. Private to find/. */
#ifndef TREB_FIND_POSITION_INFO_H
#define TREB_FIND_POSITION_INFO_H

#include "core/chess/movegen.h"
#include "find/find.h"

/* Values that differ from every result and every number of plies. */
enum { INFO_UNKNOWN = -100, INFO_NONE = -101 };

/* Results for the side to move, the worst first. */
enum { LOST = -1, DRAWN = 0, WON = 1 };

typedef struct PositionInfo {
    const treb_tables
        *tables; /* NULL: there are no tables, and the functions that need them fail */
    bool rule50;
    const atomic_bool *stop; /* set to true to end long work early; may be NULL */
    uint64_t number; /* of the position in a scan, whatever the number of threads (scan.h) */
    treb_position pos;
    int wdl, passed; /* INFO_UNKNOWN at first */
    int plies[TREB_DTM50 + 1]; /* by metric */
    int moves; /* INFO_UNKNOWN at first */
    Move move[MOVES_MAX];
    int8_t result[MOVES_MAX]; /* for the side that moves; INFO_UNKNOWN at first */
    unsigned move_metrics;    /* bits: the metrics whose distances are in move_plies */
    int16_t move_plies[TREB_DTM50 + 1][MOVES_MAX];
    treb_status status; /* the first error; values that are returned after it are meaningless */
    treb_error error;
} PositionInfo;

/* Sets the position and forgets the values of the last one. */
void info_set_position(PositionInfo *info, const treb_position *pos);

/* Return the verdict and the result for the side to move. */
treb_wdl info_wdl(PositionInfo *info);
int info_result(PositionInfo *info);

/* Returns the result for the side to move if the other side were to move; INFO_NONE if the side to
 * move is in check, so that the other side cannot be to move. */
int info_result_if_passed(PositionInfo *info);

FindZugzwang info_zugzwang(PositionInfo *info);

/* Returns the plies by a metric; INFO_NONE for a draw, and with TREB_DTM50 for a draw by the 50-move
 * rule. */
int info_plies(PositionInfo *info, treb_metric metric);

/* Generates the legal moves. Returns their number. */
int info_moves(PositionInfo *info);

/* Returns the result that a move leads to, for the side that makes it. */
int info_move_result(PositionInfo *info, int move);

/* Returns the plies of a move, itself included; INFO_NONE if it leads to a draw, as for
 * info_plies. */
int info_move_plies(PositionInfo *info, int move, treb_metric metric);

#endif
