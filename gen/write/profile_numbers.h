/* profile_numbers.h - the profiles of a DTM50 file, and their numbers. */
#ifndef TREB_GEN_WRITE_PROFILE_NUMBERS_H
#define TREB_GEN_WRITE_PROFILE_NUMBERS_H

#include "core/format/table.h"
#include "core/system/error.h"
#include "gen/solve/profiles.h"

/* Chooses the profiles of a file and puts them into `out`; cells[i] is how many cells have list i. place[i] becomes the
 * place of list i in its class; PROFILE_ANY: its cells may hold any. Nothing depends on the numbers of lists. */
treb_status profile_numbers(const Profiles *lists, const uint64_t *cells, MemoryBudget *budget,
                            TableProfiles *out, uint32_t *place, treb_error *error);

#endif
