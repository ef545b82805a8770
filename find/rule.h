/* rule.h - tests a rule: what it claims of all positions of an ending, and whether that is right.
 *
 * A rule is a function in Lua. It claims that a position is, for the side to move, a win, a draw, a
 * loss, not a win, or not a loss; or it claims nothing. It also gives the ground of its claim, a
 * text of its own. Instead of a verdict it may check any other statement, and return true or false;
 * then the rule is wrong if the statement is false. See docs/rules.md. Results are those without
 * the 50-move rule. */
#ifndef TREB_FIND_RULE_H
#define TREB_FIND_RULE_H

#include "find/find.h"
#include "find/rule_claim.h"

typedef struct RuleExample {
    treb_position pos;
    int result;
} RuleExample;

/* One claim that a rule made on one ground, and how often it was right. (The JSON output calls it a
 * saying.) */
typedef struct RuleSaying {
    RuleClaim claim;
    char ground[RULE_GROUND_SIZE]; /* may be empty */
    uint64_t of[RULE_RESULTS];     /* number of positions, by their true result */
    RuleExample *wrong;            /* the first positions for which the claim is wrong; owned */
    size_t shown;
} RuleSaying;

/* Return the number of positions for which the claim was made, and for which it is wrong. */
uint64_t rule_saying_all(const RuleSaying *saying);
uint64_t rule_saying_wrong(const RuleSaying *saying);

typedef struct RuleReport {
    uint64_t looked, silent;
    RuleSaying saying[RULE_GROUNDS];
    size_t sayings;
} RuleReport;

typedef struct RuleQuery {
    const treb_tables *tables;
    const char *path; /* file of the rule */
    int turn;         /* side to move, or FIND_EITHER */
    size_t shown;     /* maximum number of wrong positions to keep for each saying */
    unsigned threads;
    const atomic_bool *stop;
    FindProgress progress; /* may be NULL */
    void *context;
} RuleQuery;

/* Tests a rule in a material. Adds to the report, also if it ends early; free it with
 * rule_report_free. Returns TREB_ERR_ARGUMENT if the file is wrong; the message contains the
 * line. */
treb_status rule_try(const RuleQuery *query, const char *material, RuleReport *report,
                     treb_error *error);
void rule_report_free(RuleReport *report);

/* What a rule claims of one position, and the true result of the position. */
typedef struct RuleOpinion {
    RuleClaim claim;
    char ground[RULE_GROUND_SIZE];
    int result; /* for the side to move: 0 loss, 1 draw, 2 win */
} RuleOpinion;

/* Asks one rule of the list `rules` about a position. If `rules` is NULL, `name` is the path of a
 * file. The position must be as in the tables: the side with more men is White. Returns
 * TREB_ERR_ARGUMENT if there is no such rule, if it is wrong, or if `stop` became true (NULL
 * allowed); otherwise the errors of the library. */
treb_status rule_say(const treb_tables *tables, const RuleText *rules, const char *name,
                     const treb_position *pos, const atomic_bool *stop, RuleOpinion *out,
                     treb_error *error);

#endif
