/* store.c - see store.h. */
#include "gen/store/store.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/system.h"
#include "gen/store/scratch.h"

enum { KEEP_LEVELS = 2 /* a double push leads two levels on */ };

struct StoreTable {
    Store *store;
    StoreEntry *entry[1 + SUBSETS]; /* for whole slices, and for subsets that other tables read */
    unsigned parents;               /* what other tables read */
    bool wanted[2];                 /* by side to move: pushes read it */
    int level;
};

struct Store {
    ScratchFolder folder;
    MemoryBudget *budget;
    uint64_t held, limit; /* bytes of slices in memory; the most there may be */
    uint64_t clock;       /* counts uses */
    bool pushes_in_file;  /* slices for pushes are read plane by plane */
    StoreEntry **entry;
    size_t entries;
};

/* ---- Entries --------------------------------------------------------------------------------- */

/* Returns the entry with the wanted subset or, if `wanted` is no subset, with whole slices. */
static StoreEntry *store_find_entry(const Store *store, const Material *m, unsigned wanted)
{
    for (size_t i = 0; i < store->entries; i++) {
        StoreEntry *entry = store->entry[i];
        bool right = wanted >= WANT_SUBSET ? entry->wanted == wanted : entry->wanted < WANT_SUBSET;
        if (right && material_equal(&entry->layout.material, m)) return entry;
    }
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

static void unload(Store *store, const StoreEntry *entry, StoredSide *side)
{
    assert(stored_side_bytes(entry, side) <= store->held && side->references == 0);
    store->held -= stored_side_bytes(entry, side);
    for (int part = 0; part < PARTS; part++) part_unload(side, part);
}

static void drop_entry(Store *store, StoreEntry *entry)
{
    for (uint32_t b = 0; b < entry->groups; b++)
        for (int color = 0; color < 2; color++) unload(store, entry, &entry->group[b]->side[color]);
    for (size_t i = 0; i < store->entries; i++)
        if (store->entry[i] == entry) store->entry[i] = store->entry[--store->entries];
    entry_free(entry);
}

/* ---- The store ------------------------------------------------------------------------------- */

Store *store_new(const char *directory, StoredValues values, MemoryBudget *budget)
{
    Store *store = calloc(1, sizeof *store);
    if (store == NULL) return NULL;
    scratch_folder_name(&store->folder, directory, values);
    store->budget = budget;
    return store;
}

void store_free(Store *store)
{
    if (store == NULL) return;
    for (size_t i = 0; i < store->entries; i++) entry_free(store->entry[i]);
    free(store->entry);
    free(store);
}

/* Opens a scratch file that has those sides or that subset; NULL if there is none. */
static StoreEntry *open_file(const Store *store, const Material *material, unsigned wanted)
{
    char path[SCRATCH_PATH];
    scratch_folder_file(&store->folder, material, wanted, path);
    StoreEntry *entry = entry_open(path, material, wanted, store->budget);
    if (entry == NULL || (wanted & ~entry->wanted) == 0) return entry;
    entry_free(entry);
    return NULL;
}

/* Returns what file number `number` is wanted for: 0 for the sides, then one for each subset. 0: not wanted. */
static unsigned wanted_file(unsigned wanted, int number)
{
    return number == 0 ? wanted & WANT_SIDES : wanted & (unsigned)WANT_SUBSET << (number - 1);
}

static bool has_file(Store *store, const Material *material, unsigned wanted)
{
    StoreEntry *entry = store_find_entry(store, material, wanted);
    if (entry) return entry->complete && (wanted & ~entry->wanted) == 0;
    entry = open_file(store, material, wanted);
    if (entry != NULL && store_add_entry(store, entry)) return true;
    entry_free(entry);
    return false;
}

bool store_has(Store *store, const Material *material, unsigned wanted)
{
    for (int i = 0; i <= SUBSETS; i++)
        if (wanted_file(wanted, i) && !has_file(store, material, wanted_file(wanted, i)))
            return false;
    return true;
}

bool store_left(const char *directory, StoredValues values, const Material *material, unsigned wanted)
{
    Store store = {0};
    bool left = true;
    scratch_folder_name(&store.folder, directory, values);
    for (int i = 0; i <= SUBSETS && left; i++) {
        if (!wanted_file(wanted, i)) continue;
        StoreEntry *entry = open_file(&store, material, wanted_file(wanted, i));
        left = entry != NULL;
        entry_free(entry);
    }
    return left;
}

/* Returns the side in memory, not in use, whose last use is longest ago; NULL: none. */
static StoredSide *find_oldest(const Store *store, StoreEntry **of, int *color)
{
    StoredSide *oldest = NULL;
    for (size_t i = 0; i < store->entries; i++) {
        StoreEntry *entry = store->entry[i];
        for (uint32_t b = 0; b < entry->groups; b++)
            for (int c = 0; c < 2; c++) {
                StoredSide *side = &entry->group[b]->side[c];
                if (side->references || stored_side_bytes(entry, side) == 0) continue;
                if (oldest && oldest->used <= side->used) continue;
                oldest = side;
                *of = entry;
                *color = c;
            }
    }
    return oldest;
}

/* Writes the path of the file of an entry that is not complete. */
static void unfinished_path(const Store *store, const StoreEntry *entry, char out[SCRATCH_PATH + 32])
{
    char path[SCRATCH_PATH];
    scratch_folder_file(&store->folder, &entry->layout.material, entry->wanted, path);
    if (entry->persistent)
        snprintf(out, SCRATCH_PATH + 32, "%s.part", path);
    else
        snprintf(out, SCRATCH_PATH + 32, "%s" IO_TEMPORARY "%ld", path, system_process());
}

/* Creates the file of an entry if it has none. */
static treb_status create_file(const Store *store, StoreEntry *entry, treb_error *error)
{
    char path[SCRATCH_PATH + 32];
    if (entry->spill.file >= 0) return TREB_OK;
    treb_status status = scratch_folder_make(&store->folder, error);
    if (status != TREB_OK) return status;
    if (entry->nameless)
        return spill_create(&entry->spill, NULL, store->folder.path, scratch_mark, error);
    unfinished_path(store, entry, path);
    return spill_create(&entry->spill, path, NULL, scratch_mark, error);
}

/* Writes to the file what a side has only in memory. */
static treb_status side_write(const Store *store, StoreEntry *entry, StoredSide *side, int color,
                              treb_error *error)
{
    treb_status status = create_file(store, entry, error);
    for (int part = 0; part < PARTS && status == TREB_OK; part++)
        if (side->kept[part] && !side->chunk[part])
            status = part_write(entry, side, color, part, NULL, error);
    return status;
}

/* Unloads sides that are not in use until `bytes` more bytes are within the limit. */
static treb_status make_room(Store *store, uint64_t bytes, treb_error *error)
{
    while (store->held + bytes > store->limit) {
        StoreEntry *entry;
        int color;
        StoredSide *oldest = find_oldest(store, &entry, &color);
        if (oldest == NULL) return TREB_OK;
        treb_status status = side_write(store, entry, oldest, color, error);
        if (status != TREB_OK) return status;
        unload(store, entry, oldest);
    }
    return TREB_OK;
}

treb_status store_set_limit(Store *store, uint64_t bytes, treb_error *error)
{
    store->limit = bytes;
    return make_room(store, 0, error);
}

void store_set_pushes_in_file(Store *store, bool file) { store->pushes_in_file = file; }

bool store_pushes_in_file(const Store *store) { return store->pushes_in_file; }

/* ---- The provider of slices --------------------------------------------------------------- */

static const Layout *provide_layout(void *context, const Material *m, unsigned wanted)
{
    const StoreEntry *entry = wanted ? store_find_entry(context, m, wanted) : NULL;
    if (entry == NULL) entry = store_find_entry(context, m, 0);
    return entry != NULL ? &entry->layout : NULL;
}

static treb_status fail_unsolved(const StoreEntry *entry, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(&entry->layout.material, name);
    return fail(error, TREB_ERR_NO_TABLE, "a slice of %s has not been solved", name);
}

static treb_status provide_locked(Store *store, StoreEntry *entry, uint64_t slice, int color,
                                  bool push, const SolvedArrays **solved, treb_error *error)
{
    if (entry->group_of[slice] == NO_GROUP) return fail_unsolved(entry, error);
    StoredSide *side = &entry->group[entry->group_of[slice]]->side[color];
    side->used = ++store->clock;
    side->references++;
    *solved = &side->solved;
    /* Several subsets are in use at once, in addition to what the memory estimate has counted. */
    const bool large = entry->subset.squares > 0 &&
                       part_cost(entry, side->format, PART_VALUES) > store->limit / (2 * SUBSETS);
    const bool in_file = push && store->pushes_in_file && side->chunk[PART_VALUES] != NULL &&
                         side->chunk[PART_PUSHES] != NULL;
    const bool by_plane = (large || in_file) && side->kept[PART_VALUES] == NULL;
    /* Other threads read it without a lock. It does not change while they do. */
    if (side->solved.by_plane != by_plane) side->solved.by_plane = by_plane;
    treb_status status = TREB_OK;
    for (int part = 0; part < (push ? PARTS : 1) && status == TREB_OK; part++) {
        if (side->kept[part] != NULL || side->solved.by_plane) continue;
        if (side->chunk[part] == NULL) {
            status = fail_unsolved(entry, error);
            continue;
        }
        uint64_t cost = part_cost(entry, side->format, part);
        status = make_room(store, cost, error);
        if (status == TREB_OK) status = part_read(entry, side, color, part, error);
        if (status == TREB_OK) store->held += cost;
    }
    if (status != TREB_OK) side->references--;
    return status;
}

static treb_status provide_slice(void *context, const Layout *layout, uint64_t slice, int side,
                                 bool push, const SolvedArrays **solved, int *lane,
                                 treb_error *error)
{
    /* The layout is its first member. */
    StoreEntry *entry = (StoreEntry *)(void *)(uintptr_t)layout;
    treb_status status;
#pragma omp critical(store)
    {
        status = provide_locked(context, entry, slice, side, push, solved, error);
        *lane = entry->lane_of[slice];
    }
    return status;
}

static StoredSide *side_of(const SolvedArrays *solved)
{
    return (StoredSide *)(void *)((char *)(uintptr_t)solved - offsetof(StoredSide, solved));
}

static treb_status provide_plane(void *context, const Layout *layout, const SolvedArrays *solved,
                                 int side, uint32_t plane, bool push, SolvedBuffer *buffer,
                                 SolvedArrays *out, treb_error *error)
{
    (void)context;
    /* The layout is its first member. */
    const StoreEntry *entry = (const StoreEntry *)(const void *)layout;
    return plane_fetch(entry, side_of(solved), side, plane, push, buffer, out, error);
}

static void release_slice(void *context, const SolvedArrays *solved)
{
    (void)context;
    StoredSide *side = side_of(solved);
#pragma omp critical(store)
    {
        assert(side->references > 0);
        side->references--;
    }
}

SliceProvider store_provider(Store *store)
{
    return (SliceProvider){store, provide_layout, provide_slice, release_slice, provide_plane};
}

/* ---- Tables being made ---------------------------------------------------------------------- */

static treb_status put_entry(const Store *store, StoreEntry *entry, State *state, treb_error *error)
{
    treb_status status = TREB_OK;
    for (uint32_t b = 0; b < entry->groups; b++)
        for (int color = 0; color < 2 && status == TREB_OK; color++)
            status = side_write(store, entry, &entry->group[b]->side[color], color, error);
    if (status == TREB_OK) status = spill_sync(&entry->spill, error);
    state_put(state, entry->spill.file >= 0);
    entry_put(entry, state);
    return status;
}

/* Restores an entry, opens its file again if it had one, and removes what was appended later. */
static bool get_entry(const Store *store, StoreEntry *entry, State *state)
{
    char path[SCRATCH_PATH + 32];
    bool in_file = state_get_most(state, 1);
    if (!entry_get(entry, state)) return false;
    unfinished_path(store, entry, path);
    return !in_file || spill_resume(&entry->spill, path, atomic_load(&entry->spill.end));
}

/* Creates an entry of a table in the store: with a new file if other tables will read it, or as an earlier run has
 * put it. */
static treb_status begin_entry(Store *store, const Material *material, unsigned wanted,
                               const Promoted *read, const Processes *partitioned, bool persistent,
                               State *state, StoreEntry **out, treb_error *error)
{
    StoreEntry *entry = entry_new(material, wanted, store->budget);
    const bool parts = read != NULL && wanted < WANT_SUBSET;
    if (entry == NULL || !entry_divide(entry, partitioned) || (parts && !entry_restrict(entry, read)) ||
        !store_add_entry(store, entry)) {
        entry_free(entry);
        return fail_memory(error);
    }
    *out = entry;
    entry->persistent = persistent;
    entry->nameless = read != NULL;
    if (state == NULL)
        return wanted && read == NULL ? create_file(store, entry, error) : TREB_OK;
    if (get_entry(store, entry, state)) return TREB_OK;
    return fail(error, TREB_ERR_DAMAGED, "the checkpoint of an earlier run is damaged");
}

StoreTable *store_begin(Store *store, const Layout *layout, unsigned parents, const Promoted *read,
                        const Processes *partitioned, bool persistent, State *state,
                        treb_error *error)
{
    StoreTable *table = calloc(1, sizeof *table);
    if (table == NULL) {
        fail_memory(error);
        return NULL;
    }
    table->store = store;
    table->parents = parents;
    for (int color = 0; color < 2; color++)
        table->wanted[color] = read == NULL && layout->material.count[!color][TREB_PAWN] > 0;
    const size_t before = store->entries;
    treb_status status = TREB_OK;
    for (int i = 0; i <= SUBSETS && status == TREB_OK; i++)
        if (i == 0 || wanted_file(parents, i))
            status = begin_entry(store, &layout->material, wanted_file(parents, i), read, partitioned,
                                 persistent, state, &table->entry[i], error);
    if (status == TREB_OK) return table;
    while (store->entries > before) drop_entry(store, store->entry[store->entries - 1]);
    free(table);
    return NULL;
}

treb_status store_table_put(StoreTable *table, State *state, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int i = 0; i <= SUBSETS && status == TREB_OK; i++)
        if (table->entry[i] != NULL)
            status = put_entry(table->store, table->entry[i], state, error);
    return status;
}

