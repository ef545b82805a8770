/* zstd_file.c - see zstd_file.h.
 *
 * A sample decides the order of the axes and, for distances, the side to move. Then threads take
 * chunks in parallel, copy the planes of a chunk into that order, pack them, and write the bytes to the
 * file's blocks (zstd_blocks.h). */
#include "gen/write/zstd_file.h"

#include <string.h>

#include "core/system/error.h"
#include "core/system/memory_layout.h"
#include "core/system/stop.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Memory to copy planes into the file's order: for the cells of a chunk, for two planes, and for the
 * packed bytes of a chunk. */
typedef struct PlaneBuffer {
    Plies *chosen, *spare, *ordered;
    uint8_t *bytes; /* packed */
} PlaneBuffer;

/* Divides `memory`, or only returns the bytes needed if it is NULL. `plane_cells`: number of cells of a
 * plane in the file; with padding it may be larger than that of the layout. */
static size_t place_buffer(PlaneBuffer *buffer, const Layout *layout, size_t plane_cells,
                           unsigned width, void *memory)
{
    MemoryLayout arrays = {memory, 0};
    buffer->chosen = memory_layout_place(&arrays, cells_chunk_bytes(layout));
    buffer->spare = memory_layout_place(&arrays, codes_cells(layout) * sizeof *buffer->spare);
    buffer->ordered = memory_layout_place(&arrays, plane_cells * sizeof *buffer->ordered);
    buffer->bytes = memory_layout_place(&arrays, cells_planes(layout) * plane_cells * width);
    return arrays.size;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Reads a chunk. Replaces bounds of mate distances by the distances. */
static treb_status read_chunk(const ZstdJob *job, uint64_t number, int side, uint32_t chunk,
                              Plies *out, treb_error *error)
{
    treb_status status = cells_read(job->cells, number, side, chunk, out, error);
    size_t count = cells_chunk_bytes(job->layout) / sizeof *out;
    for (size_t i = 0; i < count && job->metric == TREB_DTM; i++)
        out[i] = out[i] >= CELL_BOUND && out[i] < CODES_END ? out[i] - CELL_BOUND : out[i];
    return status;
}

/* ---- The order of the axes ------------------------------------------------------------------- */

/* Reads planes for the sample from chunks at equal distances in the table. */
static treb_status take_sample(const ZstdJob *job, unsigned sides, ZstdSample *sample,
                               treb_error *error)
{
    const Layout *layout = job->layout;
    uint32_t chunks = cells_chunks(job->cells);
    uint64_t all = layout->index.slices * chunks, taken = 0;
    size_t plane = codes_cells(layout) * sizeof(Plies);
    if (!zstd_sample_init(sample, layout, (uint32_t)(all < 64 ? all : 64), job->budget))
        return fail_memory(error);
    Plies *cells = budget_alloc(job->budget, cells_chunk_bytes(layout));
    treb_status status = cells ? TREB_OK : fail_memory(error);
    for (uint32_t i = 0; status == TREB_OK && i < sample->planes; i++) {
        uint64_t at = (2 * (uint64_t)i + 1) * all / (2 * sample->planes);
        if (!cells_has(job->cells, at / chunks)) continue;
        for (int side = 0; side < 2 && status == TREB_OK; side++) {
            if (!(sides >> side & 1)) continue;
            status = read_chunk(job, at / chunks, side, at % chunks, cells, error);
            if (status == TREB_OK)
                memcpy(sample->plane[side] + taken * codes_cells(layout), cells, plane);
        }
        taken++;
    }
    budget_free(cells);
    sample->planes = (uint32_t)taken;
    return status;
}

static treb_status choose_order(const ZstdJob *job, const Packing *packing, ZstdOrderChoice *choice,
                                treb_error *error)
{
    ZstdSample sample;
    ZstdOrderAim aim = {job->metric == TREB_WDL, job->layout->symmetric ? 1 : 3};
    memset(choice, 0, sizeof *choice);
    if (job->layout->men == 0 && aim.together) return TREB_OK; /* the kings are the only axis */
    memset(&sample, 0, sizeof sample);
    treb_status status = take_sample(job, aim.sides, &sample, error);
    if (status == TREB_OK && !zstd_order_choose(&sample, packing, aim, choice))
        status = fail_memory(error);
    zstd_sample_free(&sample);
    return status;
}

/* ---- All cells ------------------------------------------------------------------------------- */

/* A chunk of one side of a slice. */
typedef struct Part {
    uint64_t number;
    int side;
    uint32_t chunk;
} Part;

/* Orders, packs and writes a chunk. */
static treb_status part_write(const ZstdJob *job, ZstdBlocks *file, Part part, PlaneBuffer *buffer,
                              treb_error *error)
{
    const Layout *layout = job->layout;
    const CodesMap *map = &file->map;
    uint32_t planes = cells_planes(layout), first = part.chunk * planes;
    if (planes > layout->kings - first) planes = layout->kings - first;
    size_t plane_bytes = codes_packed(&file->packing, map->plane_cells);
    treb_status status = read_chunk(job, part.number, part.side, part.chunk, buffer->chosen, error);
    for (uint32_t k = 0; k < planes && status == TREB_OK; k++) {
        codes_order(map, job->metric, buffer->chosen + k * codes_cells(layout), buffer->spare,
                    buffer->ordered);
        codes_pack(&file->packing, buffer->ordered, map->plane_cells,
                   buffer->bytes + k * plane_bytes);
    }
    if (status != TREB_OK) return status;
    return zstd_blocks_write(file, part.side, part.number * file->slice_bytes + first * plane_bytes,
                             buffer->bytes, planes * plane_bytes, error);
}

/* Writes a slice with only kings and pawns, which has one cell for each plane. The last code is repeated
 * to pad the slice. */
static treb_status kings_write(const ZstdJob *job, ZstdBlocks *file, Part part, PlaneBuffer *buffer,
                               treb_error *error)
{
    const size_t kings = job->layout->kings, count = file->header.index.slice_size;
    Plies before = job->metric == TREB_WDL ? TREB_DRAW : 0;
    treb_status status = read_chunk(job, part.number, part.side, 0, buffer->chosen, error);
    if (status != TREB_OK) return status;
    for (size_t k = 0; k < count; k++) {
        if (k < kings) before = codes_settle(buffer->chosen[k], before);
        buffer->ordered[k] = before;
    }
    codes_pack(&file->packing, buffer->ordered, count, buffer->bytes);
    return zstd_blocks_write(file, part.side, part.number * file->slice_bytes, buffer->bytes,
                             file->slice_bytes, error);
}

/* Writes zeros for a slice that no position uses. */
static treb_status nothing_write(ZstdBlocks *file, Part part, treb_error *error)
{
    uint8_t *zeros = budget_calloc(file->budget, file->slice_bytes);
    treb_status status = zeros ? zstd_blocks_write(file, part.side, part.number * file->slice_bytes,
                                                   zeros, file->slice_bytes, error)
                               : fail_memory(error);
    budget_free(zeros);
    return status;
}

/* Number of cells of a chunk. */
static uint64_t part_cells(const Layout *layout, uint32_t chunk)
{
    uint32_t planes = cells_planes(layout), left = layout->kings - chunk * planes;
    return (planes < left ? planes : left) * layout_lane_cells(layout);
}

static size_t padded_cells(const ZstdBlocks *file, const Layout *layout)
{
    return layout->men > 0 ? file->map.plane_cells : file->header.index.slice_size;
}

static treb_status write_all(const ZstdJob *job, ZstdBlocks *file, treb_error *error)
{
    const Layout *layout = job->layout;
    const uint32_t chunks = cells_chunks(job->cells);
    const uint64_t parts = 2 * layout->index.slices * chunks;
    const size_t cells = padded_cells(file, layout);
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        PlaneBuffer buffer;
        void *memory =
            budget_alloc(job->budget, place_buffer(&buffer, layout, cells, job->width, NULL));
        if (memory != NULL) place_buffer(&buffer, layout, cells, job->width, memory);
#pragma omp for schedule(dynamic)
        for (uint64_t i = 0; i < parts; i++) {
            treb_error mine;
            Part part = {i / chunks / 2, i / chunks % 2, (uint32_t)(i % chunks)};
            if (!file->header.side[part.side].stored) continue;
            treb_status own = memory != NULL ? stop_check(job->stop, &mine) : fail_memory(&mine);
            if (own == TREB_OK && !cells_has(job->cells, part.number))
                own = part.chunk == 0 ? nothing_write(file, part, &mine) : TREB_OK;
            else if (own == TREB_OK)
                own = layout->men > 0 ? part_write(job, file, part, &buffer, &mine)
                                      : kings_write(job, file, part, &buffer, &mine);
            if (job->progress)
                progress_add(&job->progress->written, part_cells(layout, part.chunk));
            if (own == TREB_OK) continue;
#pragma omp critical(writer_error)
            {
                status = own;
                *error = mine;
            }
        }
        budget_free(memory);
    }
    return status;
}

