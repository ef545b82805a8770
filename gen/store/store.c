/* store.c - see store.h. */
#include "gen/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/store/scratch.h"

enum { KEEP_LEVELS = 2 /* a double push leads two levels on */ };

struct StoreTable {
    Store *store;
    Entry *entry;
    unsigned seniors; /* sides that other tables ask for */
    bool wanted[2];   /* sides that pushes ask for */
    int level;
    char temporary[4200];
};

struct Store {
    char directory[4096];
    bool mates;
    uint64_t budget, loaded, clock;
    Entry **entry;
    size_t entries;
    treb_error error;
};

/* ---- errors and names ------------------------------------------------------------------------ */

static treb_status fail(treb_error *error, treb_status status, const char *what, const char *name)
{
    error->status = status;
    if (status == TREB_ERR_IO)
        snprintf(error->text, sizeof error->text, "cannot %s %.300s: %s", what, name,
                 strerror(errno));
    else
        snprintf(error->text, sizeof error->text, "%s %.300s", what, name);
    return status;
}

static void entry_path(const Store *store, const Material *m, char *out, size_t size)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(m, name);
    snprintf(out, size, "%s/%s.%s.codes", store->directory, name, store->mates ? "dtm" : "wdl");
}

static Entry *store_find_entry(const Store *store, const Material *m)
{
    for (size_t i = 0; i < store->entries; i++)
        if (material_equal(&store->entry[i]->shape.material, m)) return store->entry[i];
    return NULL;
}

static bool store_add_entry(Store *store, Entry *entry)
{
    Entry **grown = realloc(store->entry, (store->entries + 1) * sizeof *grown);
    if (grown == NULL) return false;
    store->entry = grown;
    store->entry[store->entries++] = entry;
    return true;
}

static void unload(Store *store, const Shape *shape, Side *side, int color)
{
    if (side_unload(side, color)) store->loaded -= shape->cells * sizeof(Plies);
}

/* ---- the store ------------------------------------------------------------------------------- */

Store *store_new(const char *directory, bool mates, uint64_t budget)
{
    Store *store = calloc(1, sizeof *store);
    if (store == NULL) return NULL;
    snprintf(store->directory, sizeof store->directory, "%.4000s/.scratch", directory);
    store->mates = mates;
    store->budget = budget;
    return store;
}

/* Removes the folder of scratch files and what is in it. */
static void remove_scratch(const char *directory)
{
    DIR *dir = opendir(directory);
    if (dir == NULL) return;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[8192];
        const char *dot = strstr(e->d_name, ".codes");
        if (dot == NULL) continue;
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        unlink(path);
    }
    closedir(dir);
    rmdir(directory);
}

void store_free(Store *store, bool discard)
{
    if (store == NULL) return;
    for (size_t i = 0; i < store->entries; i++) entry_free(store->entry[i]);
    free(store->entry);
    if (discard) remove_scratch(store->directory);
    free(store);
}

bool store_has(Store *store, const Material *material, unsigned sides)
{
    Entry *entry = store_find_entry(store, material);
    if (entry) return entry->complete && (sides & ~entry->sides) == 0;
    char path[4200];
    entry_path(store, material, path, sizeof path);
    entry = entry_open(path, material);
    if (entry == NULL) return false;
    if ((sides & ~entry->sides) == 0 && store_add_entry(store, entry)) return true;
    entry_free(entry);
    return false;
}

/* Makes room: unloads what was not asked for longest. */
static void store_trim(Store *store)
{
    while (store->loaded > store->budget) {
        Side *oldest = NULL;
        const Shape *shape = NULL;
        int which = 0;
        for (size_t i = 0; i < store->entries; i++) {
            Entry *entry = store->entry[i];
            for (uint32_t u = 0; u < entry->units; u++)
                for (int color = 0; color < 2; color++) {
                    Side *side = &entry->unit[u]->side[color];
                    if (!side->filed || side->references || !side->solved.code[color]) continue;
                    if (oldest && oldest->used <= side->used) continue;
                    oldest = side;
                    shape = &entry->shape;
                    which = color;
                }
        }
        if (oldest == NULL) return;
        unload(store, shape, oldest, which);
    }
}