treb_status store_saved_path(const Store *store, const Material *material, char path[SCRATCH_PATH],
                             treb_error *error)
{
    scratch_folder_saved(&store->folder, material, path);
    return scratch_folder_make(&store->folder, error);
}

void store_forget_saved(const Store *store, const Material *material)
{
    scratch_folder_forget(&store->folder, material);
}

void store_forget(Store *store, const Material *material)
{
    for (size_t i = store->entries; i-- > 0;)
        if (material_equal(&store->entry[i]->layout.material, material))
            drop_entry(store, store->entry[i]);
    store_forget_saved(store, material);
}

/* ---- Slices ---------------------------------------------------------------------------------- */

static bool side_wanted(const StoreTable *table, int color)
{
    return table->wanted[color] || table->parents >> color & 1;
}

/* Writes slices that have no copy in memory to the file: the given sides, and PART_PUSHES of those in
 * `pushes`. */
static treb_status put_files(StoreTable *table, StoreEntry *entry, const uint64_t *number,
                             const SolvedSlice *slice, unsigned sides, unsigned pushes,
                             treb_error *error)
{
    StoredGroup *group;
    treb_status status = TREB_OK;
#pragma omp critical(store)
    {
        status = create_file(table->store, entry, error);
        group = status == TREB_OK ? entry_group(entry, number, slice->lanes) : NULL;
        if (group == NULL && status == TREB_OK) status = fail_memory(error);
    }
    for (int color = 0; color < 2 && status == TREB_OK; color++) {
        if (sides >> color & 1)
            status = part_write(entry, &group->side[color], color, PART_VALUES, slice, error);
        if (status == TREB_OK && (pushes >> color & 1))
            status = part_write(entry, &group->side[color], color, PART_PUSHES, slice, error);
    }
    if (group != NULL) group->level = table->level;
    return status;
}

