/* profile_numbers.h - the profiles of a DTM50 file, and their numbers. */
#ifndef TREB_GEN_WRITE_PROFILE_NUMBERS_H
#define TREB_GEN_WRITE_PROFILE_NUMBERS_H

#include "core/format/table.h"
#include "core/system/error.h"
#include "gen/solve/profiles.h"

/* The lists of a solver with their profiles and classes in a file. Nothing depends on the numbers of lists. */
typedef struct ProfileNumbers ProfileNumbers;

/* Chooses the profiles of a file and puts them into `out`; cells[i] is how many cells have list i. Returns NULL if out of
 * memory. */
ProfileNumbers *profile_numbers_new(const Profiles *lists, const uint64_t *cells, MemoryBudget *budget,
                                    TableProfiles *out);
void profile_numbers_free(ProfileNumbers *numbers);

/* Adds the classes of a part to `out`; cells[i] is how many of its cells have list i. place[i] becomes the place of list i
 * in its class; PROFILE_ANY: its cells may hold any. */
treb_status profile_numbers_classes(const ProfileNumbers *numbers, const uint64_t *cells, uint32_t part,
                                    TableProfiles *out, uint32_t *place, treb_error *error);

/* Chooses `direct` when all classes are there. */
treb_status profile_numbers_digits(TableProfiles *out, treb_error *error);

#endif