static const Solved *find_locked(Store *store, const Material *m, uint64_t slice, int color,
                                 const Shape **shape, int *lane)
{
    char name[MATERIAL_NAME_SIZE];
    Entry *entry = store_find_entry(store, m);
    if (entry == NULL || entry->unit_of[slice] == NO_UNIT) {
        material_name(m, name);
        fail(&store->error, TREB_ERR_NO_TABLE, "a smaller ending has not been solved:", name);
        return NULL;
    }
    Side *side = &entry->unit[entry->unit_of[slice]]->side[color];
    side->references++;
    side->used = ++store->clock;
    if (side->solved.code[color] == NULL) {
        if (!side->filed || !side_read(entry, side, color)) {
            material_name(m, name);
            side->references--;
            fail(&store->error, TREB_ERR_DAMAGED, "cannot read back the scratch file of", name);
            return NULL;
        }
        store->loaded += entry->shape.cells * sizeof(Plies);
        store_trim(store);
    }
    *shape = &entry->shape;
    *lane = entry->lane_of[slice];
    return &side->solved;
}

static const Solved *source_find(void *context, const Material *m, uint64_t slice, int side,
                                 const Shape **shape, int *lane)
{
    const Solved *solved;
#pragma omp critical(store)
    solved = find_locked(context, m, slice, side, shape, lane);
    return solved;
}

static void source_release(void *context, const Solved *solved)
{
    (void)context;
    Side *side = (Side *)(void *)((char *)(uintptr_t)solved - offsetof(Side, solved));
#pragma omp critical(store)
    side->references--;
}

SolvedSource store_source(Store *store)
{
    return (SolvedSource){store, source_find, source_release};
}

void store_error(Store *store, treb_error *error) { *error = store->error; }

/* ---- tables in the works --------------------------------------------------------------------- */

