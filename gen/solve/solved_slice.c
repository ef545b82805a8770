/* solved_slice.c - see solved_slice.h. */
#include "gen/solve/solved_slice.h"

unsigned slice_weight(const SolvedSlice *slice, uint32_t kings)
{
    const uint8_t *king = slice->layout->king[kings];
    if (slice->layout->pawns) return 2;
    return king[0] % 9 == 0 && king[1] % 9 == 0 ? 4 : 8;
}

uint64_t slice_mirrored(const SolvedSlice *slice, size_t word)
{
    if (slice->layout->men == 0 || slice->mirrored == 0) return slice->mirrored;
    int lane = slice->layout->men == 1 ? word % KERNEL_LANES : 0;
    return slice->mirrored >> lane & 1 ? UINT64_MAX : 0;
}
