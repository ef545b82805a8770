/* rule_book.h - the rules of rules/, the strategies of strategies/ and what became of them, built into the program: so
 * nothing but these can be run by a server. Private to json/. */
#ifndef TREB_ANSWER_RULE_BOOK_H
#define TREB_ANSWER_RULE_BOOK_H

#include <jansson.h>

#include "core/chess/material.h"
#include "find/rule.h"

/* What became of a rule or a strategy over a whole ending, made by make rules and make strategies. */
typedef struct RuleFigures {
    const char *rule, *material;
    const char *json; /* as of `trebuchet rule --json` or `trebuchet play --json` */
} RuleFigures;

/* Made by examples/rules/embed.sh. Each ends with a name of NULL. */
extern const RuleText rule_book[], strategy_book[];
extern const RuleFigures rule_figures[], strategy_figures[];

/* The comment that one begins with, without the line that names endings. */
json_t *rule_book_about(const char *text);

/* Some members of its figures; null where there are none. The list of names ends with NULL. */
json_t *rule_book_figures(const RuleFigures *figures, const char *rule, const char *material,
                          const char *const *members);

/* The position as tables have it: the side with more men is White. Whether colours were exchanged for that. */
bool rule_book_turn(treb_position *pos, char name[MATERIAL_NAME_SIZE]);

#endif