StoreTable *store_begin(Store *store, const Shape *shape, unsigned seniors, treb_error *error)
{
    StoreTable *table = calloc(1, sizeof *table);
    Entry *entry = entry_new(&shape->material);
    if (table == NULL || entry == NULL || !store_add_entry(store, entry)) {
        free(table);
        entry_free(entry);
        fail(error, TREB_ERR_MEMORY, "out of memory", "");
        return NULL;
    }
    table->store = store;
    table->entry = entry;
    table->seniors = entry->sides = seniors;
    for (int color = 0; color < 2; color++)
        table->wanted[color] = shape->material.count[!color][TREB_PAWN] > 0;
    if (!seniors) return table;
    char path[4200];
    entry_path(store, &shape->material, path, sizeof path);
    snprintf(table->temporary, sizeof table->temporary, "%.4000s.tmp-%ld", path, (long)getpid());
    mkdir(store->directory, 0777);
    entry->file = open(table->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (entry->file >= 0) return table;
    fail(error, TREB_ERR_IO, "write", table->temporary);
    treb_error ignored;
    store_end(table, false, &ignored);
    return NULL;
}

/* Copies the codes of one side. */
static bool side_fill(const StoreTable *table, Side *side, int color, const Slice *slice)
{
    const Shape *shape = slice->shape;
    Solved *s = &side->solved;
    s->code[color] = malloc(shape->cells * sizeof(Plies));
    if (slice->cursed) s->cursed[color] = malloc(shape->words * sizeof(uint64_t));
    size_t set = shape->words * sizeof(uint64_t);
    s->legal[color] = malloc(set);
    if (s->code[color] == NULL || s->legal[color] == NULL) return false;
    if (slice->cursed && s->cursed[color] == NULL) return false;
    memcpy(s->legal[color], slice->legal[color], set);
    enum { PART = 4096 };
#pragma omp parallel for
    for (size_t w = 0; w < shape->words; w += PART) {
        size_t words = shape->words - w < PART ? shape->words - w : PART;
        slice_codes(slice, color, w, words, s->code[color] + 64 * w);
        for (size_t i = w; i < w + words && slice->cursed; i++)
            s->cursed[color][i] = slice_cursed(slice, color, i);
    }
    if (!table->wanted[color]) return true;
    const Plies *dtc = slice->distance[TREB_DTC][color];
    s->stalemate[color] = malloc(set);
    if (s->stalemate[color] == NULL) return false;
    memcpy(s->stalemate[color], slice->stalemate[color], set);
    if (dtc == NULL) return true;
    s->dtc[color] = malloc(shape->cells * sizeof(Plies));
    if (s->dtc[color]) memcpy(s->dtc[color], dtc, shape->cells * sizeof(Plies));
    return s->dtc[color] != NULL;
}

/* A slice too large to be kept goes to the file at once, without a copy. */
static treb_status put_large(StoreTable *table, const uint64_t *number, const Slice *slice,
                             treb_error *error)
{
    Unit *unit = entry_add(table->entry, number, slice->lanes);
    if (unit == NULL) return fail(error, TREB_ERR_MEMORY, "out of memory", "");
    unit->level = table->level;
    for (int color = 0; color < 2; color++)
        if (table->seniors >> color & 1 &&
            !side_write(table->entry, &unit->side[color], color, slice))
            return fail(error, TREB_ERR_IO, "write", table->temporary);
    return TREB_OK;
}

treb_status store_put(StoreTable *table, const uint64_t *number, const Slice *slice,
                      treb_error *error)
{
    Side filled[2];
    uint64_t bytes = 2 * slice->shape->cells * sizeof(Plies);
    if (!slice->shape->pawns && bytes > table->store->budget / 2)
        return put_large(table, number, slice, error);
    memset(filled, 0, sizeof filled);
    bool ok = true;
    for (int color = 0; color < 2; color++)
        if (table->wanted[color] || table->seniors >> color & 1)
            ok = ok && side_fill(table, &filled[color], color, slice);
#pragma omp critical(store)
    {
        Unit *unit = entry_add(table->entry, number, slice->lanes);
        ok = ok && unit != NULL;
        if (unit) {
            unit->level = table->level;
            memcpy(unit->side, filled, sizeof filled);
            for (int color = 0; color < 2; color++)
                if (filled[color].solved.code[color])
                    table->store->loaded += slice->shape->cells * sizeof(Plies);
        }
    }
    return ok ? TREB_OK : fail(error, TREB_ERR_MEMORY, "out of memory", "");
}

/* Files and frees the units of levels below `level`. */
static treb_status spill(StoreTable *table, int level, treb_error *error)
{
    Entry *entry = table->entry;
    for (uint32_t u = 0; u < entry->units; u++) {
        Unit *unit = entry->unit[u];
        if (unit->level >= level) continue;
        for (int color = 0; color < 2; color++) {
            Side *side = &unit->side[color];
            if (side->solved.code[color] == NULL) continue;
            bool kept = table->seniors >> color & 1;
            if (kept && !side->filed && !side_write(entry, side, color, NULL))
                return fail(error, TREB_ERR_IO, "write", table->temporary);
            free(side->solved.dtc[color]);
            free(side->solved.stalemate[color]);
            side->solved.dtc[color] = NULL;
            side->solved.stalemate[color] = NULL;
            if (!kept || table->store->loaded > table->store->budget)
                unload(table->store, &entry->shape, side, color);
        }
    }
    return TREB_OK;
}

treb_status store_level(StoreTable *table, treb_error *error)
{
    table->level++;
    return spill(table, table->level - KEEP_LEVELS, error);
}

static void drop_entry(Store *store, Entry *entry)
{
    for (uint32_t u = 0; u < entry->units; u++)
        for (int color = 0; color < 2; color++)
            unload(store, &entry->shape, &entry->unit[u]->side[color], color);
    for (size_t i = 0; i < store->entries; i++)
        if (store->entry[i] == entry) store->entry[i] = store->entry[--store->entries];
    entry_free(entry);
}

treb_status store_end(StoreTable *table, bool complete, treb_error *error)
{
    Store *store = table->store;
    Entry *entry = table->entry;
    treb_status status = TREB_OK;
    bool keep = complete && table->seniors;
    if (keep) {
        char path[4200];
        entry_path(store, &entry->shape.material, path, sizeof path);
        status = spill(table, table->level + 1, error);
        if (status == TREB_OK && (!entry_write_list(entry) || rename(table->temporary, path) != 0))
            status = fail(error, TREB_ERR_IO, "write", path);
        entry->complete = status == TREB_OK;
    }
    if (!entry->complete) {
        if (table->temporary[0]) unlink(table->temporary);
        drop_entry(store, entry);
    }
    free(table);
    store_trim(store);
    return status;
}
