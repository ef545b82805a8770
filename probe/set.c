/* set.c - see set.h. */
#define _POSIX_C_SOURCE 200809L
#include "probe/set.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "core/format/table_solved.h"
#include "probe/address.h"

/* ---- Failures -------------------------------------------------------------------------------- */

static treb_status pass_on(const treb_error *from, treb_error *error)
{
    return fail(error, from->status, "%s", from->text);
}

static Material canonical_material(const treb_position *pos)
{
    Material material = material_of_position(pos);
    material_canonical(&material);
    return material;
}

static treb_status fail_missing(const Material *material, treb_metric metric, treb_error *error)
{
    char name[TABLE_NAME_SIZE];
    if (error == NULL) return TREB_ERR_NO_TABLE;
    table_file_name(material, metric, name);
    return fail(error, TREB_ERR_NO_TABLE, "%s is not installed", name);
}

int set_missing(const treb_position *pos, treb_metric metric, treb_error *error)
{
    if (error == NULL) return -(int)TREB_ERR_NO_TABLE;
    Material material = canonical_material(pos);
    return -(int)fail_missing(&material, metric, error);
}

int set_contradicts(const treb_position *pos, treb_error *error)
{
    char name[MATERIAL_NAME_SIZE];
    Material material = canonical_material(pos);
    material_name(&material, name);
    return -(int)fail(error, TREB_ERR_DAMAGED, "the tables of %s contradict each other", name);
}

/* ---- Finding files --------------------------------------------------------------------------- */

/* Files found so far, in growing room. */
typedef struct FoundFiles {
    ProbeFile *files;
    size_t count, capacity;
    struct FoundFiles *solved; /* solved pawn endings go there */
} FoundFiles;

bool set_parse_name(const char *name, ProbeFile *out)
{
    char expected[TABLE_NAME_SIZE];
    if (syzygy_parse_name(name, &out->material, &out->metric)) {
        out->format = TREB_FORMAT_SYZYGY;
        return true;
    }
    if (!material_of_file(name, &out->material)) return false;
    for (int m = 0; m < TREB_METRICS; m++) {
        out->metric = (treb_metric)m;
        table_file_name(&out->material, out->metric, expected);
        if (strcmp(name, expected) == 0) return true;
    }
    return false;
}

static int compare_files(const void *left, const void *right)
{
    const ProbeFile *a = left, *b = right;
    char name_a[MATERIAL_NAME_SIZE], name_b[MATERIAL_NAME_SIZE];
    int men = material_men(&a->material) - material_men(&b->material);
    if (men != 0) return men;
    material_name(&a->material, name_a);
    material_name(&b->material, name_b);
    int names = strcmp(name_a, name_b);
    if (names != 0) return names;
    int metrics = (int)a->metric - (int)b->metric;
    return metrics != 0 ? metrics : (int)a->format - (int)b->format;
}

static bool known(const FoundFiles *found, size_t before, const ProbeFile *file)
{
    for (size_t i = 0; i < before; i++) {
        const ProbeFile *other = &found->files[i];
        if (other->metric == file->metric && other->format == file->format &&
            material_equal(&other->material, &file->material))
            return true;
    }
    return false;
}

/* A solved pawn ending, unless an earlier folder has it. */
static bool known_solved(const FoundFiles *found, const char *name)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(io_name(found->files[i].path), name) == 0) return true;
    return false;
}

/* `source`: that has it, or NULL. */
static bool add_file(FoundFiles *found, const char *directory, const treb_source *source,
                     const char *name, size_t before)
{
    ProbeFile file = {.source = source};
    if (source == NULL && table_solved_is_name(name, NULL)) {
        file.metric = (treb_metric)TABLE_SOLVED;
        found = found->solved;
        if (known_solved(found, name)) return true;
    } else if (!set_parse_name(name, &file) || known(found, before, &file)) {
        return true;
    }
    if (source != NULL && file.format != TREB_FORMAT_TREBUCHET) return true;
    if (found->count == found->capacity) {
        size_t capacity = found->capacity ? 2 * found->capacity : 64;
        ProbeFile *files = realloc(found->files, capacity * sizeof *files);
        if (files == NULL) return false;
        found->files = files;
        found->capacity = capacity;
    }
    size_t size = strlen(directory) + strlen(name) + 2;
    file.path = malloc(size);
    if (file.path == NULL) return false;
    snprintf(file.path, size, "%s/%s", directory, name);
    found->files[found->count++] = file;
    return true;
}

