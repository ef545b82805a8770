/* solved.h - solved pawn endings for the commands: writing a file, and finding the names of files. */
#ifndef TREB_CLI_SOLVED_H
#define TREB_CLI_SOLVED_H

#include <stdio.h>

#include "pawns/solved.h"
#include "cli/cli.h"

/* Writes what was solved into a folder and tells about it. The solution serves for
 * nothing else after that. Returns the exit code. */
int solve_write_file(FILE *out, Solve *solve, const char *directory, bool quiet);

/* A FileCheck's answers by tables that are under the 50-move rule. */
bool solved_table_value(void *tables, const treb_position *pos, int *out);

#endif
