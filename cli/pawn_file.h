/* pawn_file.h - pawn files: writing one, and the tables that check one. */
#ifndef TREB_CLI_PAWN_FILE_H
#define TREB_CLI_PAWN_FILE_H

#include <stdio.h>

#include "pawns/solve/pawn_file.h"

/* Writes what was solved into a pawn file in a folder, and prints a summary on `out`. The solution
 * cannot be used for anything else after that. Returns the exit code. */
int cli_pawn_file_write(FILE *out, Solve *solve, const char *directory, bool quiet);

/* A callback for FileCheck: writes 1 (win), 0 or -1 (loss), the value of a position by the tables under
 * the 50-move rule. `tables` is a treb_tables. Returns false if no table has it. */
bool cli_pawn_file_value(void *tables, const treb_position *pos, int *out);

#endif
