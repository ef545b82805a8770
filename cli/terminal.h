/* terminal.h - what the terminal can show, and a position printed on it. */
#ifndef TREB_CLI_TERMINAL_H
#define TREB_CLI_TERMINAL_H

#include <stdbool.h>

#include "trebuchet.h"

/* Prints a position as a diagram of letters, with the side to move. */
void cli_print_board(const treb_position *pos);

/* Returns the number of columns: those of the terminal that standard output is, else those that the
 * variable COLUMNS names, else 80. */
int cli_columns(void);

#endif
