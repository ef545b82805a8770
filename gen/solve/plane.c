/* plane.c - see plane.h. */
#include "gen/solve/plane.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/memory_layout.h"
#include "gen/solve/finished.h"
#include "gen/solve/setup.h"

static void place(Plane *p, const Layout *layout, MemoryLayout *arrays)
{
    size_t set = layout->plane_words * sizeof(uint64_t);
    uint64_t **always[] = {&p->legal, &p->won, &p->lost, &p->cursed};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        *always[i] = memory_layout_place(arrays, set);
    if (p->parts & PLANE_STALEMATE) p->stalemate = memory_layout_place(arrays, set);
    if (p->parts & PLANE_CAPTURES) p->capture_wins = memory_layout_place(arrays, set);
    if (p->parts & PLANE_CAPTURES) p->capture_draws = memory_layout_place(arrays, set);
    if (p->parts & PLANE_PROMOTION) p->promotion_wins = memory_layout_place(arrays, set);
    if (p->parts & PLANE_PROMOTION) p->promotion_draws = memory_layout_place(arrays, set);
    if (p->parts & PLANE_ZEROING) p->zeroing_wins = memory_layout_place(arrays, set);
    if (p->parts & PLANE_ENDS) p->ends_wins = memory_layout_place(arrays, set);
    if (p->parts & PLANE_BOUNDS) p->ends_best = memory_layout_place(arrays, set);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (p->parts & PLANE_DISTANCE << m)
            p->distance[m] = memory_layout_place(arrays, layout->plane_cells * sizeof(Plies));
    if (p->parts & PLANE_BOUNDS)
        p->due = memory_layout_place(arrays, layout->plane_cells * sizeof(Plies));
    if (p->parts & PLANE_MOVES) {
        Outcomes *o = &p->outcomes;
        o->verdict = memory_layout_place(arrays, layout->plane_cells);
        if (p->parts & PLANE_DISTANCE << TREB_DTM)
            o->dtm = memory_layout_place(arrays, layout->plane_cells * sizeof *o->dtm);
    }
    log_buffer_place(&p->log_buffer, layout->plane_words, arrays);
}

static Plane with_parts(unsigned parts)
{
    if (parts & PLANE_BOUNDS) parts |= PLANE_DISTANCE << TREB_DTM;
    return (Plane){.parts = parts};
}

bool plane_init(Plane *p, const Layout *layout, unsigned parts, MemoryBudget *budget)
{
    MemoryLayout arrays = {NULL, 0};
    *p = with_parts(parts);
    place(p, layout, &arrays);
    if ((p->memory = budget_alloc(budget, arrays.size)) == NULL) return false;
    arrays = (MemoryLayout){p->memory, 0};
    place(p, layout, &arrays);
    return true;
}

void plane_free(Plane *p)
{
    budget_free(p->memory);
    for (int i = 0; i < CONVERTER_BUFFERS; i++) free(p->fetched[i].bytes);
    memset(p, 0, sizeof *p);
}

uint64_t plane_memory(const Layout *layout, unsigned parts)
{
    MemoryLayout arrays = {NULL, 0};
    Plane p = with_parts(parts);
    place(&p, layout, &arrays);
    return budget_cost(arrays.size);
}

static void clear(uint64_t *set, size_t words)
{
    if (set != NULL) memset(set, 0, words * sizeof *set);
}

/* Reads who wins. This follows from DTZ, the metric that is always solved. */
static treb_status read_verdicts(Plane *p, const Solver *s, uint32_t stream, treb_error *error)
{
    const Log *log = s->decided[TREB_DTZ];
    Plies *dtz = p->distance[TREB_DTZ];
    LogReader reader;
    LogEntry entry;
    treb_status status;
    log_read(&reader, log, stream, &p->log_buffer);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL) {
        unsigned plies = decided_plies(entry.tag);
        log_entry_or(log, &entry, decided_won(entry.tag) ? p->won : p->lost);
        if (plies > RULE_PLIES) log_entry_or(log, &entry, p->cursed);
        if (dtz != NULL) log_entry_mark(log, &entry, (Plies)plies, dtz);
    }
    return status;
}

static treb_status read_distances(const Plane *p, const Solver *s, treb_metric metric,
                                  uint32_t stream, treb_error *error)
{
    const Log *log = s->decided[slice_metric(&s->slice, metric)];
    LogReader reader;
    LogEntry entry;
    treb_status status;
    log_read(&reader, log, stream, &p->log_buffer);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL)
        log_entry_mark(log, &entry, (Plies)decided_plies(entry.tag), p->distance[metric]);
    return status;
}

static treb_status read_facts(const Plane *p, const Solver *s, uint32_t stream, treb_error *error)
{
    uint64_t *const set[FACTS] = {[FACT_STALEMATE] = p->stalemate,
                                  [FACT_CAPTURE_WINS] = p->capture_wins,
                                  [FACT_CAPTURE_DRAWS] = p->capture_draws,
                                  [FACT_PROMOTION_WINS] = p->promotion_wins,
                                  [FACT_PROMOTION_DRAWS] = p->promotion_draws,
                                  [FACT_ZEROING_WINS] = p->zeroing_wins,
                                  [FACT_ENDS_WINS] = p->ends_wins};
    LogReader reader;
    LogEntry entry;
    treb_status status;
    log_read(&reader, s->facts, stream, &p->log_buffer);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL)
        if (set[entry.tag] != NULL) log_entry_or(s->facts, &entry, set[entry.tag]);
    return status;
}

