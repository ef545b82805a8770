/* halo.c - see halo.h. */
#include "gen/solve/halo.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "gen/solve/packed.h"
#include "gen/solve/solver.h"

bool halo_init(Halo *halo, const Shape *shape)
{
    bool ok = true;
    memset(halo, 0, sizeof *halo);
    for (int side = 0; side < 2; side++) {
        halo->lost[side] = calloc(shape->kings, sizeof *halo->lost[side]);
        halo->item[side] = calloc(shape->kings, sizeof *halo->item[side]);
        ok = ok && halo->lost[side] && halo->item[side];
    }
    return ok;
}

void halo_free(Halo *halo)
{
    for (int side = 0; side < 2; side++) {
        free(halo->lost[side]);
        free(halo->item[side]);
    }
    free(halo->batches.batch);
    memset(halo, 0, sizeof *halo);
}

/* ---- Telling --------------------------------------------------------------------------------- */

void solver_post(const Solver *s, uint32_t kings, int side, bool won, unsigned n,
                 const uint8_t *packed, size_t size)
{
    const Ranks *ranks = s->place.ranks;
    const PlyLoop *loop = &s->loop;
    const uint64_t slabs =
        won ? loop->won_slabs[n & 1][side][kings] : loop->lost_at[n & 1][side].slabs[kings];
    const HaloItem item = {slabs, (uint32_t)size, (uint16_t)kings, (uint8_t)side, won};
    for (uint64_t to = s->share.to[side][kings]; to; to &= to - 1)
        ranks->send(ranks->context, bit_first(to), &item, sizeof item, packed, size);
}

/* ---- Taking ---------------------------------------------------------------------------------- */

static void batches_release(HaloBatches *batches, const Ranks *ranks)
{
    for (size_t i = 0; i < batches->count; i++) ranks->release(ranks->context, &batches->batch[i]);
    batches->count = 0;
}

static bool batches_add(HaloBatches *batches, const RankBatch *batch)
{
    if (batches->count == batches->capacity) {
        size_t capacity = batches->capacity ? 2 * batches->capacity : 16;
        RankBatch *grown = realloc(batches->batch, capacity * sizeof *grown);
        if (grown == NULL) return false;
        batches->batch = grown;
        batches->capacity = capacity;
    }
    batches->batch[batches->count++] = *batch;
    return true;
}

/* Finds what is in a batch. */
static void note_items(Solver *s, unsigned n, const RankBatch *batch)
{
    HaloItem item;
    for (size_t at = 0; at < batch->size; at += sizeof item + item.size) {
        const uint8_t *place = batch->bytes + at;
        memcpy(&item, place, sizeof item);
        if (item.won) {
            s->halo.item[item.side][s->halo.items[item.side]++] = place;
            s->loop.won_slabs[n & 1][item.side][item.kings] = item.slabs;
        } else {
            s->halo.lost[item.side][item.kings] = place + sizeof item;
            s->loop.lost_at[n & 1][item.side].slabs[item.kings] = item.slabs;
        }
    }
}

void solver_take(Solver *s, unsigned n)
{
    const Ranks *ranks = s->place.ranks;
    RankBatch batch;
    treb_error error;
    if (solver_failed(s)) return;
    ranks->finish(ranks->context, s->share.targets);
    batches_release(&s->halo.batches, ranks);
    for (int side = 0; side < 2; side++) {
        s->halo.items[side] = 0;
        for (uint32_t i = 0; i < s->share.halo[side]; i++) {
            uint32_t kings = s->share.halo_plane[side][i];
            s->halo.lost[side][kings] = NULL;
            /* Of the ply before, too: plies at which nothing happens may be left out. */
            for (int parity = 0; parity < 2; parity++)
                s->loop.lost_at[parity][side].slabs[kings] =
                    s->loop.won_slabs[parity][side][kings] = 0;
        }
    }
    while (ranks->receive(ranks->context, s->share.sources, &batch)) {
        note_items(s, n, &batch);
        if (batches_add(&s->halo.batches, &batch)) continue;
        solver_fail(s, fail_memory(&error), &error);
        return;
    }
}

