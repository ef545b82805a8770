/* shared.c - see shared.h. */
#include "gen/write/shared.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "core/system/error.h"
#include "core/system/io.h"

enum { LEVEL = 1 /* of zstd, for values on their way */ };

/* ---- Values ---------------------------------------------------------------------------------- */

/* What a rank wants of a batch: slices, and of these the cells of a window, or all: NULL. */
typedef struct Wanted {
    size_t first, end;
    const Window *window;
} Wanted;

/* Values of a chunk of a slice of the batch, before the bytes that they are packed to. */
typedef struct FillItem {
    uint32_t slice, chunk, packed;
} FillItem;

/* What is sent and taken, and how far that is. */
typedef struct Fill {
    const Side *s;
    const Batch *batch;
    const Wanted *wanted; /* by rank */
    uint32_t *chunk;      /* those that are here, */
    uint64_t chunks, task, tasks;
    uint8_t *taken; /* room for what comes */
} Fill;

/* What a thread needs. */
typedef struct FillRoom {
    Chunk chunk;
    uint8_t *part, *packed;
} FillRoom;

static size_t part_most(const Side *s) { return cells_chunk_bytes(s->job->shape) / sizeof(Plies); }

static bool room_init(const Side *s, FillRoom *room)
{
    const size_t most = part_most(s);
    room->part = ledger_alloc(s->job->ledger, most);
    room->packed = ledger_alloc(s->job->ledger, ZSTD_compressBound(most));
    return side_chunk_init(s, &room->chunk) && room->part != NULL && room->packed != NULL;
}

static void room_free(FillRoom *room)
{
    side_chunk_free(&room->chunk);
    ledger_free(room->part);
    ledger_free(room->packed);
}

