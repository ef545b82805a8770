/* gen_progress.h - what a long generation shows while it runs. */
#ifndef TREB_CLI_GEN_PROGRESS_H
#define TREB_CLI_GEN_PROGRESS_H

#include "gen/generate.h"

/* What is printed of a step that is done: nothing, a line, or an object. */
enum { GEN_PROGRESS_QUIET, GEN_PROGRESS_LINES, GEN_PROGRESS_JSON };

/* A watcher: a thread that tells how far the plan is (cli/progress.h), unless `quiet` only when asked; for
 * programs as an object now and then. `options` has a progress. */
typedef struct GenProgress GenProgress;

GenProgress *gen_progress_start(const char *command, int style, const GeneratePlan *plan,
                                const GenerateOptions *options, bool quiet);

/* Says that a step is done. */
void gen_progress_step(GenProgress *progress, size_t step, const GenerateReport *report);

void gen_progress_stop(GenProgress *progress);

#endif
