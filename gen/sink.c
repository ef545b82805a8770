/* sink.c - see sink.h. */
#include "gen/sink.h"

/* ---- Our own files --------------------------------------------------------------------------- */

static treb_status add_to_writer(void *self, const uint64_t *number, const SolvedSlice *slice,
                                 treb_error *error)
{
    return writer_add(self, number, slice, error);
}

static treb_status put_writer(const void *self, State *state, treb_error *error)
{
    return writer_put(self, state, error);
}

static treb_status finish_writer(void *self, WriteResult *result, treb_error *error)
{
    return writer_finish(self, result, error);
}

static void abort_writer(void *self) { writer_abort(self); }

WriteOptions sink_write_options(const GenContext *gen)
{
    const GenerateOptions *o = gen->options;
    return (WriteOptions){.directory = o->directory,
                            .scratch = generate_scratch_folder(o),
                            .metrics = o->metrics | 1u << TREB_WDL,
                            .level = o->level,
                            .effort = o->effort,
                            .codec = o->codec,
                            .classes = o->classes,
                            .large = o->large,
                            .bounds = o->bounds,
                            .wide = o->wide,
                            .stop = o->stop,
                            .keep = gen->waiting_bytes,
                            .progress = o->progress ? &o->progress->writing : NULL,
                            .budget = (MemoryBudget *)(uintptr_t)&gen->budget};
}

static Sink open_writer(GenContext *gen, const Layout *layout, const Processes *processes,
                        const char *path, State *state, treb_error *error)
{
    WriteOptions options = sink_write_options(gen);
    options.processes = processes;
    options.path = path;
    return (Sink){writer_new(layout, &options, state, error), add_to_writer, put_writer,
                  finish_writer, abort_writer};
}

/* ---- Syzygy's files -------------------------------------------------------------------------- */

static treb_status add_to_exporter(void *self, const uint64_t *number, const SolvedSlice *slice,
                                   treb_error *error)
{
    return export_add(self, number, slice, error);
}

static treb_status finish_exporter(void *self, WriteResult *result, treb_error *error)
{
    return export_finish(self, result, error);
}

static void abort_exporter(void *self) { export_abort(self); }

static Sink open_exporter(GenContext *gen, const Layout *layout, treb_error *error)
{
    const GenerateOptions *o = gen->options;
    ExportOptions options = {o->directory, o->exact, gen->waiting_bytes, &gen->budget, o->stop};
    return (Sink){export_new(layout, &options, error), add_to_exporter, NULL, finish_exporter,
                  abort_exporter};
}

/* ---- Either ---------------------------------------------------------------------------------- */

/* Whether only the DTM50 file is missing. */
static bool files_are_there(const GenContext *gen, const GenerateStep *step)
{
    const unsigned others = (gen->options->metrics | 1u << TREB_WDL) & ~(1u << TREB_DTM50);
    return generate_complete(gen->options->directory, &step->material, others);
}

treb_status sink_open(Sink *sink, GenContext *gen, const GenerateStep *step, const Layout *layout,
                      const Processes *processes, const char *path, State *state, treb_error *error)
{
    const Processes *all = gen->options->processes, *writing = processes_writing(processes, layout);
    /* If the processes do not write together, the first one does. */
    const bool elsewhere = all != NULL && all->index > 0 && writing == NULL;
    *sink = (Sink){0};
    /* An earlier run that saved a sink may have completed its files. */
    if (!step->write || elsewhere || (gen->store50 != NULL && state == NULL && files_are_there(gen, step)))
        return TREB_OK;
    *sink = gen->options->syzygy ? open_exporter(gen, layout, error)
                                 : open_writer(gen, layout, writing, path, state, error);
    return sink->self != NULL ? TREB_OK : error->status;
}
