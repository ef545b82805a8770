/* blocked_table.h - blocked-pawn tables as a source of values where other tables end.
 *
 * These tables ignore the 50-move rule. Only tables for exact values are used, not those for one of
 * the goals of `trebuchet blocked`. */
#ifndef TREB_JSON_BLOCKED_TABLE_H
#define TREB_JSON_BLOCKED_TABLE_H

#include "pawns/blocked/blocked.h"
#include "json/context.h"

/* Opens the table of a position, from the folders of the context; blocked_free frees it. Returns
 * NULL with TREB_ERR_POSITION if the pawns are not blocked, or TREB_ERR_NO_TABLE if there is no
 * file. */
Blocked *answer_open_blocked(const AnswerContext *context, const treb_position *pos,
                             treb_error *error);

/* Opens the table of a position that other tables do not cover. *out is NULL with TREB_OK if there
 * is no such table. */
treb_status answer_find_blocked(AnswerContext *context, const treb_position *pos, Blocked **out,
                                treb_error *error);

/* Opens the table of a position after a move, or returns NULL. Notes a failure in the context. */
Blocked *answer_blocked_after_move(AnswerContext *context, const treb_position *pos);

/* Returns the value of the position that the table was opened for. */
PawnValue answer_blocked_root(const Blocked *blocked);

/* Finds the value of a position in its blocked-pawn table: the verdict, and DTC if the table has
 * exact distances. Returns false if there is no table, or the position is open in it. */
bool answer_blocked_value(AnswerContext *context, const treb_position *pos, treb_value *out);

/* Returns what a verdict means for a side. An open position counts as a draw. */
treb_wdl answer_blocked_wdl(PawnVerdict verdict, int side);

/* Returns whether a line ends with a capture after which `tables` know the position. */
bool answer_tables_go_on(const treb_tables *tables, LineEnd end, const treb_position *last);

#endif
