/* cells.c - see cells.h. */
#include "gen/write/cells.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/memory_layout.h"
#include "core/system/spill_file.h"
#include "core/system/stop.h"
#include "gen/solve/partition.h"

enum {
    CHUNK_BYTES = 1 << 19 /* number of cells of a chunk, at most, unless a plane has more */
};

struct Cells {
    const Layout *layout;
    treb_metric metric;
    unsigned sides; /* sides to keep, and CELLS_BOUNDS */
    MemoryBudget *budget;
    SpillFile spill;
    const atomic_bool *stop;
    WriteProgress *progress;
    size_t plane_cells; /* cells of a plane of one slice */
    /* The planes of chunk `c` are plane[first[c]] to plane[first[c + 1] - 1], in ascending
     * order; with processes part by part (partition.h). `here` is the first chunk that this
     * process keeps; own[c] says whether it keeps chunk `c`. */
    uint32_t chunks, *plane, *first, here;
    bool *own;
    unsigned seen; /* mask of the verdicts seen */
    /* By side; the chunks of slice `number` begin at number * chunks. Those that are not added yet have no bytes. */
    SpillChunk *chunk[2];
};

uint32_t cells_planes(const Layout *layout)
{
    size_t planes = CHUNK_BYTES / layout_lane_cells(layout);
    if (planes < 1) return 1;
    return planes < layout->kings ? (uint32_t)planes : layout->kings;
}

size_t cells_chunk_bytes(const Layout *layout)
{
    return cells_planes(layout) * layout_lane_cells(layout) * sizeof(Plies);
}

/* Lists the planes of each chunk. With processes no chunk has planes of two parts. */
static bool list_chunks(Cells *v, const Processes *processes)
{
    const uint32_t kings = v->layout->kings, most = cells_planes(v->layout);
    uint8_t *part = calloc(kings, 1);
    uint32_t n = 0;
    v->plane = malloc(kings * sizeof *v->plane);
    v->first = malloc((kings + 1) * sizeof *v->first);
    v->own = malloc(kings * sizeof *v->own);
    const bool ok = part && v->plane && v->first && v->own;
    if (ok && processes != NULL) partition_parts(v->layout, part);
    v->here = UINT32_MAX;
    for (unsigned p = 0; p < (processes != NULL ? PARTITION_PARTS : 1) && ok; p++)
        for (uint32_t k = 0, in = 0; k < kings; k++) {
            if (part[k] != p) continue;
            if (in++ % most == 0) {
                const bool own =
                    processes == NULL || partition_owner(processes->count, p) == processes->index;
                if (own && v->here == UINT32_MAX) v->here = v->chunks;
                v->own[v->chunks] = own;
                v->first[v->chunks++] = n;
            }
            v->plane[n++] = k;
        }
    if (ok) v->first[v->chunks] = n;
    free(part);
    return ok;
}

/* Returns the maximum number of chunks of one side of a slice. */
static size_t most_chunks(const Layout *layout, const Processes *processes)
{
    size_t planes = cells_planes(layout), all = (layout->kings + planes - 1) / planes;
    all += processes != NULL ? PARTITION_PARTS : 0;
    return all < layout->kings ? all : layout->kings;
}

/* Bytes of the list of chunks of one side. */
static size_t list_bytes(const Cells *v)
{
    return v->layout->index.slices * v->chunks * sizeof(SpillChunk);
}

/* Opens the file: a new one, or as `state` says. */
static treb_status open_file(Cells *v, const CellsPlace *place, State *state, treb_error *error)
{
    char path[4300];
    if (place->path != NULL)
        snprintf(path, sizeof path, "%.4200s-%s", place->path, table_metric_name(v->metric));
    if (state == NULL)
        return spill_create(&v->spill, place->path ? path : NULL, place->directory, 0, error);
    return spill_resume(&v->spill, path, state_get(state)) ? TREB_OK : fail_errno(error, "read", path);
}

static Cells *cells_open(const Layout *layout, treb_metric metric, unsigned sides,
                         const CellsPlace *place, State *state, treb_error *error)
{
    Cells *v = calloc(1, sizeof *v);
    if (v == NULL) {
        fail_memory(error);
        return NULL;
    }
    v->layout = layout;
    v->plane_cells = layout_lane_cells(layout);
    v->metric = metric;
    v->sides = sides;
    v->budget = place->budget;
    v->stop = place->stop;
    v->progress = place->progress;
    v->seen = 1u << TREB_DRAW;
    treb_status status = open_file(v, place, state, error);
    v->spill.budget = place->budget;
    v->spill.keep = place->path == NULL ? place->keep : 0;
    if (status == TREB_OK && !list_chunks(v, place->processes)) status = fail_memory(error);
    for (int side = 0; side < 2 && status == TREB_OK; side++)
        if (sides >> side & 1 && (v->chunk[side] = budget_calloc(v->budget, list_bytes(v))) == NULL)
            status = fail_memory(error);
    if (status == TREB_OK) return v;
    cells_free(v);
    return NULL;
}

