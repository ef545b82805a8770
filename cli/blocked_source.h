/* blocked_source.h - answers for a position with blocked pawns: from a blocked-pawn table, or from the
 * solver, which uses the tables of few men. */
#ifndef TREB_CLI_BLOCKED_SOURCE_H
#define TREB_CLI_BLOCKED_SOURCE_H

#include "cli/folders.h"
#include "cli/progress.h"
#include "pawns/blocked/blocked.h"

typedef struct BlockedSource {
    const char *write;   /* folder to write the blocked-pawn table into, or NULL */
    bool solve;          /* solve even if a blocked-pawn table has the answer */
    const CliDirs *dirs; /* folders of blocked-pawn tables */
    treb_tables *tables; /* tables of few men; opened for GOAL_EXACT only */
    bool quiet;          /* no progress */
    CliProgress progress;
} BlockedSource;

/* Opens the tables, and the folder to write into. Returns false after reporting a failure. */
bool blocked_source_open(BlockedSource *source, CliDirs *dirs, TableGoal goal);
void blocked_source_close(BlockedSource *source);

/* Answers a request, and writes the blocked-pawn table if that is requested. Prints on standard error
 * which file the answer came from or was written to. NULL after saying why, with an exit code in *code. */
Blocked *blocked_source_answer(BlockedSource *source, BlockedRequest *request, int *code);

/* Says that no table has an answer and what would help: for a blocked position its own table. Returns
 * the exit code. */
int blocked_source_fail(const char *command, const treb_error *error, const CliDirs *dirs,
                        const treb_position *pos);

#endif