/* Returns the bytes that a copy of sides of a slice takes in memory. */
static uint64_t copy_cost(const StoreTable *table, const SolvedSlice *slice, unsigned sides)
{
    const StoredFormat format = stored_format(slice);
    uint64_t bytes = 0;
    for (int color = 0; color < 2; color++) {
        if (!(sides >> color & 1)) continue;
        if (side_wanted(table, color)) bytes += part_cost(table->entry[0], format, PART_VALUES);
        if (table->wanted[color]) bytes += part_cost(table->entry[0], format, PART_PUSHES);
    }
    return bytes;
}

/* Makes room for a copy in memory and counts it as held. Sets `*copied` to false if there shall be no copy: if slices
 * for pushes are in the file; and for slices without pawns, which nothing reads while the table is solved, if there
 * is no room or the copy would take more than half of it. */
static treb_status reserve(const StoreTable *table, const SolvedSlice *slice, uint64_t bytes,
                           bool *copied, treb_error *error)
{
    Store *store = table->store;
    const bool pawns = slice->layout->pawns,
               large = pawns ? store->pushes_in_file : bytes > store->limit / 2;
    treb_status status = large ? TREB_OK : make_room(store, bytes, error);
    *copied = !large && (pawns || store->held + bytes <= store->limit);
    if (status == TREB_OK && *copied) store->held += bytes;
    return status;
}

