/* rule.h - a rule on trial: what it says of all positions of an ending, and what they are worth.
 *
 * A rule is a function in Lua that says of a position, for the side to move, that it is a win, a draw, a
 * loss, not a win, not a loss, or nothing; and on what ground, in its own words. Or it is a statement of any other
 * kind, which it finds true or false of a position: then it is wrong where that is false. docs/rules.md. Results
 * are those without the 50-move rule. */
#ifndef TREB_FIND_RULE_H
#define TREB_FIND_RULE_H

#include "find/find.h"
#include "find/rule_claim.h"

typedef struct RuleExample {
    treb_position pos;
    int result;
} RuleExample;

/* What is said with one word on one ground. */
typedef struct RuleSaying {
    RuleClaim claim;
    char ground[RULE_GROUND_SIZE]; /* may be empty */
    uint64_t of[RULE_RESULTS];     /* positions, by what they are */
    RuleExample *wrong;            /* the first of those of which it is wrong; owned */
    size_t shown;
} RuleSaying;

/* Of how many positions it is said, and of how many of them it is wrong. */
uint64_t rule_saying_all(const RuleSaying *saying);
uint64_t rule_saying_wrong(const RuleSaying *saying);

typedef struct RuleReport {
    uint64_t looked, silent;
    RuleSaying saying[RULE_GROUNDS];
    size_t sayings;
} RuleReport;

typedef struct RuleQuery {
    const treb_tables *tables;
    const char *path; /* of the file */
    int turn;         /* who is to move, or FIND_EITHER */
    size_t shown;     /* wrong positions that are kept, of each saying */
    unsigned threads;
    const atomic_bool *stop;
    FindProgress progress; /* NULL allowed */
    void *context;
} RuleQuery;

/* Goes through a material. The report is added to, also if it ends early; free it with rule_report_free.
 * TREB_ERR_ARGUMENT for what is wrong in the file, with its line. */
treb_status rule_try(const RuleQuery *query, const char *material, RuleReport *report,
                     treb_error *error);
void rule_report_free(RuleReport *report);

/* What a rule says of one position of an ending that it is about, and what that is worth. */
typedef struct RuleOpinion {
    RuleClaim claim;
    char ground[RULE_GROUND_SIZE];
    int result; /* 0 a loss, 1 a draw, 2 a win of the side to move */
} RuleOpinion;

/* Asks one rule of a list; without a list `name` is the path of a file. The position is as the tables have it: the side
 * with more men is White. TREB_ERR_ARGUMENT if there is no such rule, something is wrong in it, or `stop` became true
 * (NULL allowed); the library's errors. */
treb_status rule_say(const treb_tables *tables, const RuleText *rules, const char *name,
                     const treb_position *pos, const atomic_bool *stop, RuleOpinion *out,
                     treb_error *error);

#endif