void solver_take_won(const Solver *s, uint32_t number, Buffers *t)
{
    const int side = number >= s->halo.items[0];
    HaloItem item;
    const uint8_t *at = s->halo.item[side][number - (side ? s->halo.items[0] : 0)];
    memcpy(&item, at, sizeof item);
    const size_t words = s->shape->plane_words, slab_words = s->slab_words;
    uint64_t slabs = packed_get(s->kernel, at + sizeof item, words, t->b);
    uint64_t *unwon = unwon_at(s, side, item.kings);
    for (size_t slab = 0; slab < s->slab_count; slab++) {
        if (s->slab_count > 1 && !(slabs >> slab & 1)) continue;
        const size_t end = (slab + 1) * slab_words;
        for (size_t w = slab * slab_words; w < end; w++) unwon[w] &= ~t->b[w];
    }
}

void solver_take_end(Solver *s) { batches_release(&s->halo.batches, s->place.ranks); }

/* ---- Bringing together ----------------------------------------------------------------------- */

/* Bytes of a stream of a log, before these. */
typedef struct PartItem {
    uint32_t log, stream, size;
} PartItem;

enum { PART_LOGS = 2 + TREB_METRICS };

/* What is sent, and how far that is. */
typedef struct Parts {
    Solver *s;
    Buffers *t;
    uint64_t to;
    uint32_t log, stream; /* the next one */
    bool reading;
    LogReader reader;
} Parts;

/* The logs that are looked at when all is solved: of the facts, of what was decided, and of conversions by mate. */
static Log *part_log(const Solver *s, uint32_t log)
{
    if (log == 0) return s->facts;
    if (log <= TREB_METRICS) return s->decided[log - 1];
    return log == TREB_METRICS + 1 ? s->due[TREB_DTM] : NULL;
}

static uint32_t part_streams(const Solver *s, uint32_t log)
{
    return (log == TREB_METRICS + 1 ? 4 : 2) * s->shape->kings;
}

static bool part_own(const Solver *s, uint32_t log, uint32_t stream)
{
    return share_has(&s->share, stream / (log == TREB_METRICS + 1 ? 4 : 2));
}

/* The next stream of an own plane; false behind the last. */
static bool parts_next(Parts *p)
{
    for (; p->log < PART_LOGS; p->log++, p->stream = 0) {
        if (part_log(p->s, p->log) == NULL) continue;
        for (; p->stream < part_streams(p->s, p->log); p->stream++)
            if (part_own(p->s, p->log, p->stream)) return true;
    }
    return false;
}

/* Sends what is sent in a round; whether there is more. */
static treb_status parts_send(void *context, bool *more, treb_error *error)
{
    Parts *p = context;
    const Ranks *ranks = p->s->place.ranks;
    treb_status status = TREB_OK;
    size_t sent = 0, size;
    const uint8_t *bytes;
    while (status == TREB_OK && sent < RANK_ROUND && (*more = p->reading || parts_next(p))) {
        if (!p->reading) log_read(&p->reader, part_log(p->s, p->log), p->stream, &p->t->room);
        p->reading = true;
        status = log_next_bytes(&p->reader, &bytes, &size, error);
        if (status != TREB_OK) break;
        if (bytes == NULL) {
            p->reading = false;
            p->stream++;
            continue;
        }
        const PartItem item = {p->log, p->stream, (uint32_t)size};
        for (uint64_t left = p->to; left; left &= left - 1)
            ranks->send(ranks->context, bit_first(left), &item, sizeof item, bytes, size);
        sent += size;
    }
    return status;
}

static treb_status parts_take(void *context, const RankBatch *batch, treb_error *error)
{
    const Parts *p = context;
    PartItem item;
    treb_status status = TREB_OK;
    for (size_t at = 0; at < batch->size && status == TREB_OK; at += sizeof item + item.size) {
        memcpy(&item, batch->bytes + at, sizeof item);
        status = log_append_bytes(part_log(p->s, item.log), item.stream,
                                  batch->bytes + at + sizeof item, item.size, &p->t->room, error);
    }
    return status;
}

treb_status solver_gather(Solver *s, treb_error *error)
{
    Buffers t;
    const Ranks *ranks = s->place.ranks;
    if (ranks == NULL) return TREB_OK;
    if (!buffers_init(&t, s, false)) return fail_memory(error);
    Parts parts = {.s = s, .t = &t, .to = ranks_others(ranks)};
    const RankExchange exchange = {&parts, parts.to, parts.to, parts_send, parts_take};
    treb_status status = ranks_exchange(ranks, &exchange, error);
    buffers_free(&t);
    return status;
}
