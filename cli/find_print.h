/* find_print.h - positions that were found, as text for people and programs. */
#ifndef TREB_CLI_FIND_PRINT_H
#define TREB_CLI_FIND_PRINT_H

#include "find/find.h"

typedef enum FindForm { FIND_FEN, FIND_EPD, FIND_TSV, FIND_JSON, FIND_PGN } FindForm;

/* What comes before the first position. */
void find_print_head(FindForm form);

/* One position, with what tables say of it. False after saying that memory is short. */
bool find_print(FindForm form, const treb_tables *tables, const Found *found);

/* "White to move draws, Black to move loses" of a zugzwang; else "". */
const char *find_print_zugzwang(const Found *found);

#endif
