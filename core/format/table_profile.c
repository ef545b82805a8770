/* table_profile.c - see table_profile.h. */
#include "core/format/table_profile.h"

#include "core/system/error.h"

int table_read_profile(const Table *table, TableWait wait, const uint64_t cell[2],
                       treb_error *error)
{
    const TableProfiles *p = &table_header(table)->profiles;
    int first = table_read_cell(table, wait, 0, cell[0], error);
    if (first < 0 || (unsigned)first < p->direct) return first;
    int second = p->direct < p->count ? table_read_cell(table, wait, 1, cell[1], error) : 0;
    if (second < 0) return second;
    const uint32_t profile =
        p->direct + ((uint32_t)first - p->direct) * TABLE_PROFILE_BASE + (uint32_t)second;
    if (second < TABLE_PROFILE_BASE && profile < p->count) return (int)profile;
    return -(int)fail(error, TREB_ERR_DAMAGED, "%s: a cell has a profile that does not exist",
                      table_path(table));
}
