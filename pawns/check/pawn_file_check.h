/* pawn_file_check.h - checks a pawn file. */
#ifndef TREB_PAWNS_CHECK_PAWN_FILE_CHECK_H
#define TREB_PAWNS_CHECK_PAWN_FILE_CHECK_H

#include "pawns/check/file_check.h"

/* Checks a pawn file. TREB_OK if all is right; TREB_ERR_DAMAGED if not; TREB_ERR_NO_TABLE if only
 * missing tables kept some positions from being checked; another status if the check could not be
 * made. `text` says why. */
treb_status pawn_file_check(const char *path, FileCheck *check);

#endif
