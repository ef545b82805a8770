/* scratch_chunks.c - see scratch_chunks.h. */
#include "gen/store/scratch_chunks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/memory_layout.h"
#include "gen/store/scratch_parts.h"

enum {
    CHUNK = 1 << 20,         /* bytes of a chunk, about */
    CHUNK_SUBSET = 64 << 10, /* of a subset, of which single planes are read */
    CHUNK_ONE = 128 << 10    /* the most bytes of a plane that shares a chunk with others */
};

/* Returns the number of planes in a chunk; the last chunk may have fewer. In a subset these are some or all squares
 * of the same pair of kings. */
static uint32_t chunk_planes(const StoreEntry *entry)
{
    size_t bytes = entry->plane_cells + 2 * entry_set_bytes(entry);
    size_t planes = (entry->subset.squares ? CHUNK_SUBSET : CHUNK) / bytes;
    uint32_t most = entry->subset.squares ? (uint32_t)entry->subset.squares : entry->planes;
    if ((entry->subset.squares && planes < most) || bytes > CHUNK_ONE) return 1;
    return planes < 1 ? 1 : planes < most ? (uint32_t)planes : most;
}

size_t part_chunks(const StoreEntry *entry)
{
    return (entry->planes + chunk_planes(entry) - 1) / chunk_planes(entry);
}

/* Returns the number of planes in chunk `c`. */
static uint32_t planes_in(const StoreEntry *entry, size_t c)
{
    uint32_t planes = chunk_planes(entry), left = entry->planes - (uint32_t)c * planes;
    return left < planes ? left : planes;
}

static void copy_part(void *all, size_t first, size_t bytes, void *some, bool to_all)
{
    uint8_t *part = (uint8_t *)all + first;
    memcpy(to_all ? part : some, to_all ? some : part, bytes);
}

/* Copies the arrays of a chunk from the part in memory to `some`, or back. */
static void copy_chunk(const StoreEntry *entry, const StoredSide *side, int part, size_t c,
                       uint8_t *some, bool to_all)
{
    const uint32_t planes = planes_in(entry, c), first = (uint32_t)c * chunk_planes(entry);
    const size_t plies = part_plies_bytes(entry, side->format, part), set = entry_set_bytes(entry);
    uint8_t *all = side->kept[part];
    if (plies) copy_part(all, first * plies, planes * plies, some, to_all);
    all += entry->planes * plies;
    some += planes * plies;
    for (int s = 0; s < part_sets(side->format, part); s++) {
        copy_part(all, first * set, planes * set, some, to_all);
        all += entry->planes * set;
        some += planes * set;
    }
}

/* Memory that a thread needs to write chunks. */
typedef struct ChunkBuffer {
    uint8_t *plain, *packed;
    Plane plane; /* if the chunks are made from a slice */
} ChunkBuffer;

static size_t place_chunk_buffer(ChunkBuffer *buffer, const StoreEntry *entry, StoredFormat format,
                                 void *memory)
{
    MemoryLayout arrays = {memory, 0};
    size_t size = part_bytes(entry, format, PART_VALUES, chunk_planes(entry));
    buffer->plain = memory_layout_place(&arrays, size);
    buffer->packed = memory_layout_place(&arrays, spill_bound(size));
    return arrays.size;
}

static bool chunk_buffer_init(ChunkBuffer *buffer, const StoreEntry *entry, StoredFormat format,
                              int part, const SolvedSlice *slice)
{
    void *memory = budget_alloc(entry->budget, place_chunk_buffer(buffer, entry, format, NULL));
    memset(&buffer->plane, 0, sizeof buffer->plane);
    if (memory == NULL) return false;
    place_chunk_buffer(buffer, entry, format, memory);
    if (slice == NULL ||
        plane_init(&buffer->plane, &entry->layout, part_plane_parts(slice, part), entry->budget))
        return true;
    budget_free(memory);
    return false;
}

/* `plain` was placed first, so it is the address of the memory. */
static void chunk_buffer_free(ChunkBuffer *buffer)
{
    plane_free(&buffer->plane);
    budget_free(buffer->plain);
}

