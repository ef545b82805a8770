/* generate.h - makes tables: carries out a plan (plan.h). */
#ifndef TREB_GEN_GENERATE_H
#define TREB_GEN_GENERATE_H

#include "gen/report.h"

/* Whether nothing is left to do in a step: no files are requested, and its slices are in scratch files of an earlier
 * run. */
bool generate_solved_before(const GenerateStep *step, const GenerateOptions *options);

/* Returns the bytes of the named scratch files in a folder. */
uint64_t generate_scratch(const GenerateOptions *options);

/* Removes the scratch files in a process's own folder, and the folder if it is then empty. Does nothing if another
 * run makes tables there. */
void generate_drop_scratch(const char *directory, bool mates);

/* Carries out a plan, and calls `report` after each step. TREB_OK also if the run was stopped: see `*stopped`. Fails
 * at once with TREB_ERR_MEMORY if the plan does not fit into the allowed memory, and with TREB_ERR_IO if another run
 * writes to the folder. While it runs OpenMP has a single level of threads.
 *
 * Several processes (options->processes) carry out one plan together. The first writes the files. Each has a folder
 * of its own for scratch files: options->scratch or, in all but the first, options->directory. Of steps that are
 * divided each process solves a part. Other steps it solves by itself if it needs them. A process that fails must end
 * all (end_job).
 *
 * Several runs with options->only and options->shared can share a folder. They must have the same list of materials
 * and the same scratch folder. Each makes its table, waits for tables that another run is making, uses what others
 * have solved, and leaves what missing tables of the list will read. */
typedef void GenerateReporter(void *context, size_t step, const GenerateReport *report);
treb_status generate_run(const GenerateOptions *options, const GeneratePlan *plan,
                         GenerateReporter *report, void *context, bool *stopped, treb_error *error);

#endif
