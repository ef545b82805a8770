/* words.h - the words that answers use for statuses, verdicts, rules and colours. */
#ifndef TREB_JSON_WORDS_H
#define TREB_JSON_WORDS_H

#include <jansson.h>
#include <stdbool.h>

#include "trebuchet.h"

/* "no_table": the code of a failure, for programs. */
const char *answer_code(treb_status status);

/* {"code":...,"message":...}. If `message` is not UTF-8, its bytes beyond ASCII become "?". */
json_t *answer_error(const char *code, const char *message);

/* "cursed_win". */
const char *answer_verdict(treb_wdl wdl);

/* Reads a verdict; false if `text` is not one. */
bool answer_verdict_of(const char *text, treb_wdl *out);

/* Reads "dtm", "dtc" or "dtz"; false if `text` is not one of them. */
bool answer_metric_of(const char *text, treb_metric *out);

/* "50" or "none". */
const char *answer_rule_name(treb_rule rule);

/* Reads "50" or "none"; false if `text` is neither. */
bool answer_rule_of(const char *text, treb_rule *out);

/* lila-tablebase's parameter dtc: "never", "auxiliary" (with eight men or more) or "always". Sets
 * *shown to whether DTC is shown for a position. Returns false if the text is no such word. */
bool answer_dtc_of(const char *text, const treb_position *pos, bool *shown);

/* "white" or "black". */
const char *answer_color(int color);

#endif
