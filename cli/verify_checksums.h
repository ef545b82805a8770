/* verify_checksums.h - trebuchet verify --checksum. */
#ifndef TREB_CLI_VERIFY_CHECKSUMS_H
#define TREB_CLI_VERIFY_CHECKSUMS_H

#include "cli/verify_list.h"
#include "check/verify/verify.h"

/* Compares the checksums of all files of the list and prints what came of it; of files that are
 * right nothing if `quiet`. Of the options `threads` counts. Returns the exit code. */
int verify_checksums_run(const VerifyList *list, const VerifyOptions *options, bool quiet);

#endif
