/* verify_checksums.h - trebuchet verify --checksum. */
#ifndef TREB_CLI_VERIFY_CHECKSUMS_H
#define TREB_CLI_VERIFY_CHECKSUMS_H

#include "check/verify/verify.h"
#include "cli/verify_list.h"

/* Verifies the checksums of all files of the list and prints the results; with `quiet`, files that are
 * right are not mentioned. Only `threads` of the options is used. Returns the exit code. */
int verify_checksums_run(const VerifyList *list, const VerifyOptions *options, bool quiet);

#endif
