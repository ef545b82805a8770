/* runs.c - see runs.h. */
#include "gen/compress/runs.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdbool.h>
#include <string.h>

#include "gen/compress/values.h"

enum { BLOCK = 16 };

/* Whether a cell may have a value. `flexible_from`: the entry of RunValues.flexible_from for it. */
static bool admits(uint8_t cell, uint8_t value, uint8_t flexible_from)
{
    return cell == value || cell >= flexible_from;
}

#ifdef __SSE2__

/* Returns a bit for each of 16 cells: 1 if the cell may have the value. */
static unsigned which_admit(const uint8_t *cells, uint8_t value, uint8_t flexible_from)
{
    __m128i cell = _mm_loadu_si128((const __m128i *)cells);
    __m128i same = _mm_cmpeq_epi8(cell, _mm_set1_epi8((char)value));
    __m128i most = _mm_max_epu8(cell, _mm_set1_epi8((char)flexible_from));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(same, _mm_cmpeq_epi8(cell, most)));
}

#else

static unsigned which_admit(const uint8_t *cells, uint8_t value, uint8_t flexible_from)
{
    unsigned bits = 0;
    for (int i = 0; i < BLOCK; i++) bits |= (unsigned)admits(cells[i], value, flexible_from) << i;
    return bits;
}

#endif

/* Returns the first cell from `at` on that may not have the value, or `size` if there is none. */
static size_t skip(const uint8_t *cells, size_t at, size_t size, uint8_t value,
                   uint8_t flexible_from)
{
    for (; at + BLOCK <= size; at += BLOCK) {
        unsigned others = which_admit(cells + at, value, flexible_from) ^ ((1u << BLOCK) - 1);
        if (others != 0) return at + (unsigned)__builtin_ctz(others);
    }
    while (at < size && admits(cells[at], value, flexible_from)) at++;
    return at;
}

size_t runs_end(const uint8_t *cells, size_t at, size_t size, const RunValues *values,
                uint8_t *value)
{
    uint8_t least = ENCODE_ANY; /* every cell so far allows the values that this one allows */
    for (; at < size && cells[at] >= ENCODE_UP_TO; at++)
        if (cells[at] < least) least = cells[at];
    if (at < size && least >= values->flexible_from[cells[at]]) {
        *value = cells[at];
        return skip(cells, at + 1, size, *value, values->flexible_from[*value]);
    }
    *value = values->best[least - ENCODE_UP_TO];
    return at;
}

/* Returns the earliest end of the run from `start` to `end`. All cells after that end must allow the
 * value of the next run: `flexible_from` is the entry of RunValues.flexible_from for that value. */
static size_t soonest_end(const uint8_t *cells, size_t start, size_t end, uint8_t flexible_from)
{
    size_t least = end - start > RUNS_SHIFT + 1 ? end - RUNS_SHIFT : start + 1;
    while (end > least && cells[end - 1] >= flexible_from) end--;
    return end;
}

size_t runs_list(const uint8_t *cells, size_t size, const RunValues *values, FlexibleRun *runs)
{
    size_t count = 0, start = 0;
    for (size_t at = 0; at < size; count++) {
        uint8_t value;
        size_t end = runs_end(cells, at, size, values, &value);
        if (count > 0)
            runs[count - 1].least =
                (uint32_t)soonest_end(cells, start, at, values->flexible_from[value]);
        runs[count] = (FlexibleRun){(uint32_t)end, (uint32_t)end, value};
        start = at;
        at = end;
    }
    return count;
}
