/* checksum.h - compares the checksums of one side of a table file. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_CHECKSUM_H
#define TREB_CHECK_VERIFY_CHECKSUM_H

#include "check/verify/report.h"

/* Compares all checksums of a stored side with `threads` threads. Parts that are stored in pages
 * are not unpacked. Each part counts as `step` units of progress. Stops at the first checksum that
 * is wrong and describes it in `error`. */
treb_status verify_side_checksums(VerifyReport *report, const Table *table, int side, int threads,
                                  uint64_t step, treb_error *error);

#endif
