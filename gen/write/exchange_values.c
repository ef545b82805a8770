/* exchange_values.c - see exchange_values.h. */
#include "gen/write/exchange_values.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "core/system/error.h"
#include "gen/write/side_cells.h"
#include "gen/write/side_values.h"

enum { LEVEL = 1 /* of zstd, for values that are sent */ };

/* Header of the packed values of a chunk. `slice` is the place in the batch, `packed` the number
 * of bytes that follow. */
typedef struct ChunkHeader {
    uint32_t slice, chunk, packed;
} ChunkHeader;

/* What is sent and received, and the progress. A task is one chunk of one slice. */
typedef struct ValuesExchange {
    const SideEncoder *s;
    const CellBatch *batch;
    const WantedCells *wanted; /* by process */
    uint32_t *chunk;           /* the chunks that this process has */
    uint64_t chunks, task, tasks;
    uint8_t *taken; /* memory for received values */
} ValuesExchange;

/* What a thread needs. */
typedef struct ExchangeBuffer {
    CellChunk chunk;
    uint8_t *part, *packed;
} ExchangeBuffer;

static size_t chunk_cells(const SideEncoder *s)
{
    return cells_chunk_bytes(s->job->layout) / sizeof(Plies);
}

static bool buffer_init(const SideEncoder *s, ExchangeBuffer *buffer)
{
    const size_t most = chunk_cells(s);
    buffer->part = budget_alloc(s->job->budget, most);
    buffer->packed = budget_alloc(s->job->budget, ZSTD_compressBound(most));
    return side_chunk_init(s, &buffer->chunk) && buffer->part != NULL && buffer->packed != NULL;
}

static void buffer_free(ExchangeBuffer *buffer)
{
    side_chunk_free(&buffer->chunk);
    budget_free(buffer->part);
    budget_free(buffer->packed);
}

/* Copies those cells of a chunk that are in a window, plane after plane. Returns their number. */
static size_t take_window(const SideEncoder *s, const Window *window, uint32_t chunk,
                          const uint8_t *values, uint8_t *out)
{
    const size_t plane = layout_lane_cells(s->job->layout);
    uint32_t planes;
    const uint32_t *kings = cells_chunk_planes(s->job->cells, chunk, &planes);
    uint8_t *at = out;
    if (window == NULL) memcpy(out, values, planes * plane);
    if (window == NULL) return planes * plane;
    for (uint32_t k = 0; k < planes; k++) {
        if (!window_has(window, kings[k])) continue;
        window_take(window, values + k * plane, at);
        at += window_plane_cells(window);
    }
    return (size_t)(at - out);
}

static size_t window_cells(const SideEncoder *s, const Window *window, uint32_t chunk)
{
    uint32_t planes, there = 0;
    const uint32_t *kings = cells_chunk_planes(s->job->cells, chunk, &planes);
    if (window == NULL) return planes * layout_lane_cells(s->job->layout);
    for (uint32_t k = 0; k < planes; k++) there += window_has(window, kings[k]);
    return there * window_plane_cells(window);
}

static void put_window(const ValuesExchange *f, size_t slice, uint32_t chunk, const uint8_t *part)
{
    const SideEncoder *s = f->s;
    const WantedCells *own = &f->wanted[s->job->processes->index];
    const size_t plane = layout_lane_cells(s->job->layout);
    uint8_t *cells = f->batch->cells +
                     (slice - own->first) * (own->window != NULL ? own->window->cells : s->cells);
    uint32_t planes;
    const uint32_t *kings = cells_chunk_planes(s->job->cells, chunk, &planes);
    for (uint32_t k = 0; k < planes; k++)
        if (own->window == NULL) {
            memcpy(cells + kings[k] * plane, part + k * plane, plane);
        } else if (window_has(own->window, kings[k])) {
            window_put(own->window, kings[k], part, cells);
            part += window_plane_cells(own->window);
        }
}

