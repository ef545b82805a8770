/* blocked_text.h - what a blocked position is worth, as text. */
#ifndef TREB_CLI_BLOCKED_TEXT_H
#define TREB_CLI_BLOCKED_TEXT_H

#include "pawns/blocked.h"

/* Prints the board, the verdict, the moves and the best line. `tables`, which may be NULL, are
 * asked whether they know the rest of it. False on failure. */
bool blocked_text_answer(Blocked *blocked, const treb_tables *tables);

/* Prints a line, and how it ends. */
void blocked_text_line(const treb_position *start, const BlockedMove *move, int count,
                       BlockedEnd end, const treb_position *last);

/* Draws corresponding squares into a file; - for standard output. False, with a message, if it could not be written. */
bool blocked_text_svg(const char *command, const char *path, const Placements *placements,
                      const Squares *squares);

#endif
