/* slices.c - see slices.h. */
#include "gen/compress/slices.h"

#include <stdlib.h>
#include <string.h>

bool slices_make(Slices *slices, Stretch array, size_t length, uint64_t part)
{
    uint64_t end = (array.size + length - 1) / length;
    slices->count = 0;
    slices->slice = calloc((size_t)(end / part + 1), sizeof *slices->slice);
    if (slices->slice == NULL) return false;
    for (uint64_t i = part / 2 < end ? part / 2 : 0; i < end; i += part) {
        uint64_t at = i * length, left = array.size - at;
        slices->slice[slices->count++].cells =
            (Stretch){array.cells + at, (size_t)(left < length ? left : length)};
    }
    return true;
}

void slices_free(Slices *slices)
{
    for (size_t i = 0; slices->slice != NULL && i < slices->count; i++)
        ledger_free(slices->slice[i].token);
    free(slices->slice);
    *slices = (Slices){0};
}

uint64_t slices_cells(const Slices *slices)
{
    uint64_t cells = 0;
    for (size_t i = 0; i < slices->count; i++) cells += slices->slice[i].cells.size;
    return cells;
}

/* ---- Cutting --------------------------------------------------------------------------------- */

static bool cut_slice(Slice *slice, const Parser *parser, Ledger *ledger, ParseRoom *room,
                      uint16_t *token)
{
    slice->tokens = parse_stretch(parser, room, slice->cells, token);
    ledger_free(slice->token);
    slice->token = ledger_alloc(ledger, slice->tokens * sizeof *token);
    if (slice->token == NULL) return false;
    memcpy(slice->token, token, slice->tokens * sizeof *token);
    return true;
}

bool slices_cut(Slices *slices, const Parser *parser, Ledger *ledger, int threads)
{
    bool done = true;
    size_t most = 0;
    for (size_t i = 0; i < slices->count; i++)
        if (slices->slice[i].cells.size > most) most = slices->slice[i].cells.size;
#pragma omp parallel num_threads(threads)
    {
        uint16_t *token = ledger_alloc(ledger, most * sizeof *token);
        ParseRoom *room = parse_room_make();
        bool mine = token != NULL && room != NULL;
#pragma omp for schedule(dynamic)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)slices->count; i++)
            mine = mine && cut_slice(&slices->slice[i], parser, ledger, room, token);
#pragma omp critical
        done &= mine;
        ledger_free(token);
        parse_room_free(room);
    }
    return done;
}

void slices_used(const Slices *slices, uint64_t *used, unsigned count)
{
    memset(used, 0, count * sizeof *used);
    for (size_t i = 0; i < slices->count; i++)
        for (size_t t = 0; t < slices->slice[i].tokens; t++) used[slices->slice[i].token[t]]++;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static bool list_reserve(RunList *list, size_t more)
{
    if (list->count + more <= list->room) return true;
    size_t room = 2 * list->room + more + 4096;
    Run *run = realloc(list->run, room * sizeof *run);
    if (run == NULL) return false;
    list->run = run;
    list->room = room;
    return true;
}

size_t slices_count_runs(const Slices *slices, const RunValues *values)
{
    size_t count = slices->count;
    for (size_t i = 0; i < slices->count; i++) {
        Stretch cells = slices->slice[i].cells;
        uint8_t value;
        for (size_t at = 0; at < cells.size; count++)
            at = runs_end(cells.cells, at, cells.size, values, &value);
    }
    return count;
}

bool slices_runs(const Slices *slices, const RunValues *values, RunList *list)
{
    list->count = 0;
    for (size_t i = 0; i < slices->count; i++) {
        Stretch cells = slices->slice[i].cells;
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

bool slices_cut_runs(const Slices *slices, const Parser *parser, RunList *list)
{
    list->count = 0;
    for (size_t i = 0; i < slices->count; i++) {
        const Slice *s = &slices->slice[i];
        size_t count = parser_runs(parser, s->token, s->tokens, NULL);
        if (!list_reserve(list, count + 1)) return false;
        parser_runs(parser, s->token, s->tokens, list->run + list->count);
        list->count += count;
        list->run[list->count++] = (Run){0, 0};
    }
    return true;
}
