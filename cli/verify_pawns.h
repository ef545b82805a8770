/* verify_pawns.h - checks blocked-pawn tables and pawn files. */
#ifndef TREB_CLI_VERIFY_PAWNS_H
#define TREB_CLI_VERIFY_PAWNS_H

#include "cli/folders.h"
#include "cli/output.h"
#include "pawns/check/file_check.h"

/* Checks the file of that name in the first folder that has it. `tables` may be NULL. The caller sets
 * how much to check and when to stop in `check`; the function fills in the rest. */
treb_status verify_pawns(const CliDirs *dirs, treb_tables *tables, const char *name,
                         FileCheck *check);

/* Returns a JSON object with the members that all events of a check begin with: the event, the thing
 * that was checked (under the name `kind`), and whether it is right. */
json_t *verify_event(const char *event, const char *kind, const char *name, treb_status status);

/* Print the result as a line of text or as a JSON object. With `quiet`, files that are right are not
 * mentioned. */
void verify_pawns_print(const char *name, treb_status status, const FileCheck *check,
                        double seconds, bool quiet);
void verify_pawns_json(const char *name, treb_status status, const FileCheck *check,
                       double seconds);

#endif