/* ---- A file ---------------------------------------------------------------------------------- */

/* Returns how to pack the file. Verdicts that do not occur get no digit. */
static Packing packing_of(const ZstdJob *job)
{
    static const unsigned per_byte[WDL_VALUES + 1] = {8, 8, 8, 5, 4, 3};
    Packing p = {.metric = job->metric, .width = job->width, .per_byte = 1, .base = 256};
    if (job->metric != TREB_WDL) return p;
    unsigned seen = cells_seen(job->cells);
    p.width = 1;
    p.base = 0;
    for (int v = 0; v < WDL_VALUES; v++) p.digit[v] = seen >> v & 1 ? p.base++ : UINT8_MAX;
    p.per_byte = per_byte[p.base];
    if (p.base < 2) p.base = 2;
    return p;
}

treb_status zstd_file_write(const ZstdJob *job, ZstdBlocks *file, treb_error *error)
{
    const Packing packing = packing_of(job);
    ZstdOrderChoice choice;
    ZstdBlocksPlan plan = {job->layout, job->directory, job->budget};
    treb_status status = choose_order(job, &packing, &choice, error);
    bool verdicts = job->metric == TREB_WDL;
    bool keep[2] = {verdicts || choice.side == 0,
                    verdicts ? !job->layout->symmetric : choice.side == 1};
    if (status == TREB_OK)
        status = zstd_blocks_open(file, &plan, &packing, choice.order, keep, job->encoder, error);
    return status == TREB_OK ? write_all(job, file, error) : status;
}

uint64_t zstd_file_memory(const Layout *layout, treb_metric metric, unsigned width, int threads)
{
    enum { PADDING = 2 };
    PlaneBuffer buffer;
    size_t cells = layout->men > 0 ? codes_cells(layout) : layout->kings;
    uint64_t working = (uint64_t)threads *
                       (budget_cost(place_buffer(&buffer, layout, PADDING * cells, width, NULL)) +
                        cells_read_memory(layout));
    uint64_t choosing = zstd_order_memory(layout, threads) + budget_cost(cells_chunk_bytes(layout));
    return zstd_blocks_memory(layout, metric, width, metric == TREB_WDL ? 2 : 1, threads) +
           (working > choosing ? working : choosing);
}
