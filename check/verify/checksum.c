/* checksum.c - compares the checksums of files and checks nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "check/verify/checksum.h"
#include "core/system/clock.h"
#include "core/system/error.h"
#include "core/system/system.h"

typedef struct Checksums {
    VerifyReport report;
    const SyzygyMaps *maps;
    const char *const *path;
    size_t count;
    /* by file; NULL before the file is checked, and after its result has been reported */
    VerifyChecksum **result;
    size_t reported;
    VerifyChecksumCallback checked;
    void *context;
} Checksums;

static uint64_t file_bytes(const char *path)
{
    SystemFile about;
    return system_about_path(path, &about) ? about.size : 0;
}

enum { CHUNK = 64 /* number of parts that a thread takes at a time */ };

treb_status verify_side_checksums(VerifyReport *report, const Table *table, int side, int threads,
                                  uint64_t step, treb_error *error)
{
    const uint64_t parts = table_side_parts(table, side);
    treb_status status = TREB_OK;
    atomic_bool failed = false;
#pragma omp parallel num_threads(threads)
    {
        TableDecoder *decoder = table_decoder_new();
        uint8_t *buffer = malloc((size_t)1 << table_header(table)->block_bits);
        treb_error own = {0};
        uint64_t done = 0; /* parts whose progress is not yet reported */
        if (decoder == NULL || buffer == NULL) {
            fail_memory(&own);
            atomic_store(&failed, true);
        }
#pragma omp for schedule(dynamic, CHUNK)
        for (uint64_t part = 0; part < parts; part++) {
            if (atomic_load(&failed) || atomic_load(&report->stop)) continue;
            if (table_check_part(table, decoder, side, part, buffer, &own) != TREB_OK)
                atomic_store(&failed, true);
            if (++done < CHUNK) continue;
            verify_report_progress(report, done * step);
            done = 0;
        }
        verify_report_progress(report, done * step);
#pragma omp critical(verify_side)
        if (own.status != TREB_OK) {
            status = own.status;
            *error = own;
        }
        free(buffer);
        table_decoder_free(decoder);
    }
    return status;
}

static treb_status check_ours(Checksums *all, const char *path, treb_error *error)
{
    Table *table = table_open(path, error);
    if (table == NULL) return error->status;
    treb_status status = TREB_OK;
    for (int side = 0; side < 2 && status == TREB_OK; side++)
        if (table_header(table)->side[side].stored)
            status = verify_side_checksums(&all->report, table, side, 1, 0, error);
    table_close(table);
    return status;
}

static treb_status check_file(Checksums *all, const char *path, treb_error *error)
{
    Material material;
    treb_metric metric;
    if (!syzygy_parse_name(path, &material, &metric)) return check_ours(all, path, error);
    Syzygy *table = syzygy_open(path, &material, metric, all->maps, error);
    if (table == NULL) return error->status;
    treb_status status = syzygy_check(table, error);
    syzygy_close(table);
    return status;
}

/* Keeps the result of a file. Then reports the next files in the order of the list whose results
 * are known. */
static void report_next(Checksums *all, size_t number, VerifyChecksum *result)
{
#pragma omp critical(verify_checksums)
    {
        all->result[number] = result;
        for (; all->reported < all->count && all->result[all->reported] != NULL; all->reported++) {
            all->checked(all->context, all->reported, all->result[all->reported]);
            free(all->result[all->reported]);
            all->result[all->reported] = NULL;
        }
    }
}

static void check_one(Checksums *all, size_t number)
{
    const char *path = all->path[number];
    double start = clock_seconds();
    treb_error error = {0};
    VerifyChecksum *result = calloc(1, sizeof *result);
    if (result == NULL) {
        verify_report_no_memory(&all->report);
        return;
    }
    result->bytes = file_bytes(path);
    result->status = check_file(all, path, &error);
    result->seconds = clock_seconds() - start;
    if (result->status != TREB_OK) snprintf(result->text, sizeof result->text, "%s", error.text);
    verify_report_progress(&all->report, result->bytes);
    /* A file whose check was interrupted has no result. */
    if (atomic_load(&all->report.stop))
        free(result);
    else
        report_next(all, number, result);
}

static void check_all(Checksums *all)
{
    uint64_t total = 0;
    for (size_t i = 0; i < all->count; i++) total += file_bytes(all->path[i]);
    verify_report_phase(&all->report, "checksums", total);
#pragma omp parallel for schedule(dynamic, 1) num_threads(verify_threads(all->report.options))
    for (size_t i = 0; i < all->count; i++)
        if (!atomic_load(&all->report.stop)) check_one(all, i);
    for (size_t i = 0; i < all->count; i++) free(all->result[i]);
}

treb_status verify_checksums(const char *const *paths, size_t count, const VerifyOptions *options,
                             VerifyChecksumCallback checked, void *context)
{
    VerifyResult unused = {0};
    SyzygyMaps *maps = malloc(sizeof *maps);
    Checksums all = {.report = {.options = options, .result = &unused},
                     .maps = maps,
                     .path = paths,
                     .count = count,
                     .result = calloc(count + 1, sizeof(VerifyChecksum *)),
                     .checked = checked,
                     .context = context};
    treb_status status = TREB_ERR_MEMORY;
    if (maps != NULL && all.result != NULL) {
        syzygy_maps_fill(maps);
        check_all(&all);
        status = all.report.status;
    }
    free(maps);
    free(all.result);
    return status;
}