/* Returns the number of chunks that are made together: one or, if a subset is made from a slice, all of the same pair
 * of kings. */
static size_t unit_chunks(const StoreEntry *entry, const StoredSide *side, int part)
{
    bool subset = side->kept[part] == NULL && entry->subset.squares > 0;
    return subset ? entry->subset.squares / chunk_planes(entry) : 1;
}

static treb_status unit_write(StoreEntry *entry, StoredSide *side, int color, int part,
                              const SolvedSlice *slice, size_t unit, ChunkBuffer *buffer,
                              treb_error *error)
{
    const size_t chunks = unit_chunks(entry, side, part);
    const uint32_t squares = entry->subset.squares;
    treb_status status = TREB_OK;
    if (slice != NULL && squares)
        status = plane_read(&buffer->plane, slice, color, (uint32_t)unit, error);
    for (size_t i = 0; i < chunks && status == TREB_OK; i++) {
        const size_t c = unit * chunks + i;
        const uint32_t planes = planes_in(entry, c), first = (uint32_t)c * chunk_planes(entry);
        SolvedArrays to;
        if (side->kept[part] != NULL)
            copy_chunk(entry, side, part, c, buffer->plain, false);
        else
            part_place(entry, side->format, part, planes, buffer->plain, color, &to);
        for (uint32_t p = 0; side->kept[part] == NULL && p < planes && status == TREB_OK; p++) {
            if (!squares) status = plane_read(&buffer->plane, slice, color, first + p, error);
            if (status == TREB_OK)
                part_put_plane(entry, &buffer->plane, squares ? (int)((first + p) % squares) : 0, p,
                               part, &to, color);
        }
        if (status == TREB_OK)
            status = spill_write(&entry->spill, buffer->plain,
                                 part_bytes(entry, side->format, part, planes), buffer->packed,
                                 &side->chunk[part][c], error);
    }
    return status;
}

treb_status part_write(StoreEntry *entry, StoredSide *side, int color, int part,
                       const SolvedSlice *slice, treb_error *error)
{
    const size_t chunks = part_chunks(entry);
    treb_status status = TREB_OK;
    assert(side->chunk[part] == NULL && (side->kept[part] != NULL || slice != NULL));
    assert(side->kept[part] != NULL || entry->partition.plane == NULL);
    if (side->kept[part] == NULL && part == PART_VALUES) side->format = stored_format(slice);
    const SolvedSlice *from = side->kept[part] != NULL ? NULL : slice;
    side->chunk[part] = malloc(chunks * sizeof *side->chunk[part]);
    if (side->chunk[part] == NULL) return fail_memory(error);
    const size_t units = chunks / unit_chunks(entry, side, part);
#pragma omp parallel
    {
        ChunkBuffer buffer;
        bool ready = chunk_buffer_init(&buffer, entry, side->format, part, from);
#pragma omp for schedule(dynamic)
        for (size_t u = 0; u < units; u++) {
            treb_error mine;
            treb_status own = ready ? unit_write(entry, side, color, part, from, u, &buffer, &mine)
                                    : fail_memory(&mine);
            if (own == TREB_OK) continue;
#pragma omp critical(scratch_error)
            {
                status = own;
                *error = mine;
            }
        }
        if (ready) chunk_buffer_free(&buffer);
    }
    if (status == TREB_OK) return TREB_OK;
    free(side->chunk[part]);
    side->chunk[part] = NULL;
    return status;
}

uint64_t part_write_cost(const Layout *layout, int threads)
{
    ChunkBuffer buffer;
    const StoreEntry entry = entry_layout(layout, 0);
    unsigned parts = PLANE_STALEMATE | PLANE_DISTANCE << TREB_DTC;
    return (uint64_t)threads * (budget_cost(place_chunk_buffer(
                                    &buffer, &entry, (StoredFormat){true, true, true}, NULL)) +
                                plane_memory(layout, parts));
}