/* The cells of a chunk's planes that are in a window, one plane after the other. */
static size_t take_part(const Side *s, const Window *window, uint32_t chunk, const uint8_t *values,
                        uint8_t *out)
{
    const size_t plane = shape_lane_cells(s->job->shape);
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

static size_t part_size(const Side *s, const Window *window, uint32_t chunk)
{
    uint32_t planes, there = 0;
    const uint32_t *kings = cells_chunk_planes(s->job->cells, chunk, &planes);
    if (window == NULL) return planes * shape_lane_cells(s->job->shape);
    for (uint32_t k = 0; k < planes; k++) there += window_has(window, kings[k]);
    return there * window_plane_cells(window);
}

static void put_part(const Fill *f, size_t slice, uint32_t chunk, const uint8_t *part)
{
    const Side *s = f->s;
    const Wanted *own = &f->wanted[s->job->ranks->rank];
    const size_t plane = shape_lane_cells(s->job->shape);
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

/* Gives the values of a chunk to all who want them. */
static treb_status fill_task(const Fill *f, uint64_t task, FillRoom *room, treb_error *error)
{
    const Side *s = f->s;
    const Ranks *ranks = s->job->ranks;
    const size_t slice = task / f->chunks;
    const uint32_t chunk = f->chunk[task % f->chunks];
    const uint64_t solved = side_solved_slice(s->job, f->batch->number[slice]);
    const Window *last = NULL;
    bool read = false, taken = false;
    size_t size = 0, packed = 0;
    if (!cells_has(s->job->cells, solved)) return TREB_OK;
    for (int r = 0; r < ranks->count; r++) {
        const Wanted *w = &f->wanted[r];
        if (slice < w->first || slice >= w->end || part_size(s, w->window, chunk) == 0) continue;
        treb_status status = TREB_OK;
        if (!read) status = side_read_chunk(s, solved, chunk, &room->chunk, error);
        if (!read && status == TREB_OK)
            status = side_chunk_values(s, &room->chunk, room->chunk.spare, error);
        if (status != TREB_OK) return status;
        read = true;
        if (!taken || w->window != last) {
            size = take_part(s, w->window, chunk, room->chunk.spare, room->part);
            packed = 0;
        }
        taken = true;
        last = w->window;
        if (r == ranks->rank) {
            put_part(f, slice, chunk, room->part);
            continue;
        }
        if (packed == 0)
            packed = ZSTD_compress(room->packed, ZSTD_compressBound(part_most(s)), room->part, size,
                                   LEVEL);
        if (ZSTD_isError(packed)) return fail_memory(error);
        const FillItem item = {(uint32_t)slice, chunk, (uint32_t)packed};
        ranks->send(ranks->context, r, &item, sizeof item, room->packed, packed);
    }
    return TREB_OK;
}

/* Some chunks, in parallel. */
static treb_status fill_some(Fill *f, treb_error *error)
{
    const uint64_t some = RANK_ROUND / part_most(f->s) + (unsigned)omp_get_max_threads();
    const uint64_t end = f->tasks - f->task < some ? f->tasks : f->task + some;
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        FillRoom room;
        const bool enough = room_init(f->s, &room);
#pragma omp for schedule(dynamic)
        for (uint64_t i = f->task; i < end; i++) {
            treb_error mine;
            treb_status own = enough ? fill_task(f, i, &room, &mine) : fail_memory(&mine);
            if (own == TREB_OK) continue;
#pragma omp critical(coded_error)
            {
                status = own;
                *error = mine;
            }
        }
        room_free(&room);
    }
    f->task = end;
    return status;
}

static treb_status fill_send(void *context, bool *more, treb_error *error)
{
    Fill *f = context;
    treb_status status = fill_some(f, error);
    *more = f->task < f->tasks;
    return status;
}

static treb_status fill_take(void *context, const RankBatch *batch, treb_error *error)
{
    const Fill *f = context;
    const Window *window = f->wanted[f->s->job->ranks->rank].window;
    FillItem item;
    for (size_t at = 0; at < batch->size; at += sizeof item + item.packed) {
        memcpy(&item, batch->bytes + at, sizeof item);
        const size_t size = part_size(f->s, window, item.chunk);
        if (ZSTD_decompress(f->taken, part_most(f->s), batch->bytes + at + sizeof item,
                            item.packed) != size)
            return fail(error, TREB_ERR_IO, "what another rank sent came altered");
        put_part(f, item.slice, item.chunk, f->taken);
    }
    return TREB_OK;
}

/* Brings to each rank what it wants of a batch, whose numbers are known to all. */
static treb_status fill(const Side *s, const Batch *batch, const Wanted *wanted, treb_error *error)
{
    const Ranks *ranks = s->job->ranks;
    const uint32_t chunks = cells_chunks(s->job->cells);
    Fill f = {.s = s, .batch = batch, .wanted = wanted};
    f.chunk = malloc(chunks * sizeof *f.chunk);
    f.taken = ledger_alloc(s->job->ledger, part_most(s));
    treb_status status = f.chunk != NULL && f.taken != NULL ? TREB_OK : fail_memory(error);
    for (uint32_t c = 0; c < chunks && status == TREB_OK; c++)
        if (cells_here(s->job->cells, c)) f.chunk[f.chunks++] = c;
    f.tasks = batch->count * f.chunks;
    const uint64_t others = ranks_others(ranks);
    const RankExchange x = {&f, others, others, fill_send, fill_take};
    while (others == 0 && f.task < f.tasks && status == TREB_OK) status = fill_some(&f, error);
    if (status == TREB_OK) status = ranks_exchange(ranks, &x, error);
    free(f.chunk);
    ledger_free(f.taken);
    return status;
}

treb_status shared_sample(const Side *s, const Batch *batch, treb_error *error)
{
    Wanted wanted[RANKS_MOST];
    for (int r = 0; r < s->job->ranks->count; r++)
        wanted[r] = (Wanted){0, batch->count, batch->window};
    return fill(s, batch, wanted, error);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Blocks of a segment, before their sizes and bytes. */
typedef struct SpoolHead {
    uint32_t count, block_bytes;
} SpoolHead;

struct Spool {
    int file;
    uint64_t end, sent;
    uint8_t *bytes; /* room for the blocks of a segment */
    const Ranks *ranks;
    const char *directory;
};

static size_t spool_size(SpoolHead head)
{
    return head.count * (sizeof(uint16_t) + (size_t)head.block_bytes);
}

treb_status spool_add(Spool *spool, const CodedBlocks *blocks, treb_error *error)
{
    const SpoolHead head = {(uint32_t)blocks->count, blocks->block_bytes};
    const struct {
        const void *bytes;
        size_t size;
    } part[] = {{&head, sizeof head},
                {blocks->cells, head.count * sizeof *blocks->cells},
                {blocks->bytes, (size_t)head.count * head.block_bytes}};
    for (int i = 0; i < 3; i++) {
        if (!io_write_at(spool->file, part[i].bytes, part[i].size, spool->end))
            return fail_errno(error, "write a temporary file in", spool->directory);
        spool->end += part[i].size;
    }
    return TREB_OK;
}

static treb_status spool_send(void *context, bool *more, treb_error *error)
{
    Spool *spool = context;
    for (size_t sent = 0; sent < RANK_ROUND && spool->sent < spool->end;) {
        SpoolHead head;
        bool ok = io_read_at(spool->file, &head, sizeof head, spool->sent);
        const size_t size = ok ? spool_size(head) : 0;
        uint8_t *grown = ok ? realloc(spool->bytes, size + 1) : NULL;
        if (ok && grown == NULL) return fail_memory(error);
        spool->bytes = ok ? grown : spool->bytes;
        if (!ok || !io_read_at(spool->file, spool->bytes, size, spool->sent + sizeof head))
            return fail_errno(error, "read a temporary file in", spool->directory);
        spool->ranks->send(spool->ranks->context, 0, &head, sizeof head, spool->bytes, size);
        spool->sent += sizeof head + size;
        sent += size;
    }
    *more = spool->sent < spool->end;
    return TREB_OK;
}

/* The first rank writes the blocks of another. */
static treb_status spool_take(void *context, const RankBatch *batch, treb_error *error)
{
    const Out *out = context;
    SpoolHead head;
    treb_status status = TREB_OK;
    for (size_t at = 0; at < batch->size && status == TREB_OK;
         at += sizeof head + spool_size(head)) {
        memcpy(&head, batch->bytes + at, sizeof head);
        const uint8_t *sizes = batch->bytes + at + sizeof head;
        CodedBlocks blocks = {.bytes =
                                  (uint8_t *)(uintptr_t)sizes + head.count * sizeof *blocks.cells,
                              .cells = malloc((head.count + 1) * sizeof *blocks.cells),
                              .count = head.count,
                              .block_bytes = head.block_bytes};
        if (blocks.cells == NULL) return fail_memory(error);
        memcpy(blocks.cells, sizes, head.count * sizeof *blocks.cells);
        status = side_write_blocks(out, &blocks, error);
        for (size_t b = 0; b < blocks.count && out->side->job->watch; b++)
            watch_add(&out->side->job->watch->written, blocks.cells[b]);
        free(blocks.cells);
    }
    return status;
}

/* After the first has written its own: those of the others, one after the other. */
static treb_status bring_blocks(Out *out, Spool *spool, treb_error *error)
{
    const Ranks *ranks = out->side->job->ranks;
    treb_status status = TREB_OK;
    for (int r = 1; r < ranks->count && status == TREB_OK; r++) {
        RankExchange x = {ranks->rank == 0 ? (void *)out : spool, ranks->rank == r,
                          ranks->rank == 0 ? UINT64_C(1) << r : 0, spool_send, spool_take};
        status = ranks_exchange(ranks, &x, error);
    }
    spool->end = spool->sent = 0;
    if (status == TREB_OK && spool->file >= 0 && ftruncate(spool->file, 0) != 0)
        status = fail_errno(error, "write a temporary file in", spool->directory);
    return status;
}

/* ---- Slices, or parts of them ---------------------------------------------------------------- */

/* A slice by the outermost axis, or by segments of which each rank has some coordinates that they lie in. */
typedef struct Units {
    uint64_t unit, units;   /* cells of a unit, the last may have fewer; how many */
    uint64_t each, at_once; /* cells of a coordinate; units of each rank at once */
} Units;

static Units units_of(const Side *s)
{
    const Ranks *ranks = s->job->ranks;
    const uint64_t radix = s->reorder.radix[0], n = (uint64_t)ranks->count;
    Units c = {.each = s->reorder.cells / radix};
    c.unit = s->large ? c.each : SEGMENT;
    c.units = (s->reorder.cells + c.unit - 1) / c.unit;
    c.at_once = (c.units + n - 1) / n;
    if (!s->large) return c;
    /* As many as there is memory for in every rank. */
    uint64_t room = side_sample_cells(s->job->large) + side_spare_memory(s) / 4 * 3;
    uint64_t most = (s->job->large > 0 ? s->job->large : room) / c.each;
    most = ranks->least(ranks->context, most < 1 ? 1 : most);
    if (c.at_once > most) c.at_once = most;
    return c;
}

/* The units of a slice from `first` on, as many as all ranks take at once. */
static treb_status write_units(Out *out, const Units *c, uint64_t slice, uint64_t first,
                               treb_error *error)
{
    const Side *s = out->side;
    const Ranks *ranks = s->job->ranks;
    Window window[RANKS_MOST];
    Wanted wanted[RANKS_MOST];
    uint64_t number = slice, begin = 0, end = 0;
    uint32_t coordinate = 0;
    treb_status status = TREB_OK;
    memset(window, 0, sizeof window);
    for (int r = 0; r < ranks->count && status == TREB_OK; r++) {
        uint64_t from = (first + (unsigned)r * c->at_once) * c->unit,
                 to = from + c->at_once * c->unit;
        if (to > s->reorder.cells) to = s->reorder.cells;
        wanted[r] = (Wanted){0, from < to, &window[r]};
        if (from >= to) continue;
        const uint32_t a = (uint32_t)(from / c->each), b = (uint32_t)((to - 1) / c->each + 1);
        if (!window_init(&window[r], &s->reorder, a, b - a)) status = fail_memory(error);
        if (r != ranks->rank) continue;
        begin = from;
        end = to;
        coordinate = a;
    }
    const uint64_t cells = window[ranks->rank].cells;
    Batch batch = {&number, 1, ledger_alloc(s->job->ledger, cells + 1), NULL};
    if (status == TREB_OK && batch.cells == NULL) status = fail_memory(error);
    if (status == TREB_OK) memset(batch.cells, ENCODE_ANY, cells);
    if (status == TREB_OK) status = fill(s, &batch, wanted, error);
    const uint64_t step = s->large ? c->each : end - begin;
    for (uint64_t at = begin; at < end && status == TREB_OK; at += step)
        status = side_encode(out, &(Source){NULL, batch.cells + (at - coordinate * c->each), step},
                             error);
    for (int r = 0; r < ranks->count; r++) window_free(&window[r]);
    ledger_free(batch.cells);
    return status;
}

static treb_status write_large_ones(Out *out, Spool *spool, treb_error *error)
{
    const Side *s = out->side;
    const Class *class = &s->each[out->class];
    const Units c = units_of(s);
    const uint64_t all = c.at_once * (unsigned)s->job->ranks->count;
    treb_status status = TREB_OK;
    for (uint64_t i = 0; i < class->slices && status == TREB_OK; i++)
        for (uint64_t u = 0; u < c.units && status == TREB_OK; u += all) {
            status = write_units(out, &c, class->first + i, u, error);
            if (status == TREB_OK) status = bring_blocks(out, spool, error);
        }
    return status;
}

/* Small slices: whole batches of them, one for each rank at a time. */
static treb_status write_batches(Out *out, Spool *spool, treb_error *error)
{
    const Side *s = out->side;
    const Ranks *ranks = s->job->ranks;
    const Class *class = &s->each[out->class];
    const size_t most = batch_slices(s, BATCH_CELLS), all = most * (size_t)ranks->count;
    Batch batch = {malloc(all * sizeof *batch.number), 0,
                   ledger_alloc(s->job->ledger, most * s->cells), NULL};
    treb_status status = batch.number && batch.cells ? TREB_OK : fail_memory(error);
    for (uint64_t at = 0; at < class->slices && status == TREB_OK; at += all) {
        Wanted wanted[RANKS_MOST];
        batch.count = class->slices - at < all ? (size_t)(class->slices - at) : all;
        for (size_t i = 0; i < batch.count; i++) batch.number[i] = class->first + at + i;
        for (int r = 0; r < ranks->count; r++) {
            const size_t first = (size_t)r * most, end = first + most;
            wanted[r] = (Wanted){first < batch.count ? first : batch.count,
                                 end < batch.count ? end : batch.count, NULL};
        }
        memset(batch.cells, ENCODE_ANY, most * s->cells);
        status = fill(s, &batch, wanted, error);
        const size_t count = wanted[ranks->rank].end - wanted[ranks->rank].first;
        const Batch own = {NULL, count, batch.cells, NULL};
        const Source source = {&own, NULL, count * s->reorder.cells};
        if (status == TREB_OK) status = side_encode(out, &source, error);
        if (status == TREB_OK) status = bring_blocks(out, spool, error);
    }
    batch_free(&batch);
    return status;
}

treb_status shared_write(Out *out, treb_error *error)
{
    const Side *s = out->side;
    Spool spool = {.file = -1, .ranks = s->job->ranks, .directory = s->job->scratch};
    treb_status status = TREB_OK;
    if (s->job->ranks->rank > 0) {
        spool.file = io_unnamed(spool.directory);
        if (spool.file < 0) return fail_errno(error, "create a file in", spool.directory);
        out->spool = &spool;
    }
    batch_free(&out->side->sample);
    for (; out->class < s->classes && status == TREB_OK; out->class ++)
        status = s->large || batch_slices(s, BATCH_CELLS) == 1
                     ? write_large_ones(out, &spool, error)
                     : write_batches(out, &spool, error);
    if (spool.file >= 0) close(spool.file);
    free(spool.bytes);
    return status;
}