static treb_status scan(FoundFiles *found, const char *directory, treb_error *error)
{
    DIR *list = opendir(directory);
    if (list == NULL) return fail_errno(error, "open", directory);
    /* Names within one directory differ: only those of earlier ones can be known. */
    size_t before = found->count;
    treb_status status = TREB_OK;
    for (struct dirent *entry; status == TREB_OK && (entry = readdir(list)) != NULL;)
        if (!add_file(found, directory, NULL, entry->d_name, before)) status = fail_memory(error);
    closedir(list);
    return status;
}

/* Files of a source, as it lists them. */
typedef struct Listing {
    FoundFiles *found;
    const treb_source *source;
    bool memory;
} Listing;

static void add_listed(void *context, const char *name)
{
    Listing *l = context;
    /* A list may name a file twice. */
    if (l->memory)
        l->memory = add_file(l->found, l->source->name, l->source, name, l->found->count);
}

static treb_status scan_source(FoundFiles *found, const treb_source *source, treb_error *error)
{
    treb_error why = {0};
    Listing listing = {found, source, true};
    treb_status status = source->list(source->context, add_listed, &listing, &why);
    if (status != TREB_OK) return fail(error, status, "%s", why.text);
    return listing.memory ? TREB_OK : fail_memory(error);
}

/* ---- From materials to files ----------------------------------------------------------------- */

static void add_place(treb_tables *set, const SetEntry *entry, bool swapped)
{
    Material material = swapped ? material_swap(&entry->material) : entry->material;
    uint64_t key = set_key_of_material(&material);
    size_t at = set_hash(set, key);
    while (set->places[at].entry != NULL) at = (at + 1) & set->mask;
    set->places[at] = (SetPlace){key, entry, swapped};
}

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
    /* Files are sorted, so that an entry's files come one after another. */
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

static bool build(treb_tables *set)
{
    size_t most = set->file_count + 3, places = 16;
    set->shift = 60;
    /* At most a quarter full: nearly every search ends at the first place. */
    for (; places < 8 * most; places *= 2) set->shift--;
    set->mask = places - 1;
    set->entries = calloc(most, sizeof *set->entries);
    set->places = calloc(places, sizeof *set->places);
    if (set->entries == NULL || set->places == NULL) return false;
    add_entries(set);
    return true;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

enum { VIEWS = SET_WAITING + 1 };

static int compare_solved(const void *left, const void *right)
{
    const ProbeFile *a = left, *b = right;
    return strcmp(io_name(a->path), io_name(b->path));
}

static void drop_found(FoundFiles *found, size_t from)
{
    for (size_t i = from; i < found->count; i++) free(found->files[i].path);
}

static bool adopt_solved(treb_tables *set, FoundFiles *found)
{
    if (found->count > 0) qsort(found->files, found->count, sizeof *found->files, compare_solved);
    set->solved = found->files;
    for (; set->solved_count < found->count; set->solved_count++)
        if (!file_init(&set->solved[set->solved_count], set->reader.pool)) break;
    bool all = set->solved_count == found->count;
    drop_found(found, set->solved_count);
    *found = (FoundFiles){0};
    return all;
}

/* Takes what was found over. */
static bool adopt(treb_tables *set, FoundFiles *found)
{
    bool solved = adopt_solved(set, found->solved);
    if (found->count > 0) qsort(found->files, found->count, sizeof *found->files, compare_files);
    set->files = found->files;
    for (; set->file_count < found->count; set->file_count++)
        if (!file_init(&set->files[set->file_count], set->reader.pool)) break;
    bool all = set->file_count == found->count;
    drop_found(found, set->file_count);
    *found = (FoundFiles){.solved = found->solved};
    return solved && all && build(set);
}

/* An empty set. NULL: out of memory. */
static treb_tables *new_set(void)
{
    treb_tables *set = calloc(VIEWS, sizeof *set);
    ProbePool *pool = calloc(1, sizeof *pool);
    if (set != NULL && pool != NULL && pool_init(pool)) {
        set->reader = (ProbeReader){pool, TABLE_WAIT, NULL};
        return set;
    }
    free(pool);
    free(set);
    return NULL;
}

static void make_views(treb_tables *set)
{
    for (int wait = TABLE_TRY; wait < VIEWS; wait++) {
        set[wait] = *set;
        set[wait].reader.wait = wait == SET_WAITING ? TABLE_WAIT : (TableWait)wait;
    }
    if (set->reader.pool->source_count > 0) set->reader.wait = TABLE_NEAR;
}

/* Takes over a source, and lists what it has. */
static treb_status add_source(treb_tables *set, const treb_source *source, FoundFiles *found,
                              treb_error *error)
{
    ProbePool *pool = set->reader.pool;
    pool->sources[pool->source_count] = *source;
    return scan_source(found, &pool->sources[pool->source_count++], error);
}

/* What a place has: a source, a directory, or the address of one that is elsewhere. */
static treb_status add_place_of(treb_tables *set, const treb_source *place, FoundFiles *found,
                                treb_error *error)
{
    treb_source source;
    if (place->list != NULL) return add_source(set, place, found, error);
    if (!set_is_address(place->name)) return scan(found, place->name, error);
    treb_status status = address_open(place->name, &source, error);
    return status == TREB_OK ? add_source(set, &source, found, error) : status;
}

/* Those that no set has taken over. */
static void close_sources(const treb_source *sources, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sources[i].list != NULL) sources[i].close(sources[i].context);
}

