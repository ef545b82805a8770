/* find_print.h - prints the positions found, for people and for programs. */
#ifndef TREB_CLI_FIND_PRINT_H
#define TREB_CLI_FIND_PRINT_H

#include <stdio.h>

#include "cli/find_columns.h"
#include "find/find.h"

typedef enum FindForm { FIND_FEN, FIND_EPD, FIND_TSV, FIND_CSV, FIND_JSON, FIND_PGN } FindForm;

/* How positions are printed. */
typedef struct FindPrint {
    FindForm form;
    const FindQuery *query;
    FindColumns columns; /* of FIND_TSV and FIND_CSV */
} FindPrint;

/* Prints the line of headings, if the form has one. `counts`: of counts, not of positions. */
void find_print_head(const FindPrint *print, bool counts);

/* Prints one position with the values that the tables have. May be called by several threads.
 * Returns false if out of memory. */
bool find_print(const FindPrint *print, const Found *found, FILE *out);

/* Prints the number of positions of a material: for people, or as FIND_TSV, FIND_CSV or FIND_JSON,
 * which goes to standard output. `seconds` is the time it took; a negative one is not printed. Returns an
 * exit code. */
int find_print_counts(FILE *out, FindForm form, const char *material, const FindQuery *query,
                      const FindCounts *counts, double seconds);

#endif
