/* gen_progress.h - the progress of a generation, for people and for programs. */
#ifndef TREB_CLI_GEN_PROGRESS_H
#define TREB_CLI_GEN_PROGRESS_H

#include "gen/generate.h"

/* What is printed when a table is finished: nothing, a line, or a JSON object. */
enum { GEN_PROGRESS_QUIET, GEN_PROGRESS_LINES, GEN_PROGRESS_JSON };

/* Starts a thread that prints the progress of the plan (cli/progress.h). With `quiet` it prints only when
 * SIGUSR1 asks for it. With GEN_PROGRESS_JSON it also prints a JSON object twice a minute. options->progress
 * is required. Returns NULL without memory. */
typedef struct GenProgress GenProgress;

GenProgress *gen_progress_start(const char *command, int style, const GeneratePlan *plan,
                                const GenerateOptions *options, bool quiet);

/* Reports that a step is finished. */
void gen_progress_step(GenProgress *progress, size_t step, const GenerateReport *report);

void gen_progress_stop(GenProgress *progress);

#endif
