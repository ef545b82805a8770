/* emit.h - from solved slices to table files. */
#ifndef TREB_GEN_EMIT_H
#define TREB_GEN_EMIT_H

#include "solve.h"
#include "table.h"
#include "tally.h"

typedef struct EmitOptions {
    const char *directory;
    unsigned metrics; /* 1 << TABLE_WDL and so on: the files to write */
    int level;        /* of zstd; 0 for the default */
    bool five_values; /* cursed wins are to be expected */
} EmitOptions;

/* What was written. */
typedef struct EmitResult {
    Tally tally;
    uint64_t file_size[TABLE_METRICS];
    uint64_t positions; /* legal, full board, both sides to move */
} EmitResult;

/* Writes the files of one material, slice by slice in any order. */
typedef struct Emitter Emitter;

Emitter *emitter_new(const Shape *shape, const EmitOptions *options, TableError *error);

/* Compresses and writes the slices of `slice`, number[lane] each; in parallel, or from parallel
 * threads. *retry is set, and nothing else happens, if there are cursed wins but five_values was not
 * given: begin again with it. */
treb_status emitter_slice(Emitter *emitter, const uint64_t *number, const Slice *slice, bool *retry,
                          TableError *error);

/* Stands in for a slice that no position uses. Not before the first emitter_slice. */
treb_status emitter_skip(Emitter *emitter, uint64_t number, TableError *error);

/* Completes the files and frees the emitter; the files appear together at the very end. */
treb_status emitter_finish(Emitter *emitter, EmitResult *result, TableError *error);

/* Frees the emitter and leaves no file. */
void emitter_abort(Emitter *emitter);

#endif