Cells *cells_new(const Layout *layout, treb_metric metric, unsigned sides, const CellsPlace *place,
                 treb_error *error)
{
    return cells_open(layout, metric, sides, place, NULL, error);
}

treb_status cells_put(const Cells *v, State *state, treb_error *error)
{
    state_put(state, atomic_load(&v->spill.end));
    state_put(state, v->seen);
    for (int side = 0; side < 2; side++)
        if (v->sides >> side & 1) state_put_bytes(state, v->chunk[side], list_bytes(v));
    return spill_sync(&v->spill, error);
}

Cells *cells_get(const Layout *layout, treb_metric metric, unsigned sides, const CellsPlace *place,
                 State *state)
{
    treb_error error;
    Cells *v = cells_open(layout, metric, sides, place, state, &error);
    if (v == NULL) return NULL;
    v->seen = (unsigned)state_get(state);
    for (int side = 0; side < 2; side++)
        if (v->sides >> side & 1) state_get_bytes(state, v->chunk[side], list_bytes(v));
    if (!state->failed) return v;
    cells_free(v);
    return NULL;
}

void cells_free(Cells *v)
{
    if (v == NULL) return;
    for (int side = 0; side < 2; side++) budget_free(v->chunk[side]);
    spill_close(&v->spill);
    free(v->plane);
    free(v->first);
    free(v->own);
    free(v);
}

uint32_t cells_chunks(const Cells *v) { return v->chunks; }
unsigned cells_seen(const Cells *v) { return v->seen; }

static SpillChunk *chunk_at(const Cells *v, uint64_t number, int side, uint32_t c)
{
    return &v->chunk[side][number * v->chunks + c];
}

bool cells_has(const Cells *v, uint64_t number)
{
    return chunk_at(v, number, !(v->sides & 1), v->here)->size > 0;
}

bool cells_here(const Cells *v, uint32_t chunk) { return v->own[chunk]; }

const uint32_t *cells_chunk_planes(const Cells *v, uint32_t chunk, uint32_t *count)
{
    *count = v->first[chunk + 1] - v->first[chunk];
    return v->plane + v->first[chunk];
}

void cells_agree(Cells *v, const Processes *processes)
{
    uint64_t seen[WDL_VALUES];
    for (int i = 0; i < WDL_VALUES; i++) seen[i] = v->seen >> i & 1;
    processes->all_sum(processes->context, seen, WDL_VALUES);
    for (int i = 0; i < WDL_VALUES; i++) v->seen |= (unsigned)(seen[i] > 0) << i;
}

/* Returns the bytes of `cells` cells before compression. */
static size_t plain_bytes(const Cells *v, bool wide, size_t cells)
{
    return v->metric == TREB_WDL ? (cells + 1) / 2 : wide ? cells * sizeof(Plies) : cells;
}

/* The memory of a thread that makes chunks. */
typedef struct ChunkBuffer {
    Plane plane;
    Plies *chosen
        [TREB_METRICS]; /* chosen cells by metric, lane after lane; the first begins the whole allocation */
    Plies *lanes; /* cells of one plane, used if each cell is of another slice */
    uint8_t *bytes, *packed;
} ChunkBuffer;

static size_t chunk_cells(const Layout *layout)
{
    return cells_planes(layout) * layout_lane_cells(layout);
}

static size_t place_buffer(ChunkBuffer *buffer, const Layout *layout, int count, void *memory)
{
    MemoryLayout arrays = {memory, 0};
    size_t cells = chunk_cells(layout);
    for (int i = 0; i < count; i++)
        buffer->chosen[i] =
            memory_layout_place(&arrays, layout_lanes(layout) * cells * sizeof(Plies));
    buffer->lanes = memory_layout_place(&arrays, SLICE_LANES * sizeof *buffer->lanes);
    buffer->bytes = memory_layout_place(&arrays, cells);
    buffer->packed = memory_layout_place(&arrays, spill_bound(cells * sizeof(Plies)));
    return arrays.size;
}

/* Returns the parts of a plane (PLANE_...) that these sets of cells need. */
static unsigned parts_of(Cells *const cells[], int count)
{
    unsigned parts = 0;
    for (int i = 0; i < count; i++) {
        parts |= codes_parts(cells[i]->metric);
        if (cells[i]->sides & CELLS_BOUNDS) parts |= codes_bounds_parts(cells[i]->metric);
    }
    return parts;
}

