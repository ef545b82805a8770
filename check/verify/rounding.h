/* rounding.h - finds the exact values of Syzygy's rounded distances. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_ROUNDING_H
#define TREB_CHECK_VERIFY_ROUNDING_H

#include "check/verify/full_state.h"

/* Allocates the memory that verify_resolve_rounding needs. Returns false if there is not enough. */
bool verify_rounding_claim(VerifyFullCheck *full);

/* Finds the exact value of each distance that may be a ply longer, the shortest first. */
void verify_resolve_rounding(VerifyFullCheck *full);

#endif
