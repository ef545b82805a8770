/* profiles.h - lists of steps that many cells share. A list is the number of its last step: each step knows the list
 * before it, and there are no two equal steps. */
#ifndef TREB_GEN_SOLVE_PROFILES_H
#define TREB_GEN_SOLVE_PROFILES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/system/memory_budget.h"
#include "core/system/state.h"

enum { PROFILE_EMPTY = 0 /* the list without steps */ };
#define PROFILE_ANY UINT32_MAX        /* of a cell that may have any list */
#define PROFILE_NONE (UINT32_MAX - 1) /* no list: out of memory */

/* From `left` plies left on, the value is `plies`. The first step of a list, whose `left` is 0, has the distance to
 * mate instead. */
typedef struct ProfileStep {
    uint32_t before; /* the list before it */
    uint16_t left, plies;
} ProfileStep;

typedef struct Profiles Profiles;

/* With a `state` they are those that profiles_put saved in an earlier run. NULL: out of memory, or the state cannot be
 * used. */
Profiles *profiles_new(MemoryBudget *budget, State *state);
void profiles_put(const Profiles *profiles, State *state);
void profiles_free(Profiles *profiles);       /* NULL is allowed */

/* Lists that a thread has added lately, so that it need not wait for others to find them again. At first it is zeros. */
typedef struct RecentLists {
    struct {
        ProfileStep step;
        uint32_t list; /* 0: none */
    } of[1 << 12];
} RecentLists;

/* Returns the list with one more step; PROFILE_NONE: out of memory. Thread-safe, if each thread has its own `recent`,
 * which may be NULL. The numbers depend on the order of calls. */
uint32_t profiles_add(Profiles *profiles, RecentLists *recent, ProfileStep step);

/* Not while lists are added. */
uint32_t profiles_count(const Profiles *profiles); /* the empty list included */
ProfileStep profiles_step(const Profiles *profiles, uint32_t list);

#endif
