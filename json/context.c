/* context.c - see context.h. */
#include "json/context.h"

#include "core/system/error.h"

bool answer_stopped(AnswerContext *context)
{
    bool stop = (context->cancel != NULL && atomic_load(context->cancel)) ||
                (context->deadline != 0 && clock_nanoseconds() >= context->deadline);
    if (stop) context->flags |= ANSWER_STOPPED;
    return (context->flags & ANSWER_STOPPED) != 0;
}

treb_status answer_fail_stopped(treb_error *error)
{
    return fail(error, TREB_ERR_IO, "stopped before the answer was complete");
}

json_t *answer_unless_stopped(const AnswerContext *context, json_t *object, treb_error *error)
{
    if (!(context->flags & ANSWER_STOPPED)) return object;
    json_decref(object);
    answer_fail_stopped(error);
    return NULL;
}

void answer_note(AnswerContext *context, treb_status status)
{
    if (status == TREB_ERR_NO_TABLE) context->flags |= ANSWER_PARTIAL;
    if (status == TREB_ERR_DAMAGED) context->flags |= ANSWER_DAMAGED;
    /* Work that is stopped fails as well; this is not a failed read. */
    bool failed = status == TREB_ERR_IO || status == TREB_ERR_MEMORY ||
                  status == TREB_ERR_NETWORK || status == TREB_ERR_TIMEOUT;
    if (failed && !(context->flags & ANSWER_STOPPED)) context->flags |= ANSWER_FAILED;
}
