/* verify_ranks.h - checking the rank files and solved pawn endings of the folders. */
#ifndef TREB_CLI_VERIFY_RANKS_H
#define TREB_CLI_VERIFY_RANKS_H

#include "pawns/file_check.h"
#include "cli/cli.h"
#include "cli/json.h"

/* Checks the file of that name in the first folder that has it. `tables` may be NULL. Of
 * `check` only how much to check, and when to stop, is set. */
treb_status verify_ranks(const CliDirs *dirs, treb_tables *tables, const char *name,
                         FileCheck *check);

/* What all events of a check begin with: what was checked, under the name `kind`, and whether it
 * was found right. */
json_t *verify_event(const char *event, const char *kind, const char *name, treb_status status);

/* What came of it: a line of text, or a JSON object. Nothing of files that are right if `quiet`. */
void verify_ranks_print(const char *name, treb_status status, const FileCheck *check,
                        double seconds, bool quiet);
void verify_ranks_json(const char *name, treb_status status, const FileCheck *check,
                       double seconds);

#endif