/* Keeps a copy in memory, of `bytes` bytes that are counted as held already. */
static treb_status put_copy(StoreTable *table, const uint64_t *number, const SolvedSlice *slice,
                            unsigned sides, uint64_t bytes, treb_error *error)
{
    StoredSide filled[2];
    bool ok;
    treb_status status = TREB_OK;
    memset(filled, 0, sizeof filled);
    for (int color = 0; color < 2 && status == TREB_OK; color++)
        if (side_wanted(table, color) && sides >> color & 1)
            status = side_fill(table->entry[0], &filled[color], color, slice, table->wanted[color],
                               error);
#pragma omp critical(store)
    {
        StoredGroup *group =
            status == TREB_OK ? entry_group(table->entry[0], number, slice->lanes) : NULL;
        ok = group != NULL;
        if (ok) {
            group->level = table->level;
            for (int color = 0; color < 2; color++) {
                if (!(sides >> color & 1)) continue;
                filled[color].used = ++table->store->clock;
                const SolvedArrays *solved = &group->side[color].solved;
                filled[color].solved.place = solved->place;
                filled[color].solved.step = solved->step;
                filled[color].solved.plane_cells = solved->plane_cells;
                group->side[color] = filled[color];
            }
        } else {
            table->store->held -= bytes;
        }
    }
    for (int i = 0; i < 2 * PARTS && !ok; i++) part_unload(&filled[i / PARTS], i % PARTS);
    return ok || status != TREB_OK ? status : fail_memory(error);
}

