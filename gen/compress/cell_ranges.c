/* cell_ranges.c - see cell_ranges.h. */
#include "gen/compress/cell_ranges.h"

#include <stdlib.h>
#include <string.h>

bool cell_ranges_make(CellRanges *ranges, Stretch array, size_t length, uint64_t part)
{
    uint64_t end = (array.size + length - 1) / length;
    ranges->count = 0;
    ranges->range = calloc((size_t)(end / part + 1), sizeof *ranges->range);
    if (ranges->range == NULL) return false;
    for (uint64_t i = part / 2 < end ? part / 2 : 0; i < end; i += part) {
        uint64_t at = i * length, left = array.size - at;
        ranges->range[ranges->count++].cells =
            (Stretch){array.cells + at, (size_t)(left < length ? left : length)};
    }
    return true;
}

void cell_ranges_free(CellRanges *ranges)
{
    for (size_t i = 0; ranges->range != NULL && i < ranges->count; i++)
        budget_free(ranges->range[i].token);
    free(ranges->range);
    *ranges = (CellRanges){0};
}

uint64_t cell_ranges_cells(const CellRanges *ranges)
{
    uint64_t cells = 0;
    for (size_t i = 0; i < ranges->count; i++) cells += ranges->range[i].cells.size;
    return cells;
}

/* ---- Cutting --------------------------------------------------------------------------------- */

static bool cut_range(CellRange *range, const Parser *parser, MemoryBudget *budget,
                      ParseBuffer *buffer, uint16_t *token)
{
    range->tokens = parse_stretch(parser, buffer, range->cells, token);
    budget_free(range->token);
    range->token = budget_alloc(budget, range->tokens * sizeof *token);
    if (range->token == NULL) return false;
    memcpy(range->token, token, range->tokens * sizeof *token);
    return true;
}

bool cell_ranges_cut(CellRanges *ranges, const Parser *parser, MemoryBudget *budget, int threads)
{
    bool done = true;
    size_t most = 0;
    for (size_t i = 0; i < ranges->count; i++)
        if (ranges->range[i].cells.size > most) most = ranges->range[i].cells.size;
#pragma omp parallel num_threads(threads)
    {
        uint16_t *token = budget_alloc(budget, most * sizeof *token);
        ParseBuffer *buffer = parse_buffer_make();
        bool mine = token != NULL && buffer != NULL;
#pragma omp for schedule(dynamic)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)ranges->count; i++)
            mine = mine && cut_range(&ranges->range[i], parser, budget, buffer, token);
#pragma omp critical
        done &= mine;
        budget_free(token);
        parse_buffer_free(buffer);
    }
    return done;
}

void cell_ranges_used(const CellRanges *ranges, uint64_t *used, unsigned count)
{
    memset(used, 0, count * sizeof *used);
    for (size_t i = 0; i < ranges->count; i++)
        for (size_t t = 0; t < ranges->range[i].tokens; t++) used[ranges->range[i].token[t]]++;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static bool list_reserve(RunList *list, size_t more)
{
    if (list->count + more <= list->capacity) return true;
    size_t capacity = 2 * list->capacity + more + 4096;
    Run *run = realloc(list->run, capacity * sizeof *run);
    if (run == NULL) return false;
    list->run = run;
    list->capacity = capacity;
    return true;
}

size_t cell_ranges_count_runs(const CellRanges *ranges, const RunValues *values)
{
    size_t count = ranges->count;
    for (size_t i = 0; i < ranges->count; i++) {
        Stretch cells = ranges->range[i].cells;
        uint8_t value;
        for (size_t at = 0; at < cells.size; count++)
            at = runs_end(cells.cells, at, cells.size, values, &value);
    }
    return count;
}

bool cell_ranges_runs(const CellRanges *ranges, const RunValues *values, RunList *list)
{
    list->count = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        Stretch cells = ranges->range[i].cells;
        for (size_t at = 0, end; at < cells.size; at = end) {
            uint8_t value;
            end = runs_end(cells.cells, at, cells.size, values, &value);
            if (!list_reserve(list, 2)) return false;
            list->run[list->count++] = (Run){(uint32_t)(end - at), value};
        }
        list->run[list->count++] = (Run){0, 0};
    }
    return true;
}

bool cell_ranges_cut_runs(const CellRanges *ranges, const Parser *parser, RunList *list)
{
    list->count = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        const CellRange *s = &ranges->range[i];
        size_t count = parser_runs(parser, s->token, s->tokens, NULL);
        if (!list_reserve(list, count + 1)) return false;
        parser_runs(parser, s->token, s->tokens, list->run + list->count);
        list->count += count;
        list->run[list->count++] = (Run){0, 0};
    }
    return true;
}
