/* side_encoder.c - see side_encoder.h. */
#include "gen/write/side_encoder.h"

void side_encoder_init(SideEncoder *s, const SymbolsJob *job, int side, uint64_t reserved)
{
    *s = (SideEncoder){.job = job,
                       .side = side,
                       .reserved = reserved,
                       .cells = job->layout->kings * layout_lane_cells(job->layout),
                       .large = side_is_large(job->layout, job->large)};
}

size_t side_slices_in(const SideEncoder *s, uint64_t cells)
{
    uint64_t slices = cells / s->cells;
    uint64_t all = s->job->layout->index.slices;
    return slices < 1 ? 1 : slices < all ? (size_t)slices : (size_t)all;
}

uint64_t side_spare_memory(const SideEncoder *s)
{
    uint64_t left = budget_left(s->job->budget);
    return left > s->reserved ? left - s->reserved : 0;
}
