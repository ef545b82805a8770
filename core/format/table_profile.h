/* table_profile.h - the profiles of a DTM50 table: how many plies the 50-move rule adds to DTM, by the
 * plies left before the draw.
 *
 * The value of a won or lost position with b plies left is
 *
 *     b < DTZ         a draw
 *     DTM <= b        DTM
 *     otherwise       DTM + what the profile of its cell adds where DTM exceeds b by so much
 *
 * A profile is a list of steps. Its number is that of its last step, and each step names the one before
 * it, so that profiles that begin alike share steps. The first step of a list holds from DTZ on. Profile
 * 0 has no step: the rule adds nothing.
 *
 * A cell has the number of its profile in one digit or two, because a code has few values: the first one
 * in the file's side 0, the second in side 1. */
#ifndef TREB_CORE_FORMAT_TABLE_PROFILE_H
#define TREB_CORE_FORMAT_TABLE_PROFILE_H

#include "core/format/table.h"

enum {
    TABLE_PROFILE_START = UINT16_MAX, /* TableProfile.within of the first step of a list */
    TABLE_PROFILE_BASE = 224,         /* values of a digit */
    TABLE_PROFILES_MAX = TABLE_PROFILE_BASE * TABLE_PROFILE_BASE
};

/* Returns the number of the profile of a position that is won or lost, or minus a status. cell[i] is the
 * number of its cell in header->side[i].index. A position whose DTM is at most its DTZ may have any. */
int table_read_profile(const Table *table, TableWait wait, const uint64_t cell[2],
                       treb_error *error);

/* Returns how many plies a profile adds where DTM exceeds the plies left before the draw by `short_by`,
 * at least 1. `profile` is less than header->profiles.count. */
static inline unsigned table_profile_extra(const TableHeader *header, unsigned profile,
                                           unsigned short_by)
{
    const TableProfile *step = &header->profiles.step[profile];
    while (profile != 0 && step->within < short_by) {
        profile = step->before;
        step = &header->profiles.step[profile];
    }
    return profile != 0 ? step->extra : 0;
}

#endif
