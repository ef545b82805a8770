/* verify_list.c - see verify_list.h. */
#include "cli/verify_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/folders.h"
#include "core/format/table.h"
#include "core/system/io.h"
#include "core/system/tool.h"
#include "probe/syzygy/syzygy.h"

/* Reads the material and the kind from a file's name. Returns false for another name. */
static bool parse_name(const char *path, Material *material, bool *syzygy)
{
    treb_metric metric;
    char name[TABLE_NAME_SIZE];
    *syzygy = syzygy_parse_name(path, material, &metric);
    if (*syzygy) return true;
    if (!material_of_file(io_name(path), material)) return false;
    for (int m = TREB_WDL; m <= TREB_DTM50; m++) {
        if (!table_is_metric(m)) continue;
        table_file_name(material, (treb_metric)m, name);
        if (strcmp(io_name(path), name) == 0) return true;
    }
    return false;
}

bool verify_list_is_file(const char *text)
{
    Material material;
    bool syzygy;
    return parse_name(text, &material, &syzygy);
}

static bool same(const VerifyListed *a, const VerifyListed *b)
{
    if (a->path == NULL || b->path == NULL)
        return a->path == b->path && strcmp(a->material, b->material) == 0;
    return strcmp(a->path, b->path) == 0 && a->named == b->named;
}

/* Adds a file unless the list has it. Takes ownership of the path. Returns false without memory. */
static bool append(VerifyList *list, VerifyListed file)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!same(&list->file[i], &file)) continue;
        free(file.path);
        return true;
    }
    void *grown = realloc(list->file, (list->count + 1) * sizeof *list->file);
    if (grown == NULL) {
        free(file.path);
        return false;
    }
    list->file = grown;
    list->file[list->count++] = file;
    return true;
}

/* Returns the path of a file: as it was named if it exists, else in one of the folders. The caller
 * frees it. Returns NULL without memory. */
static char *find_path(const CliDirs *dirs, const char *word)
{
    if (io_name(word) != word || tool_may(word, TOOL_EXISTS)) return strdup(word);
    for (size_t i = 0; i < dirs->count; i++) {
        size_t size = strlen(dirs->dir[i]) + strlen(word) + 2;
        char *path = malloc(size);
        if (path == NULL) return NULL;
        snprintf(path, size, "%s/%s", dirs->dir[i], word);
        if (tool_may(path, TOOL_EXISTS)) return path;
        free(path);
    }
    return strdup(word);
}

static bool add_file(VerifyList *list, const CliDirs *dirs, const char *word)
{
    Material material;
    VerifyListed file = {.named = true, .path = find_path(dirs, word)};
    if (file.path == NULL) return false;
    if (parse_name(word, &material, &file.syzygy)) material_name(&material, file.material);
    return append(list, file);
}

bool verify_list_add(VerifyList *list, const treb_tables *tables, const CliDirs *dirs,
                     const char *word)
{
    VerifyListed none = {0};
    Material material;
    bool found = word == NULL;
    if (word != NULL && verify_list_is_file(word)) return add_file(list, dirs, word);
    if (word != NULL) {
        material_read(word, &material, NULL);
        material_canonical(&material);
        material_name(&material, none.material);
    }
    for (size_t i = 0; i < treb_tables_count(tables); i++) {
        treb_table_info info;
        treb_tables_info(tables, i, &info, NULL);
        if (word != NULL && strcmp(info.material, none.material) != 0) continue;
        VerifyListed file = {.syzygy = info.format == TREB_FORMAT_SYZYGY,
                             .path = strdup(info.path)};
        strcpy(file.material, info.material);
        if (file.path == NULL || !append(list, file)) return false;
        found = true;
    }
    return found || append(list, none);
}

bool verify_list_pawns(VerifyList *list, const CliDirs *dirs, const FileNames *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (!add_file(list, dirs, names->name[i])) return false;
    return true;
}

void verify_list_free(VerifyList *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->file[i].path);
    free(list->file);
}
