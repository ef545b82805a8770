/* stream.c - see stream.h. */
#include "gen/write/blocks.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a block before compression: what a probe of a block not in memory can afford. */
static const unsigned block_bits_of[TREB_METRICS] = {15, 16, 16, 15};

/* The number of this thread among those that work side by side, at whichever level they do. */
static int worker(void)
{
    int n = omp_get_ancestor_thread_num(1);
    return n < 0 ? 0 : n;
}

treb_status emit_out_of_memory(treb_error *error)
{
    error->status = TREB_ERR_MEMORY;
    snprintf(error->text, sizeof error->text, "out of memory");
    return TREB_ERR_MEMORY;
}

bool stream_set_map(Stream *stream, int side, int verdict, unsigned count)
{
    TableSide *s = &stream->header.side[side];
    uint16_t *plies = malloc((count ? count : 1) * sizeof *plies);
    if (plies == NULL) return false;
    free(s->plies[verdict]);
    s->plies[verdict] = plies;
    s->codes[verdict] = count;
    for (unsigned c = 0; c < count; c++) plies[c] = stage_plies(stream->packing.metric, verdict, c);
    return true;
}

/* The map of a WDL table: the verdict of each digit. */
static bool set_verdicts(Stream *stream, int side)
{
    const Packing *p = &stream->packing;
    if (!stream_set_map(stream, side, 0, p->base)) return false;
    uint16_t *verdict = stream->header.side[side].plies[0];
    for (unsigned d = 0; d < p->base; d++) verdict[d] = TREB_DRAW;
    for (int v = 0; v < WDL_VALUES; v++)
        if (p->digit[v] < p->base) verdict[p->digit[v]] = v;
    return true;
}

treb_status stream_open(Stream *stream, const Shape *shape, const Packing *packing,
                        const uint8_t *order, const bool keep[2], const char *directory,
                        TableEncoder **encoder, treb_error *error)
{
    TableHeader *h = &stream->header;
    stream->packing = *packing;
    stream->encoder = encoder;
    h->metric = packing->metric;
    h->per_byte = h->pad = packing->per_byte;
    h->base = packing->base;
    h->width = packing->width;
    h->block_bits = block_bits_of[h->metric];
    if (!index_init(&h->index, &shape->material, order, h->pad)) return emit_out_of_memory(error);
    if (!stage_map_init(&stream->map, shape, &h->index)) return emit_out_of_memory(error);
    stream->side_bytes = table_side_bytes(h);
    stream->blocks = table_side_blocks(h);
    stream->slice_bytes = stage_packed(packing, h->index.slice_size);
    for (int side = 0; side < 2; side++) {
        h->side[side].stored = keep[side];
        if (!keep[side]) continue;
        if (h->metric == TREB_WDL && !set_verdicts(stream, side)) return emit_out_of_memory(error);
        stream->partial[side] = calloc(stream->blocks, sizeof *stream->partial[side]);
        if (stream->partial[side] == NULL) return emit_out_of_memory(error);
    }
    stream->writer = table_writer_open(directory, h, NULL, 0, error);
    return stream->writer ? TREB_OK : error->status;
}

void stream_close(Stream *stream)
{
    if (stream->writer) table_writer_abort(stream->writer);
    for (int side = 0; side < 2; side++) {
        if (stream->partial[side] == NULL) continue;
        for (uint64_t b = 0; b < stream->blocks; b++) free(stream->partial[side][b].bytes);
        free(stream->partial[side]);
    }
    stage_map_free(&stream->map);
    table_header_free(&stream->header);
    memset(stream, 0, sizeof *stream);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static treb_status block_write(Stream *stream, int side, uint64_t block, const uint8_t *bytes,
                               size_t size, treb_error *error)
{
    size_t capacity = table_block_bound(&stream->header);
    uint8_t *out = malloc(capacity);
    if (out == NULL) return emit_out_of_memory(error);
    size_t packed = table_encode_block(stream->encoder[worker()], bytes, size, out, capacity);
    treb_status status = packed ? TREB_OK : emit_out_of_memory(error);
    if (status == TREB_OK) {
        uint32_t checksum = table_block_checksum(bytes, size);
#pragma omp critical(emit_write)
        for (Stream *s = stream; s && status == TREB_OK; s = s->twin)
            status = table_writer_add(s->writer, side, block, out, packed, checksum, error);
    }
    free(out);
    return status;
}

/* The bytes of block `block`: fewer in the last. */
static size_t block_size(const Stream *stream, uint64_t block)
{
    uint64_t size = UINT64_C(1) << stream->header.block_bits, start = block * size;
    return start + size <= stream->side_bytes ? size : stream->side_bytes - start;
}

/* Adds `size` bytes at `at` within a block; writes the block when it is complete. */
static treb_status block_fill(Stream *stream, int side, uint64_t block, size_t at,
                              const uint8_t *bytes, size_t size, treb_error *error)
{
    Partial *partial = &stream->partial[side][block];
    size_t whole = block_size(stream, block);
    if (size == whole) return block_write(stream, side, block, bytes, size, error);
    bool complete = false, failed = false;
#pragma omp critical(emit_partial)
    {
        if (partial->bytes == NULL) partial->bytes = calloc(1, whole);
        failed = partial->bytes == NULL;
        if (!failed) {
            if (bytes) memcpy(partial->bytes + at, bytes, size);
            partial->filled += size;
            complete = partial->filled == whole;
        }
    }
    if (failed) return emit_out_of_memory(error);
    if (!complete) return TREB_OK;
    treb_status status = block_write(stream, side, block, partial->bytes, whole, error);
    free(partial->bytes);
    partial->bytes = NULL;
    return status;
}

treb_status stream_write(Stream *stream, int side, uint64_t start, const uint8_t *bytes,
                         size_t size, treb_error *error)
{
    unsigned bits = stream->header.block_bits;
    uint64_t first = start >> bits, last = (start + size - 1) >> bits;
    treb_status status = TREB_OK;
#pragma omp parallel for schedule(dynamic, 4)
    for (uint64_t b = first; b <= last; b++) {
        uint64_t from = b << bits, to = from + block_size(stream, b);
        if (from < start) from = start;
        if (to > start + size) to = start + size;
        treb_error mine;
        treb_status s = block_fill(stream, side, b, from - (b << bits), bytes + (from - start),
                                   to - from, &mine);
        if (s != TREB_OK) {
#pragma omp critical(emit_error)
            {
                status = s;
                *error = mine;
            }
        }
    }
    return status;
}
