/* emit.h - from solved slices to table files. */
#ifndef TREB_GEN_EMIT_H
#define TREB_GEN_EMIT_H

#include "core/table.h"
#include "gen/solve/solve.h"
#include "gen/write/tally.h"

typedef struct EmitOptions {
    const char *directory;
    unsigned metrics; /* 1 << TREB_WDL and so on: the files to write */
    int level;        /* of zstd; 0 for the default */
    bool wide;        /* two bytes a distance even where one suffices, in a generator built WIDE */
} EmitOptions;

/* What was written. */
typedef struct EmitResult {
    Tally tally;
    uint64_t file_size[TREB_METRICS];
    uint64_t positions; /* legal, full board, both sides to move */
} EmitResult;

/* Writes the files of one material, slice by slice in any order. */
typedef struct Emitter Emitter;

Emitter *emitter_new(const Shape *shape, const EmitOptions *options, treb_error *error);

/* Takes the slices of `slice`, number[lane] each; in parallel, or from parallel threads. The first
 * call must not be one of several at once: what is chosen by its sample should not depend on
 * threads. */
treb_status emitter_slice(Emitter *emitter, const uint64_t *number, const Slice *slice,
                          treb_error *error);

/* Completes the files and frees the emitter; the files appear together at the very end. */
treb_status emitter_finish(Emitter *emitter, EmitResult *result, treb_error *error);

/* Frees the emitter and leaves no file. */
void emitter_abort(Emitter *emitter);

#endif
