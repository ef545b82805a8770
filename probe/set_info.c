/* set_info.c - what tables a set has and what their files say about themselves (trebuchet.h). */
#include <string.h>

#include "core/system/error.h"
#include "probe/file_open.h"
#include "probe/set.h"

size_t treb_tables_count(const treb_tables *tables) { return tables->file_count; }

size_t treb_tables_check(treb_tables *tables)
{
    treb_error why;
    for (size_t i = 0; i < tables->file_count; i++)
        if (file_check(&tables->files[i], &why) != TREB_OK) file_note(&tables->files[i], &why);
    for (size_t i = 0; i < tables->pawn_file_count; i++)
        if (file_check(&tables->pawn_files[i], &why) != TREB_OK)
            file_note(&tables->pawn_files[i], &why);
    return treb_tables_faults(tables);
}

size_t treb_tables_faults(const treb_tables *tables)
{
    return atomic_load_explicit(&tables->pool->faults, memory_order_acquire);
}

const char *treb_tables_fault(const treb_tables *tables, size_t number, treb_error *why)
{
    if (number >= treb_tables_faults(tables)) return NULL;
    /* A file that has a fault keeps it, and its place, until the set is closed. */
    const ProbeFile *file = tables->pool->faulty[number];
    if (why != NULL) *why = *file->fault;
    return file->path;
}

/* Copies what a header says about the side to move `s`. */
static void copy_side(const TableHeader *header, treb_table_info *out, int s)
{
    const TableSide *side = &header->side[s];
    out->stored[s] = table_has_turn(header, s);
    for (int v = 0; v < WDL_VALUES; v++) {
        out->count[s][v] = side->count[v];
        out->longest[s][v] = side->longest[v];
        memcpy(out->longest_fen[s][v], side->longest_fen[v], TABLE_FEN_SIZE);
    }
}

static treb_status describe_syzygy(ProbeFile *file, treb_table_info *out, treb_error *error)
{
    treb_error why;
    const Syzygy *table;
    const ProbeReader reader = reader_waiting();
    if (file_get_syzygy(&reader, file, &table, &why) < 0) return fail_again(error, &why);
    out->file_size = syzygy_file_size(table);
    for (int side = 0; side < 2; side++) out->stored[side] = syzygy_has_side(table, side);
    return TREB_OK;
}

/* Fills in all that can be said about a file. If it cannot be opened, that is its material, metric,
 * format and path. */
static treb_status describe_file(ProbeFile *file, treb_table_info *out, treb_error *error)
{
    treb_error why;
    const OpenTable *open;
    memset(out, 0, sizeof *out);
    material_name(&file->material, out->material);
    out->metric = file->metric;
    out->format = file->format;
    out->path = file->path;
    if (file_is_syzygy(file)) return describe_syzygy(file, out, error);
    const ProbeReader reader = reader_waiting();
    if (file_get(&reader, file, &open, &why) < 0) return fail_again(error, &why);
    out->file_size = table_file_size(open->table);
    out->block_size = UINT64_C(1) << open->block_bits;
    for (int s = 0; s < 2; s++) copy_side(open->header, out, s);
    return TREB_OK;
}

treb_status treb_tables_info(const treb_tables *tables, size_t number, treb_table_info *out,
                             treb_error *error)
{
    if (number >= tables->file_count)
        return fail(error, TREB_ERR_ARGUMENT, "there is no table with that number");
    return describe_file(&tables->files[number], out, error);
}

treb_status treb_tables_find(const treb_tables *tables, const char *material, treb_metric metric,
                             treb_table_info *out, treb_error *error)
{
    treb_error missing;
    ProbeFile *file = set_find_file(tables, material, metric, &missing);
    if (file == NULL) return fail_again(error, &missing);
    return describe_file(file, out, error);
}

treb_status treb_tables_histogram(const treb_tables *tables, const char *material,
                                  treb_metric metric, int turn, treb_wdl wdl, uint64_t *out,
                                  size_t capacity, size_t *count, treb_error *error)
{
    treb_error why;
    treb_error missing;
    const OpenTable *open;
    bool sensible = metric != TREB_WDL && (turn == TREB_WHITE || turn == TREB_BLACK) &&
                    wdl >= TREB_LOSS && wdl <= TREB_WIN && wdl != TREB_DRAW;
    if (!sensible) return fail(error, TREB_ERR_ARGUMENT, "only distances have histograms");
    ProbeFile *file = set_find_file(tables, material, metric, &missing);
    if (file == NULL) return fail_again(error, &missing);
    if (file_is_syzygy(file))
        return fail(error, TREB_ERR_ARGUMENT, "%.400s is a Syzygy file: it has no histograms",
                    file->path);
    const ProbeReader reader = reader_waiting();
    if (file_get(&reader, file, &open, &why) < 0) return fail_again(error, &why);
    const TableSide *side = &open->header->side[turn];
    const uint64_t *entry = side->histogram[wdl];
    /* Under the 50-move rule these are draws, so DTM50 has no distances of them. */
    const bool drawn = metric == TREB_DTM50 && wdl != TREB_WIN && wdl != TREB_LOSS;
    if (entry == NULL && side->count[wdl] && !drawn)
        return fail(error, TREB_ERR_ARGUMENT, "%.400s has no histograms: make it again",
                    file->path);
    *count = entry ? (size_t)side->longest[wdl] + 1 : 0;
    if (*count) memcpy(out, entry, (*count < capacity ? *count : capacity) * sizeof *out);
    return TREB_OK;
}
