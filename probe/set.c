/* set.c - see set.h. */
#include "probe/set.h"

#include <stdlib.h>
#include <string.h>

#include "core/format/table_pawn.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "probe/address.h"
#include "probe/file_fetch.h"
#include "probe/found_files.h"

/* ---- Failures -------------------------------------------------------------------------------- */

static Material canonical_material(const treb_position *pos)
{
    Material material = material_of_position(pos);
    material_canonical(&material);
    return material;
}

static treb_status fail_missing(const Material *material, treb_metric metric, treb_error *error)
{
    char file[TABLE_NAME_SIZE], name[MATERIAL_NAME_SIZE];
    if (error == NULL) return TREB_ERR_NO_TABLE;
    table_file_name(material, metric, file);
    material_name(material, name);
    fail(error, TREB_ERR_NO_TABLE, "%s is not installed", file);
    return fail_missing_table(error, name, metric);
}

int set_fail_missing(const treb_position *pos, treb_metric metric, treb_error *error)
{
    if (error == NULL) return -(int)TREB_ERR_NO_TABLE;
    Material material = canonical_material(pos);
    return -(int)fail_missing(&material, metric, error);
}

int set_fail_contradiction(const treb_position *pos, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    Material material = canonical_material(pos);
    material_name(&material, name);
    return -(int)fail(error, TREB_ERR_DAMAGED, "the tables of %s contradict each other", name);
}

/* ---- From materials to files ----------------------------------------------------------------- */

/* Adds a material to the hash table. */
static void add_place(treb_tables *set, const SetEntry *entry, bool swapped)
{
    Material material = swapped ? material_swap(&entry->material) : entry->material;
    uint64_t key = set_key_of_material(&material);
    size_t at = set_hash(set, key);
    while (set->places[at].entry != NULL) at = (at + 1) & set->mask;
    set->places[at] = (SetPlace){key, entry, swapped};
}

/* Finds the entry of a material, or adds one. */
static SetEntry *entry_of(treb_tables *set, const Material *material)
{
    for (size_t i = set->entry_count; i-- > 0;)
        if (material_equal(&set->entries[i].material, material)) return &set->entries[i];
    SetEntry *entry = &set->entries[set->entry_count++];
    *entry = (SetEntry){.material = *material, .symmetric = material_symmetric(material)};
    return entry;
}

static void add_entries(treb_tables *set)
{
    static const char *const drawn[] = {"KvK", "KNvK", "KBvK"};
    Material material;
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        material_parse(drawn[i], &material);
        entry_of(set, &material)->drawn = true;
    }
    /* Files are sorted, so that the files of one material follow each other: entry_of finds the
     * last entry first. */
    for (size_t i = 0; i < set->file_count; i++) {
        ProbeFile *file = &set->files[i];
        SetEntry *entry = entry_of(set, &file->material);
        ProbeFile **place = &entry->file[file->metric];
        if (!entry->drawn && (*place == NULL || file->format == set->first)) *place = file;
    }
    for (size_t i = 0; i < set->entry_count; i++) {
        add_place(set, &set->entries[i], false);
        if (!set->entries[i].symmetric) add_place(set, &set->entries[i], true);
    }
}

/* Makes the entries and the hash table of a set whose files are there. False: out of memory. */
static bool build(treb_tables *set)
{
    size_t most = set->file_count + 3, places = 16;
    set->shift = 60;
    /* At most a quarter of the places are used, so that nearly every search ends at the first. */
    for (; places < 8 * most; places *= 2) set->shift--;
    set->mask = places - 1;
    set->entries = (SetEntry *)calloc(most, sizeof *set->entries);
    set->places = (SetPlace *)calloc(places, sizeof *set->places);
    if (set->entries == NULL || set->places == NULL) return false;
    add_entries(set);
    return true;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

/* Makes the files of the set from a list. *count says how many have been initialised. */
static bool adopt_list(treb_tables *set, const FileList *list, ProbeFile **files, size_t *count)
{
    *files = (ProbeFile *)calloc(list->count + 1, sizeof **files);
    if (*files == NULL) return false;
    for (; *count < list->count; ++*count)
        if (!file_init(&(*files)[*count], &list->files[*count], set->pool)) return false;
    return true;
}

/* Moves all that was found into the set. False: out of memory. */
static bool adopt(treb_tables *set, FoundFiles *found)
{
    found_sort(found);
    bool pawns = adopt_list(set, &found->pawn_files, &set->pawn_files, &set->pawn_file_count);
    bool tables = adopt_list(set, &found->tables, &set->files, &set->file_count);
    set->pool->faulty =
        (ProbeFile **)calloc(set->file_count + set->pawn_file_count + 1, sizeof *set->pool->faulty);
    return pawns && tables && set->pool->faulty != NULL && build(set);
}

/* An empty set, with room for sources. NULL: out of memory. */
static treb_tables *new_set(size_t sources)
{
    treb_tables *set = (treb_tables *)calloc(1, sizeof *set);
    ProbePool *pool = (ProbePool *)calloc(1, sizeof *pool);
    if (set != NULL && pool != NULL && pool_init(pool)) {
        set->pool = pool;
        set->waiting = (ProbeReader){.set = set, .wait = WAIT_FOR_ALL};
        pool->sources = (treb_source *)calloc(sources + 1, sizeof *pool->sources);
        if (pool->sources != NULL) return set;
        treb_tables_close(set);
        return NULL;
    }
    free(pool);
    free(set);
    return NULL;
}

/* Gives the set a source, which the pool closes from now on, and adds the files that it lists. */
static treb_status add_source(treb_tables *set, const treb_source *source, FoundFiles *found,
                              treb_error *error)
{
    ProbePool *pool = set->pool;
    set->waiting.wait = WAIT_LOCAL_ONLY;
    pool->sources[pool->source_count] = *source;
    return found_add_source(found, &pool->sources[pool->source_count++], error);
}

/* Adds the files of a place: a source, a directory, or the address of a server. */
static treb_status add_files_of(treb_tables *set, const treb_source *place, FoundFiles *found,
                                treb_error *error)
{
    treb_source source;
    if (place->list != NULL) return add_source(set, place, found, error);
    if (!io_is_address(place->name)) return found_add_directory(found, place->name, error);
    treb_status status = address_open(place->name, &source, error);
    return status == TREB_OK ? add_source(set, &source, found, error) : status;
}

/* Closes sources that no set has. */
static void close_sources(const treb_source *sources, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sources[i].list != NULL) sources[i].close(sources[i].context);
}

