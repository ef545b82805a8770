/* rule_book.h - the rules of rules/ and what became of them, built into the program: so nothing but these can be run by
 * a server. Private to answer/. */
#ifndef TREB_ANSWER_RULE_BOOK_H
#define TREB_ANSWER_RULE_BOOK_H

#include "find/rule.h"

/* How often a rule is right over a whole ending, made by make rules. */
typedef struct RuleFigures {
    const char *rule, *material;
    const char *json; /* as of `trebuchet rule --json` */
} RuleFigures;

/* Made by rules/embed.sh. Each ends with a name of NULL. */
extern const RuleText rule_book[];
extern const RuleFigures rule_figures[];

#endif
