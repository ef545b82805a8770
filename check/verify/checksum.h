/* checksum.h - checksums of stored sides. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_CHECKSUM_H
#define TREB_CHECK_VERIFY_CHECKSUM_H

#include "check/verify/report.h"

/* Compares all checksums of a stored side, with so many threads; what is in pages is not unpacked. Each is
 * `step` of progress. After one that is wrong it ends: then `error` says so. */
treb_status verify_side_checksums(VerifyReport *report, const Table *table, int side, int threads,
                                  uint64_t step, treb_error *error);

#endif
