/* probe_many.h - trebuchet probe with a file, or with standard input: many positions, or games. */
#ifndef TREB_CLI_PROBE_MANY_H
#define TREB_CLI_PROBE_MANY_H

#include "cli/cli.h"
#include "core/pgn/input.h"

typedef enum ManyOutput { MANY_DEFAULT, MANY_TSV, MANY_JSONL, MANY_PGN } ManyOutput;

typedef struct ProbeMany {
    bool chosen; /* the kind of the input, else it is seen from the text */
    InputKind input;
    ManyOutput output;
    treb_metric metric; /* TREB_WDL: the first known */
    int count;
    char **words; /* names of files, or else one text */
    bool files;
} ProbeMany;

/* Takes the value of --input, of --output. False after the user has seen what it takes. */
bool probe_many_input(ProbeMany *many, const char *value);
bool probe_many_output(ProbeMany *many, const char *value);

/* Whether the words of the command line ask for it: "-", files, or any text with one of its
 * options. */
bool probe_many_wanted(ProbeMany *many, int count, char **words);

/* Gives the tables more memory, and returns an exit code. */
int probe_many(const ProbeMany *many, treb_tables *tables, const CliDirs *dirs);

#endif
