/* rule_claim.c - see rule_claim.h. */
#include "find/rule_claim.h"

#include <stdint.h>

const char *rule_claim_text(RuleClaim claim)
{
    static const char *const text[RULE_CLAIMS] = {"",        "win",      "draw", "loss",
                                                  "not win", "not loss", "true", "false"};
    return text[claim];
}

bool rule_claim_states(RuleClaim claim) { return claim == RULE_TRUE || claim == RULE_FALSE; }

bool rule_claim_right(RuleClaim claim, int result)
{
    static const uint8_t right[RULE_CLAIMS] = {7, 4, 2, 1, 3, 6, 7, 0}; /* bits by result */
    return right[claim] >> result & 1;
}