treb_status store_put(StoreTable *table, const uint64_t *number, const SolvedSlice *slice,
                      unsigned sides, treb_error *error)
{
    treb_status status = TREB_OK;
    for (int i = 1; i <= SUBSETS && status == TREB_OK; i++)
        if (table->entry[i] != NULL)
            status = put_files(table, table->entry[i], number, slice,
                               wanted_sides(table->entry[i]->wanted) & sides, 0, error);
    uint64_t bytes = copy_cost(table, slice, sides);
    bool copied;
    if (status != TREB_OK || bytes == 0) return status;
#pragma omp critical(store)
    status = reserve(table, slice, bytes, &copied, error);
    if (status != TREB_OK) return status;
    if (copied) return put_copy(table, number, slice, sides, bytes, error);
    const unsigned pushes = sides & (table->wanted[0] | (unsigned)table->wanted[1] << 1);
    return put_files(table, table->entry[0], number, slice,
                     (table->parents & WANT_SIDES & sides) | pushes, pushes, error);
}

/* Writes a side that no push will read any more to the file, or frees it if no other table will read it. */
static treb_status side_retire(StoreTable *table, StoredSide *side, int color, treb_error *error)
{
    Store *store = table->store;
    StoreEntry *entry = table->entry[0];
    bool parents = table->parents >> color & 1;
    treb_status status = TREB_OK;
    if (side->kept[PART_VALUES] && parents && !side->chunk[PART_VALUES])
        status = part_write(entry, side, color, PART_VALUES, NULL, error);
    if (status != TREB_OK) return status;
    store->held -= stored_side_bytes(entry, side);
    part_unload(side, PART_PUSHES);
    free(side->chunk[PART_PUSHES]);
    side->chunk[PART_PUSHES] = NULL;
    if (!parents || store->held + stored_side_bytes(entry, side) > store->limit)
        part_unload(side, PART_VALUES);
    store->held += stored_side_bytes(entry, side);
    return status;
}

