/* blocked_check.h - the --check of trebuchet blocked and of trebuchet solve. */
#ifndef TREB_CLI_BLOCKED_CHECK_H
#define TREB_CLI_BLOCKED_CHECK_H

#include "pawns/blocked/blocked.h"
#include "pawns/solve/solve.h"

/* Checks every position that a solution rests on (pawns/check/audit.h) and prints the errors found,
 * then a summary, on `out`. Unless `quiet`, prints the progress on standard error. Returns an exit
 * code. */
int blocked_check_solution(FILE *out, Blocked *b, bool quiet);

/* Does this for trebuchet solve --check. */
int solve_check_solution(FILE *out, Solve *s, bool quiet);

#endif
