/* rule_claim.h - what a rule can claim of a position. */
#ifndef TREB_FIND_RULE_CLAIM_H
#define TREB_FIND_RULE_CLAIM_H

#include <stdbool.h>

typedef enum RuleClaim {
    RULE_NOTHING,
    RULE_WIN,
    RULE_DRAW,
    RULE_LOSS,
    RULE_NOT_WIN,
    RULE_NOT_LOSS,
    RULE_TRUE, /* a statement */
    RULE_FALSE,
    RULE_CLAIMS
} RuleClaim;

enum { RULE_GROUND_SIZE = 64, RULE_GROUNDS = 64, RULE_RESULTS = 3 /* loss, draw, win */ };

/* Returns the text of a claim: "win", "not loss", "true"; empty for RULE_NOTHING. Static. */
const char *rule_claim_text(RuleClaim claim);

/* Whether the claim is a statement (RULE_TRUE, RULE_FALSE) and not a verdict. */
bool rule_claim_states(RuleClaim claim);

/* Whether the claim is right for a position with this result: 0 loss, 1 draw, 2 win. RULE_FALSE is
 * never right. */
bool rule_claim_right(RuleClaim claim, int result);

/* A rule or strategy in memory. A list of them ends with a NULL name, and includes the rules that
 * its rules use. */
typedef struct RuleText {
    const char *name; /* for example "square" */
    const char *text;
} RuleText;

#endif
