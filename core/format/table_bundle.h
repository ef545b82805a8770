/* table_bundle.h - one file with the list of a folder's tables and the headers of Trebuchet's, for readers to whom each
 * request is expensive: browsers (docs/browser.md). docs/format.md describes it. Not part of the library. */
#ifndef TREB_CORE_FORMAT_TABLE_BUNDLE_H
#define TREB_CORE_FORMAT_TABLE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "trebuchet.h"

#define TABLE_BUNDLE_NAME "trebuchet.headers"

/* Writes the file for a folder; one that exists is replaced. Writes the number of tables to `count`. Fails if a table is
 * damaged, and writes nothing then. Reads all headers: some seconds for all tables of five men. */
treb_status table_bundle_write(const char *directory, size_t *count, treb_error *error);

/* Writes the bytes of such a file for several folders, of which the first that has a file counts. */
treb_status table_bundle_print(const char *const *directories, size_t directory_count, FILE *out,
                               treb_error *error);

/* Whether a name is that of a file which the list has, and not a path. */
bool table_bundle_lists(const char *name);

#endif
