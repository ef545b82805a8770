/* solver_gather.c - brings the logs of a solved slice from all processes to each: see solve.h. */
#include "core/system/error.h"
#include "gen/solve/solver.h"

/* Head of a message of solver_gather: some bytes of a stream of a log follow. */
typedef struct PartItem {
    uint32_t log, stream, size;
} PartItem;

enum { PART_LOGS = 2 + TREB_METRICS };

/* What solver_gather sends, and how far it is. */
typedef struct Parts {
    Solver *s;
    Buffers *t;
    uint64_t to;
    uint32_t log, stream; /* the next one to send */
    bool reading;
    LogReader reader;
} Parts;

/* Returns the logs that are read when a slice is solved, by number: facts, decided cells by metric, conversions by
 * distance to mate. NULL: there is no such log. */
static Log *part_log(const Solver *s, uint32_t log)
{
    if (log == 0) return s->facts;
    if (log <= TREB_METRICS) return s->decided[log - 1];
    return log == TREB_METRICS + 1 ? s->due[TREB_DTM] : NULL;
}

static uint32_t part_streams(const Solver *s, uint32_t log)
{
    return (log == TREB_METRICS + 1 ? 4 : 2) * s->layout->kings;
}

static bool part_own(const Solver *s, uint32_t log, uint32_t stream)
{
    return partition_owns(&s->partition, stream / (log == TREB_METRICS + 1 ? 4 : 2));
}

/* Finds the next stream of an own plane. False: there is none. */
static bool next_part(Parts *p)
{
    for (; p->log < PART_LOGS; p->log++, p->stream = 0) {
        if (part_log(p->s, p->log) == NULL) continue;
        for (; p->stream < part_streams(p->s, p->log); p->stream++)
            if (part_own(p->s, p->log, p->stream)) return true;
    }
    return false;
}

/* Sends the data of one round. */
static treb_status send_parts(void *context, bool *more, treb_error *error)
{
    Parts *p = context;
    const Processes *processes = p->s->place.processes;
    treb_status status = TREB_OK;
    size_t sent = 0, size;
    const uint8_t *bytes;
    while (status == TREB_OK && sent < EXCHANGE_ROUND && (*more = p->reading || next_part(p))) {
        if (!p->reading) log_read(&p->reader, part_log(p->s, p->log), p->stream, &p->t->log_buffer);
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
            processes->send(processes->context, bit_first(left), &item, sizeof item, bytes, size);
        sent += size;
    }
    return status;
}

static treb_status take_part(void *context, const ReceivedBytes *message, treb_error *error)
{
    const Parts *p = context;
    PartItem item;
    treb_status status = TREB_OK;
    for (size_t at = 0; at < message->size && status == TREB_OK; at += sizeof item + item.size) {
        memcpy(&item, message->bytes + at, sizeof item);
        status = log_append_bytes(part_log(p->s, item.log), item.stream,
                                  message->bytes + at + sizeof item, item.size, &p->t->log_buffer,
                                  error);
    }
    return status;
}

treb_status solver_gather(Solver *s, treb_error *error)
{
    Buffers t;
    const Processes *processes = s->place.processes;
    if (processes == NULL) return TREB_OK;
    if (!buffers_init(&t, s, false)) return fail_memory(error);
    Parts parts = {.s = s, .t = &t, .to = processes_others(processes)};
    const ProcessExchange exchange = {&parts, parts.to, parts.to, send_parts, take_part};
    treb_status status = processes_exchange(processes, &exchange, error);
    buffers_free(&t);
    return status;
}
