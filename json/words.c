/* words.c - see words.h. */
#include "json/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/chess/position.h"
#include "json/put.h"

const char *answer_code(treb_status status)
{
    switch (status) {
    case TREB_OK:
        return "ok";
    case TREB_ERR_FEN:
        return "bad_fen";
    case TREB_ERR_POSITION:
        return "bad_position";
    case TREB_ERR_CASTLING:
        return "castling";
    case TREB_ERR_MEN:
        return "too_many_men";
    case TREB_ERR_NO_TABLE:
        return "no_table";
    case TREB_ERR_DAMAGED:
        return "damaged";
    case TREB_ERR_IO:
        return "io";
    case TREB_ERR_MEMORY:
        return "memory";
    case TREB_ERR_NETWORK:
        return "network";
    case TREB_ERR_TIMEOUT:
        return "timeout";
    default:
        return "bad_request";
    }
}

const char *answer_verdict(treb_wdl wdl)
{
    static const char *const words[] = {"loss", "blessed_loss", "draw", "cursed_win", "win"};
    assert(wdl >= TREB_LOSS && wdl <= TREB_WIN);
    return words[wdl];
}

bool answer_verdict_of(const char *text, treb_wdl *out)
{
    for (int v = TREB_LOSS; v <= TREB_WIN; v++)
        if (strcmp(text, answer_verdict((treb_wdl)v)) == 0) {
            *out = (treb_wdl)v;
            return true;
        }
    return false;
}

bool answer_metric_of(const char *text, treb_metric *out)
{
    static const treb_metric metrics[] = {TREB_DTZ, TREB_DTC, TREB_DTM, TREB_DTM50};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (strcasecmp(text, treb_metric_text(metrics[i])) == 0) {
            *out = metrics[i];
            return true;
        }
    return false;
}

const char *answer_rule_name(treb_rule rule) { return rule == TREB_RULE_50 ? "50" : "none"; }

bool answer_rule_of(const char *text, treb_rule *out)
{
    *out = strcmp(text, "none") == 0 ? TREB_RULE_NONE : TREB_RULE_50;
    return strcmp(text, answer_rule_name(*out)) == 0;
}

bool answer_dtc_of(const char *text, const treb_position *pos, bool *shown)
{
    enum { AUXILIARY_MEN = 8 };
    bool always = strcmp(text, "always") == 0, auxiliary = strcmp(text, "auxiliary") == 0;
    *shown = always || (auxiliary && bit_count(position_occupied(pos)) >= AUXILIARY_MEN);
    return always || auxiliary || strcmp(text, "never") == 0;
}

json_t *answer_error(const char *code, const char *message)
{
    json_t *text = json_string(message), *object = json_object();
    if (text == NULL) {
        /* The message quotes a part of the request that is not UTF-8. */
        char *copy = strdup(message);
        for (char *c = copy; c != NULL && *c; c++)
            if ((unsigned char)*c >= 0x80) *c = '?';
        text = copy != NULL ? json_string(copy) : NULL;
        free(copy);
    }
    put(object, "code", json_text(code));
    put(object, "message", text != NULL ? text : json_text(code));
    return object;
}

const char *answer_color(int color) { return color == TREB_WHITE ? "white" : "black"; }
