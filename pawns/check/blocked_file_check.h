/* blocked_file_check.h - checks a blocked-pawn table. */
#ifndef TREB_PAWNS_CHECK_BLOCKED_FILE_CHECK_H
#define TREB_PAWNS_CHECK_BLOCKED_FILE_CHECK_H

#include "pawns/check/file_check.h"

/* Checks a blocked-pawn table. What captures lead to is believed, except what `value` knows.
 * TREB_OK if all is right; TREB_ERR_DAMAGED if not; another status if the check could not be made.
 * `text` says why. */
treb_status blocked_file_check(const char *path, FileCheck *check);

#endif
