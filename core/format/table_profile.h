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
 * it, so that profiles that begin alike share steps. Profile 0 has no step. Before the first step of a profile, the
 * value is that of the best zeroing move if the position is won and its DTZ is 1, as in the beginning there is time for
 * such a move alone; else the first step holds from DTZ on, and without steps the rule adds nothing.
 *
 * Positions with the same DTM and DTZ are a class, and the file lists the profiles that occur in it. If a class has more
 * profiles than two digits can number, the table is in parts of some slices each, with classes of their own. A cell has
 * the place of its profile in the list of its class. That is one digit or two, because a code has few values: the first one
 * in the file's side 0, the second in side 1. Cells of a class with one profile mean nothing. */
#ifndef TREB_CORE_FORMAT_TABLE_PROFILE_H
#define TREB_CORE_FORMAT_TABLE_PROFILE_H

#include "core/format/table.h"

enum {
    TABLE_PROFILE_START = UINT16_MAX, /* TableProfile.within of the first step of a list */
    TABLE_PROFILE_BASE = 224,         /* values of a digit */
    TABLE_PROFILES_MAX = TABLE_PROFILE_BASE * TABLE_PROFILE_BASE /* of a class */
};

/* Returns whether profiles of a class have no step for the value of the best zeroing move: a win takes an odd number of
 * plies. */
static inline bool table_profile_zeroing(unsigned dtm, unsigned dtz)
{
    return dtz == 1 && dtm % 2 == 1;
}

/* Returns the class of a won or lost position with these distances, or NULL. `cell` is the number of its cell in
 * header->side[0].index. */
const TableProfileClass *table_profile_class(const TableHeader *header, uint64_t cell, int dtm, int dtz);

/* Returns the profile at the place of a class that two digits say, or -1 if there is none. The second one counts only
 * if the first is not below profiles->direct. */
static inline int table_profile_at(const TableProfiles *profiles, const TableProfileClass *of,
                                   unsigned first, unsigned second)
{
    const uint32_t direct = profiles->direct;
    const uint32_t place =
        first < direct ? first : direct + (first - direct) * TABLE_PROFILE_BASE + second;
    if (place >= of->count || (first >= direct && second >= TABLE_PROFILE_BASE)) return -1;
    return (int)profiles->list[of->first + place];
}

/* Returns how many plies a profile adds where DTM exceeds the plies left before the draw by `short_by`, at least 1; or
 * -1 if the value is that of the best zeroing move. `profile` is less than header->profiles.count. */
static inline int table_profile_extra(const TableHeader *header, const TableProfileClass *of,
                                      unsigned profile, unsigned short_by)
{
    const TableProfile *step = &header->profiles.step[profile];
    while (profile != 0 && step->within < short_by) {
        profile = step->before;
        step = &header->profiles.step[profile];
    }
    if (profile != 0) return step->extra;
    return table_profile_zeroing(of->dtm, of->dtz) ? -1 : 0;
}

#endif
