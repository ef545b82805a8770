/* answer_batch.c - the object of POST /v1/batch: many positions in one request. An error in one does
 * not affect the others. */
#include <string.h>

#include "core/system/error.h"
#include "json/answer.h"
#include "json/position_read.h"
#include "json/put.h"
#include "json/words.h"

static json_t *failed_json(json_t *fen, const treb_error *error)
{
    json_t *object = json_object();
    put(object, "fen", json_incref(fen));
    put(object, "error", answer_error(answer_code(error->status), error->text));
    return object;
}

static treb_status read_fen(const json_t *text, treb_position *pos, treb_error *error)
{
    if (!json_is_string(text)) return fail(error, TREB_ERR_FEN, "not a FEN: a string is expected");
    if (strlen(json_string_value(text)) != json_string_length(text))
        return fail(error, TREB_ERR_FEN, "not a FEN: there are zero bytes in it");
    return answer_read_position(json_string_value(text), pos, error);
}

static json_t *one_answer(AnswerContext *context, json_t *fen, const AnswerProbe *options)
{
    treb_position pos;
    treb_error error;
    json_t *object = NULL;
    if (read_fen(fen, &pos, &error) == TREB_OK)
        object = answer_probe(context, &pos, options, &error);
    return object != NULL ? object : failed_json(fen, &error);
}

/* Returns the list of FENs in a request, and reads its options. Returns NULL and an error if the
 * request is malformed. */
static const json_t *read_request(const json_t *root, AnswerProbe *options, treb_error *error)
{
    const json_t *fens = json_object_get(root, "fens"), *moves = json_object_get(root, "moves"),
                 *metric = json_object_get(root, "metric");
    *options = (AnswerProbe){.metric = TREB_WDL, .moves = true};
    if (!json_is_array(fens)) {
        fail(error, TREB_ERR_ARGUMENT,
             "the body must be an object with a list of strings, \"fens\"");
        return NULL;
    }
    if (json_array_size(fens) > ANSWER_BATCH_MAX) {
        fail(error, TREB_ERR_ARGUMENT, "too many positions: at most 1,000 in one request");
        return NULL;
    }
    if (moves != NULL && !json_is_boolean(moves)) {
        fail(error, TREB_ERR_ARGUMENT, "\"moves\" must be true or false");
        return NULL;
    }
    if (moves != NULL) options->moves = json_is_true(moves);
    if (metric != NULL && !json_is_null(metric) &&
        (!json_is_string(metric) ||
         !answer_metric_of(json_string_value(metric), &options->metric))) {
        fail(error, TREB_ERR_ARGUMENT, "\"metric\" must be dtm50, dtm, dtc or dtz");
        return NULL;
    }
    return fens;
}

json_t *answer_batch(AnswerContext *context, const char *body, size_t size, treb_error *error)
{
    json_error_t why;
    AnswerProbe options;
    if (size == 0) {
        fail(error, TREB_ERR_ARGUMENT,
             "the body is empty: send an object with a list of strings, \"fens\"");
        return NULL;
    }
    json_t *root = json_loadb(body, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
    if (root == NULL) {
        fail(error, TREB_ERR_ARGUMENT, "the body is not JSON: %s (line %d, column %d)", why.text,
             why.line, why.column);
        return NULL;
    }
    json_t *object = NULL;
    const json_t *fens = read_request(root, &options, error);
    if (fens != NULL) {
        json_t *answers = json_array();
        for (size_t i = 0; i < json_array_size(fens) && !answer_stopped(context); i++)
            json_array_append_new(answers, one_answer(context, json_array_get(fens, i), &options));
        object = json_object();
        put(object, "answers", answers);
        object = answer_unless_stopped(context, object, error);
    }
    json_decref(root);
    return object;
}
