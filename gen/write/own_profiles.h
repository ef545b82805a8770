/* own_profiles.h - writes side 1 of a DTM50 file: the profiles that cells have of their own. */
#ifndef TREB_GEN_WRITE_OWN_PROFILES_H
#define TREB_GEN_WRITE_OWN_PROFILES_H

#include "core/format/table.h"
#include "core/system/error.h"
#include "gen/solve/profiles.h"

typedef struct OwnProfiles OwnProfiles;

/* `lists` are those of the solver, and must outlive this. Returns NULL if out of memory. */
OwnProfiles *own_profiles_new(const Profiles *lists);
void own_profiles_free(OwnProfiles *own); /* NULL is allowed */

/* Counts what a cell needs. Cells come in the order of their numbers. */
void own_profiles_count(OwnProfiles *own, uint64_t cell, uint32_t list);

/* When all cells are counted: makes the codes, and puts them into the header of side 1. If no cell was counted, it is not
 * stored. */
treb_status own_profiles_code(OwnProfiles *own, TableSide *side, treb_error *error);

/* Writes the profile of a cell: of the same ones, in the same order. own_profiles_finish writes the last of them. */
treb_status own_profiles_add(OwnProfiles *own, TableWriter *writer, uint64_t cell, uint32_t list, treb_error *error);
treb_status own_profiles_finish(OwnProfiles *own, TableWriter *writer, treb_error *error);

#endif
