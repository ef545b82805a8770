/* scratch_folder.c - see scratch_folder.h. */
#include "gen/store/scratch_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/tool.h"
#include "gen/solve/slice_provider.h"

/* ---- Names ----------------------------------------------------------------------------------- */

void scratch_folder_name(ScratchFolder *folder, const char *directory, StoredValues values)
{
    snprintf(folder->path, sizeof folder->path, "%.4000s/.scratch", directory);
    folder->values = values;
}

static const char *values(const ScratchFolder *folder)
{
    static const char *const names[] = {"wdl", "dtm", "dtm50"};
    return names[folder->values];
}

void scratch_folder_file(const ScratchFolder *folder, const Material *m, unsigned wanted,
                         char out[SCRATCH_PATH])
{
    char name[MATERIAL_NAME_SIZE], subset[4] = "";
    material_name(m, name);
    for (int i = 0; i < SUBSETS; i++)
        if (wanted == (unsigned)WANT_SUBSET << i)
            snprintf(subset, sizeof subset, "-%c%c", "wb"[i / 4], "qrbn"[i % 4]);
    snprintf(out, SCRATCH_PATH, "%s/%s%s.%s.solved", folder->path, name, subset, values(folder));
}

void scratch_folder_saved(const ScratchFolder *folder, const Material *material,
                          char out[SCRATCH_PATH])
{
    char name[MATERIAL_NAME_SIZE];
    material_name(material, name);
    snprintf(out, SCRATCH_PATH, "%s/%s.%s.part", folder->path, name, values(folder));
}

/* ---- The folder ------------------------------------------------------------------------------ */

treb_status scratch_folder_make(const ScratchFolder *folder, treb_error *error)
{
    if (tool_make_folder(folder->path) || errno == EEXIST) return TREB_OK;
    return fail_errno(error, "make this folder", folder->path);
}

typedef void UseFile(void *context, const char *name, const char *path);

typedef struct Visit {
    const ScratchFolder *folder;
    UseFile *use;
    void *context;
} Visit;

/* A SystemEntry. */
static bool visit(void *context, const char *name)
{
    const Visit *v = context;
    char path[8192];
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
    snprintf(path, sizeof path, "%s/%s", v->folder->path, name);
    v->use(v->context, name, path);
    return true;
}

static void each_file(const ScratchFolder *folder, UseFile *use, void *context)
{
    Visit v = {folder, use, context};
    system_list(folder->path, visit, &v);
}

static bool is_part(const char *name) { return strstr(name, ".part") != NULL; }

static void forget_file(void *context, const char *name, const char *path)
{
    const char *material = context;
    const size_t length = strlen(material);
    if (strncmp(name, material, length) == 0 && strchr(".-", name[length]) && is_part(name))
        system_delete(path);
}

void scratch_folder_forget(const ScratchFolder *folder, const Material *material)
{
    char name[MATERIAL_NAME_SIZE];
    material_name(material, name);
    each_file(folder, forget_file, name);
}

static void clean_file(void *context, const char *name, const char *path)
{
    const bool *all = context;
    const char *ending = strstr(name, ".solved");
    bool usable = is_part(name) || (ending != NULL && strcmp(ending, ".solved") == 0);
    if (strstr(name, IO_TEMPORARY)) usable = false;
    if ((ending != NULL || is_part(name)) && (*all || !usable)) system_delete(path);
}

void scratch_folder_clean(const ScratchFolder *folder, bool all)
{
    each_file(folder, clean_file, &all);
    if (all) tool_remove_folder(folder->path);
}

typedef struct Keeping {
    const ScratchFolder *folder;
    ScratchWanted *wanted;
    void *context;
} Keeping;

static void keep_file(void *context, const char *name, const char *path)
{
    const Keeping *k = context;
    Material material;
    char kind[8];
    const char *ending = strchr(name, '.');
    snprintf(kind, sizeof kind, ".%s.", values(k->folder));
    if (ending == NULL || strncmp(ending, kind, strlen(kind)) != 0) return;
    if (material_parse_start(name, strcspn(name, ".-"), &material) &&
        !k->wanted(k->context, &material))
        system_delete(path);
}

void scratch_folder_keep(const ScratchFolder *folder, ScratchWanted *wanted, void *context)
{
    Keeping keeping = {folder, wanted, context};
    each_file(folder, keep_file, &keeping);
}

static void add_bytes(void *context, const char *name, const char *path)
{
    SystemFile about;
    (void)name;
    if (system_about_path(path, &about)) *(uint64_t *)context += about.size;
}

uint64_t scratch_folder_bytes(const ScratchFolder *folder)
{
    uint64_t bytes = 0;
    each_file(folder, add_bytes, &bytes);
    return bytes;
}
