/* profiles.h - lists of steps that many cells share. A list is the number of its last step: each step knows the list
 * before it, and there are no two equal steps. */
#ifndef TREB_GEN_SOLVE_PROFILES_H
#define TREB_GEN_SOLVE_PROFILES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/system/memory_budget.h"

enum {
    PROFILE_EMPTY = 0,            /* the list without steps */
    PROFILE_START = UINT16_MAX    /* ProfileStep.within of the first step of a list */
};
#define PROFILE_ANY UINT32_MAX        /* of a cell that may have any list */
#define PROFILE_NONE (UINT32_MAX - 1) /* no list: out of memory */

/* Where the distance to mate exceeds the plies left by at most `within`, the value is `extra` plies more than that
 * distance. */
typedef struct ProfileStep {
    uint32_t before; /* the list before it */
    uint16_t within, extra;
} ProfileStep;

typedef struct Profiles Profiles;

Profiles *profiles_new(MemoryBudget *budget); /* NULL: out of memory */
void profiles_free(Profiles *profiles);       /* NULL is allowed */

/* Returns the list with one more step; PROFILE_NONE: out of memory. Thread-safe. The numbers depend on the order of
 * calls. */
uint32_t profiles_add(Profiles *profiles, ProfileStep step);

/* Not while lists are added. */
uint32_t profiles_count(const Profiles *profiles); /* the empty list included */
ProfileStep profiles_step(const Profiles *profiles, uint32_t list);

#endif