/* Reads a chunk into `plain`. */
static treb_status chunk_read(const StoreEntry *entry, const SpillChunk *chunk, uint8_t *plain,
                              treb_error *error)
{
    uint8_t *packed = malloc(chunk->packed + 1);
    treb_status status = plain != NULL && packed != NULL
                             ? spill_read(&entry->spill, chunk, packed, plain, error)
                             : fail_memory(error);
    free(packed);
    return status;
}

treb_status part_read(StoreEntry *entry, StoredSide *side, int color, int part, treb_error *error)
{
    const size_t chunks = part_chunks(entry);
    if (!part_alloc(entry, side, color, part)) return fail_memory(error);
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        uint8_t *plain = malloc(part_bytes(entry, side->format, part, chunk_planes(entry)) + 1);
#pragma omp for schedule(dynamic)
        for (size_t c = 0; c < chunks; c++) {
            treb_error mine;
            treb_status own = chunk_read(entry, &side->chunk[part][c], plain, &mine);
            if (own == TREB_OK) {
                copy_chunk(entry, side, part, c, plain, true);
                continue;
            }
#pragma omp critical(scratch_error)
            {
                status = own;
                *error = mine;
            }
        }
        free(plain);
    }
    if (status != TREB_OK) part_unload(side, part);
    return status;
}

/* Reads chunk `c` of the parts into a buffer, unless it is there already. */
static treb_status solved_buffer_fill(const StoreEntry *entry, const StoredSide *side, size_t c,
                                      int parts, SolvedBuffer *buffer, treb_error *error)
{
    const uint32_t planes = chunk_planes(entry);
    size_t size = 0;
    if (buffer->of == &side->solved && buffer->chunk == c && buffer->push == (parts > PART_PUSHES))
        return TREB_OK;
    for (int part = 0; part < parts; part++) size += part_bytes(entry, side->format, part, planes);
    buffer->of = NULL;
    if (buffer->size < size) {
        uint8_t *grown = realloc(buffer->bytes, size);
        if (grown == NULL) return fail_memory(error);
        buffer->bytes = grown;
        buffer->size = size;
    }
    treb_status status = TREB_OK;
    uint8_t *at = buffer->bytes;
    for (int part = 0; part < parts && status == TREB_OK; part++) {
        status = chunk_read(entry, &side->chunk[part][c], at, error);
        at += part_bytes(entry, side->format, part, planes);
    }
    if (status != TREB_OK) return status;
    buffer->of = &side->solved;
    buffer->chunk = c;
    buffer->push = parts > PART_PUSHES;
    return TREB_OK;
}

/* Points a side's arrays of a part to one plane of those at `bytes`. */
static void place_plane(const StoreEntry *entry, const StoredSide *side, int color, int part,
                        uint32_t plane, uint8_t *bytes, SolvedArrays *out)
{
    const uint32_t planes = chunk_planes(entry), at = plane % planes;
    const size_t cells = at * entry->plane_cells, words = at * entry->plane_words;
    part_place(entry, side->format, part, planes_in(entry, plane / planes), bytes, color, out);
    PliesArray *array = part == PART_PUSHES ? &out->dtc[color] : &out->value[color];
    if (array->wide != NULL) array->wide += cells;
    if (array->narrow != NULL) array->narrow += cells;
    if (part == PART_PUSHES) {
        out->stalemate[color] += words;
        return;
    }
    out->legal[color] += words;
    if (out->cursed[color]) out->cursed[color] += words;
}

treb_status plane_fetch(const StoreEntry *entry, const StoredSide *side, int color, uint32_t plane,
                        bool push, SolvedBuffer *buffer, SolvedArrays *out, treb_error *error)
{
    const int parts = push ? PARTS : 1;
    treb_status status =
        solved_buffer_fill(entry, side, plane / chunk_planes(entry), parts, buffer, error);
    if (status != TREB_OK) return status;
    uint8_t *at = buffer->bytes;
    for (int part = 0; part < parts; part++) {
        place_plane(entry, side, color, part, plane, at, out);
        at += part_bytes(entry, side->format, part, chunk_planes(entry));
    }
    return TREB_OK;
}
