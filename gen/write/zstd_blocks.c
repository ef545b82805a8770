/* zstd_blocks.c - see zstd_blocks.h. */
#include "gen/write/zstd_blocks.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"

/* log2 of the bytes of a block before compression, by metric. A probe must read and decompress a whole
 * block, which limits the size. */
static const unsigned block_bits_of[TREB_METRICS] = {15, 16, 16, 15};

/* Returns the number of this thread in the parallel region. Only one level of regions is parallel:
 * generate_run ensures that. */
static int worker(void)
{
    int n = omp_get_ancestor_thread_num(1);
    return n < 0 ? 0 : n;
}

bool zstd_blocks_set_map(ZstdBlocks *file, int side, int verdict, unsigned count)
{
    TableSide *s = &file->header.side[side];
    uint16_t *plies = malloc((count ? count : 1) * sizeof *plies);
    if (plies == NULL) return false;
    free(s->plies[verdict]);
    s->plies[verdict] = plies;
    s->codes[verdict] = count;
    for (unsigned c = 0; c < count; c++) plies[c] = codes_plies(file->packing.metric, verdict, c);
    return true;
}

/* Sets the map of a file of verdicts: the verdict of each digit. */
static bool set_verdicts(ZstdBlocks *file, int side)
{
    const Packing *p = &file->packing;
    if (!zstd_blocks_set_map(file, side, 0, p->base)) return false;
    uint16_t *verdict = file->header.side[side].plies[0];
    for (unsigned d = 0; d < p->base; d++) verdict[d] = TREB_DRAW;
    for (int v = 0; v < WDL_VALUES; v++)
        if (p->digit[v] < p->base) verdict[p->digit[v]] = v;
    return true;
}

treb_status zstd_blocks_open(ZstdBlocks *file, const ZstdBlocksPlan *plan, const Packing *packing,
                             const uint8_t *order, const bool keep[2], TableEncoder **encoder,
                             treb_error *error)
{
    const Layout *layout = plan->layout;
    file->budget = plan->budget;
    TableHeader *h = &file->header;
    file->packing = *packing;
    file->encoder = encoder;
    h->metric = packing->metric;
    h->per_byte = h->pad = packing->per_byte;
    h->base = packing->base;
    h->width = packing->width;
    h->block_bits = block_bits_of[h->metric];
    if (!index_init(&h->index, &layout->material, order, h->pad)) return fail_memory(error);
    if (!codes_map_init(&file->map, layout, &h->index)) return fail_memory(error);
    file->side_bytes = table_side_bytes(h);
    file->blocks = table_side_blocks(h);
    file->slice_bytes = codes_packed(packing, h->index.slice_size);
    for (int side = 0; side < 2; side++) {
        h->side[side].stored = keep[side];
        if (!keep[side]) continue;
        if (h->metric == TREB_WDL && !set_verdicts(file, side)) return fail_memory(error);
        file->partial[side] =
            budget_calloc(file->budget, file->blocks * sizeof *file->partial[side]);
        if (file->partial[side] == NULL) return fail_memory(error);
    }
    file->writer = table_writer_open(plan->directory, h, NULL, 0, error);
    return file->writer ? TREB_OK : error->status;
}

void zstd_blocks_close(ZstdBlocks *file)
{
    if (file->writer) table_writer_abort(file->writer);
    for (int side = 0; side < 2; side++) {
        if (file->partial[side] == NULL) continue;
        for (uint64_t b = 0; b < file->blocks; b++) budget_free(file->partial[side][b].bytes);
        budget_free(file->partial[side]);
    }
    codes_map_free(&file->map);
    table_header_free(&file->header);
    memset(file, 0, sizeof *file);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Compresses a block and adds it to the file. */
static treb_status block_write(ZstdBlocks *file, int side, uint64_t block, const uint8_t *bytes,
                               size_t size, treb_error *error)
{
    size_t capacity = table_block_bound(&file->header);
    uint8_t *out = budget_alloc(file->budget, capacity);
    if (out == NULL) return fail_memory(error);
    size_t packed = table_encode_block(file->encoder[worker()], bytes, size, out, capacity);
    treb_status status = packed ? TREB_OK : fail_memory(error);
    if (status == TREB_OK) {
        uint32_t checksum = table_block_checksum(bytes, size);
#pragma omp critical(writer_write)
        status = table_writer_add(file->writer, side, block, out, packed, checksum, error);
    }
    budget_free(out);
    return status;
}

/* Returns the number of bytes of a block; the last block may be shorter. */
static size_t block_size(const ZstdBlocks *file, uint64_t block)
{
    uint64_t size = UINT64_C(1) << file->header.block_bits, start = block * size;
    return start + size <= file->side_bytes ? size : file->side_bytes - start;
}

/* Adds `size` bytes at position `at` of a block. Writes the block when it is complete. */
static treb_status block_fill(ZstdBlocks *file, int side, uint64_t block, size_t at,
                              const uint8_t *bytes, size_t size, treb_error *error)
{
    Partial *partial = &file->partial[side][block];
    size_t whole = block_size(file, block);
    if (size == whole) return block_write(file, side, block, bytes, size, error);
    bool complete = false, failed = false;
#pragma omp critical(writer_partial)
    {
        if (partial->bytes == NULL) partial->bytes = budget_calloc(file->budget, whole);
        failed = partial->bytes == NULL;
        if (!failed) {
            if (bytes) memcpy(partial->bytes + at, bytes, size);
            partial->filled += size;
            assert(partial->filled <= whole);
            complete = partial->filled == whole;
        }
    }
    if (failed) return fail_memory(error);
    if (!complete) return TREB_OK;
    treb_status status = block_write(file, side, block, partial->bytes, whole, error);
    budget_free(partial->bytes);
    partial->bytes = NULL;
    return status;
}

treb_status zstd_blocks_write(ZstdBlocks *file, int side, uint64_t start, const uint8_t *bytes,
                              size_t size, treb_error *error)
{
    assert(size > 0 && start + size <= file->side_bytes && file->header.side[side].stored);
    unsigned bits = file->header.block_bits;
    uint64_t first = start >> bits, last = (start + size - 1) >> bits;
    treb_status status = TREB_OK;
#pragma omp parallel for schedule(dynamic, 4)
    for (uint64_t b = first; b <= last; b++) {
        uint64_t from = b << bits, to = from + block_size(file, b);
        if (from < start) from = start;
        if (to > start + size) to = start + size;
        treb_error mine;
        treb_status s =
            block_fill(file, side, b, from - (b << bits), bytes + (from - start), to - from, &mine);
        if (s != TREB_OK) {
#pragma omp critical(writer_error)
            {
                status = s;
                *error = mine;
            }
        }
    }
    return status;
}

uint64_t zstd_blocks_memory(const Layout *layout, treb_metric metric, unsigned width, int sides,
                            int threads)
{
    uint64_t block = UINT64_C(1) << block_bits_of[metric];
    /* With five verdicts three cells share a byte. Padding of rows adds less than an eighth. */
    uint64_t cells = layout->index.slices * layout->kings * layout_lane_cells(layout);
    uint64_t bytes = metric == TREB_WDL ? cells / 3 : cells * width;
    uint64_t blocks = (bytes + bytes / 8) / block + 2, open = layout->index.slices + 1;
    if (open > blocks) open = blocks;
    uint64_t entries = blocks * (sizeof(Partial) + 32 /* of the writer's list */);
    return sides * (open * budget_cost(block) + entries) + threads * budget_cost(2 * block);
}
