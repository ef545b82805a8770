/* store.c - see store.h. */
#include "gen/store/store.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "gen/store/scratch.h"

enum { KEEP_LEVELS = 2 /* a double push leads two levels on */, PATH_SIZE = 4200 };

struct StoreTable {
    Store *store;
    StoreEntry *entry;
    unsigned parents; /* sides that other tables ask for */
    bool wanted[2];   /* sides that pushes ask for */
    int level;
};

struct Store {
    char directory[4096];
    bool mates;
    Ledger *ledger;
    uint64_t budget, held, clock; /* held: bytes of slices in memory */
    StoreEntry **entry;
    size_t entries;
};

/* ---- names and entries ----------------------------------------------------------------------- */

static void entry_path(const Store *store, const Material *m, char out[PATH_SIZE])
{
    char name[MATERIAL_NAME_SIZE];
    material_name(m, name);
    snprintf(out, PATH_SIZE, "%s/%s.%s.solved", store->directory, name,
             store->mates ? "dtm" : "wdl");
}

static StoreEntry *store_find_entry(const Store *store, const Material *m)
{
    for (size_t i = 0; i < store->entries; i++)
        if (material_equal(&store->entry[i]->shape.material, m)) return store->entry[i];
    return NULL;
}

static bool store_add_entry(Store *store, StoreEntry *entry)
{
    StoreEntry **grown = realloc(store->entry, (store->entries + 1) * sizeof *grown);
    if (grown == NULL) return false;
    store->entry = grown;
    store->entry[store->entries++] = entry;
    return true;
}

static void unload(Store *store, const Shape *shape, Side *side)
{
    assert(side_held(shape, side) <= store->held && side->references == 0);
    store->held -= side_held(shape, side);
    side_unload(side);
}

/* ---- the store ------------------------------------------------------------------------------- */

static void name_folder(Store *store, const char *directory, bool mates)
{
    snprintf(store->directory, sizeof store->directory, "%.4000s/.scratch", directory);
    store->mates = mates;
}

/* Removes what is in the folder of scratch files: all of it and the folder, or what no run can use
 * any more. */
static void remove_scratch(const char *directory, bool all)
{
    DIR *dir = opendir(directory);
    if (dir == NULL) return;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[8192];
        const char *ending = strstr(e->d_name, ".solved");
        if (ending == NULL || (!all && strcmp(ending, ".solved") == 0)) continue;
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        unlink(path);
    }
    closedir(dir);
    if (all) rmdir(directory);
}

Store *store_new(const char *directory, bool mates, Ledger *ledger)
{
    Store *store = calloc(1, sizeof *store);
    if (store == NULL) return NULL;
    name_folder(store, directory, mates);
    store->ledger = ledger;
    remove_scratch(store->directory, false);
    return store;
}

void store_free(Store *store, bool discard)
{
    if (store == NULL) return;
    for (size_t i = 0; i < store->entries; i++) entry_free(store->entry[i]);
    free(store->entry);
    if (discard) remove_scratch(store->directory, true);
    free(store);
}

/* A scratch file that has those sides; NULL if there is none. */
static StoreEntry *open_file(const Store *store, const Material *material, unsigned sides)
{
    char path[PATH_SIZE];
    entry_path(store, material, path);
    StoreEntry *entry = entry_open(path, material, store->ledger);
    if (entry == NULL || (sides & ~entry->sides) == 0) return entry;
    entry_free(entry);
    return NULL;
}

bool store_has(Store *store, const Material *material, unsigned sides)
{
    StoreEntry *entry = store_find_entry(store, material);
    if (entry) return entry->complete && (sides & ~entry->sides) == 0;
    entry = open_file(store, material, sides);
    if (entry != NULL && store_add_entry(store, entry)) return true;
    entry_free(entry);
    return false;
}

bool store_left(const char *directory, bool mates, const Material *material, unsigned sides)
{
    Store store = {0};
    name_folder(&store, directory, mates);
    StoreEntry *entry = open_file(&store, material, sides);
    bool left = entry != NULL;
    entry_free(entry);
    return left;
}

