/* memory_estimate.h - how much memory a table takes, before anything is solved. */
#ifndef TREB_GEN_MEMORY_ESTIMATE_H
#define TREB_GEN_MEMORY_ESTIMATE_H

#include "gen/plan.h"

/* Returns the bytes that a process takes in addition to what the memory budget counts: code, stacks, small
 * allocations, and what the allocator holds back. */
uint64_t memory_estimate_overhead(int threads);

/* Returns how many solvers work side by side on a table. */
int memory_estimate_solvers(const Layout *layout, size_t groups, int threads,
                            const Processes *processes);

/* Fills in cells, store and memory of a step, for `threads` threads. Thread-safe. */
treb_status memory_estimate_step(GenerateStep *step, const GenerateOptions *options, int threads,
                                 treb_error *error);

/* Whether slices for pushes can be written to a file and read plane by plane (store_set_pushes_in_file). */
bool memory_estimate_pushes_in_file(const Layout *layout, int solvers, const Processes *processes);

#endif
