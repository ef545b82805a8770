/* context.h - what a function that builds an answer needs to know, and what it reports back.
 *
 * Work can be stopped from outside: by a flag that another thread sets, or by a deadline. Every
 * builder calls answer_stopped between the probes of single moves, the positions of a batch, some
 * plies of a line, the files of a list. When that returns true, the builder returns NULL with
 * TREB_ERR_IO, and ANSWER_STOPPED is in `flags`. A context that was stopped stays stopped. */
#ifndef TREB_JSON_CONTEXT_H
#define TREB_JSON_CONTEXT_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/system/clock.h"
#include "trebuchet.h"

/* Problems met while an answer was built. */
enum {
    ANSWER_PARTIAL = 1, /* something is null because a table is not installed */
    ANSWER_DAMAGED = 2, /* a file is damaged */
    ANSWER_FAILED = 4,  /* something could not be read this time */
    ANSWER_STOPPED = 8  /* there is no answer: the time was up, or the work was cancelled */
};

typedef struct AnswerContext {
    const treb_tables *tables;
    const char *const *directories; /* folders with blocked-pawn tables */
    size_t directory_count;
    bool no_dtc;    /* answer_standard leaves DTC out, and does not sort by it */
    unsigned flags; /* out: ANSWER_PARTIAL and others, added by each builder */
    char missing_material
        [24]; /* out: material of the first missing table that answer_probe met, or "" */
    const atomic_bool *cancel; /* another thread sets it to stop the work; may be NULL */
    uint64_t deadline;         /* time of clock_nanoseconds at which the work stops; 0: none */
} AnswerContext;

/* Returns whether the work must stop, because the deadline has passed or it was cancelled. Takes
 * some 50 ns. */
bool answer_stopped(AnswerContext *context);

/* Sets the error "stopped"; returns TREB_ERR_IO. */
treb_status answer_fail_stopped(treb_error *error);

/* Returns `object`. If the work was stopped, releases `object`, sets the error and returns NULL. */
json_t *answer_unless_stopped(const AnswerContext *context, json_t *object, treb_error *error);

/* Adds to `flags` what a status means for the answer: a missing table, a damaged file, a failed
 * read. */
void answer_note(AnswerContext *context, treb_status status);

#endif
