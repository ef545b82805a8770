/* answer_list.h - lists of positions that find/ found, as JSON: for the server's background work and
 * for `trebuchet find --json`. */
#ifndef TREB_JSON_ANSWER_LIST_H
#define TREB_JSON_ANSWER_LIST_H

#include "find/find.h"
#include "json/context.h"

enum { ANSWER_LIST_SHOWN = 256 };

/* A request for the mutual zugzwangs of an ending, or for its longest wins. */
typedef struct AnswerList {
    char material[24]; /* canonical name */
    int men;
    bool longest;
} AnswerList;

/* Reads a request, {"material":"KRPvKR","kind":"zugzwang"}. Fails if there is no table to make the
 * list from. */
treb_status answer_list_read(AnswerContext *context, const char *body, size_t size, AnswerList *out,
                             treb_error *error);

/* "zugzwang" or "longest". */
const char *answer_list_kind(const AnswerList *list);

/* Makes the list, which takes one processor seconds to minutes. The object has the number of
 * positions, and ANSWER_LIST_SHOWN of them at most. Zugzwangs in which either side to move loses come
 * first, then those that take longest to win. */
json_t *answer_list(AnswerContext *context, const AnswerList *list, FindProgress progress,
                    void *progress_context, treb_error *error);

/* One position that was found: FEN, verdict, distances; for a zugzwang its value with either side to
 * move. */
json_t *answer_found_json(const treb_tables *tables, const Found *found);

#endif