static treb_tables *open_places(const treb_source *places, size_t count, treb_format first,
                                treb_error *error)
{
    FoundFiles found = {0};
    treb_status status = TREB_OK;
    treb_tables *set = new_set(count);
    if (set == NULL) {
        fail_memory(error);
        close_sources(places, count);
        return NULL;
    }
    set->first = first;
    for (size_t i = 0; i < count; i++)
        if (status == TREB_OK)
            status = add_files_of(set, &places[i], &found, error);
        else
            close_sources(&places[i], 1);
    bool adopted = status == TREB_OK && adopt(set, &found);
    found_free(&found);
    if (adopted) return set;
    if (status == TREB_OK) fail_memory(error);
    treb_tables_close(set);
    return NULL;
}

treb_tables *set_open(const char *const *directories, size_t count, treb_format first,
                      treb_error *error)
{
    treb_source *places = (treb_source *)calloc(count + 1, sizeof *places);
    if (places == NULL) {
        fail_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) places[i].name = directories[i];
    treb_tables *set = open_places(places, count, first, error);
    free(places);
    return set;
}

treb_tables *treb_tables_open_sources(const treb_source *sources, size_t count, treb_error *error)
{
    return open_places(sources, count, TREB_FORMAT_TREBUCHET, error);
}

treb_tables *treb_tables_open(const char *const *directories, size_t count, treb_error *error)
{
    return set_open(directories, count, TREB_FORMAT_TREBUCHET, error);
}

void treb_tables_close(treb_tables *tables)
{
    if (tables == NULL) return;
    fetcher_stop(&tables->pool->fetcher);
    for (size_t i = 0; i < tables->file_count; i++) file_destroy(&tables->files[i]);
    for (size_t i = 0; i < tables->pawn_file_count; i++) file_destroy(&tables->pawn_files[i]);
    free(tables->files);
    free(tables->pawn_files);
    free(tables->entries);
    free(tables->places);
    pool_destroy(tables->pool);
    free(tables->pool);
    free(tables);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void treb_tables_set_memory(treb_tables *tables, uint64_t bytes)
{
    cache_set_limit(&tables->pool->cache, bytes);
}

void treb_tables_get_memory(const treb_tables *tables, treb_memory *out)
{
    ProbePool *pool = tables->pool;
    cache_sizes(&pool->cache, &out->budget, &out->cached);
    out->pinned = atomic_load_explicit(&pool->pinned, memory_order_relaxed);
    out->misses = atomic_load_explicit(&pool->misses, memory_order_relaxed);
}

treb_status treb_tables_set_fetch(treb_tables *tables, treb_fetch fetch, treb_error *error)
{
    Fetcher *fetcher = &tables->pool->fetcher;
    if (fetch == TREB_FETCH_THREAD) return fetcher_start(fetcher, file_fetch, error);
    if (fetch != TREB_FETCH_SYSTEM)
        return fail(error, TREB_ERR_ARGUMENT, "there is no such way to fetch");
    fetcher_stop(fetcher);
    return TREB_OK;
}

/* ---- Files by name --------------------------------------------------------------------------- */

ProbeFile *set_find_file(const treb_tables *set, const char *name, treb_metric metric,
                         treb_error *error)
{
    Material material;
    if (material_read(name, &material, error) != TREB_OK) return NULL;
    if (!table_is_metric(metric)) {
        fail(error, TREB_ERR_ARGUMENT, "there is no metric number %d", (int)metric);
        return NULL;
    }
    material_canonical(&material);
    for (size_t i = 0; i < set->file_count; i++)
        if ((int)set->files[i].metric == (int)metric &&
            material_equal(&set->files[i].material, &material))
            return &set->files[i];
    fail_missing(&material, metric, error);
    return NULL;
}

int treb_tables_men(const treb_tables *tables)
{
    int most = 0;
    for (size_t i = 0; i < tables->file_count; i++)
        if (material_men(&tables->files[i].material) > most)
            most = material_men(&tables->files[i].material);
    for (size_t i = 0; i < tables->pawn_file_count; i++) {
        StructureKey root;
        if (table_pawn_is_name(io_name(tables->pawn_files[i].path), &root) &&
            structure_men(&root) > most)
            most = structure_men(&root);
    }
    return most;
}
