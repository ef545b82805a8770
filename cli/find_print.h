/* find_print.h - prints the positions found, for people and for programs. */
#ifndef TREB_CLI_FIND_PRINT_H
#define TREB_CLI_FIND_PRINT_H

#include <stdio.h>

#include "find/find.h"

typedef enum FindForm { FIND_FEN, FIND_EPD, FIND_TSV, FIND_JSON, FIND_PGN } FindForm;

/* Prints the line of headings, if the form has one. `counts`: of counts, not of positions. */
void find_print_head(FindForm form, bool counts);

/* Prints one position with the values that the tables have. Returns false after reporting that memory ran
 * out. */
bool find_print(FindForm form, const treb_tables *tables, const Found *found);

/* Prints the number of positions of a material: for people, or as FIND_TSV or FIND_JSON, which goes to
 * standard output. `seconds` is the time it took; a negative one is not printed. Returns an exit code. */
int find_print_counts(FILE *out, FindForm form, const char *material, const FindQuery *query,
                      const FindCounts *counts, double seconds);

#endif
