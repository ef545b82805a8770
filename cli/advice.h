/* advice.h - what a user who lacks a table can do about it, here and now. */
#ifndef TREB_CLI_ADVICE_H
#define TREB_CLI_ADVICE_H

#include "cli/cli.h"

/* Tells which folders tables are looked for in, before advice is asked for: what is there need not
 * be made, and a command that makes tables must put them where they are found. Copies them;
 * `named`: the user gave them with --tables. */
void advice_folders(const CliDirs *dirs, bool named);

/* Writes what to do about a missing table, one sentence without its full stop, of at most `size`
 * bytes: "'trebuchet gen KRPvKR' makes it: about 1.6 GB of memory and 170 MB of disk". The cost is
 * that of the table and of all that it needs and that is not there. False where it cannot be made
 * here; then the text says why: how much memory or disk it would take, and how much is free.
 * NULL as material: a first set of tables, of up to four men.
 * Safe to call from several threads once advice_folders has been called. Some ms. */
bool cli_advice(const char *material, char *text, size_t size);

#endif
