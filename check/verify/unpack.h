/* unpack.h - unpacks the codes of a table file into the order of the words. Private to
 * check/verify/. */
#ifndef TREB_CHECK_VERIFY_UNPACK_H
#define TREB_CHECK_VERIFY_UNPACK_H

#include "check/verify/full_state.h"

/* Returns the bytes that the codes of a batch of `cells` cells take. */
uint64_t verify_batch_bytes(const VerifyFullCheck *full, uint64_t cells);

/* Unpacks the cells of the batch from the files of `metrics` that store the side. On failure the
 * report holds the error. */
void verify_unpack(VerifyFullCheck *full, unsigned metrics);

/* Returns the code of the worker's position. */
unsigned verify_batch_code(const VerifyWorker *w, int metric);

#endif
