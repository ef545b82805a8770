/* answer_find.h - what find/ says, as JSON objects: as those of answer.h. */
#ifndef TREB_ANSWER_ANSWER_FIND_H
#define TREB_ANSWER_ANSWER_FIND_H

#include "json/answer.h"
#include "find/shift.h"

/* A position slid over the board: the groups by edges, and all places. */
json_t *answer_shift_json(const Shift *shift);

/* A position that was found: FEN, verdict, distances; of a zugzwang what it is with either side to move. */
json_t *answer_found_json(const treb_tables *tables, const Found *found);

/* ---- Lists ----------------------------------------------------------------------------------- */

enum { ANSWER_LIST_SHOWN = 256 };

/* A list of positions of an ending: its mutual zugzwangs, or its longest wins. */
typedef struct AnswerList {
    char material[24]; /* as tables have it */
    int men;
    bool longest;
} AnswerList;

/* Reads a request, {"material":"KRPvKR","kind":"zugzwang"}, and sees that there is a table to make the list from. */
treb_status answer_list_read(AnswerContext *context, const char *body, size_t size, AnswerList *out,
                             treb_error *error);

/* "zugzwang" or "longest". */
const char *answer_list_kind(const AnswerList *list);

/* Makes it, which takes seconds to minutes of one processor: how many there are, and ANSWER_LIST_SHOWN of them at most. Of
 * zugzwangs those in which whoever is to move loses come first, then those that take longest to win. */
json_t *answer_list(AnswerContext *context, const AnswerList *list, FindProgress progress,
                    void *progress_context, treb_error *error);

#endif
