/* sink.h - where the solved slices of a table go to become files: the writer of our own files, or the exporter of
 * Syzygy's. */
#ifndef TREB_GEN_SINK_H
#define TREB_GEN_SINK_H

#include "gen/context.h"

/* A sink without a `self` writes no files: its functions below do nothing. */
typedef struct Sink {
    void *self;
    treb_status (*add)(void *self, const uint64_t *number, const SolvedSlice *slice,
                       treb_error *error);
    treb_status (*put)(const void *self, State *state, treb_error *error); /* NULL: not possible */
    treb_status (*finish)(void *self, WriteResult *result, treb_error *error);
    void (*abort)(void *self);
} Sink;

/* Returns the options of a writer of our own files, for one process. */
WriteOptions sink_write_options(const GenContext *gen);

/* Opens the sink for the files of a step, or none if this process writes no files in this step. `processes`: those
 * that solve the table together, or NULL. `path`: beginning of the names of files that a later run can resume from;
 * NULL: it cannot. With `state` the sink resumes from what an earlier run has put; TREB_ERR_DAMAGED if that is
 * invalid. */
treb_status sink_open(Sink *sink, GenContext *gen, const GenerateStep *step, const Layout *layout,
                      const Processes *processes, const char *path, State *state,
                      treb_error *error);

/* Adds slices; number[lane] is the number of each. May be called by several threads, but not the first time: the sink
 * makes choices from the first slices, which must not depend on threads. */
static inline treb_status sink_add(const Sink *sink, const uint64_t *number,
                                   const SolvedSlice *slice, treb_error *error)
{
    return sink->self != NULL ? sink->add(sink->self, number, slice, error) : TREB_OK;
}

/* Appends what was added so far to `state`, for sink_open in a later run. */
static inline treb_status sink_put(const Sink *sink, State *state, treb_error *error)
{
    return sink->self != NULL && sink->put != NULL ? sink->put(sink->self, state, error) : TREB_OK;
}

/* Completes the files and frees the sink. */
static inline treb_status sink_finish(Sink *sink, WriteResult *result, treb_error *error)
{
    void *self = sink->self;
    sink->self = NULL;
    return self != NULL ? sink->finish(self, result, error) : TREB_OK;
}

/* Frees the sink and leaves no file. */
static inline void sink_abort(Sink *sink)
{
    if (sink->self != NULL) sink->abort(sink->self);
    sink->self = NULL;
}

#endif
