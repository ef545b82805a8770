/* plane.c - see plane.h. */
#include "gen/solve/plane.h"

#include <string.h>

#include "gen/solve/solver.h"

static void place(Plane *p, const Shape *shape, Layout *layout)
{
    size_t set = shape->plane_words * sizeof(uint64_t);
    uint64_t **always[] = {&p->legal, &p->won, &p->lost, &p->cursed};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        *always[i] = layout_place(layout, set);
    if (p->parts & PLANE_STALEMATE) p->stalemate = layout_place(layout, set);
    if (p->parts & PLANE_CAPTURES) p->capture_wins = layout_place(layout, set);
    if (p->parts & PLANE_CAPTURES) p->capture_draws = layout_place(layout, set);
    if (p->parts & PLANE_ZEROING) p->zeroing_wins = layout_place(layout, set);
    if (p->parts & PLANE_ENDS) p->ends_wins = layout_place(layout, set);
    if (p->parts & PLANE_BOUNDS) p->ends_best = layout_place(layout, set);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (p->parts & PLANE_DISTANCE << m)
            p->distance[m] = layout_place(layout, shape->plane_cells * sizeof(Plies));
    if (p->parts & PLANE_BOUNDS) p->due = layout_place(layout, shape->plane_cells * sizeof(Plies));
    log_room_place(&p->room, shape->plane_words, layout);
}

static Plane with_parts(unsigned parts)
{
    if (parts & PLANE_BOUNDS) parts |= PLANE_DISTANCE << TREB_DTM;
    return (Plane){.parts = parts};
}

bool plane_init(Plane *p, const Shape *shape, unsigned parts, Ledger *ledger)
{
    Layout layout = {NULL, 0};
    *p = with_parts(parts);
    place(p, shape, &layout);
    if ((p->memory = ledger_alloc(ledger, layout.size)) == NULL) return false;
    layout = (Layout){p->memory, 0};
    place(p, shape, &layout);
    return true;
}

void plane_free(Plane *p)
{
    ledger_free(p->memory);
    memset(p, 0, sizeof *p);
}

uint64_t plane_memory(const Shape *shape, unsigned parts)
{
    Layout layout = {NULL, 0};
    Plane p = with_parts(parts);
    place(&p, shape, &layout);
    return ledger_cost(layout.size);
}

static void clear(uint64_t *set, size_t words)
{
    if (set != NULL) memset(set, 0, words * sizeof *set);
}

/* Who wins, by the metric that is always there. */
static treb_status read_verdicts(Plane *p, const Solver *s, uint32_t stream, treb_error *error)
{
    const Log *log = s->decided[TREB_DTZ];
    Plies *dtz = p->distance[TREB_DTZ];
    LogReader reader;
    LogEntry entry;
    treb_status status;
    log_read(&reader, log, stream, &p->room);
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
    log_read(&reader, log, stream, &p->room);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL)
        log_entry_mark(log, &entry, (Plies)decided_plies(entry.tag), p->distance[metric]);
    return status;
}

static treb_status read_facts(const Plane *p, const Solver *s, uint32_t stream, treb_error *error)
{
    uint64_t *const set[FACTS] = {[FACT_STALEMATE] = p->stalemate,
                                  [FACT_CAPTURE_WINS] = p->capture_wins,
                                  [FACT_CAPTURE_DRAWS] = p->capture_draws,
                                  [FACT_ZEROING_WINS] = p->zeroing_wins,
                                  [FACT_ENDS_WINS] = p->ends_wins};
    LogReader reader;
    LogEntry entry;
    treb_status status;
    log_read(&reader, s->facts, stream, &p->room);
    while ((status = log_next(&reader, &entry, error)) == TREB_OK && entry.bytes != NULL)
        if (set[entry.tag] != NULL) log_entry_or(s->facts, &entry, set[entry.tag]);
    return status;
}

/* Cells that are decided just when a conversion of theirs is due, */
static treb_status read_due(const Plane *p, const Solver *s, uint32_t stream, size_t words,
                            treb_error *error)
{
    const Log *due = s->due[TREB_DTM];
    treb_status status = TREB_OK;
    memset(p->due, 0xff, 64 * words * sizeof *p->due);
    for (int wins = 0; wins < 2 && status == TREB_OK; wins++) {
        LogReader reader;
        LogEntry entry;
        log_read(&reader, due, 2 * stream + (uint32_t)wins, &p->room);
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

/* which is one of those that complete bounds. */
static treb_status read_bounds(const Plane *p, const Solver *s, uint32_t stream, size_t words,
                               treb_error *error)
{
    /* Where entries are made, when some are. */
    uint64_t *room = (uint64_t *)(void *)p->room.bytes;
    treb_status status = read_due(p, s, stream, words, error);
    if (status != TREB_OK) return status;
    clear(room, words);
    status = log_or_tag(s->facts, stream, FACT_ENDS, &p->room, room, error);
    for (size_t w = 0; w < words; w++) p->ends_best[w] &= room[w];
    return status;
}

treb_status plane_read(Plane *p, const Slice *slice, int side, uint32_t kings, treb_error *error)
{
    const Solver *s = slice->solver;
    const size_t words = slice->shape->plane_words;
    const uint32_t stream = stream_of(kings, side);
    uint64_t *const sets[] = {p->won,          p->lost,         p->cursed,
                              p->stalemate,    p->capture_wins, p->capture_draws,
                              p->zeroing_wins, p->ends_wins,    p->ends_best};
    const bool own = share_has(&s->share, kings);
    /* Another rank has its sets. */
    if (!own) solver_legal(s, kings, side, p->legal, p->won, p->lost);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) clear(sets[i], words);
    treb_status status = read_verdicts(p, s, stream, error);
    const uint64_t *unwon = own ? unwon_at(s, side, kings) : p->legal;
    for (size_t w = 0; w < words; w++) p->legal[w] = unwon[w] | p->won[w];
    for (int m = TREB_DTC; m < TREB_METRICS && status == TREB_OK; m++)
        if (p->distance[m] != NULL) status = read_distances(p, s, (treb_metric)m, stream, error);
    enum { FACT_PARTS = PLANE_STALEMATE | PLANE_CAPTURES | PLANE_ZEROING | PLANE_ENDS };
    if (status == TREB_OK && p->parts & FACT_PARTS) status = read_facts(p, s, stream, error);
    if (status == TREB_OK && p->parts & PLANE_BOUNDS)
        status = read_bounds(p, s, stream, words, error);
    return status;
}

bool plane_here(const Slice *slice, uint32_t kings)
{
    return share_has(&slice->solver->share, kings);
}

bool plane_may_decide(const Slice *slice, treb_metric metric, int side, uint32_t kings, bool won,
                      unsigned plies)
{
    const Log *log = slice->solver->decided[slice_metric(slice, metric)];
    return log_may_have(log, stream_of(kings, side), decided_tag(plies, won));
}
