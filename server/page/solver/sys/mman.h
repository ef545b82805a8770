/* sys/mman.h - empty: the solver's advice about large pages does not matter for WebAssembly. */
#ifndef TREB_SERVER_PAGE_SOLVER_MMAN_H
#define TREB_SERVER_PAGE_SOLVER_MMAN_H
#endif
