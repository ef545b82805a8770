/* profiles.c - see profiles.h. */
#include "gen/solve/profiles.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct Profiles {
    MemoryBudget *budget;
    ProfileStep *step;
    uint32_t count, capacity;
    uint32_t *place, mask; /* hash table: the number of a list, or 0 */
    omp_lock_t lock;
};

enum { FIRST_CAPACITY = 1 << 12 };

static uint32_t hash(ProfileStep step)
{
    uint64_t h = ((uint64_t)step.before << 32 | (uint32_t)step.left << 16 | step.plies) *
                 UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

/* Puts the lists into the hash table. */
static void fill_places(Profiles *p)
{
    for (uint32_t i = 1; i < p->count; i++) {
        uint32_t at = hash(p->step[i]) & p->mask;
        while (p->place[at] != PROFILE_EMPTY) at = (at + 1) & p->mask;
        p->place[at] = i;
    }
}

/* Makes room for as many lists. Returns false if out of memory. */
static bool reserve(Profiles *p, uint32_t capacity)
{
    ProfileStep *step = budget_alloc(p->budget, capacity * sizeof *step);
    uint32_t *place = budget_calloc(p->budget, 2 * (size_t)capacity * sizeof *place);
    if (step == NULL || place == NULL) {
        budget_free(step);
        budget_free(place);
        return false;
    }
    if (p->step != NULL) memcpy(step, p->step, p->count * sizeof *step);
    budget_free(p->step);
    budget_free(p->place);
    p->step = step;
    p->place = place;
    p->capacity = capacity;
    p->mask = 2 * capacity - 1;
    fill_places(p);
    return true;
}

/* Reads what profiles_put saved. */
static bool get_lists(Profiles *p, State *state)
{
    const uint32_t count = (uint32_t)state_get_most(state, UINT32_MAX / 4);
    uint32_t capacity = FIRST_CAPACITY;
    while (capacity < count) capacity *= 2;
    if (state->failed || !reserve(p, capacity)) return false;
    p->count = count;
    state_get_bytes(state, p->step, count * sizeof *p->step);
    if (!state->failed) fill_places(p);
    return !state->failed && count > 0;
}

Profiles *profiles_new(MemoryBudget *budget, State *state)
{
    Profiles *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->budget = budget;
    omp_init_lock(&p->lock);
    p->count = 1;
    if (state != NULL ? get_lists(p, state) : reserve(p, FIRST_CAPACITY)) {
        p->step[PROFILE_EMPTY] = (ProfileStep){0};
        return p;
    }
    profiles_free(p);
    return NULL;
}

void profiles_put(const Profiles *p, State *state)
{
    state_put(state, p->count);
    state_put_bytes(state, p->step, p->count * sizeof *p->step);
}

void profiles_free(Profiles *p)
{
    if (p == NULL) return;
    budget_free(p->step);
    budget_free(p->place);
    omp_destroy_lock(&p->lock);
    free(p);
}

static bool same(ProfileStep a, ProfileStep b)
{
    return a.before == b.before && a.left == b.left && a.plies == b.plies;
}

static uint32_t find_or_add(Profiles *p, ProfileStep step)
{
    uint32_t at = hash(step) & p->mask;
    while (p->place[at] != PROFILE_EMPTY && !same(p->step[p->place[at]], step))
        at = (at + 1) & p->mask;
    if (p->place[at] != PROFILE_EMPTY) return p->place[at];
    if (p->count == p->capacity)
        return reserve(p, 2 * p->capacity) ? find_or_add(p, step) : PROFILE_NONE;
    p->step[p->count] = step;
    return p->place[at] = p->count++;
}

uint32_t profiles_add(Profiles *p, RecentLists *recent, ProfileStep step)
{
    const size_t at = hash(step) % (sizeof recent->of / sizeof *recent->of);
    if (recent != NULL && recent->of[at].list != 0 && same(recent->of[at].step, step)) return recent->of[at].list;
    omp_set_lock(&p->lock);
    const uint32_t list = find_or_add(p, step);
    omp_unset_lock(&p->lock);
    if (recent == NULL || list == PROFILE_NONE) return list;
    recent->of[at].step = step;
    return recent->of[at].list = list;
}

uint32_t profiles_count(const Profiles *p) { return p->count; }

ProfileStep profiles_step(const Profiles *p, uint32_t list) { return p->step[list]; }
