/* answer_rules.c - the object of GET /v1/rules. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/material.h"
#include "core/chess/position.h"
#include "core/system/error.h"
#include "find/rule.h"
#include "json/answer.h"
#include "json/coverage.h"
#include "json/put.h"
#include "json/rule_book.h"
#include "json/words.h"

/* Returns whether a rule names an ending among those that it was tested on. */
static bool is_about(const RuleText *rule, const char *material)
{
    const char *list = strstr(rule->text, rule_book_trial), *found;
    const char *end = list != NULL ? strchr(list, '\n') : NULL;
    const size_t length = strlen(material);
    if (end == NULL) return false;
    for (list += strlen(rule_book_trial); (found = strstr(list, material)) != NULL;
         list = found + length)
        if (found < end && found[-1] == ' ' && (found[length] == ' ' || found[length] == '\n'))
            return true;
    return false;
}

static json_t *rule_json(const RuleText *rule, const char *material, const RuleOpinion *opinion)
{
    static const char *const members[] = {"positions", "silent", "sayings", NULL};
    const bool silent = opinion->claim == RULE_NOTHING;
    json_t *object = json_object();
    put(object, "rule", json_text(rule->name));
    put(object, "about", rule_book_about(rule->text));
    put(object, "says", silent ? json_null() : json_text(rule_claim_text(opinion->claim)));
    put(object, "ground", silent ? json_null() : json_string(opinion->ground));
    put(object, "right",
        silent ? json_null() : json_boolean(rule_claim_right(opinion->claim, opinion->result)));
    put(object, "figures", rule_book_figures(rule_figures, rule->name, material, members));
    return object;
}

/* Adds what each rule for an ending says of a position. */
static treb_status ask_all(AnswerContext *context, const treb_position *pos, const char *material,
                           json_t *list, treb_error *error)
{
    treb_status status = TREB_OK;
    for (const RuleText *rule = rule_book; rule->name != NULL && status == TREB_OK; rule++) {
        RuleOpinion opinion;
        if (!is_about(rule, material)) continue;
        if (answer_stopped(context)) return answer_fail_stopped(error);
        status =
            rule_say(context->tables, rule_book, rule->name, pos, context->cancel, &opinion, error);
        if (status == TREB_OK) json_array_append_new(list, rule_json(rule, material, &opinion));
    }
    return status;
}

json_t *answer_rules(AnswerContext *context, const treb_position *pos, treb_error *error)
{
    treb_position in_table = *pos;
    char material[MATERIAL_NAME_SIZE], fen[TREB_FEN_SIZE];
    treb_wdl wdl;
    treb_status status = answer_covered(pos);
    if (status != TREB_OK) {
        answer_fail_covered(status, error);
        return NULL;
    }
    const bool swapped = rule_book_turn(&in_table, material);
    status = treb_probe_wdl(context->tables, pos, &wdl, error);
    json_t *object = json_object(), *list = json_array();
    treb_position_to_fen(pos, fen);
    put(object, "fen", json_text(fen));
    put(object, "material", json_text(material));
    put(object, "swapped", json_boolean(swapped));
    put(object, "rules", list);
    if (status == TREB_OK) {
        const treb_wdl plain = wdl > TREB_DRAW ? TREB_WIN : wdl < TREB_DRAW ? TREB_LOSS : TREB_DRAW;
        put(object, "verdict", json_text(answer_verdict(plain)));
        status = ask_all(context, &in_table, material, list, error);
    }
    answer_note(context, status);
    if (status == TREB_OK) return answer_unless_stopped(context, object, error);
    json_decref(object);
    return NULL;
}
