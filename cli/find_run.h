/* find_run.h - the work of trebuchet find: goes through endings or draws positions, and prints them. */
#ifndef TREB_CLI_FIND_RUN_H
#define TREB_CLI_FIND_RUN_H

#include "cli/find_print.h"
#include "cli/folders.h"
#include "core/chess/material.h"

typedef struct FindArgs {
    FindQuery query;
    CliDirs dirs;
    FindForm form;
    FindColumns columns;
    const char *column_names;   /* NULL: the usual columns */
    const char *condition_file; /* NULL: the condition is in the command line */
    char *condition_text;       /* that was in it; to be freed */
    bool count, sort, quiet, negative;
    bool board, random, weighted, mirrored; /* of a sample; weighted, mirrored: the option was given */
    uint64_t first, sample, seed, men, seconds; /* 0: not given */
    char (*material)[MATERIAL_NAME_SIZE];
    size_t materials;
} FindArgs;

/* Does it. Returns an exit code. */
int find_run(const FindArgs *args);

/* Prints what is wrong with a condition. Returns an exit code. */
int find_refuse_condition(const treb_error *error);

#endif
