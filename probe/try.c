/* try.c - the probes that do not wait for a disk: the others, by a view of the set that says so. */
#include "probe/set.h"

treb_status treb_probe_wdl_try(const treb_tables *tables, const treb_position *pos, treb_wdl *out,
                               treb_error *error)
{
    return treb_probe_wdl(set_view(tables, TABLE_TRY), pos, out, error);
}

treb_status treb_probe_distance_try(const treb_tables *tables, const treb_position *pos,
                                    treb_metric metric, treb_distance *out, treb_error *error)
{
    return treb_probe_distance(set_view(tables, TABLE_TRY), pos, metric, out, error);
}

treb_status treb_probe_root_try(const treb_tables *tables, const treb_position *pos,
                                treb_value *out, treb_error *error)
{
    return treb_probe_root(set_view(tables, TABLE_TRY), pos, out, error);
}

treb_status treb_probe_moves_try(const treb_tables *tables, const treb_position *pos,
                                 treb_metric metric, treb_rule rule, treb_move *out,
                                 size_t capacity, size_t *count, treb_error *error)
{
    return treb_probe_moves(set_view(tables, TABLE_TRY), pos, metric, rule, out, capacity, count,
                            error);
}

void treb_prefetch(const treb_tables *tables, const treb_position *pos)
{
    treb_wdl unused;
    (void)treb_probe_wdl(set_view(tables, TABLE_FETCH), pos, &unused, NULL);
}
