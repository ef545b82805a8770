/* solver_planes.c - questions about planes that several files of the solver ask: see solver.h. */
#include "gen/solve/solver.h"

uint64_t solver_positions(const Solver *s, uint32_t kings, const uint64_t *set, uint64_t row_blocks)
{
    const uint64_t weight = slice_weight(&s->slice, kings);
    uint64_t count = 0, twice = 0;
    for (size_t row_block = 0; row_block < s->row_block_count; row_block++) {
        if (!row_block_in(s, row_blocks, row_block)) continue;
        Span span = row_block_span(s, row_block);
        count += s->kernel->count(set + span.first, span.end - span.first);
        for (size_t w = span.first; w < span.end && s->slice.mirrored; w++)
            twice += (uint64_t)bit_count(
                set[w] & slice_mirrored(&s->slice, kings * s->layout->plane_words + w));
    }
    return (weight * count - twice) << s->layout->pair;
}

Log *solver_due(const Solver *s)
{
    bool zeroing = s->loop.metric == TREB_DTC && !s->layout->pawns;
    return s->due[zeroing ? TREB_DTZ : s->loop.metric];
}

unsigned solver_when_due(const Solver *s, uint32_t stream)
{
    unsigned tag = log_due(solver_due(s), stream);
    return s->loop.metric == TREB_DTC && !s->layout->pawns && tag < LOG_TAGS ? 1 : tag;
}
