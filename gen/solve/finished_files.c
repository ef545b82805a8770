/* finished_files.c - see finished_files.h. */
#include "gen/solve/finished_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"

static const treb_metric metric_of[FINISHED_FILES] = {TREB_WDL, TREB_DTM};

static bool is_read(int file, unsigned metrics)
{
    return file == FINISHED_VERDICTS || metrics >> metric_of[file] & 1;
}

void finished_files_close(Table *table[FINISHED_FILES])
{
    for (int f = 0; f < FINISHED_FILES; f++) {
        table_close(table[f]);
        table[f] = NULL;
    }
}

/* Opens the files that are read; the others are NULL. */
static treb_status open_files(const char *directory, const Material *material, unsigned metrics,
                              Table *table[FINISHED_FILES], treb_error *error)
{
    for (int f = 0; f < FINISHED_FILES; f++) table[f] = NULL;
    for (int f = 0; f < FINISHED_FILES; f++) {
        char name[TABLE_NAME_SIZE], path[4200];
        if (!is_read(f, metrics)) continue;
        table_file_name(material, metric_of[f], name);
        snprintf(path, sizeof path, "%.4000s/%s", directory, name);
        table[f] = table_open(path, error);
        if (table[f] != NULL) continue;
        finished_files_close(table);
        return error->status;
    }
    return TREB_OK;
}

static bool stores(const Table *table, int side)
{
    return table == NULL || table_header(table)->side[side].stored;
}

static treb_status find_needs(Table *const table[FINISHED_FILES], FinishedNeeds *needs,
                              treb_error *error)
{
    const TableHeader *verdicts = table_header(table[FINISHED_VERDICTS]),
                      *mates = table[FINISHED_MATES] != NULL ? table_header(table[FINISHED_MATES])
                                                             : NULL;
    *needs = (FinishedNeeds){0};
    for (int side = 0; side < 2; side++) {
        const bool stored = stores(table[FINISHED_VERDICTS], side) &&
                            stores(table[FINISHED_MATES], side),
                   bounds = verdicts->bounds || (mates != NULL && mates->bounds);
        needs->moves[side] = !stored ? MOVES_ALL : bounds ? MOVES_COMPLETING : MOVES_CAPTURES;
        const TableSide *s = &verdicts->side[side];
        needs->cursed |= s->count[TREB_CURSED_WIN] > 0 || s->count[TREB_BLESSED_LOSS] > 0;
        for (int v = 0; v < WDL_VALUES && mates != NULL; v++) {
            const unsigned longest = mates->side[side].longest[v];
            if (longest > needs->plies) needs->plies = longest;
            if ((v == TREB_WIN || v == TREB_LOSS) && longest > needs->plies_in_time)
                needs->plies_in_time = longest;
        }
    }
    if (needs->moves[TREB_WHITE] != MOVES_ALL || needs->moves[TREB_BLACK] != MOVES_ALL)
        return TREB_OK;
    return fail(error, TREB_ERR_NO_TABLE, "%s and %s: no side to move is in both",
                fail_path(table_path(table[FINISHED_VERDICTS])),
                fail_path(table_path(table[FINISHED_MATES])));
}

static void find_facts(const Table *table, struct FinishedFile *out)
{
    out->read = table != NULL;
    for (int side = 0; side < 2; side++) {
        out->stored[side] = stores(table, side);
        if (out->read) out->index[side] = table_header(table)->side[side].index;
    }
    out->wide = out->read && table_header(table)->width == 2;
}

treb_status finished_files_open(const char *directory, const Material *material, unsigned metrics,
                                Table *table[FINISHED_FILES], FinishedFacts *facts,
                                treb_error *error)
{
    memset(facts, 0, sizeof *facts);
    treb_status status = open_files(directory, material, metrics, table, error);
    if (status != TREB_OK) return status;
    status = find_needs(table, &facts->needs, error);
    if (status != TREB_OK) finished_files_close(table);
    for (int f = 0; f < FINISHED_FILES && status == TREB_OK; f++)
        find_facts(table[f], &facts->file[f]);
    return status;
}

treb_status finished_needs(const char *directory, const Material *material, unsigned metrics,
                           FinishedNeeds *needs, treb_error *error)
{
    Table *table[FINISHED_FILES];
    FinishedFacts facts;
    treb_status status = finished_files_open(directory, material, metrics, table, &facts, error);
    *needs = facts.needs;
    if (status == TREB_OK) finished_files_close(table);
    return status;
}

static treb_status check_file(const Table *table, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int side = 0; side < 2; side++) {
        if (!stores(table, side)) continue;
#pragma omp parallel
        {
            TableDecoder *decoder = table_decoder_new();
            uint8_t *room = malloc((size_t)1 << table_header(table)->block_bits);
#pragma omp for schedule(dynamic, 64)
            for (uint64_t p = 0; p < table_side_parts(table, side); p++) {
                treb_error mine;
                treb_status own = decoder != NULL && room != NULL
                                      ? table_check_part(table, decoder, side, p, room, &mine)
                                      : fail_memory(&mine);
                if (own == TREB_OK) continue;
#pragma omp critical(finished_error)
                {
                    status = own;
                    *error = mine;
                }
            }
            table_decoder_free(decoder);
            free(room);
        }
    }
    return status;
}

treb_status finished_check(const char *directory, const Material *material, unsigned metrics,
                           treb_error *error)
{
    Table *table[FINISHED_FILES];
    treb_status status = open_files(directory, material, metrics, table, error);
    if (status != TREB_OK) return status;
    for (int f = 0; f < FINISHED_FILES && status == TREB_OK; f++)
        if (table[f] != NULL) status = check_file(table[f], error);
    finished_files_close(table);
    return status;
}