/* The side in memory that was not asked for longest and that can be read back. */
static Side *find_oldest(const Store *store, const Shape **shape)
{
    Side *oldest = NULL;
    for (size_t i = 0; i < store->entries; i++) {
        StoreEntry *entry = store->entry[i];
        for (uint32_t b = 0; b < entry->batches; b++)
            for (int color = 0; color < 2; color++) {
                Side *side = &entry->batch[b]->side[color];
                if (!side->filed || side->references || !side->kept || side->pushes) continue;
                if (oldest && oldest->used <= side->used) continue;
                oldest = side;
                *shape = &entry->shape;
            }
    }
    return oldest;
}

/* Unloads what can be read back until so many bytes more are within the budget. */
static void make_room(Store *store, uint64_t bytes)
{
    while (store->held + bytes > store->budget) {
        const Shape *shape;
        Side *oldest = find_oldest(store, &shape);
        if (oldest == NULL) return;
        unload(store, shape, oldest);
    }
}

void store_set_budget(Store *store, uint64_t bytes)
{
    store->budget = bytes;
    make_room(store, 0);
}

/* ---- what the solver asks for ---------------------------------------------------------------- */

static const Shape *source_shape(void *context, const Material *m)
{
    const StoreEntry *entry = store_find_entry(context, m);
    return entry != NULL ? &entry->shape : NULL;
}

static treb_status fail_unsolved(const StoreEntry *entry, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(&entry->shape.material, name);
    return fail(error, TREB_ERR_NO_TABLE, "a slice of %s has not been solved", name);
}

static treb_status find_locked(Store *store, StoreEntry *entry, uint64_t slice, int color,
                               const Solved **solved, treb_error *error)
{
    if (entry->batch_of[slice] == NO_BATCH) return fail_unsolved(entry, error);
    Side *side = &entry->batch[entry->batch_of[slice]]->side[color];
    side->used = ++store->clock;
    if (side->kept == NULL) {
        if (!side->filed) return fail_unsolved(entry, error);
        make_room(store, side_cost(&entry->shape, side->kind));
        treb_status status = side_read(entry, side, color, error);
        if (status != TREB_OK) return status;
        store->held += side_held(&entry->shape, side);
    }
    side->references++;
    *solved = &side->solved;
    return TREB_OK;
}

static treb_status source_find(void *context, const Shape *shape, uint64_t slice, int side,
                               const Solved **solved, int *lane, treb_error *error)
{
    StoreEntry *entry = (StoreEntry *)(void *)(uintptr_t)shape; /* its first member */
    treb_status status;
#pragma omp critical(store)
    {
        status = find_locked(context, entry, slice, side, solved, error);
        *lane = entry->lane_of[slice];
    }
    return status;
}

static void source_release(void *context, const Solved *solved)
{
    (void)context;
    Side *side = (Side *)(void *)((char *)(uintptr_t)solved - offsetof(Side, solved));
#pragma omp critical(store)
    {
        assert(side->references > 0);
        side->references--;
    }
}

SolvedSource store_source(Store *store)
{
    return (SolvedSource){store, source_shape, source_find, source_release};
}

/* ---- tables in the works --------------------------------------------------------------------- */

/* Creates the file of an entry, under a name that is not yet its own. */
static treb_status entry_create_file(const Store *store, StoreEntry *entry, treb_error *error)
{
    char path[PATH_SIZE], temporary[PATH_SIZE + 32];
    entry_path(store, &entry->shape.material, path);
    snprintf(temporary, sizeof temporary, "%s.tmp-%ld", path, (long)getpid());
    if ((entry->path = strdup(temporary)) == NULL) return fail_memory(error);
    if (mkdir(store->directory, 0777) != 0 && errno != EEXIST)
        return fail_errno(error, "make this folder", store->directory);
    entry->file = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return entry->file >= 0 ? TREB_OK : fail_errno(error, "write", temporary);
}

