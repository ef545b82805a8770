/* answer_solve.h - positions that are solved on request, without tables of their own: for the server's
 * background work and for `trebuchet solve --json`. */
#ifndef TREB_JSON_ANSWER_SOLVE_H
#define TREB_JSON_ANSWER_SOLVE_H

#include "pawns/solve/solve.h"
#include "json/context.h"

/* ---- Requests -------------------------------------------------------------------------------- */

enum { ANSWER_SOLVE_NAME = 96 };

typedef struct AnswerSolve {
    treb_position pos;
    uint64_t memory;  /* bytes that solving may take */
    unsigned seconds; /* time that solving may take */
} AnswerSolve;

/* Reads a request, {"fen":"...","seconds":20}. "seconds" is optional, and is cut down to the
 * seconds that the caller has set in `out`. */
treb_status answer_solve_read(const char *body, size_t size, AnswerSolve *out, treb_error *error);

/* Writes the name of the work, which depends only on the position:
 * "solve-8.8.p3k3.1p6.1P6.P3K3.8.8_w_-_-". */
void answer_solve_name(const AnswerSolve *request, char out[ANSWER_SOLVE_NAME]);

/* Solves the position. Returns the object of answer_solve_json, with `seconds` and with `probe`, the
 * object of answer_solve_probe_json. Keeps the number of structures so far in *structures. What is
 * not decided when the work is cancelled, or its time is up, is open. */
json_t *answer_solve_run(treb_tables *tables, const AnswerSolve *request, const atomic_bool *cancel,
                         _Atomic uint64_t *structures, treb_error *error);

/* Lets tables of up to 5 men answer for a structure, if the tables of all its sub-endings are
 * installed too. The tables get an eighth of the memory, 256 MiB at most. */
void answer_use_tables(treb_tables *tables, ProofGraphLimits *limits);

/* ---- A solved position ----------------------------------------------------------------------- */

/* The object of a solved position, with the line if a side wins (docs/http-api.md). The line goes on
 * with the tables of the context where they know the position. */
json_t *answer_solve_json(AnswerContext *context, Solve *solve, treb_error *error);

/* The object of GET /v1/probe for a solved position. The 50-move rule is ignored, and the only
 * distance is that to the next capture, promotion or mate. */
json_t *answer_solve_probe_json(const Solve *solve, treb_error *error);

#endif
