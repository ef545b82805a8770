/* dtm50_writer.h - writes the DTM50 file of a material from solved slices. */
#ifndef TREB_GEN_WRITE_DTM50_WRITER_H
#define TREB_GEN_WRITE_DTM50_WRITER_H

#include "gen/solve/dtm50.h"
#include "gen/write/writer.h"

typedef struct Dtm50Writer Dtm50Writer;

/* `profiles`: the lists of the table, which must stay valid. `state`: what the writer of an earlier run saved, or NULL.
 * NULL: `error` says why; TREB_ERR_DAMAGED if the state cannot be used. */
Dtm50Writer *dtm50_writer_new(const Layout *layout, const WriteOptions *options,
                              const Profiles *profiles, State *state, treb_error *error);

/* Writes all that was added to the disk, then appends to `state` what dtm50_writer_new needs. For this the options must
 * have a path. TREB_ERR_IO. */
treb_status dtm50_writer_put(const Dtm50Writer *writer, State *state, treb_error *error);

/* Returns the sides to move whose profiles the writer needs, a mask. */
unsigned dtm50_writer_sides(const Dtm50Writer *writer);

/* Adds the slices that were solved together; number[lane] is the number of each. May be called from parallel
 * threads. */
treb_status dtm50_writer_add(Dtm50Writer *writer, const uint64_t *number, const Dtm50 *dtm50,
                             treb_error *error);

/* Completes the file, for the side to move that the DTM file in the folder has, and frees the writer. Adds its size to
 * the result, and the number of positions. TREB_OK also if it was stopped; then there is no file. */
treb_status dtm50_writer_finish(Dtm50Writer *writer, WriteResult *result, treb_error *error);

/* Frees the writer and leaves no file, except what dtm50_writer_put has saved. NULL is allowed. */
void dtm50_writer_abort(Dtm50Writer *writer);

/* Bytes that a writer claims while slices are added. */
uint64_t dtm50_writer_memory(const Layout *layout, int threads);

#endif
