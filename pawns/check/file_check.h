/* file_check.h - a check whether every cell of a file follows from the moves of its position, by
 * the rules of chess alone: the checks share no code with the solver. */
#ifndef TREB_PAWNS_CHECK_FILE_CHECK_H
#define TREB_PAWNS_CHECK_FILE_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/system/error.h"
#include "trebuchet.h"

typedef struct FileCheck {
    /* Sets `out` to the value of a position with few men for the side to move: above 0 for a win,
     * below 0 for a loss, else
     * 0. False if it cannot answer. NULL: there are no tables. */
    bool (*value)(void *context, const treb_position *pos, int *out);
    void *context;
    /* Of a pawn file: number of positions to check, 0 for all; number of threads, which call
     * `value` at the same time and take 64 MB each, 0 for OpenMP's number; and a flag that stops
     * the check, or NULL. */
    uint64_t most;
    unsigned threads;
    const atomic_bool *stop;
    /* Results: */
    uint64_t placements; /* positions of the kings, by side to move, that were checked */
    uint64_t captures;   /* positions after captures */
    uint64_t compared;   /* positions that were compared with tables */
    uint64_t missing;    /* of a pawn file: positions that rest on tables that are missing */
    uint64_t errors;
    char text[400]; /* the first error */
} FileCheck;

/* Counts an error. The first one's text is kept, with the position unless that is NULL. */
PRINTF_LIKE(3, 4)
void file_check_error(FileCheck *check, const treb_position *pos, const char *format, ...);

/* Ends a check that cannot be made: counts an error, keeps its text and returns `status`. */
treb_status file_check_give_up(FileCheck *check, treb_status status, const char *text);

#endif
