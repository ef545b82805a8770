/* forecast.h - how much memory a table takes, before anything is solved. */
#ifndef TREB_GEN_FORECAST_H
#define TREB_GEN_FORECAST_H

#include "gen/plan.h"

/* What a process takes beside what its ledger counts: code, stacks, small things, and what the
 * allocator holds back. */
uint64_t forecast_overhead(int threads);

/* How many solvers work side by side on a table. */
int forecast_solvers(const Shape *shape, size_t batches, int threads, const Ranks *ranks);

/* Fills in cells, store and memory of a step, for so many threads. Several may do so at once. */
treb_status forecast_step(GenerateStep *step, const GenerateOptions *options, int threads,
                          treb_error *error);

/* Whether what pushes ask for of a table's slices can be filed and read plane by plane (store_file_pushes). */
bool forecast_files(const Shape *shape, int solvers, const Ranks *ranks);

#endif
