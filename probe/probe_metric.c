/* probe_metric.c - the distance that a metric gives, public functions: of probe_distance.c or probe_mate50.c. */
#include "core/system/error.h"
#include "probe/prefetch.h"
#include "probe/probe.h"

typedef struct DistanceCall {
    const treb_position *pos;
    treb_metric metric;
    treb_distance *out;
    treb_error *error;
} DistanceCall;

static PrefetchProbe call_distance;

static treb_status probe_distance(const ProbeReader *reader, const treb_position *pos,
                                  treb_metric metric, treb_distance *out, treb_error *error)
{
    treb_error why;
    if (!table_is_metric(metric)) return probe_no_metric(error);
    treb_status status = probe_check(pos, error);
    if (status != TREB_OK && !probe_many_men(reader, pos, status)) return status;
    int result = probe_verdict(reader, pos, &why);
    if (status == TREB_OK && probe_noting(reader, result))
        distance_note(reader, metric == TREB_DTM50 ? TREB_DTM : metric, pos);
    if (result >= 0)
        result = metric == TREB_DTM50
                     ? mate50_distance(reader, pos, status, result, out, &why)
                     : distance_known(reader, metric, pos, status, result, out, &why);
    if (result < 0 && prefetch_needed(reader)) {
        DistanceCall call = {pos, metric, out, error};
        return prefetch_run(reader, call_distance, &call, error);
    }
    return result < 0 ? probe_fail(result, &why, error) : TREB_OK;
}

static treb_status call_distance(const ProbeReader *reader, void *context)
{
    const DistanceCall *call = (const DistanceCall *)context;
    return probe_distance(reader, call->pos, call->metric, call->out, call->error);
}

treb_status treb_probe_distance(const treb_tables *tables, const treb_position *pos,
                                treb_metric metric, treb_distance *out, treb_error *error)
{
    return probe_distance(set_reader(tables), pos, metric, out, error);
}

treb_status treb_probe_distance_try(const treb_tables *tables, const treb_position *pos,
                                    treb_metric metric, treb_distance *out, treb_error *error)
{
    const ProbeReader reader = {.set = tables, .wait = WAIT_NEVER};
    return probe_distance(&reader, pos, metric, out, error);
}

treb_status treb_probe_dtz(const treb_tables *tables, const treb_position *pos, treb_distance *out,
                           treb_error *error)
{
    return treb_probe_distance(tables, pos, TREB_DTZ, out, error);
}

treb_status treb_probe_dtc(const treb_tables *tables, const treb_position *pos, treb_distance *out,
                           treb_error *error)
{
    return treb_probe_distance(tables, pos, TREB_DTC, out, error);
}

treb_status treb_probe_dtm(const treb_tables *tables, const treb_position *pos, treb_distance *out,
                           treb_error *error)
{
    return treb_probe_distance(tables, pos, TREB_DTM, out, error);
}

treb_status treb_probe_dtm50(const treb_tables *tables, const treb_position *pos,
                             treb_distance *out, treb_error *error)
{
    return treb_probe_distance(tables, pos, TREB_DTM50, out, error);
}
