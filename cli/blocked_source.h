/* blocked_source.h - where the ranks of a blocked position come from: a blocked-pawn table
 * (a rank file, as the code calls it), or the solver, which the tables of few men help. */
#ifndef TREB_CLI_BLOCKED_SOURCE_H
#define TREB_CLI_BLOCKED_SOURCE_H

#include "pawns/blocked.h"
#include "cli/cli.h"
#include "cli/progress.h"

typedef struct BlockedSource {
    const char *write; /* a folder for the rank file, or NULL */
    bool solve;        /* even where a file answers */
    const CliDirs *dirs;
    treb_tables *tables; /* with GOAL_EXACT */
    bool quiet;          /* no progress */
    CliProgress progress;
} BlockedSource;

/* False after saying why. */
bool source_open(BlockedSource *source, CliDirs *dirs, TableGoal goal);
void source_close(BlockedSource *source);

/* Answers, and writes the file if it is to be written. Says where an answer came from, or where it
 * went, on standard error. NULL after saying why, with an exit code in *code. */
Blocked *source_ask(BlockedSource *source, BlockedRequest *request, int *code);

/* Says that no table has an answer and what would help: for a blocked position its own table. Returns
 * the exit code. */
int source_missing(const char *command, const treb_error *error, const CliDirs *dirs,
                   const treb_position *pos);

#endif
