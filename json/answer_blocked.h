/* answer_blocked.h - kings among blocked pawns as JSON: for the server, `trebuchet blocked --json`
 * and `trebuchet probe --json`. */
#ifndef TREB_ANSWER_ANSWER_BLOCKED_H
#define TREB_ANSWER_ANSWER_BLOCKED_H

#include "json/answer.h"
#include "json/standard.h"
#include "pawns/blocked.h"
#include "pawns/solve.h"

/* Corresponding squares: `attacker`, `groups`, `zugzwangs`, `double_zugzwangs` and `placements_open` (docs/blocked.md). */
void answer_put_squares(json_t *object, const Squares *squares);

/* Everything about the position (docs/blocked.md lists the members); `squares` may be NULL, and so
 * may the context's tables. */
json_t *answer_blocked(AnswerContext *context, Blocked *blocked, const Squares *squares,
                       treb_error *error);

/* The same of any position that was solved, with the line if somebody wins (docs/http-api.md), on by the context's
 * tables. */
json_t *answer_solve(AnswerContext *context, Solve *solve, treb_error *error);

/* The same as the object of GET /v1/probe: what the 50-move rule would say it does not know, nor other distances than to
 * the next capture, promotion or mate. */
json_t *answer_solve_probe(const Solve *solve, treb_error *error);

/* ---- Solving in the background --------------------------------------------------------------- */

/* Has tables of up to 5 men answer for families, where all that these turn into are there. They take an eighth of the
 * memory, and 256 MiB at most. */
void answer_use_tables(treb_tables *tables, LatticeLimits *limits);

enum { ANSWER_SOLVE_NAME = 96 };

/* A position that is to be solved, and what that may take. */
typedef struct AnswerSolve {
    treb_position pos;
    uint64_t memory; /* bytes */
    unsigned seconds;
} AnswerSolve;

/* Reads a request, {"fen":"...","seconds":20}: the seconds may be left out, and are not more than `out` has
 * already. */
treb_status answer_solve_read(const char *body, size_t size, AnswerSolve *out, treb_error *error);

/* What the same position always is called: "solve-8.8.p3k3.1p6.1P6.P3K3.8.8_w_-_-". */
void answer_solve_name(const AnswerSolve *ask, char out[ANSWER_SOLVE_NAME]);

/* The object of answer_solve, with `seconds` and `probe`, that of answer_solve_probe. Tells how many structures
 * there are so far; what is not decided when it is cancelled, or its time is up, is open. */
json_t *answer_solve_run(treb_tables *tables, const AnswerSolve *ask, const atomic_bool *cancel,
                         _Atomic uint64_t *structures, treb_error *error);

/* ---- In the shape of other answers ----------------------------------------------------------- */

/* What a verdict means for a side; an open one counts as a draw. */
treb_wdl answer_blocked_wdl(BlockedVerdict verdict, int side);

/* The object of GET /v1/probe. The 50-move rule is left aside. */
json_t *answer_blocked_probe(Blocked *blocked, bool moves, treb_error *error);

/* The object of GET /standard. The 50-move rule is left aside, so that a win is a "maybe-win". */
json_t *answer_blocked_standard(Blocked *blocked, treb_error *error);

/* The position's own table in the context's folders; of an exact question alone. NULL with the
 * reason: TREB_ERR_POSITION if it is not blocked, TREB_ERR_NO_TABLE if there is no file. */
Blocked *answer_find_blocked(const AnswerContext *context, const treb_position *pos,
                             treb_error *error);

/* The same where other tables have no answer: NULL and TREB_OK if there is none. */
treb_status answer_instead(AnswerContext *context, const treb_position *pos, Blocked **out,
                           treb_error *error);

/* The value of a position by its blocked-pawn table: the verdict, and DTC where that is exact. False
 * if there is none, or it leaves the position open. The 50-move rule is left aside. */
bool answer_blocked_value(AnswerContext *context, const treb_position *pos, treb_value *out);

/* The same for lila-tablebase's dialect; false if there is none. */
bool answer_blocked_fields(AnswerContext *context, const treb_position *pos, Fields *fields);

/* What is left of a line that ends with a capture: whether the tables know the rest. */
bool answer_blocked_goes_on(const treb_tables *tables, BlockedEnd end, const treb_position *last);

#endif