/* Does so with all groups of levels below `level`. */
static treb_status retire(StoreTable *table, int level, treb_error *error)
{
    const StoreEntry *entry = table->entry[0];
    treb_status status = TREB_OK;
    for (uint32_t b = 0; b < entry->groups; b++)
        for (int color = 0; color < 2 && status == TREB_OK; color++)
            if (entry->group[b]->level < level)
                status = side_retire(table, &entry->group[b]->side[color], color, error);
    return status;
}

treb_status store_level(StoreTable *table, int level, treb_error *error)
{
    table->level = level;
    return retire(table, table->level - KEEP_LEVELS, error);
}

/* Completes a file and gives it its name. */
static treb_status entry_complete(const Store *store, StoreEntry *entry, treb_error *error)
{
    char path[SCRATCH_PATH];
    entry->complete = entry->nameless;
    if (entry->nameless) return TREB_OK;
    treb_status status = entry_write_list(entry, error);
    if (status != TREB_OK) return status;
    scratch_folder_file(&store->folder, &entry->layout.material, entry->wanted, path);
    if (!system_rename(entry->spill.path, path)) return fail_errno(error, "write", path);
    snprintf(entry->spill.path, sizeof entry->spill.path, "%s", path);
    entry->complete = true;
    return TREB_OK;
}

/* Ends an entry of a table that is complete or given up. */
static treb_status end_entry(Store *store, StoreEntry *entry, bool complete, treb_error *error)
{
    treb_status status = TREB_OK;
    if (complete && entry->wanted) status = entry_complete(store, entry, error);
    if (entry->complete) return status;
    /* The files of a persistent table are of use to a later run. */
    if (!entry->persistent) spill_remove(&entry->spill);
    drop_entry(store, entry);
    return status;
}

treb_status store_end(StoreTable *table, bool complete, treb_error *error)
{
    Store *store = table->store;
    treb_status status = TREB_OK;
    if (complete && !table->entry[0]->nameless) status = retire(table, table->level + 1, error);
    for (int i = 0; i <= SUBSETS; i++) {
        treb_error mine;
        if (table->entry[i] == NULL) continue;
        treb_status own = end_entry(store, table->entry[i], complete && status == TREB_OK, &mine);
        if (status != TREB_OK || own == TREB_OK) continue;
        status = own;
        *error = mine;
    }
    free(table);
    return status;
}

/* ---- How much memory ------------------------------------------------------------------------ */

uint64_t store_side_memory(const Layout *layout, unsigned wanted, bool pushes, const Promoted *read, unsigned metrics,
                           const Processes *partitioned)
{
    /* Only tables of six or more men have distances that take two bytes. */
    const bool dtc = metrics >> TREB_DTC & 1, distances = dtc || metrics >> TREB_DTM & 1,
               many = material_men(&layout->material) > PLIES_BYTE_MEN;
    const StoredFormat format = {true, distances && many, dtc};
    StoreEntry entry = entry_layout(layout, wanted);
    PartitionSize planes;
    uint64_t bytes = 0;
    if (read != NULL) entry_resize(&entry, read);
    if (partitioned != NULL && partition_largest(layout, partitioned, &planes))
        entry.planes = planes.own;
    /* Subsets can be read plane by plane. */
    if (entry.subset.squares == 0) bytes += part_cost(&entry, format, PART_VALUES);
    if (pushes) bytes += part_cost(&entry, format, PART_PUSHES);
    return bytes;
}

uint64_t store_write_memory(const Layout *layout, int threads)
{
    return part_write_cost(layout, threads);
}
