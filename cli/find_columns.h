/* find_columns.h - the columns of the positions that find prints as TSV or CSV. */
#ifndef TREB_CLI_FIND_COLUMNS_H
#define TREB_CLI_FIND_COLUMNS_H

#include <stdio.h>

#include "core/chess/movegen.h"
#include "find/find.h"

enum { FIND_COLUMNS_MAX = 32 };

typedef struct FindColumns {
    char between; /* '\t' or ',' */
    bool negative; /* distances of the side that loses are negative */
    int count;
    uint8_t column[FIND_COLUMNS_MAX]; /* numbers of columns */
} FindColumns;

/* What is known of a position beyond Found. Each value is found when it is first needed. */
typedef struct FindRow {
    const FindQuery *query;
    const Found *found;
    bool has_value, has_moves;
    treb_value value;
    size_t moves;
    bool moves_known; /* the verdicts of all moves are known */
    treb_move move[TREB_MOVES_MAX];
} FindRow;

/* Returns the distance by a metric, or -1 if it is not known or the position is a draw. */
int find_row_plies(FindRow *row, int metric);
/* Whether the distance is rounded up. */
bool find_row_rounded(FindRow *row, int metric);
/* Returns a best move, NULL if there is none or none is known. */
const treb_move *find_row_best(FindRow *row);
/* Returns the only one of several moves that keeps the win or the draw, or NULL. */
const treb_move *find_row_only(FindRow *row);

/* Sets the usual columns. */
void find_columns_default(FindColumns *columns);

/* Reads the names of columns with commas between. Returns false after reporting what is wrong. */
bool find_columns_read(FindColumns *columns, const char *names);

/* Print the names and the values of a position as one line. */
void find_columns_head(const FindColumns *columns, FILE *out);
void find_columns_print(const FindColumns *columns, const FindQuery *query, const Found *found,
                        FILE *out);

#endif
