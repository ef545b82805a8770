/* buffers.c - see buffers.h. */
#include "gen/solve/buffers.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/memory_layout.h"
#include "gen/solve/solver.h"

static void place_buffers(Buffers *t, const Layout *layout, unsigned metrics, bool outcomes,
                          MemoryLayout *arrays)
{
    const size_t plane = layout->plane_words * sizeof(uint64_t), cells = layout->plane_cells;
    const bool dtc = layout->pawns && metrics >> TREB_DTC & 1, dtm = metrics >> TREB_DTM & 1;
    t->a = memory_layout_place(arrays, plane);
    t->b = memory_layout_place(arrays, plane);
    log_buffer_place(&t->log_buffer, layout->plane_words, arrays);
    t->counts = memory_layout_place(arrays, sizeof *t->counts);
    if (!outcomes) return;
    t->outcomes.verdict = memory_layout_place(arrays, cells);
    t->outcomes.capture = memory_layout_place(arrays, cells);
    t->outcomes.ends = memory_layout_place(arrays, cells);
    if (material_last_pawn(&layout->material))
        t->outcomes.completing = memory_layout_place(arrays, cells);
    if (dtc) t->outcomes.dtc = memory_layout_place(arrays, cells * sizeof *t->outcomes.dtc);
    if (dtm) {
        t->outcomes.dtm = memory_layout_place(arrays, cells * sizeof *t->outcomes.dtm);
        t->outcomes.ends_dtm = memory_layout_place(arrays, cells * sizeof *t->outcomes.ends_dtm);
    }
    if (!dtc && !dtm) return;
    t->cell = memory_layout_place(arrays, cells * sizeof *t->cell);
    t->first = memory_layout_place(arrays, (LOG_TAGS + 1) * sizeof *t->first);
}

void buffers_free(Buffers *t)
{
    budget_free(t->memory);
    for (int i = 0; i < CONVERTER_BUFFERS; i++) free(t->fetched[i].bytes);
}

bool buffers_init(Buffers *t, const Solver *s, bool outcomes)
{
    MemoryLayout arrays = {NULL, 0};
    memset(t, 0, sizeof *t);
    place_buffers(t, s->layout, s->metrics, outcomes, &arrays);
    t->memory = budget_alloc(s->place.logs.budget, arrays.size);
    if (t->memory == NULL) return false;
    arrays = (MemoryLayout){t->memory, 0};
    place_buffers(t, s->layout, s->metrics, outcomes, &arrays);
    memset(t->counts, 0, sizeof *t->counts);
    if (t->first != NULL) memset(t->first, 0, (LOG_TAGS + 1) * sizeof *t->first);
    return true;
}

uint64_t buffers_memory(const Layout *layout, unsigned metrics)
{
    Buffers t;
    MemoryLayout arrays = {NULL, 0};
    place_buffers(&t, layout, metrics, true, &arrays);
    return budget_cost(arrays.size);
}
