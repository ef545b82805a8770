/* info_text.h - the header of a table file in words, for `trebuchet info`. Private to cli. */
#ifndef TREB_CLI_INFO_TEXT_H
#define TREB_CLI_INFO_TEXT_H

#include "core/format/table.h"
#include "probe/syzygy/syzygy.h"

/* Prints what the header of one of our own files says: of a table, a blocked-pawn table or a pawn file. */
void info_text_table(const Table *table);

/* Prints what is known of a Syzygy file. */
void info_text_syzygy(const Syzygy *table, const Material *material, treb_metric metric);

/* Prints a table as one line, with tabs between, and the line above all of them. */
void info_text_row_head(void);
void info_text_row(const Table *table);

#endif