/* Finds the cells that are decided at the very ply at which a conversion of theirs is due. */
static treb_status read_due(const Plane *p, const Solver *s, uint32_t stream, size_t words,
                            treb_error *error)
{
    const Log *due = s->due[TREB_DTM];
    treb_status status = TREB_OK;
    memset(p->due, 0xff, 64 * words * sizeof *p->due);
    for (int wins = 0; wins < 2 && status == TREB_OK; wins++) {
        LogReader reader;
        LogEntry entry;
        log_read(&reader, due, 2 * stream + (uint32_t)wins, &p->log_buffer);
        while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL)
            log_entry_mark(due, &entry, (Plies)entry.tag, p->due);
    }
    for (size_t w = 0; w < words; w++) {
        const Plies *when = p->due + 64 * w, *plies = p->distance[TREB_DTM] + 64 * w;
        for (int i = 0; i < 64; i++) p->ends_best[w] |= (uint64_t)(when[i] == plies[i]) << i;
        p->ends_best[w] &= p->won[w] | p->lost[w];
    }
    return status;
}

/* Finds of these the cells whose conversion completes bounds. */
static treb_status read_bounds(const Plane *p, const Solver *s, uint32_t stream, size_t words,
                               treb_error *error)
{
    /* The buffer for writing entries is free while the log is read. */
    uint64_t *bounds = (uint64_t *)(void *)p->log_buffer.entry;
    treb_status status = read_due(p, s, stream, words, error);
    if (status != TREB_OK) return status;
    clear(bounds, words);
    status = log_or_tag(s->facts, stream, FACT_ENDS, &p->log_buffer, bounds, error);
    for (size_t w = 0; w < words; w++) p->ends_best[w] &= bounds[w];
    return status;
}

/* Replaces who wins, and the distances to mate, by those of an array. */
static void replace_mates(Plane *p, const SolvedSlice *slice, int side, uint32_t kings)
{
    const Places *places = slice->places;
    const Plies *mates = slice->mates[side] + kings * places->count;
    clear(p->cursed, slice->layout->plane_words);
    for (size_t w = 0; w < slice->layout->plane_words; w++) {
        p->won[w] = p->lost[w] = 0;
        for (size_t i = 0; i < 64; i++) {
            const size_t place = places_of(places, 64 * w + i);
            if (place == PLACES_NONE || mates[place] & MATES_OPEN) continue;
            (mates[place] & 1 ? p->won : p->lost)[w] |= UINT64_C(1) << i;
            if (p->distance[TREB_DTM] != NULL) p->distance[TREB_DTM][64 * w + i] = mates[place];
        }
    }
}

static treb_status read_finished(Plane *p, const SolvedSlice *slice, int side, uint32_t kings,
                                 treb_error *error)
{
    treb_status status = finished_plane(slice->finished, p, side, kings, error);
    for (size_t w = 0; w < slice->layout->plane_words && slice->under_rule; w++) {
        p->won[w] &= ~p->cursed[w];
        p->lost[w] &= ~p->cursed[w];
        p->cursed[w] = 0;
    }
    return status;
}

treb_status plane_read(Plane *p, const SolvedSlice *slice, int side, uint32_t kings,
                       treb_error *error)
{
    if (slice->finished != NULL) return read_finished(p, slice, side, kings, error);
    const Solver *s = slice->solver;
    const size_t words = slice->layout->plane_words;
    const uint32_t stream = stream_of(kings, side);
    uint64_t *const sets[] = {
        p->won,          p->lost,          p->cursed,         p->stalemate,
        p->capture_wins, p->capture_draws, p->promotion_wins, p->promotion_draws,
        p->zeroing_wins, p->ends_wins,     p->ends_best};
    const bool own = partition_owns(&s->partition, kings);
    /* Another process has the sets of this plane. */
    if (!own) setup_plane_legal(s, kings, side, p->legal, p->won, p->lost);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) clear(sets[i], words);
    treb_status status = read_verdicts(p, s, stream, error);
    const uint64_t *not_won = own ? not_won_at(s, side, kings) : p->legal;
    for (size_t w = 0; w < words; w++) p->legal[w] = not_won[w] | p->won[w];
    for (int m = TREB_DTC; m < TREB_METRICS && status == TREB_OK; m++)
        if (p->distance[m] != NULL) status = read_distances(p, s, (treb_metric)m, stream, error);
    enum {
        FACT_PARTS = PLANE_STALEMATE | PLANE_CAPTURES | PLANE_PROMOTION | PLANE_ZEROING | PLANE_ENDS
    };
    if (status == TREB_OK && p->parts & FACT_PARTS) status = read_facts(p, s, stream, error);
    if (status == TREB_OK && p->parts & PLANE_BOUNDS)
        status = read_bounds(p, s, stream, words, error);
    if (slice->mates[side] != NULL) replace_mates(p, slice, side, kings);
    return status;
}

bool plane_is_own(const SolvedSlice *slice, uint32_t kings)
{
    return partition_owns(&slice->solver->partition, kings);
}

bool plane_may_decide(const SolvedSlice *slice, treb_metric metric, int side, uint32_t kings,
                      bool won, unsigned plies)
{
    if (slice->mates[side] != NULL) return true;
    const Log *log = slice->solver->decided[slice_metric(slice, metric)];
    return log_may_have(log, stream_of(kings, side), decided_tag(plies, won));
}
