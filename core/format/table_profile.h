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
 * Positions with the same DTM and DTZ are a class, and the file lists the profiles that occur in it often. A cell has the
 * place of its profile in the list of its class. A rare profile is not listed: it is with the cell's number in side 1, and
 * the list of the class has one entry for all such cells. Cells of a class with one entry mean nothing. */
#ifndef TREB_CORE_FORMAT_TABLE_PROFILE_H
#define TREB_CORE_FORMAT_TABLE_PROFILE_H

#include "core/format/code.h"
#include "core/format/table.h"

enum {
    TABLE_PROFILE_START = UINT16_MAX,       /* TableProfile.within of the first step of a list */
    TABLE_PROFILE_ZEROING = UINT16_MAX + 1, /* in place of plies: the value is that of the best zeroing move */
    TABLE_PROFILES_MAX = 224                /* entries of a class */
};

/* The codes of side 1, which has profiles (docs/format.md, "Profiles of cells"). */
enum {
    PROFILE_CODE_GAP,    /* cells without a profile between two with one */
    PROFILE_CODE_WITHIN, /* how much `within` falls */
    PROFILE_CODE_PLIES,  /* from here on: half of the plies and 1, by the plies of the step before; 0: no step */
    PROFILE_MORE = 255   /* a number: this and the next one, added */
};

/* Returns the code of the plies of a step; `before`: of the step before it, 0 of the first one. */
static inline unsigned table_profile_code(unsigned before)
{
    const unsigned code = PROFILE_CODE_PLIES + before / 2;
    return code < TABLE_SIDE_CODES ? code : TABLE_SIDE_CODES - 1u;
}

/* Returns whether profiles of a class have no step for the value of the best zeroing move: a win takes an odd number of
 * plies. */
static inline bool table_profile_zeroing(unsigned dtm, unsigned dtz)
{
    return dtz == 1 && dtm % 2 == 1;
}

/* Returns the class of won or lost positions with these distances, or NULL. */
const TableProfileClass *table_profile_class(const TableHeader *header, int dtm, int dtz);

/* Returns the profile at a place of a class; profiles->count if the cell has one of its own, -1 if there is no such
 * place. */
static inline int table_profile_at(const TableProfiles *profiles, const TableProfileClass *of, unsigned place)
{
    return place < of->count ? (int)profiles->list[of->first + place] : -1;
}

/* Returns how many plies a profile adds where DTM exceeds the plies left before the draw by `short_by`, at least 1; or
 * TABLE_PROFILE_ZEROING. `profile` is less than header->profiles.count. */
static inline int table_profile_extra(const TableHeader *header, const TableProfileClass *of,
                                      unsigned profile, unsigned short_by)
{
    const TableProfile *step = &header->profiles.step[profile];
    while (profile != 0 && step->within < short_by) {
        profile = step->before;
        step = &header->profiles.step[profile];
    }
    if (profile != 0) return step->extra;
    return table_profile_zeroing(of->dtm, of->dtz) ? (int)TABLE_PROFILE_ZEROING : 0;
}

/* A block of side 1 that is being read. */
typedef struct ProfileBlock {
    const Code *code;
    unsigned codes;
    CodeWords words;
} ProfileBlock;

/* Reads a profile. Returns what table_profile_extra returns, or -1 if the block is damaged. */
int table_profile_next(ProfileBlock *block, const TableProfileClass *of, unsigned short_by);

/* Passes over profiles from that of cell `from` to that of cell `to`, which is not less. False: there is none, or the block
 * is damaged. */
bool table_profile_go(ProfileBlock *block, uint64_t from, uint64_t to);

#endif
