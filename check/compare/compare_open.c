/* compare_open.c - opens the two sets and lists what they contain; see compare.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check/compare/compare.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/system.h"
#include "probe/file_open.h"
#include "probe/set.h"

/* ---- Opening --------------------------------------------------------------------------------- */

static ProbeFile *file_of(const CompareSet *set, const Material *material, treb_metric metric)
{
    const SetPlace *place = set_place(set->tables, set_key_of_material(material));
    return place->entry != NULL ? place->entry->file[metric] : NULL;
}

static bool read_name(const char *path, CompareSet *set, treb_format *format)
{
    FoundFile named = {0};
    if (!file_parse_name(io_name(path), &named)) return false;
    set->file = true;
    set->material = named.material;
    set->metric = named.metric;
    *format = named.format;
    return true;
}

static treb_status open_beside(CompareSet *set, const char *path, treb_error *error)
{
    treb_format format = TREB_FORMAT_TREBUCHET;
    if (!read_name(path, set, &format))
        return fail(error, TREB_ERR_ARGUMENT,
                    "%s is not named like a table: KRPvKR.dtz.treb, KRPvKR.rtbw or KRPvKR.rtbz",
                    fail_path(path));
    char *folder = io_folder(path);
    if (folder == NULL) return fail_memory(error);
    set->tables = set_open((const char *const[]){folder}, 1, format, error);
    free(folder);
    return set->tables != NULL ? TREB_OK : error->status;
}

treb_status compare_open(CompareSet *set, const char *path, treb_error *error)
{
    SystemFile about;
    memset(set, 0, sizeof *set);
    if (io_is_address(path))
        return fail(error, TREB_ERR_ARGUMENT, "%.300s: only files on this machine can be compared",
                    path);
    if (!system_about_path(path, &about)) return fail_errno(error, "open", path);
    if (about.kind != SYSTEM_FOLDER) return open_beside(set, path, error);
    set->tables = treb_tables_open(&path, 1, error);
    return set->tables != NULL ? TREB_OK : error->status;
}

void compare_close(CompareSet *set)
{
    treb_tables_close(set->tables);
    set->tables = NULL;
}

/* ---- What there is --------------------------------------------------------------------------- */

unsigned compare_metrics(const CompareSet *set, const Material *material)
{
    unsigned metrics = 0;
    if (set->file && !material_equal(&set->material, material)) return 0;
    if (file_of(set, material, TREB_WDL) == NULL) return 0;
    for (int m = 0; m <= TREB_DTM50; m++)
        if (file_of(set, material, (treb_metric)m) != NULL) metrics |= 1u << m;
    return set->file ? metrics & 1u << set->metric : metrics;
}

treb_status compare_check(const CompareSet *set, const Material *material, treb_metric metric,
                          treb_error *error)
{
    ProbeFile *file = file_of(set, material, metric);
    const ProbeReader reader = reader_waiting();
    return (treb_status)-file_open(&reader, file, error);
}

Material *compare_materials(const CompareSet *set, size_t *count)
{
    const treb_tables *tables = set->tables;
    Material *out = malloc((tables->entry_count + 1) * sizeof *out);
    *count = 0;
    if (out == NULL) return NULL;
    for (size_t i = 0; i < tables->entry_count; i++) {
        const SetEntry *entry = &tables->entries[i];
        if (entry->drawn || (set->file && !material_equal(&set->material, &entry->material)))
            continue;
        out[(*count)++] = entry->material;
    }
    return out;
}
