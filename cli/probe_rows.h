/* probe_rows.h - prints positions and games as lines of TSV and JSON. */
#ifndef TREB_CLI_PROBE_ROWS_H
#define TREB_CLI_PROBE_ROWS_H

#include <stdio.h>

#include "cli/probe_many.h"
#include "json/judge.h"

/* The first line of TSV. */
extern const char probe_rows_header[];

typedef struct ProbeRow {
    const JudgedPosition *judged;
    size_t line;           /* number in the input, from 1 */
    const char *id;        /* "" if there is none */
    const JudgeStep *step; /* the move that led to the position, or NULL */
} ProbeRow;

/* Prints one line, as TSV or as a JSON object. */
void probe_row(FILE *out, ManyOutput output, const ProbeRow *row);

/* Prints a line about a text that is not a position, or about an error in a game. */
void probe_row_fault(FILE *out, ManyOutput output, size_t line, const char *id, const char *text,
                     const treb_error *error);

#endif
