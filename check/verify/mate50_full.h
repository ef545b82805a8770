/* mate50_full.h - checks DTM50 of every position for every number of plies left, as a part of a full
 * check. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_MATE50_FULL_H
#define TREB_CHECK_VERIFY_MATE50_FULL_H

#include "check/verify/full_state.h"

/* Returns the bytes that are needed beside the words; 0 without a DTM50 file. */
uint64_t verify_mate50_bytes(const VerifyFullCheck *full);

/* Allocates that memory, which has been claimed. Returns false if out of memory. */
bool verify_mate50_open(VerifyFullCheck *full);
void verify_mate50_close(VerifyFullCheck *full);

/* Checks the positions of the current stage, whose words are complete. */
void verify_mate50_stage(VerifyFullCheck *full);

#endif