static treb_tables *open_places(const treb_source *places, size_t count, treb_format first,
                                treb_error *error)
{
    FoundFiles solved = {0}, found = {.solved = &solved};
    treb_status status = TREB_OK;
    treb_tables *set = new_set();
    if (set != NULL) set->reader.pool->sources = calloc(count + 1, sizeof *places);
    if (set == NULL || set->reader.pool->sources == NULL) {
        fail_memory(error);
        treb_tables_close(set);
        close_sources(places, count);
        return NULL;
    }
    set->first = first;
    for (size_t i = 0; i < count; i++)
        if (status == TREB_OK)
            status = add_place_of(set, &places[i], &found, error);
        else
            close_sources(&places[i], 1);
    if (status == TREB_OK && adopt(set, &found)) {
        make_views(set);
        return set;
    }
    if (status == TREB_OK) fail_memory(error);
    drop_found(&found, 0);
    drop_found(&solved, 0);
    free(found.files);
    free(solved.files);
    treb_tables_close(set);
    return NULL;
}

treb_tables *set_open(const char *const *directories, size_t count, treb_format first,
                      treb_error *error)
{
    treb_source *places = calloc(count + 1, sizeof *places);
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
    fetcher_stop(&tables->reader.pool->fetcher);
    for (size_t i = 0; i < tables->file_count; i++) file_destroy(&tables->files[i]);
    for (size_t i = 0; i < tables->solved_count; i++) file_destroy(&tables->solved[i]);
    free(tables->files);
    free(tables->solved);
    free(tables->entries);
    free(tables->places);
    pool_destroy(tables->reader.pool);
    free(tables->reader.pool);
    free(tables);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void treb_tables_set_memory(treb_tables *tables, uint64_t bytes)
{
    cache_set_limit(&tables->reader.pool->cache, bytes);
}

void treb_tables_get_memory(const treb_tables *tables, treb_memory *out)
{
    ProbePool *pool = tables->reader.pool;
    cache_sizes(&pool->cache, &out->budget, &out->cached);
    out->pinned = atomic_load_explicit(&pool->pinned, memory_order_relaxed);
    out->misses = atomic_load_explicit(&pool->misses, memory_order_relaxed);
}

/* The file of a material by name, either colour first; NULL with *error filled. */
static ProbeFile *find_file(const treb_tables *set, const char *name, treb_metric metric,
                            treb_error *error)
{
    Material material;
    if (material_read(name, &material, error) != TREB_OK) return NULL;
    if (metric < TREB_WDL || metric >= TREB_METRICS) {
        fail(error, TREB_ERR_ARGUMENT, "there is no metric of number %d", (int)metric);
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

treb_status treb_tables_pin(treb_tables *tables, const char *material, treb_metric metric,
                            treb_error *error)
{
    treb_error why;
    treb_error missing;
    ProbeFile *file = find_file(tables, material, metric, &missing);
    if (file == NULL) return pass_on(&missing, error);
    return file_pin(tables->reader.pool, file, &why) == 0 ? TREB_OK : pass_on(&why, error);
}

treb_status treb_tables_set_fetch(treb_tables *tables, treb_fetch fetch, treb_error *error)
{
    Fetcher *fetcher = &tables->reader.pool->fetcher;
    if (fetch == TREB_FETCH_THREAD) return fetcher_start(fetcher, error);
    if (fetch != TREB_FETCH_SYSTEM)
        return fail(error, TREB_ERR_ARGUMENT, "nobody of that number fetches");
    fetcher_stop(fetcher);
    return TREB_OK;
}

/* ---- Warming --------------------------------------------------------------------------------- */

typedef struct WarmFile {
    ProbeFile *file;
    uint64_t size;
} WarmFile;

/* What is done, and what came of it. */
typedef struct Warming {
    treb_progress *progress;
    void *context;
    uint64_t done, total;
    bool stopped;
    treb_status status; /* the first failure */
} Warming;

static bool told(void *context, uint64_t bytes)
{
    Warming *w = context;
    w->done += bytes;
    if (w->done > w->total) w->done = w->total; /* a file has grown meanwhile */
    if (w->progress != NULL && !w->stopped)
        w->stopped = w->progress(w->context, w->done, w->total) != 0;
    return w->stopped;
}

static int compare_sizes(const void *left, const void *right)
{
    const WarmFile *a = left, *b = right;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return a->file < b->file ? -1 : a->file > b->file;
}

/* The files that answer for a metric, the smallest first. */
static size_t list_smallest(const treb_tables *set, treb_metric metric, WarmFile *out)
{
    size_t count = 0;
    for (size_t i = 0; i < set->entry_count; i++) {
        ProbeFile *file = set->entries[i].file[metric];
        if (file == NULL) continue;
        /* Only then is it known how large it is; why it cannot be opened is told later. */
        const ProbeReader reader = file_reader(file);
        if (file->source != NULL) (void)file_open(&reader, file, NULL);
        out[count++] = (WarmFile){file, file_size(file)};
    }
    qsort(out, count, sizeof *out, compare_sizes);
    return count;
}

/* Opens a file and, if asked to, reads it. */
static void warm(Warming *w, ProbeFile *file, bool whole, treb_error *error)
{
    treb_error why;
    const ProbeReader reader = file_reader(file);
    treb_status status = (treb_status)-file_open(&reader, file, &why);
    if (status == TREB_OK && whole) status = file_read_through(file, told, w, &why);
    if (status != TREB_OK && w->status == TREB_OK) w->status = pass_on(&why, error);
    told(w, 0);
}

treb_status treb_tables_warm(treb_tables *tables, treb_metric metric, uint64_t bytes,
                             treb_progress *progress, void *context, treb_error *error)
{
    Warming w = {.progress = progress, .context = context};
    if (metric < TREB_WDL || metric >= TREB_METRICS)
        return fail(error, TREB_ERR_ARGUMENT, "there is no such metric");
    WarmFile *files = malloc((tables->entry_count + 1) * sizeof *files);
    if (files == NULL) return fail_memory(error);
    size_t count = list_smallest(tables, metric, files), whole = 0;
    while (whole < count && files[whole].size <= bytes - w.total) w.total += files[whole++].size;
    for (size_t i = 0; i < count && !w.stopped; i++) warm(&w, files[i].file, i < whole, error);
    free(files);
    return w.status;
}

/* ---- How many men ---- */

int treb_tables_men(const treb_tables *tables)
{
    int most = 0;
    for (size_t i = 0; i < tables->file_count; i++)
        if (material_men(&tables->files[i].material) > most)
            most = material_men(&tables->files[i].material);
    for (size_t i = 0; i < tables->solved_count; i++) {
        SolvedKey root;
        if (table_solved_is_name(io_name(tables->solved[i].path), &root) &&
            solved_men(&root) > most)
            most = solved_men(&root);
    }
    return most;
}

/* ---- Stock ----------------------------------------------------------------------------------- */

size_t treb_tables_count(const treb_tables *tables) { return tables->file_count; }

static void copy_side(const TableSide *side, treb_table_info *out, int s)
{
    out->stored[s] = side->stored;
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
    const ProbeReader reader = file_reader(file);
    if (file_get_syzygy(&reader, file, &table, &why) < 0) return pass_on(&why, error);
    out->file_size = syzygy_file_size(table);
    for (int side = 0; side < 2; side++) out->stored[side] = syzygy_has_side(table, side);
    return TREB_OK;
}

static treb_status describe(ProbeFile *file, treb_table_info *out, treb_error *error)
{
    treb_error why;
    const OpenFile *open;
    memset(out, 0, sizeof *out);
    material_name(&file->material, out->material);
    out->metric = file->metric;
    out->format = file->format;
    out->path = file->path;
    if (file->format == TREB_FORMAT_SYZYGY) return describe_syzygy(file, out, error);
    const ProbeReader reader = file_reader(file);
    if (file_get(&reader, file, &open, &why) < 0) return pass_on(&why, error);
    out->file_size = table_file_size(open->table);
    out->block_size = UINT64_C(1) << open->block_bits;
    for (int s = 0; s < 2; s++) copy_side(&open->header->side[s], out, s);
    return TREB_OK;
}

treb_status treb_tables_info(const treb_tables *tables, size_t number, treb_table_info *out,
                             treb_error *error)
{
    if (number >= tables->file_count)
        return fail(error, TREB_ERR_ARGUMENT, "there is no table of that number");
    return describe(&tables->files[number], out, error);
}

treb_status treb_tables_find(const treb_tables *tables, const char *material, treb_metric metric,
                             treb_table_info *out, treb_error *error)
{
    treb_error missing;
    ProbeFile *file = find_file(tables, material, metric, &missing);
    if (file == NULL) return pass_on(&missing, error);
    return describe(file, out, error);
}

treb_status treb_tables_histogram(const treb_tables *tables, const char *material,
                                  treb_metric metric, int turn, treb_wdl wdl, uint64_t *out,
                                  size_t capacity, size_t *count, treb_error *error)
{
    treb_error why;
    treb_error missing;
    const OpenFile *open;
    bool sensible = metric != TREB_WDL && (turn == TREB_WHITE || turn == TREB_BLACK) &&
                    wdl >= TREB_LOSS && wdl <= TREB_WIN && wdl != TREB_DRAW;
    if (!sensible) return fail(error, TREB_ERR_ARGUMENT, "only distances have histograms");
    ProbeFile *file = find_file(tables, material, metric, &missing);
    if (file == NULL) return pass_on(&missing, error);
    if (file->format == TREB_FORMAT_SYZYGY)
        return fail(error, TREB_ERR_ARGUMENT, "%.400s is a Syzygy file: it has no histograms",
                    file->path);
    const ProbeReader reader = file_reader(file);
    if (file_get(&reader, file, &open, &why) < 0) return pass_on(&why, error);
    const TableSide *side = &open->header->side[turn];
    const uint64_t *entry = side->histogram[wdl];
    if (entry == NULL && side->count[wdl])
        return fail(error, TREB_ERR_ARGUMENT, "%.400s has no histograms: make it again",
                    file->path);
    *count = entry ? (size_t)side->longest[wdl] + 1 : 0;
    if (*count) memcpy(out, entry, (*count < capacity ? *count : capacity) * sizeof *out);
    return TREB_OK;
}
