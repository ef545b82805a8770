/* progress.h - what a long generation shows while it runs. */
#ifndef TREB_CLI_PROGRESS_H
#define TREB_CLI_PROGRESS_H

#include "gen/generate.h"

enum { PROGRESS_QUIET, PROGRESS_LINES, PROGRESS_BAR, PROGRESS_JSON };

/* A watcher: with PROGRESS_BAR a thread draws the state a few times a second on stderr. */
typedef struct Progress Progress;

Progress *progress_start(int style, const GeneratePlan *plan, GenerateProgress *state);

/* Says that a step is done: a line, or an object. */
void progress_step(Progress *progress, size_t step, const GenerateReport *report);

void progress_stop(Progress *progress);

#endif
