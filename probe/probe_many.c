/* probe_many.c - many positions in one call. */
#include <string.h>

#include "probe/prefetch.h"
#include "probe/probe.h"

/* ---- Reading --------------------------------------------------------------------------------- */

size_t treb_positions_from_fens(const char *const *fens, size_t count, treb_position *out,
                                uint8_t *status)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        treb_status read = treb_position_from_fen(fens[i], &out[i], NULL);
        if (read != TREB_OK) memset(&out[i], 0, sizeof out[i]);
        if (status != NULL) status[i] = (uint8_t)read;
        wrong += read != TREB_OK;
    }
    return wrong;
}

/* ---- Probing --------------------------------------------------------------------------------- */

static int8_t signed_wdl(int verdict) { return (int8_t)(verdict - TREB_DRAW); }

static int16_t signed_plies(const treb_distance *distance)
{
    return (int16_t)(distance->wdl < TREB_DRAW ? -distance->plies : distance->plies);
}

/* Writes position `i` of a metric: `result` is 0, or minus a status. Returns whether it is known. */
static bool many_put(const treb_columns *out, size_t i, int metric, int result,
                     const treb_distance *distance)
{
    if (out->status[metric] != NULL) out->status[metric][i] = (uint8_t)(result < 0 ? -result : 0);
    if (out->rounded[metric] != NULL)
        out->rounded[metric][i] = (uint8_t)(result < 0 ? 0 : distance->rounded);
    if (metric == TREB_WDL) {
        if (out->wdl != NULL)
            out->wdl[i] = result < 0 ? (int8_t)TREB_NO_WDL : signed_wdl((int)distance->wdl);
    } else if (out->plies[metric] != NULL) {
        out->plies[metric][i] = result < 0 ? (int16_t)TREB_NO_PLIES : signed_plies(distance);
    }
    return result >= 0;
}

/* Whether the caller asked for the values of a metric. */
static bool is_wanted(const treb_columns *out, int metric)
{
    return metric == TREB_WDL ? out->wdl != NULL : out->plies[metric] != NULL;
}

/* Probes the mate of position `i` under the 50-move rule, if it is asked for; otherwise like probe_one. */
static size_t mate50_one(const ProbeReader *reader, const treb_position *pos, size_t i,
                         treb_status covered, int verdict, const treb_columns *out, bool *ready)
{
    treb_distance distance = {.wdl = TREB_DRAW};
    int result = verdict;
    if (out->dtm50 == NULL && out->dtm50_status == NULL) return 0;
    if (covered == TREB_OK && probe_noting(reader, verdict)) distance_note(reader, TREB_DTM, pos);
    if (verdict >= 0) result = mate50_distance(reader, pos, covered, verdict, &distance, NULL);
    if (probe_not_ready(result)) *ready = false;
    if (out->dtm50_status != NULL) out->dtm50_status[i] = (uint8_t)(result < 0 ? -result : 0);
    if (out->dtm50 != NULL)
        out->dtm50[i] = result < 0 ? (int16_t)TREB_NO_PLIES : signed_plies(&distance);
    return result < 0 && out->dtm50 != NULL;
}

/* Probes position `i`. Returns the number of its values that are not known; sets *ready to false if one
 * of them is not in memory. */
static size_t probe_one(const ProbeReader *reader, const treb_position *pos, size_t i,
                        const treb_columns *out, bool *ready)
{
    treb_status covered = probe_check(pos, NULL);
    bool refused = covered != TREB_OK && !probe_many_men(reader, pos, covered);
    int verdict = refused ? -(int)covered : probe_verdict(reader, pos, NULL);
    size_t unknown = 0;
    for (int m = TREB_WDL; m < TREB_METRICS; m++) {
        treb_distance distance = {.wdl = verdict < 0 ? TREB_DRAW : (treb_wdl)verdict};
        int result = verdict < 0 ? verdict : 0;
        if (m != TREB_WDL && !is_wanted(out, m) && out->status[m] == NULL &&
            out->rounded[m] == NULL)
            continue;
        if (m != TREB_WDL && covered == TREB_OK && probe_noting(reader, verdict))
            distance_note(reader, (treb_metric)m, pos);
        if (m != TREB_WDL && verdict >= 0)
            result = distance_known(reader, (treb_metric)m, pos, covered, verdict, &distance, NULL);
        if (probe_not_ready(result)) *ready = false;
        unknown += !many_put(out, i, m, result, &distance) && is_wanted(out, m);
    }
    return unknown + mate50_one(reader, pos, i, covered, verdict, out, ready);
}

typedef struct ManyCall {
    const treb_position *pos;
    size_t first, end, unknown;
    const treb_columns *out;
} ManyCall;

/* A PrefetchProbe. */
static treb_status call_many(const ProbeReader *reader, void *context)
{
    ManyCall *call = (ManyCall *)context;
    bool ready = true;
    call->unknown = 0;
    for (size_t i = call->first; i < call->end; i++)
        call->unknown += probe_one(reader, &call->pos[i], i, call->out, &ready);
    return ready ? TREB_OK : TREB_ERR_NOT_READY;
}

size_t treb_probe_many(const treb_tables *tables, const treb_position *pos, size_t count,
                       const treb_columns *out)
{
    /* So many positions that share their rounds to a server: what they miss fits its list. */
    enum { TOGETHER = 16 };
    const ProbeReader *reader = set_reader(tables);
    const bool rounds = prefetch_needed(reader);
    size_t unknown = 0;
    for (size_t first = 0; first < count; first += TOGETHER) {
        size_t end = count - first < TOGETHER ? count : first + TOGETHER;
        ManyCall call = {pos, first, end, 0, out};
        if (call_many(reader, &call) != TREB_OK && rounds)
            (void)prefetch_run(reader, call_many, &call, NULL);
        unknown += call.unknown;
    }
    return unknown;
}
