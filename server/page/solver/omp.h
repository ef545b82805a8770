/* omp.h - what the solver asks of OpenMP, for the one thread of WebAssembly. */
#ifndef TREB_SERVER_PAGE_SOLVER_OMP_H
#define TREB_SERVER_PAGE_SOLVER_OMP_H

static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_thread_num(void) { return 0; }

#endif
