/* flat.c - see flat.h.
 *
 * Reading a single value of a Syzygy file means unpacking half a block on average. A full check
 * reads all positions, so it first unpacks the arrays from one end to the other. */
#include <stdlib.h>
#include <string.h>

#include "check/verify/flat.h"

enum { CHUNK = 1 << 16 };

static int sides_of(const Syzygy *table, bool wdl)
{
    return wdl && syzygy_has_side(table, TREB_BLACK) ? 2 : 1;
}

uint64_t verify_flat_bytes(const Syzygy *table, bool wdl)
{
    uint64_t bytes = 0;
    for (int side = 0; side < sides_of(table, wdl); side++)
        for (int file = 0; file < syzygy_files(table); file++)
            bytes += syzygy_index(table, side, file)->size * (wdl ? 1 : sizeof(uint16_t));
    return bytes;
}

static treb_status unpack_chunk(const VerifyFlat *flat, int side, int file, uint64_t from,
                                uint64_t count, treb_error *error)
{
    uint16_t value[CHUNK];
    if (!flat->wdl)
        return syzygy_unpack(flat->table, side, file, from, count, flat->dtz[file] + from, error);
    treb_status status = syzygy_unpack(flat->table, side, file, from, count, value, error);
    uint8_t *out = flat->verdict[side][file] + from;
    for (uint64_t i = 0; status == TREB_OK && i < count; i++)
        out[i] = value[i] <= TREB_WIN ? (uint8_t)value[i] : UINT8_MAX;
    return status;
}

static void unpack_array(VerifyReport *report, const VerifyFlat *flat, int side, int file)
{
    uint64_t size = syzygy_index(flat->table, side, file)->size;
#pragma omp parallel for schedule(dynamic, 1) num_threads(verify_threads(report->options))
    for (uint64_t from = 0; from < size; from += CHUNK) {
        treb_error error;
        uint64_t count = size - from < CHUNK ? size - from : CHUNK;
        if (atomic_load(&report->stop)) continue;
        if (unpack_chunk(flat, side, file, from, count, &error) != TREB_OK)
            verify_report_fail(report, &error);
        verify_report_progress(report, count);
    }
}

void verify_flat_load(VerifyReport *report, const Syzygy *table, bool wdl, VerifyFlat *flat)
{
    *flat = (VerifyFlat){.table = table, .wdl = wdl};
    verify_report_phase(report, "unpacking", syzygy_summary(table).cells);
    for (int side = 0; side < sides_of(table, wdl); side++)
        for (int file = 0; file < syzygy_files(table); file++) {
            uint64_t size = syzygy_index(table, side, file)->size;
            void *values = malloc(size * (wdl ? 1 : sizeof(uint16_t)));
            if (wdl)
                flat->verdict[side][file] = values;
            else
                flat->dtz[file] = values;
            if (values == NULL)
                verify_report_no_memory(report);
            else if (!atomic_load(&report->stop))
                unpack_array(report, flat, side, file);
        }
    if (atomic_load(&report->stop)) verify_flat_free(flat);
}

void verify_flat_free(VerifyFlat *flat)
{
    for (int file = 0; file < 4; file++) {
        for (int side = 0; side < 2; side++) free(flat->verdict[side][file]);
        free(flat->dtz[file]);
    }
    memset(flat, 0, sizeof *flat);
}

int verify_flat_value(const VerifyFlat *flat, const treb_position *pos, unsigned verdict, bool twin)
{
    int file;
    uint64_t cell = syzygy_place(flat->table, pos, &file);
    if (twin && !syzygy_twin(flat->table, pos, &cell)) return -2;
    if (!flat->wdl) return syzygy_dtz_of(flat->table, file, flat->dtz[file][cell], (int)verdict);
    unsigned value = flat->verdict[pos->turn][file][cell];
    return value <= TREB_WIN ? (int)value : -1;
}
