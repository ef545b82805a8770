/* full_check.h - checks every position of a table. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_FULL_CHECK_H
#define TREB_CHECK_VERIFY_FULL_CHECK_H

#include "check/verify/report.h"

/* Counts over all positions. All but `positions` count a position once for each of its images
 * under the symmetries of the board. */
typedef struct VerifyCount {
    uint64_t positions; /* number of positions checked, each counted once */
    uint64_t count[2][WDL_VALUES];
    uint64_t histogram[TREB_METRICS][2][WDL_VALUES]
                      [VERIFY_PLIES]; /* number of positions, by plies */
    uint64_t mate50[2][WDL_VALUES][VERIFY_PLIES]; /* DTM50 at a clock of 0 */
    uint64_t delayed[DELAYED_CLOCKS];  /* mates that the 50-move rule delays, as TableHeader.delayed has them */
    int longest_delay[DELAYED_CLOCKS]; /* in plies */
} VerifyCount;

/* Checks every position of the table. Fills in `count` unless the check ends early. */
void verify_full(VerifyReport *report, VerifyStore *store, unsigned metrics, VerifyCount *count);

#endif
