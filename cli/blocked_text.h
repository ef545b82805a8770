/* blocked_text.h - the answer for a position with blocked pawns, as text. */
#ifndef TREB_CLI_BLOCKED_TEXT_H
#define TREB_CLI_BLOCKED_TEXT_H

#include "pawns/blocked/blocked.h"

/* Prints the board, the verdict, the moves and the best line. `tables` are probed for the position at
 * the end of the line, and may be NULL. Returns false if memory ran out or a table could not be
 * read. */
bool blocked_text_answer(Blocked *blocked, const treb_tables *tables);

/* Prints a line of moves and how it ends. */
void blocked_text_line(const treb_position *start, const PawnMove *move, int count, LineEnd end,
                       const treb_position *last);

/* Draws the corresponding squares into a file; "-" is standard output. Returns false after reporting
 * that it could not be written. */
bool blocked_text_svg(const char *command, const char *path, const Placements *placements,
                      const Squares *squares);

#endif
