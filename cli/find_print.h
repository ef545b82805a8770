/* find_print.h - positions that were found, as text for people and programs. */
#ifndef TREB_CLI_FIND_PRINT_H
#define TREB_CLI_FIND_PRINT_H

#include <stdio.h>

#include "find/find.h"

typedef enum FindForm { FIND_FEN, FIND_EPD, FIND_TSV, FIND_JSON, FIND_PGN } FindForm;

/* What comes before the first position, or the first count. */
void find_print_head(FindForm form, bool counts);

/* One position, with what tables say of it. False after saying that memory is short. */
bool find_print(FindForm form, const treb_tables *tables, const Found *found);

/* How many there are of a material: for people, or as FIND_TSV or FIND_JSON, which is for standard output. `seconds`:
 * how long it took, or negative. Returns an exit code. */
int find_print_counts(FILE *out, FindForm form, const char *material, const FindQuery *query,
                      const FindCounts *counts, double seconds);

#endif
