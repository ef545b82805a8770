/* found_files.c - see found_files.h. */
#include "probe/found_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/format/table_pawn.h"
#include "core/system/error.h"
#include "core/system/io.h"

/* ---- Adding ---------------------------------------------------------------------------------- */

/* Whether one of the first `before` tables has the material, metric and format of a file. */
static bool has_table(const FileList *list, size_t before, const FoundFile *file)
{
    for (size_t i = 0; i < before; i++) {
        const FoundFile *other = &list->files[i];
        if (other->metric == file->metric && other->format == file->format &&
            material_equal(&other->material, &file->material))
            return true;
    }
    return false;
}

static bool has_name(const FileList *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(io_name(list->files[i].path), name) == 0) return true;
    return false;
}

/* Appends a file, whose path is made from a directory and a name. False: out of memory. */
static bool append(FileList *list, FoundFile file, const char *directory, const char *name)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        FoundFile *files = (FoundFile *)realloc(list->files, capacity * sizeof *files);
        if (files == NULL) return false;
        list->files = files;
        list->capacity = capacity;
    }
    size_t size = strlen(directory) + strlen(name) + 2;
    file.path = (char *)malloc(size);
    if (file.path == NULL) return false;
    snprintf(file.path, size, "%s/%s", directory, name);
    list->files[list->count++] = file;
    return true;
}

/* Adds a file of a directory, if its name is that of a table or pawn file. The first `before`
 * tables come from earlier places. False: out of memory. */
static bool add_file(FoundFiles *found, const char *directory, const char *name, size_t before)
{
    FoundFile file = {0};
    if (TREB_SOLVED && table_pawn_is_name(name, NULL)) {
        file.metric = (treb_metric)TABLE_PAWN;
        return has_name(&found->pawn_files, name) ||
               append(&found->pawn_files, file, directory, name);
    }
    if (!file_parse_name(name, &file) || has_table(&found->tables, before, &file)) return true;
    return append(&found->tables, file, directory, name);
}

/* What add_entry gets from found_add_directory. */
typedef struct Folder {
    FoundFiles *found;
    const char *directory;
    size_t before; /* how many files come from earlier places: names within one directory differ */
    bool memory;   /* false: out of memory */
} Folder;

/* A SystemEntry. */
static bool add_entry(void *context, const char *name)
{
    Folder *f = (Folder *)context;
    f->memory = add_file(f->found, f->directory, name, f->before);
    return f->memory;
}

treb_status found_add_directory(FoundFiles *found, const char *directory, treb_error *error)
{
    Folder folder = {found, directory, found->tables.count, true};
    if (!system_list(directory, add_entry, &folder)) return fail_errno(error, "open", directory);
    return folder.memory ? TREB_OK : fail_memory(error);
}

/* What add_listed gets from found_add_source. */
typedef struct Listing {
    FileList *tables;
    const treb_source *source;
    bool memory; /* false: out of memory */
} Listing;

/* Adds a file that a source lists. A source may list a file twice. */
static void add_listed(void *context, const char *name)
{
    Listing *l = (Listing *)context;
    FoundFile file = {.source = l->source};
    if (!l->memory || !file_parse_name(name, &file) ||
        has_table(l->tables, l->tables->count, &file))
        return;
    l->memory = append(l->tables, file, l->source->name, name);
}

treb_status found_add_source(FoundFiles *found, const treb_source *source, treb_error *error)
{
    treb_error why = {.status = TREB_OK};
    Listing listing = {&found->tables, source, true};
    treb_status status = source->list(source->context, add_listed, &listing, &why);
    if (status != TREB_OK) return fail(error, status, "%s", why.text);
    return listing.memory ? TREB_OK : fail_memory(error);
}

/* ---- Order and end --------------------------------------------------------------------------- */

static int compare_tables(const void *left, const void *right)
{
    const FoundFile *a = (const FoundFile *)left, *b = (const FoundFile *)right;
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

static int compare_names(const void *left, const void *right)
{
    const FoundFile *a = (const FoundFile *)left, *b = (const FoundFile *)right;
    return strcmp(io_name(a->path), io_name(b->path));
}

static void sort(FileList *list, int (*compare)(const void *, const void *))
{
    if (list->count > 0) qsort(list->files, list->count, sizeof *list->files, compare);
}

void found_sort(FoundFiles *found)
{
    sort(&found->tables, compare_tables);
    sort(&found->pawn_files, compare_names);
}

static void free_list(FileList *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->files[i].path);
    free(list->files);
}

void found_free(FoundFiles *found)
{
    free_list(&found->tables);
    free_list(&found->pawn_files);
    *found = (FoundFiles){0};
}
