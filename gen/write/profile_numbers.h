/* profile_numbers.h - the profiles of a DTM50 file, and their numbers. */
#ifndef TREB_GEN_WRITE_PROFILE_NUMBERS_H
#define TREB_GEN_WRITE_PROFILE_NUMBERS_H

#include "core/format/table.h"
#include "gen/solve/profiles.h"

/* The lists of a solver with their places in a file. Nothing depends on the numbers of lists. */
typedef struct ProfileNumbers ProfileNumbers;

/* Chooses the profiles and classes of a file and puts them into `out`; cells[i] is how many cells have list i. Returns NULL
 * if out of memory. */
ProfileNumbers *profile_numbers_new(const Profiles *lists, const uint64_t *cells, MemoryBudget *budget,
                                    TableProfiles *out);
void profile_numbers_free(ProfileNumbers *numbers);

/* Returns the place of a list that cells have in its class; PROFILE_ANY: its cells may hold any. */
uint32_t profile_numbers_place(const ProfileNumbers *numbers, uint32_t list);

/* Returns whether the cells of a list have profiles of their own. */
bool profile_numbers_own(const ProfileNumbers *numbers, uint32_t list);

enum { PROFILE_STEPS_MAX = 101 /* steps of a profile: one for each number of plies left */ };

/* Writes the steps of the profile of a list, the first one first; `before` of a step does not count. Returns their
 * number, and writes its class. */
unsigned profile_numbers_steps(const Profiles *lists, uint32_t list, TableProfile step[PROFILE_STEPS_MAX],
                               TableProfileClass *of);

#endif
