/* runs.c - see runs.h. */
#include "export/runs.h"

#include <stdbool.h>
#include <string.h>

#include "export/encode.h"

size_t runs_end(const uint8_t *cells, size_t at, size_t size)
{
    uint8_t value = cells[at++];
    uint64_t same = value * UINT64_C(0x0101010101010101);
    while (at + 8 <= size) {
        uint64_t next;
        memcpy(&next, cells + at, 8);
        if (next != same) break;
        at += 8;
    }
    while (at < size && cells[at] == value) at++;
    return at;
}

/* The values that a cell may have are those from `least` to `most`. */
typedef struct Range {
    uint8_t least, most;
} Range;

static Range range_of(uint8_t cell)
{
    if (cell < ENCODE_UP_TO) return (Range){cell, cell};
    return (Range){0, cell == ENCODE_ANY ? ENCODE_VALUES - 1 : cell & 31};
}

/* Each run is made as long as it can be: there is no way with fewer. */
uint64_t runs_fill(uint8_t *cells, size_t size, const uint8_t best[32])
{
    uint64_t runs = 0;
    for (size_t at = 0, from = 0; at < size; from = at, runs++) {
        Range run = {0, ENCODE_VALUES - 1};
        while (at < size) {
            Range next = range_of(cells[at]);
            if (next.least > run.most || next.most < run.least) break;
            if (next.least > run.least) run.least = next.least;
            if (next.most < run.most) run.most = next.most;
            at = run.least == run.most && next.least == next.most ? runs_end(cells, at, size)
                                                                  : at + 1;
        }
        uint8_t value = run.least == run.most ? run.least : best[run.most < 31 ? run.most : 31];
        for (; from < at; from++)
            if (cells[from] != value) cells[from] = value;
    }
    return runs;
}