/* Sends the values of a chunk to all processes that need them. */
static treb_status send_chunk(const ValuesExchange *f, uint64_t task, ExchangeBuffer *buffer,
                              treb_error *error)
{
    const SideEncoder *s = f->s;
    const Processes *processes = s->job->processes;
    const size_t slice = task / f->chunks;
    const uint32_t chunk = f->chunk[task % f->chunks];
    const uint64_t solved = side_solved_slice(s->job, f->batch->number[slice]);
    const Window *last = NULL;
    bool read = false, taken = false;
    size_t size = 0, packed = 0;
    if (!cells_has(s->job->cells, solved)) return TREB_OK;
    for (int r = 0; r < processes->count; r++) {
        const WantedCells *w = &f->wanted[r];
        if (slice < w->first || slice >= w->end || window_cells(s, w->window, chunk) == 0) continue;
        treb_status status = TREB_OK;
        if (!read) status = side_read_chunk(s, solved, chunk, &buffer->chunk, error);
        if (!read && status == TREB_OK)
            status = side_chunk_values(s, &buffer->chunk, buffer->chunk.values, error);
        if (status != TREB_OK) return status;
        read = true;
        if (!taken || w->window != last) {
            size = take_window(s, w->window, chunk, buffer->chunk.values, buffer->part);
            packed = 0;
        }
        taken = true;
        last = w->window;
        if (r == processes->index) {
            put_window(f, slice, chunk, buffer->part);
            continue;
        }
        if (packed == 0)
            packed = ZSTD_compress(buffer->packed, ZSTD_compressBound(chunk_cells(s)), buffer->part,
                                   size, LEVEL);
        if (ZSTD_isError(packed)) return fail_memory(error);
        const ChunkHeader item = {(uint32_t)slice, chunk, (uint32_t)packed};
        processes->send(processes->context, r, &item, sizeof item, buffer->packed, packed);
    }
    return TREB_OK;
}

/* Does some of the tasks, in parallel. */
static treb_status send_some(ValuesExchange *f, treb_error *error)
{
    const uint64_t at_once = EXCHANGE_ROUND / chunk_cells(f->s) + (unsigned)omp_get_max_threads();
    const uint64_t end = f->tasks - f->task < at_once ? f->tasks : f->task + at_once;
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        ExchangeBuffer buffer;
        const bool enough = buffer_init(f->s, &buffer);
#pragma omp for schedule(dynamic)
        for (uint64_t i = f->task; i < end; i++) {
            treb_error mine;
            treb_status own = enough ? send_chunk(f, i, &buffer, &mine) : fail_memory(&mine);
            if (own == TREB_OK) continue;
#pragma omp critical(encode_error)
            {
                status = own;
                *error = mine;
            }
        }
        buffer_free(&buffer);
    }
    f->task = end;
    return status;
}

static treb_status exchange_send(void *context, bool *more, treb_error *error)
{
    ValuesExchange *f = context;
    treb_status status = send_some(f, error);
    *more = f->task < f->tasks;
    return status;
}

static treb_status exchange_take(void *context, const ReceivedBytes *batch, treb_error *error)
{
    const ValuesExchange *f = context;
    const Window *window = f->wanted[f->s->job->processes->index].window;
    ChunkHeader item;
    for (size_t at = 0; at < batch->size; at += sizeof item + item.packed) {
        memcpy(&item, batch->bytes + at, sizeof item);
        const size_t size = window_cells(f->s, window, item.chunk);
        if (ZSTD_decompress(f->taken, chunk_cells(f->s), batch->bytes + at + sizeof item,
                            item.packed) != size)
            return fail(error, TREB_ERR_IO, "data from another process was damaged on the way");
        put_window(f, item.slice, item.chunk, f->taken);
    }
    return TREB_OK;
}

treb_status exchange_values(const SideEncoder *s, const CellBatch *batch, const WantedCells *wanted,
                            treb_error *error)
{
    const Processes *processes = s->job->processes;
    const uint32_t chunks = cells_chunks(s->job->cells);
    ValuesExchange f = {.s = s, .batch = batch, .wanted = wanted};
    f.chunk = malloc(chunks * sizeof *f.chunk);
    f.taken = budget_alloc(s->job->budget, chunk_cells(s));
    treb_status status = f.chunk != NULL && f.taken != NULL ? TREB_OK : fail_memory(error);
    for (uint32_t c = 0; c < chunks && status == TREB_OK; c++)
        if (cells_here(s->job->cells, c)) f.chunk[f.chunks++] = c;
    f.tasks = batch->count * f.chunks;
    const uint64_t others = processes_others(processes);
    const ProcessExchange x = {&f, others, others, exchange_send, exchange_take};
    while (others == 0 && f.task < f.tasks && status == TREB_OK) status = send_some(&f, error);
    if (status == TREB_OK) status = processes_exchange(processes, &x, error);
    free(f.chunk);
    budget_free(f.taken);
    return status;
}

treb_status exchange_sample(const SideEncoder *s, const CellBatch *batch, treb_error *error)
{
    WantedCells wanted[PROCESSES_MAX];
    for (int r = 0; r < s->job->processes->count; r++)
        wanted[r] = (WantedCells){0, batch->count, batch->window};
    return exchange_values(s, batch, wanted, error);
}
