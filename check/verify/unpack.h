/* unpack.h - codes of a table, brought into the order of the words. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_UNPACK_H
#define TREB_CHECK_VERIFY_UNPACK_H

#include "check/verify/full_check.h"

/* Memory for the codes of a batch of so many cells. */
uint64_t verify_batch_bytes(const VerifyFull *full, uint64_t cells);

/* Unpacks the cells of the batch from files of these metrics that have the side. If that fails the
 * report has why. */
void verify_unpack(VerifyFull *full, unsigned metrics);

/* The code of the worker's position. */
unsigned verify_batch_code(const VerifyWorker *w, int metric);

#endif
