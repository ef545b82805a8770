/* side_sample.c - see side_sample.h. */
#include "gen/write/side_sample.h"

#include <stdlib.h>

#include "core/system/error.h"
#include "gen/write/side_cells.h"

enum { LARGE_SAMPLED = 4 /* most slices in the sample if slices are large */ };

size_t side_list_slices(const SideEncoder *s, uint64_t first, uint64_t slices, size_t wanted,
                        uint64_t *out)
{
    const double golden = 0.6180339887498949;
    size_t listed = 0;
    double within = 0.5;
    for (uint64_t i = 0; i < wanted; i++, within += golden) {
        if (within >= 1) within -= 1;
        double at = ((double)i + within) * (double)slices / (double)wanted;
        uint64_t number = first + (wanted == slices ? i : (uint64_t)at);
        bool again = listed > 0 && out[listed - 1] == number;
        if (!again && cells_has(s->job->cells, side_solved_slice(s->job, number)))
            out[listed++] = number;
    }
    for (uint64_t i = 0; i < slices && listed == 0; i++)
        if (cells_has(s->job->cells, side_solved_slice(s->job, first + i)))
            out[listed++] = first + i;
    return listed;
}

void side_keep_whole(SideEncoder *s)
{
    const SymbolsJob *job = s->job;
    const uint64_t bytes = job->layout->index.slices * s->cells;
    if (!job->budget->plentiful || s->large || job->processes != NULL || side_sample_is_all(s))
        return;
    /* The other files may take as much of the spare memory. Freed arrays may still hold some of
     * it. */
    const uint64_t spare = side_spare_memory(s), freed = budget_spare_most(job->budget);
    if (spare < freed || (spare - freed) / (2 * job->at_once) < budget_cost(bytes)) return;
    s->whole = budget_alloc(job->budget, bytes);
}

void side_free_whole(SideEncoder *s)
{
    budget_free(s->whole);
    s->whole = NULL;
}

bool side_sample_is_all(const SideEncoder *s)
{
    return side_slices_in(s, side_sample_cells(s->job->large)) == s->job->layout->index.slices;
}

treb_status side_sample_window(SideEncoder *s, const Reorder *reorder, size_t slices,
                               bool inner_whole, treb_error *error)
{
    window_free(&s->window);
    bool made = window_init_sample(&s->window, reorder, side_sample_cells(s->job->large) / slices,
                                   inner_whole);
    s->sample.window = &s->window;
    return made ? TREB_OK : fail_memory(error);
}

/* Chooses some large slices, of which the sample has some cells each. */
static treb_status choose_large_sample(SideEncoder *s, treb_error *error)
{
    CellBatch *sample = &s->sample;
    uint64_t slices = s->job->layout->index.slices;
    size_t wanted = slices < LARGE_SAMPLED ? (size_t)slices : LARGE_SAMPLED;
    Reorder plain;
    if (!reorder_init(&plain, s->job->layout, NULL)) return fail_memory(error);
    sample->number = malloc(slices * sizeof *sample->number);
    sample->cells = budget_alloc(s->job->budget, SAMPLE_CELLS);
    bool enough = sample->number != NULL && sample->cells != NULL;
    treb_status status = enough ? TREB_OK : fail_memory(error);
    if (status == TREB_OK) sample->count = side_list_slices(s, 0, slices, wanted, sample->number);
    if (status == TREB_OK) status = side_sample_window(s, &plain, wanted, false, error);
    reorder_free(&plain);
    return status;
}

treb_status side_choose_sample(SideEncoder *s, treb_error *error)
{
    CellBatch *sample = &s->sample;
    if (s->large) return choose_large_sample(s, error);
    const uint64_t cells = side_sample_cells(s->job->large);
    treb_status status = cell_batch_reserve(s, sample, cells, error);
    if (status == TREB_OK)
        sample->count = side_list_slices(s, 0, s->job->layout->index.slices,
                                         side_slices_in(s, cells), sample->number);
    return status;
}