StoreTable *store_begin(Store *store, const Shape *shape, unsigned parents, treb_error *error)
{
    StoreTable *table = calloc(1, sizeof *table);
    StoreEntry *entry = entry_new(&shape->material, store->ledger);
    if (table == NULL || entry == NULL || !store_add_entry(store, entry)) {
        free(table);
        entry_free(entry);
        fail_memory(error);
        return NULL;
    }
    table->store = store;
    table->entry = entry;
    table->parents = entry->sides = parents;
    for (int color = 0; color < 2; color++)
        table->wanted[color] = shape->material.count[!color][TREB_PAWN] > 0;
    if (!parents || entry_create_file(store, entry, error) == TREB_OK) return table;
    store_end(table, false, NULL);
    return NULL;
}

/* A slice too large to be kept goes to the file at once, without a copy. */
static treb_status put_large(StoreTable *table, const uint64_t *number, const Slice *slice,
                             treb_error *error)
{
    StoreBatch *batch = entry_add(table->entry, number, slice->lanes);
    treb_status status = batch != NULL ? TREB_OK : fail_memory(error);
    for (int color = 0; color < 2 && status == TREB_OK; color++)
        if (table->parents >> color & 1)
            status = side_write(table->entry, &batch->side[color], color, slice, error);
    if (batch != NULL) batch->level = table->level;
    return status;
}

/* Bytes of the copy of a slice. */
static uint64_t copy_cost(const StoreTable *table, const Slice *slice)
{
    const SideKind kind = side_kind(slice);
    uint64_t bytes = 0;
    for (int color = 0; color < 2; color++) {
        if (table->wanted[color] || table->parents >> color & 1)
            bytes += side_cost(slice->shape, kind);
        if (table->wanted[color])
            bytes += pushes_cost(slice->shape, kind, slice->metrics >> TREB_DTC & 1);
    }
    return bytes;
}

/* Makes room for a copy and counts it as held. False for slices without pawns, which nothing asks
 * for while the table is solved, where there is no room or most of it would be taken. */
static bool reserve(const StoreTable *table, const Slice *slice, uint64_t bytes)
{
    Store *store = table->store;
    bool large = !slice->shape->pawns && bytes > store->budget / 2;
    if (!large) make_room(store, bytes);
    if (!slice->shape->pawns && (large || store->held + bytes > store->budget)) return false;
    store->held += bytes;
    return true;
}

treb_status store_put(StoreTable *table, const uint64_t *number, const Slice *slice,
                      treb_error *error)
{
    Side filled[2];
    bool copied, ok;
    treb_status status = TREB_OK;
    uint64_t bytes = copy_cost(table, slice);
    assert(slice->shape->cells == table->entry->shape.cells);
#pragma omp critical(store)
    copied = reserve(table, slice, bytes);
    if (!copied) return put_large(table, number, slice, error);
    memset(filled, 0, sizeof filled);
    for (int color = 0; color < 2 && status == TREB_OK; color++)
        if (table->wanted[color] || table->parents >> color & 1)
            status = side_fill(slice, table->store->ledger, &filled[color], color,
                               table->wanted[color], error);
#pragma omp critical(store)
    {
        StoreBatch *batch =
            status == TREB_OK ? entry_add(table->entry, number, slice->lanes) : NULL;
        ok = batch != NULL;
        if (ok) {
            assert(side_held(slice->shape, &filled[0]) + side_held(slice->shape, &filled[1]) ==
                   bytes);
            memcpy(batch->side, filled, sizeof filled);
            batch->level = table->level;
        } else {
            table->store->held -= bytes;
        }
    }
    for (int color = 0; color < 2 && !ok; color++) side_unload(&filled[color]);
    return ok || status != TREB_OK ? status : fail_memory(error);
}

