/* probe_many.h - trebuchet probe for many positions or games, from files or standard input. */
#ifndef TREB_CLI_PROBE_MANY_H
#define TREB_CLI_PROBE_MANY_H

#include "cli/folders.h"
#include "core/pgn/input.h"

typedef enum ManyOutput { MANY_DEFAULT, MANY_TSV, MANY_JSONL, MANY_PGN } ManyOutput;

typedef struct ProbeMany {
    bool chosen;     /* --input is given */
    InputKind input; /* its value; otherwise the kind is found out from the text */
    ManyOutput output;
    treb_metric metric; /* TREB_WDL: the first known */
    int count;
    char **words; /* `count` names of files, or the words of one text */
    bool files;   /* the words are names of files */
} ProbeMany;

/* Read the value of --input and of --output. Return false after reporting a wrong one. */
bool probe_many_input(ProbeMany *many, const char *value);
bool probe_many_output(ProbeMany *many, const char *value);

/* Returns whether the words of the command line are for this mode: "-", files, or any text if one of the two
 * options is given. Keeps the words. */
bool probe_many_wanted(ProbeMany *many, int count, char **words);

/* Answers all of it on standard output, with a larger cache for the tables. Returns an exit code. */
int probe_many(const ProbeMany *many, treb_tables *tables, const CliDirs *dirs);

#endif
