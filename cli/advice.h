/* advice.h - what a user can do about a missing table. */
#ifndef TREB_CLI_ADVICE_H
#define TREB_CLI_ADVICE_H

#include "cli/folders.h"

/* Writes what to do about a missing table: one sentence without its full stop, at most `size` bytes,
 * such as "'trebuchet gen KRPvKR' makes it: about 1.6 GB of memory and 170 MB of disk". The cost is
 * that of the table and of all tables that it needs and that are missing in the folders. The command
 * puts the tables where they are found. Returns false if this machine cannot make the table; the text
 * then says how much memory or disk it would take, and how much is free.
 * A NULL material stands for a first set of tables, of up to four men.
 * Safe to call from several threads. Takes some milliseconds. */
bool cli_advice(const char *material, const CliDirs *dirs, char *text, size_t size);

/* Prints that advice, and that --tables names another folder. */
void cli_hint_tables(const char *material, const CliDirs *dirs);

/* Prints the folders that were searched, then that advice. */
void cli_hint_missing(const char *material, const CliDirs *dirs);

/* Reports a failure of the library and, if a table is missing, the hints of cli_hint_missing. Returns
 * the exit code. */
int cli_fail_tables(const char *command, const treb_error *error, const CliDirs *dirs);

/* Reports that the folders have no table at all, and how to make some. Returns CLI_NO_TABLE. */
int cli_no_tables(const char *command, const CliDirs *dirs);

#endif