static bool buffer_init(ChunkBuffer *buffer, Cells *const cells[], int count)
{
    const Cells *v = cells[0];
    void *memory = budget_alloc(v->budget, place_buffer(buffer, v->layout, count, NULL));
    if (memory == NULL) return false;
    place_buffer(buffer, v->layout, count, memory);
    if (plane_init(&buffer->plane, v->layout, parts_of(cells, count), v->budget)) return true;
    budget_free(memory);
    return false;
}

static void buffer_free(ChunkBuffer *buffer)
{
    plane_free(&buffer->plane);
    budget_free(buffer->chosen[0]);
}

/* Packs the cells of a chunk and keeps them. */
static treb_status chunk_write(Cells *v, const ChunkBuffer *buffer, const Plies *chosen,
                               size_t cells, SpillChunk *out, treb_error *error)
{
    bool wide = false;
    if (v->metric == TREB_WDL)
        nibbles_pack(chosen, cells, buffer->bytes);
    else
        wide = !bytes_pack(v->sides & CELLS_BOUNDS, chosen, cells, buffer->bytes);
    return spill_write(&v->spill, wide ? (const void *)chosen : buffer->bytes,
                       plain_bytes(v, wide, cells), buffer->packed, out, error);
}

/* Adds the verdicts of these cells to `seen`. */
static void note_verdicts(Cells *v, const Plies *chosen, size_t cells)
{
    enum { ALL = (1 << WDL_VALUES) - 1 };
    uint32_t mask = 0;
    if (v->metric != TREB_WDL) return;
    /* The two kinds of cells that do not matter are 30 and 31 of 32. */
    for (size_t i = 0; i < cells; i++) mask |= UINT32_C(1) << (chosen[i] & 31);
#pragma omp atomic
    v->seen |= mask & ALL;
}

treb_status cells_write(Cells *v, uint64_t number, int side, uint32_t chunk, const Plies *chosen,
                        treb_error *error)
{
    const size_t cells = chunk_cells(v->layout);
    const ChunkBuffer buffer = {.bytes = budget_alloc(v->budget, cells),
                                .packed = budget_alloc(v->budget, spill_bound(cells * sizeof *chosen))};
    const size_t size = (v->first[chunk + 1] - v->first[chunk]) * v->plane_cells;
    treb_status status = buffer.bytes && buffer.packed ? TREB_OK : fail_memory(error);
    if (status == TREB_OK) note_verdicts(v, chosen, size);
    if (status == TREB_OK)
        status = chunk_write(v, &buffer, chosen, size, chunk_at(v, number, side, chunk), error);
    budget_free(buffer.bytes);
    budget_free(buffer.packed);
    return status;
}

/* One chunk of one side to move, of all slices that were solved together. */
typedef struct Part {
    const uint64_t *number;
    const SolvedSlice *slice;
    PlaneStatistics *planes;
    int side;
    uint32_t chunk, count; /* `count`: number of planes */
    const uint32_t *plane; /* the planes */
} Part;

/* Chooses the cells of a plane, as bounds if the set keeps bounds. */
static void choose(const Cells *v, const Part *part, const Plane *plane, int lane, Plies *out)
{
    codes_choose(plane, part->slice, v->metric, lane, out);
    if (v->sides & CELLS_BOUNDS) codes_mark_bounds(plane, part->slice, v->metric, lane, out);
}

/* Chooses the cells of plane number `plane` of a chunk, and writes them to their place in `chosen`. */
static void place_plane(const Cells *v, const Part *part, const ChunkBuffer *buffer, uint32_t plane,
                        Plies *chosen)
{
    const SolvedSlice *slice = part->slice;
    size_t cells = chunk_cells(v->layout), at = plane * v->plane_cells;
    if (v->layout->men > 0) {
        for (int lane = 0; lane < slice->lanes; lane++)
            choose(v, part, &buffer->plane, lane, chosen + lane * cells + at);
        return;
    }
    /* With only kings and pawns each bit of a word is of another slice. */
    choose(v, part, &buffer->plane, 0, buffer->lanes);
    for (int lane = 0; lane < slice->lanes; lane++) chosen[lane * cells + at] = buffer->lanes[lane];
}

/* Adds one part to `count` sets of cells. */
static treb_status part_add(Cells *const cells[], int count, const Part *part, ChunkBuffer *buffer,
                            treb_error *error)
{
    const Cells *any = cells[0];
    treb_status status = TREB_OK;
    for (uint32_t k = 0; k < part->count && status == TREB_OK; k++) {
        status = plane_read(&buffer->plane, part->slice, part->side, part->plane[k], error);
        if (status == TREB_OK && part->planes != NULL)
            statistics_add_plane(part->planes, &buffer->plane, part->side, part->plane[k]);
        for (int i = 0; i < count && status == TREB_OK; i++)
            if (cells[i]->sides >> part->side & 1)
                place_plane(cells[i], part, buffer, k, buffer->chosen[i]);
    }
    size_t size = part->count * any->plane_cells;
    for (int i = 0; i < count; i++) {
        if (!(cells[i]->sides >> part->side & 1)) continue;
        for (int lane = 0; lane < part->slice->lanes && status == TREB_OK; lane++) {
            const Plies *chosen = buffer->chosen[i] + lane * chunk_cells(any->layout);
            note_verdicts(cells[i], chosen, size);
            status =
                chunk_write(cells[i], buffer, chosen, size,
                            chunk_at(cells[i], part->number[lane], part->side, part->chunk), error);
        }
    }
    return status;
}

