/* probe_rows.h - what is printed of positions and games, in lines of TSV and JSON. */
#ifndef TREB_CLI_PROBE_ROWS_H
#define TREB_CLI_PROBE_ROWS_H

#include <stdio.h>

#include "json/judge.h"
#include "cli/probe_many.h"

/* The first line of TSV. */
extern const char probe_rows_header[];

typedef struct ProbeRow {
    const JudgedPosition *judged;
    size_t line;           /* of the input */
    const char *id;        /* "" if there is none */
    const JudgeStep *step; /* the move that led there; NULL if there is none */
} ProbeRow;

/* Each prints a line, in TSV or as a JSON object. */
void probe_row(FILE *out, ManyOutput output, const ProbeRow *row);

/* The same for a text that is no position, or a game that is at fault. */
void probe_row_fault(FILE *out, ManyOutput output, size_t line, const char *id, const char *text,
                     const treb_error *error);

#endif
