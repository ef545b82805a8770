/* table_profile.c - see table_profile.h. */
#include "core/format/table_profile.h"

#include "core/system/error.h"

const TableProfileClass *table_profile_class(const TableProfiles *profiles, int dtm, int dtz)
{
    uint32_t low = 0, high = profiles->class_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const TableProfileClass *at = &profiles->classes[middle];
        if (at->dtm < dtm || (at->dtm == dtm && at->dtz < dtz))
            low = middle + 1;
        else
            high = middle;
    }
    const TableProfileClass *found = &profiles->classes[low];
    return low < profiles->class_count && found->dtm == dtm && found->dtz == dtz ? found : NULL;
}

int table_read_profile(const Table *table, TableWait wait, const TableProfileClass *of,
                       const uint64_t cell[2], treb_error *error)
{
    const TableProfiles *p = &table_header(table)->profiles;
    if (of->count == 1) return (int)p->list[of->first];
    const int first = table_read_cell(table, wait, 0, cell[0], error);
    if (first < 0) return first;
    const bool two = (unsigned)first >= p->direct && p->direct < p->most;
    const int second = two ? table_read_cell(table, wait, 1, cell[1], error) : 0;
    if (second < 0) return second;
    const int profile = table_profile_at(p, of, (unsigned)first, (unsigned)second);
    if (profile >= 0) return profile;
    return -(int)fail(error, TREB_ERR_DAMAGED, "%s: a cell has a profile that does not exist",
                      table_path(table));
}
