/* finished_files.h - the files of a table that is there: which of them larger tables read, and whether they are whole. */
#ifndef TREB_GEN_SOLVE_FINISHED_FILES_H
#define TREB_GEN_SOLVE_FINISHED_FILES_H

#include "core/format/table.h"
#include "gen/solve/convert.h"

/* The files that are read: verdicts and, where they are solved, distances to mate. */
enum { FINISHED_VERDICTS, FINISHED_MATES, FINISHED_FILES };

/* Which moves of a side complete the values that files hold. */
typedef struct FinishedNeeds {
    ConverterMoves moves[2]; /* by side to move */
    bool cursed;             /* some position is won or lost, but drawn by the 50-move rule */
    /* If `metrics` has distances to mate, the longest: of all, and of what the rule leaves won or lost. */
    unsigned plies, plies_in_time;
} FinishedNeeds;

/* Finds what the files of a material in a folder need: verdicts and, if `metrics` has 1 << TREB_DTM, distances to mate.
 * Returns the errors of table_open, or TREB_ERR_NO_TABLE if neither side can be read without the other. */
treb_status finished_needs(const char *directory, const Material *material, unsigned metrics,
                           FinishedNeeds *needs, treb_error *error);

/* Compares the checksums of all cells that will be read. TREB_ERR_DAMAGED names the file. */
treb_status finished_check(const char *directory, const Material *material, unsigned metrics,
                           treb_error *error);

/* What is known of the files of a table without their cells. Plain data, which other processes get as it is. */
typedef struct FinishedFacts {
    FinishedNeeds needs;
    struct FinishedFile {
        bool read, wide; /* wide: a code has two bytes */
        bool
            stored[2]; /* by side to move: the file has cells of it. True if the file is not read */
        Index index[2]; /* numbering of the cells */
    } file[FINISHED_FILES];
} FinishedFacts;

/* Opens the files that are read. Returns the errors of finished_needs, and then nothing is open. */
treb_status finished_files_open(const char *directory, const Material *material, unsigned metrics,
                                Table *table[FINISHED_FILES], FinishedFacts *facts,
                                treb_error *error);
void finished_files_close(Table *table[FINISHED_FILES]);

#endif