/* Files a side of a level that no push asks for any more; without a parent it is freed. */
static treb_status side_retire(StoreTable *table, Side *side, int color, treb_error *error)
{
    Store *store = table->store;
    const Shape *shape = &table->entry->shape;
    treb_status status = TREB_OK;
    if (side->kept == NULL) return status;
    bool kept = table->parents >> color & 1;
    if (kept && !side->filed) status = side_write(table->entry, side, color, NULL, error);
    if (status != TREB_OK) return status;
    store->held -= side_held(shape, side);
    ledger_free(side->pushes);
    side->pushes = NULL;
    side->solved.dtc[color] = (PliesArray){NULL, NULL};
    side->solved.stalemate[color] = NULL;
    if (!kept || store->held + side_held(shape, side) > store->budget)
        side_unload(side);
    else
        store->held += side_held(shape, side);
    return status;
}

/* Does so with the batches of levels below `level`. */
static treb_status retire(StoreTable *table, int level, treb_error *error)
{
    const StoreEntry *entry = table->entry;
    treb_status status = TREB_OK;
    for (uint32_t b = 0; b < entry->batches; b++)
        for (int color = 0; color < 2 && status == TREB_OK; color++)
            if (entry->batch[b]->level < level)
                status = side_retire(table, &entry->batch[b]->side[color], color, error);
    return status;
}

treb_status store_level(StoreTable *table, treb_error *error)
{
    table->level++;
    return retire(table, table->level - KEEP_LEVELS, error);
}

static void drop_entry(Store *store, StoreEntry *entry)
{
    for (uint32_t b = 0; b < entry->batches; b++)
        for (int color = 0; color < 2; color++)
            unload(store, &entry->shape, &entry->batch[b]->side[color]);
    for (size_t i = 0; i < store->entries; i++)
        if (store->entry[i] == entry) store->entry[i] = store->entry[--store->entries];
    entry_free(entry);
}

/* Gives a complete file its name. */
static treb_status entry_complete(const Store *store, StoreEntry *entry, treb_error *error)
{
    char path[PATH_SIZE];
    treb_status status = entry_write_list(entry, error);
    if (status != TREB_OK) return status;
    entry_path(store, &entry->shape.material, path);
    char *name = strdup(path);
    if (name == NULL) return fail_memory(error);
    if (rename(entry->path, path) != 0) {
        status = fail_errno(error, "write", path);
        free(name);
        return status;
    }
    free(entry->path);
    entry->path = name;
    entry->complete = true;
    return TREB_OK;
}

treb_status store_end(StoreTable *table, bool complete, treb_error *error)
{
    Store *store = table->store;
    StoreEntry *entry = table->entry;
    treb_status status = TREB_OK;
    if (complete && table->parents) {
        status = retire(table, table->level + 1, error);
        if (status == TREB_OK) status = entry_complete(store, entry, error);
    }
    if (!entry->complete) {
        if (entry->path) unlink(entry->path);
        drop_entry(store, entry);
    }
    free(table);
    return status;
}

/* ---- how much it will hold ------------------------------------------------------------------- */

/* Only tables of six men and more have distances that take two bytes. */
static SideKind worst_kind(const Shape *shape)
{
    return (SideKind){true, material_men(&shape->material) > PLIES_BYTE_MEN};
}

uint64_t store_side_memory(const Shape *shape) { return side_cost(shape, worst_kind(shape)); }

uint64_t store_write_memory(const Shape *shape, int threads)
{
    return side_write_cost(shape, threads);
}

uint64_t store_own_memory(const Shape *shape, const Batches *batches, unsigned parents,
                          unsigned metrics)
{
    const SideKind kind = worst_kind(shape);
    uint64_t each = 0;
    if (!shape->pawns) return 0; /* copied only where there is room */
    for (int color = 0; color < 2; color++) {
        bool wanted = shape->material.count[!color][TREB_PAWN] > 0;
        if (wanted || parents >> color & 1) each += side_cost(shape, kind);
        if (wanted) each += pushes_cost(shape, kind, metrics >> TREB_DTC & 1);
    }
    /* A level and the two before it. */
    size_t most = 0, first = 0;
    for (size_t b = 0; b < batches->count; b++) {
        while (batches->batch[first].advance > batches->batch[b].advance + KEEP_LEVELS) first++;
        if (b + 1 - first > most) most = b + 1 - first;
    }
    return most * each;
}
