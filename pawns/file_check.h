/* file_check.h - whether a rank file is right: every cell follows from the moves of its placement.
 */
#ifndef TREB_BLOCKED_FILE_CHECK_H
#define TREB_BLOCKED_FILE_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "trebuchet.h"

typedef struct FileCheck {
    /* Says what a position of few men is worth: 1 if the side to move wins, -1 if it loses, else 0.
     * False if it cannot. NULL: nobody knows. */
    bool (*value)(void *context, const treb_position *pos, int *out);
    void *context;
    /* Of a solved pawn ending: positions to look at, 0 for all; threads, which call `value` at the same
     * time and take 64 MB each, 0 for OpenMP's number; and when to stop, or NULL. */
    uint64_t most;
    unsigned threads;
    const atomic_bool *stop;
    /* Found: */
    uint64_t placements; /* of the kings, by side to move */
    uint64_t captures;   /* what captures lead to */
    uint64_t compared;   /* of them, with the tables of few men */
    uint64_t missing; /* of a solved pawn ending: positions that need tables that are not there */
    uint64_t errors;
    char text[400]; /* the first error */
} FileCheck;

/* Reads a file and looks at its placements one at a time, by the rules of chess alone: no code is
 * shared with the solver. What captures lead to is believed, but for what `value` knows. TREB_OK if
 * all is right, TREB_ERR_DAMAGED and `text` if not; other failures likewise. */
treb_status blocked_check_file(const char *path, FileCheck *check);

/* For those who check a file: counts an error, and keeps the first one's words, behind the position if
 * there is one; and ends a check that cannot be made, with `status`. */
__attribute__((format(printf, 3, 4))) void
file_check_error(FileCheck *check, const treb_position *pos, const char *words, ...);
treb_status file_check_give_up(FileCheck *check, treb_status status, const char *text);

#endif