treb_status cells_add(Cells *const cells[], int count, const uint64_t *number,
                      const SolvedSlice *slice, PlaneStatistics *planes, treb_error *error)
{
    treb_status status = TREB_OK;
    if (count == 0) return TREB_OK;
    const Cells *any = cells[0];
    unsigned sides = 0;
    for (int i = 0; i < count; i++) sides |= cells[i]->sides;
#pragma omp parallel
    {
        ChunkBuffer buffer;
        bool enough = buffer_init(&buffer, cells, count);
#pragma omp for schedule(dynamic)
        for (uint32_t p = 0; p < 2 * any->chunks; p++) {
            treb_error mine;
            uint32_t chunk = p / 2;
            Part part = {.number = number,
                         .slice = slice,
                         .planes = planes,
                         .side = (int)(p % 2),
                         .chunk = chunk};
            part.plane = cells_chunk_planes(any, chunk, &part.count);
            if (!(sides >> part.side & 1) || stop_asked(any->stop)) continue;
            treb_status own = enough ? TREB_OK : fail_memory(&mine);
            if (own == TREB_OK && any->own[chunk])
                own = part_add(cells, count, &part, &buffer, &mine);
            if (any->progress)
                progress_add(&any->progress->added,
                             part.count * any->plane_cells * (uint64_t)slice->lanes);
            if (own == TREB_OK) continue;
#pragma omp critical(cells_error)
            {
                status = own;
                *error = mine;
            }
        }
        if (enough) buffer_free(&buffer);
    }
    return status;
}

treb_status cells_read_packed(const Cells *v, uint64_t number, int side, uint32_t chunk,
                              PackedChunk *out, treb_error *error)
{
    const SpillChunk *c = chunk_at(v, number, side, chunk);
    const size_t cells = (v->first[chunk + 1] - v->first[chunk]) * v->plane_cells;
    const bool wide = c->size == cells * sizeof(Plies);
    *out = (PackedChunk){.count = cells, .bounds = v->sides & CELLS_BOUNDS};
    out->as = v->metric == TREB_WDL ? PACKED_NIBBLES : wide ? PACKED_NOT : PACKED_BYTES;
    out->bytes = spill_kept(c);
    if (out->bytes != NULL) return TREB_OK;
    out->bytes = out->memory = budget_alloc(v->budget, (size_t)c->size + c->packed);
    if (out->memory == NULL) return fail_memory(error);
    treb_status status = spill_read(&v->spill, c, out->memory + c->size, out->memory, error);
    if (status != TREB_OK) cells_free_packed(out);
    return status;
}

void cells_free_packed(PackedChunk *chunk)
{
    budget_free(chunk->memory);
    *chunk = (PackedChunk){0};
}

treb_status cells_read(const Cells *v, uint64_t number, int side, uint32_t chunk, Plies *out,
                       treb_error *error)
{
    PackedChunk packed;
    treb_status status = cells_read_packed(v, number, side, chunk, &packed, error);
    if (status != TREB_OK) return status;
    if (packed.as == PACKED_NIBBLES) nibbles_unpack(packed.bytes, packed.count, out);
    if (packed.as == PACKED_BYTES) bytes_unpack(packed.bounds, packed.bytes, packed.count, out);
    if (packed.as == PACKED_NOT) memcpy(out, packed.bytes, packed.count * sizeof *out);
    cells_free_packed(&packed);
    return TREB_OK;
}

uint64_t cells_memory(const Layout *layout, const Processes *processes)
{
    return 2 *
           budget_cost(layout->index.slices * most_chunks(layout, processes) * sizeof(SpillChunk));
}

uint64_t cells_add_memory(const Layout *layout, int count, int threads)
{
    ChunkBuffer buffer;
    unsigned parts = 0;
    for (int m = 0; m < TREB_METRICS; m++)
        parts |= codes_parts((treb_metric)m) | codes_bounds_parts((treb_metric)m);
    return (uint64_t)threads *
           (budget_cost(place_buffer(&buffer, layout, count, NULL)) + plane_memory(layout, parts));
}

uint64_t cells_read_memory(const Layout *layout)
{
    size_t cells = chunk_cells(layout);
    return budget_cost(spill_bound(cells * sizeof(Plies)) + cells + 1);
}
