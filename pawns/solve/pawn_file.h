/* pawn_file.h - writes pawn files: files of solved pawn endings (core/format/table_pawn.h). */
#ifndef TREB_PAWNS_SOLVE_PAWN_FILE_H
#define TREB_PAWNS_SOLVE_PAWN_FILE_H

#include "core/format/table_pawn.h"
#include "pawns/solve/file_names.h"
#include "pawns/solve/solve.h"

/* Sets `out` to the value of a position under the 50-move rule with the clock at 0: 1 if the side
 * to move wins, -1 if it loses, else 0. False if it cannot answer. */
typedef bool PawnFileRule(void *context, const treb_position *pos, int *out);

typedef struct PawnFileWritten {
    char name[TABLE_LONG_NAME_SIZE];
    uint64_t structures;      /* number in the file */
    uint64_t kept;            /* number of them that come from an older file only */
    uint64_t positions, open; /* legal positions; those that are not decided */
    uint64_t bytes;           /* size of the file */
    bool stopped;             /* by the callback: nothing was written, an older file is unchanged */
} PawnFileWritten;

/* Called with the number of structures that are written and the number of all; true stops. May be
 * NULL. */
typedef bool PawnFileProgress(void *context, uint64_t done, uint64_t structures);

/* Writes what the graph knows about the structures below the position, with all placements of the
 * kings. They are solved again, as wins must be in time for the 50-move rule: where the graph has
 * an oracle, `rule` answers instead. Afterwards the solution must not be used for anything else.
 * Values that an older file of the same structure has in addition are kept. TREB_ERR_ARGUMENT if
 * there is nothing to write. */
treb_status pawn_file_write(Solve *solve, PawnFileRule *rule, const char *directory,
                            PawnFileProgress *progress, void *context, PawnFileWritten *out,
                            treb_error *error);

/* Adds the names of the pawn files in some folders, as file_names_add_folders() does. */
bool pawn_file_names(const char *const *directories, size_t count, FileNames *out);

#endif
