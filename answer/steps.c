/* steps.c - long work in steps, so that it can be stopped between them: the moves of a position,
 * the plies of a line. A step is the probe of one move, or of a few plies (line.h). The results are
 * those of the library's functions that do all at once. */
#include <assert.h>
#include <string.h>
#include <time.h>

#include "answer/parts.h"
#include "core/san.h"

uint64_t answer_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return UINT64_C(1000000000) * (uint64_t)t.tv_sec + (uint64_t)t.tv_nsec;
}

bool answer_stopped(AnswerContext *context)
{
    bool stop = (context->cancel != NULL && atomic_load(context->cancel)) ||
                (context->deadline != 0 && answer_clock() >= context->deadline);
    if (stop) context->lacks |= ANSWER_STOPPED;
    return (context->lacks & ANSWER_STOPPED) != 0;
}

treb_status answer_fail_stopped(treb_error *error)
{
    return fail(error, TREB_ERR_IO, "stopped before the answer was complete");
}

json_t *answer_unless_stopped(const AnswerContext *context, json_t *object, treb_error *error)
{
    if (!(context->lacks & ANSWER_STOPPED)) return object;
    json_decref(object);
    answer_fail_stopped(error);
    return NULL;
}

/* ---- Moves ----------------------------------------------------------------------------------- */

/* Puts a move in its place among those before it. */
static void insert(treb_move *moves, size_t count, const treb_move *move, treb_metric metric)
{
    size_t at = count;
    while (at > 0 && treb_compare_moves(move, &moves[at - 1], metric, TREB_RULE_50) < 0) at--;
    memmove(&moves[at + 1], &moves[at], (count - at) * sizeof *moves);
    moves[at] = *move;
}

/* Probes all legal moves; `out` is NULL if only the status is wanted, which ends with the first
 * failure. */
static treb_status probe_moves(AnswerContext *context, const treb_position *pos, treb_metric metric,
                               treb_move *out, size_t *count, treb_error *error)
{
    Move moves[MOVES_MAX];
    treb_error why;
    treb_status first = treb_position_check(pos, error);
    *count = 0;
    if (first != TREB_OK) return first;
    int all = movegen_legal(pos, moves);
    for (int i = 0; i < all && (out != NULL || first == TREB_OK); i++) {
        treb_move move;
        char uci[UCI_SIZE];
        if (answer_stopped(context)) {
            *count = 0;
            return answer_fail_stopped(error);
        }
        move_to_uci(moves[i], uci);
        treb_status status = treb_probe_move(context->tables, pos, uci, metric, &move, &why);
        assert(status != TREB_ERR_ARGUMENT);
        if (status != TREB_OK && first == TREB_OK) first = fail(error, status, "%s", why.text);
        /* Refused positions have no moves. */
        if (answer_refused(status)) return first;
        if (out != NULL) insert(out, *count, &move, metric);
        ++*count;
    }
    return first;
}

treb_status answer_moves(AnswerContext *context, const treb_position *pos, treb_metric metric,
                         treb_move *out, size_t *count, treb_error *error)
{
    return probe_moves(context, pos, metric, out, count, error);
}

treb_status answer_moves_status(AnswerContext *context, const treb_position *pos,
                                treb_metric metric, treb_error *error)
{
    size_t count;
    return probe_moves(context, pos, metric, NULL, &count, error);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

treb_status answer_walk(AnswerContext *context, LineWalk *walk, treb_error *error)
{
    treb_status status = TREB_OK;
    while (status == TREB_OK && line_goes_on(walk)) {
        if (answer_stopped(context)) return answer_fail_stopped(error);
        status = line_step(walk, context->tables, error);
    }
    return status;
}
