/* full.h - every position of a table. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_FULL_H
#define TREB_CHECK_VERIFY_FULL_H

#include "check/verify/report.h"

/* What was found in all positions, those of the full board for each cell. */
typedef struct VerifyCount {
    uint64_t positions; /* looked at */
    uint64_t count[2][WDL_VALUES];
    uint64_t histogram[TREB_METRICS][2][WDL_VALUES][VERIFY_PLIES]; /* by plies */
} VerifyCount;

/* Checks every position; fills `count` if nothing stops it. */
void verify_full(VerifyReport *report, VerifyStore *store, unsigned metrics, VerifyCount *count);

#endif
