/* cells_gather.c - brings the cells of all processes to the first one: see cells.h. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "core/system/error.h"
#include "gen/write/cells.h"

enum {
    GROUP_BYTES = 64 << 20, /* maximum bytes of a group, unless a chunk is larger */
    LEVEL = 1               /* compression level of zstd */
};

/* The planes from `first` to before `end` of one side of a slice, which are gathered together. */
typedef struct Group {
    const Cells *from;
    MemoryBudget *budget;
    const Processes *processes;
    uint64_t number;
    int side;
    uint32_t first, end, chunk; /* `chunk`: the next chunk to look at */
    size_t plane;               /* cells of a plane */
    Plies *cells;               /* cells of the group, in the first process */
    Plies *chunk_cells;         /* memory for the cells of a chunk */
    uint8_t *packed;            /* memory for a plane that is sent */
} Group;

/* Precedes the packed cells of a plane in a message. */
typedef struct GroupItem {
    uint32_t kings, packed; /* number of the plane; bytes of its packed cells */
} GroupItem;

/* Sends the cells of a plane to the first process; the first process copies its own cells. */
static treb_status plane_send(const Group *g, uint32_t kings, const Plies *cells, treb_error *error)
{
    const size_t bytes = g->plane * sizeof *cells;
    if (g->processes->index == 0) {
        memcpy(g->cells + (kings - g->first) * g->plane, cells, bytes);
        return TREB_OK;
    }
    size_t packed = ZSTD_compress(g->packed, ZSTD_compressBound(bytes), cells, bytes, LEVEL);
    if (ZSTD_isError(packed)) return fail_memory(error);
    const GroupItem item = {kings, (uint32_t)packed};
    g->processes->send(g->processes->context, 0, &item, sizeof item, g->packed, packed);
    return TREB_OK;
}

/* Sends those planes of the next chunk that belong to the group. */
static treb_status chunk_send(Group *g, size_t *sent, treb_error *error)
{
    uint32_t planes, wanted = 0;
    const uint32_t chunk = g->chunk++, *kings = cells_chunk_planes(g->from, chunk, &planes);
    for (uint32_t k = 0; k < planes; k++) wanted += kings[k] >= g->first && kings[k] < g->end;
    if (wanted == 0 || !cells_here(g->from, chunk)) return TREB_OK;
    treb_status status = cells_read(g->from, g->number, g->side, chunk, g->chunk_cells, error);
    for (uint32_t k = 0; k < planes && status == TREB_OK; k++)
        if (kings[k] >= g->first && kings[k] < g->end)
            status = plane_send(g, kings[k], g->chunk_cells + k * g->plane, error);
    *sent += wanted * g->plane;
    return status;
}

/* For processes_exchange: sends chunks until a round is full. *more: there are further chunks. */
static treb_status group_send(void *context, bool *more, treb_error *error)
{
    Group *g = context;
    treb_status status = TREB_OK;
    size_t sent = 0;
    while (status == TREB_OK && sent < EXCHANGE_ROUND && g->chunk < cells_chunks(g->from))
        status = chunk_send(g, &sent, error);
    *more = g->chunk < cells_chunks(g->from);
    return status;
}

/* For processes_exchange: unpacks the planes that another process has sent. */
static treb_status group_take(void *context, const ReceivedBytes *batch, treb_error *error)
{
    const Group *g = context;
    const size_t bytes = g->plane * sizeof *g->cells;
    GroupItem item;
    for (size_t at = 0; at < batch->size; at += sizeof item + item.packed) {
        memcpy(&item, batch->bytes + at, sizeof item);
        if (ZSTD_decompress(g->cells + (item.kings - g->first) * g->plane, bytes,
                            batch->bytes + at + sizeof item, item.packed) != bytes)
            return fail(error, TREB_ERR_IO, "data from another process was damaged on the way");
    }
    return TREB_OK;
}

/* Gathers the planes of a group in the first process, which then puts them into chunks. */
static treb_status group_gather(Group *g, Cells *to, uint32_t chunk, treb_error *error)
{
    const bool first = g->processes->index == 0;
    const ProcessExchange x = {g, !first, first ? processes_others(g->processes) : 0, group_send,
                               group_take};
    bool more = first;
    treb_status status = TREB_OK;
    g->chunk = 0;
    while (more && status == TREB_OK) status = group_send(g, &more, error);
    if (status == TREB_OK) status = processes_exchange(g->processes, &x, error);
    for (uint32_t at = g->first, planes; first && at < g->end && status == TREB_OK; at += planes) {
        cells_chunk_planes(to, chunk, &planes);
        status = cells_write(to, g->number, g->side, chunk++, g->cells + (at - g->first) * g->plane,
                             error);
    }
    return status;
}

/* Returns the number of planes to gather at a time: those of one or more chunks. */
static uint32_t group_planes(const Layout *layout)
{
    const uint32_t planes = cells_planes(layout);
    const size_t chunk = planes * layout_lane_cells(layout) * sizeof(Plies);
    return planes * (chunk < GROUP_BYTES ? (uint32_t)(GROUP_BYTES / chunk) : 1);
}

static uint32_t group_most(const Layout *layout)
{
    const uint32_t planes = group_planes(layout);
    return planes < layout->kings ? planes : layout->kings;
}

uint64_t cells_gather_memory(const Layout *layout)
{
    const size_t plane = layout_lane_cells(layout) * sizeof(Plies);
    return budget_cost(cells_chunk_bytes(layout)) + budget_cost(ZSTD_compressBound(plane)) +
           budget_cost(group_most(layout) * plane);
}

treb_status cells_gather(const Cells *from, const Layout *layout, treb_metric metric,
                         unsigned sides, const CellsPlace *place, Cells **to, treb_error *error)
{
    const Processes *processes = place->processes;
    MemoryBudget *budget = place->budget;
    const CellsPlace own = {.directory = place->directory, .budget = budget, .stop = place->stop};
    const size_t plane = layout_lane_cells(layout);
    const uint32_t step = group_planes(layout);
    Group g = {.from = from, .budget = budget, .processes = processes, .plane = plane};
    g.chunk_cells = budget_alloc(budget, cells_chunk_bytes(layout));
    g.packed = budget_alloc(budget, ZSTD_compressBound(plane * sizeof(Plies)));
    if (processes->index == 0)
        g.cells = budget_alloc(budget, group_most(layout) * plane * sizeof *g.cells);
    *to = NULL;
    if (processes->index == 0) *to = cells_new(layout, metric, sides, &own, error);
    bool enough = (*to || processes->index > 0) && g.chunk_cells && g.packed &&
                  (g.cells || processes->index > 0);
    treb_status status = enough ? TREB_OK : fail_memory(error);
    for (g.number = 0; g.number < layout->index.slices; g.number++)
        for (g.side = 0; g.side < 2; g.side++)
            for (g.first = 0; g.first < layout->kings && status == TREB_OK; g.first += step) {
                if (!(sides >> g.side & 1) || !cells_has(from, g.number)) continue;
                g.end = g.first + step < layout->kings ? g.first + step : layout->kings;
                status = group_gather(&g, *to, g.first / cells_planes(layout), error);
            }
    budget_free(g.chunk_cells);
    budget_free(g.packed);
    budget_free(g.cells);
    return status;
}
