/* blocked_check.h - trebuchet blocked --check. */
#ifndef TREB_CLI_BLOCKED_CHECK_H
#define TREB_CLI_BLOCKED_CHECK_H

#include "pawns/blocked.h"
#include "pawns/solve.h"

/* Audits a solution and says on `out` what came of it, faults first; unless `quiet` also, on standard
 * error, how far it is. An exit code. */
int blocked_check_solution(FILE *out, Blocked *b, bool quiet);

/* The same for trebuchet solve --check. */
int solve_check_solution(FILE *out, Solve *s, bool quiet);

#endif
