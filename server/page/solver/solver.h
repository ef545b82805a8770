/* solver.h - solving pawn endings in the page without a server: pawns/solve/ as WebAssembly, what it and the JavaScript around
 * it (src/solver.js) ask of each other. Tables are not used. */
#ifndef TREB_SERVER_PAGE_SOLVER_H
#define TREB_SERVER_PAGE_SOLVER_H

#define SOLVER_EXPORT(name) __attribute__((export_name(name)))
#define SOLVER_IMPORT(name) __attribute__((import_module("web"), import_name(name)))

/* Where texts go in and come out. */
SOLVER_EXPORT("text") char *solver_text(void);

/* Solves the position whose FEN the text is, with at most `memory` bytes, and writes the answer as JSON, or what is wrong.
 * Returns 0 on success, else a treb_status. */
SOLVER_EXPORT("solve") int solver_solve(double memory);

/* Called now and then with the number of pawn structures so far; returns whether to stop. */
SOLVER_IMPORT("stop") int solver_stop(double structures);

#endif
