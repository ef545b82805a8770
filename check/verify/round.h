/* round.h - Syzygy's rounded distances, settled. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_ROUND_H
#define TREB_CHECK_VERIFY_ROUND_H

#include "check/verify/full_check.h"

/* Memory for what follows; false: there is none. */
bool verify_settle_claim(VerifyFull *full);

/* Settles all distances that may be a ply longer, the shortest first. */
void verify_settle(VerifyFull *full);

#endif
