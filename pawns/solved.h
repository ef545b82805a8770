/* solved.h - solved pawn endings in files (core/format/table_solved.h): writing and checking them. */
#ifndef TREB_BLOCKED_SOLVED_H
#define TREB_BLOCKED_SOLVED_H

#include "pawns/blocked.h"
#include "pawns/file_check.h"
#include "pawns/solve.h"
#include "core/format/table_solved.h"

/* Answers under the 50-move rule at a clock of 0: +1 if the side to move wins then, -1 if it loses. */
typedef bool SolvedRule(void *context, const treb_position *pos, int *out);

typedef struct SolvedWritten {
    char name[RANKS_NAME_SIZE];
    uint64_t structures, kept; /* in the file; of them, taken over from an older one */
    uint64_t positions, open;  /* legal ones; of them, not decided */
    uint64_t bytes;
    bool stopped; /* before all was there: there is no file, or the older one */
} SolvedWritten;

/* Told how many structures are in the file, and how many there will be; true to stop. May be NULL. */
typedef bool SolvedTell(void *context, uint64_t done, uint64_t structures);

/* Writes what the lattice knows of all structures below the position, all placements of the kings. They
 * are solved again, as wins have to be in time for the 50-move rule: tables, if the lattice's limits have
 * any, are asked by `rule`. After that the solution serves for nothing else. What an older file of the
 * same structure knows besides is kept. TREB_ERR_ARGUMENT if there is nothing to be written. */
treb_status solved_write(Solve *solve, SolvedRule *rule, const char *directory, SolvedTell *tell,
                         void *context, SolvedWritten *out, treb_error *error);

/* Adds the names of such files in some folders, as blocked_names has those of rank files. */
bool solved_names(const char *const *directories, size_t count, BlockedNames *out);

/* Whether every cell of a file follows from its moves, by the rules of chess alone. */
treb_status solved_check_file(const char *path, FileCheck *check);

#endif
