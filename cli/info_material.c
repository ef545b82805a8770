/* info_material.c - see info_material.h. */
#include "cli/info_material.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/advice.h"
#include "cli/folders.h"
#include "cli/info_json.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/format/table.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/system.h"
#include "core/system/tool.h"
#include "probe/syzygy/syzygy.h"
#include "json/words.h"

/* ---- Finding the files ----------------------------------------------------------------------- */

/* Writes the path of a file. Returns whether it exists. */
static bool find_one(const Material *material, MaterialFile *file)
{
    char name[TABLE_NAME_SIZE + SYZYGY_NAME_SIZE];
    if (!file->syzygy)
        table_file_name(material, file->metric, name);
    else if (!syzygy_file_name(material, file->metric, name))
        return false;
    int n = snprintf(file->path, sizeof file->path, "%s/%s", file->folder, name);
    return n > 0 && (size_t)n < sizeof file->path && tool_may(file->path, TOOL_EXISTS);
}

MaterialFile *info_material_files(const CliDirs *dirs, const Material *material, size_t *count)
{
    enum { KINDS = 2 * TREB_METRICS + 1 }; /* our files, Syzygy's, DTM50 */
    MaterialFile *list = malloc((dirs->count + 1) * KINDS * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < dirs->count && list != NULL; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            const bool mate50 = kind == KINDS - 1;
            list[*count] =
                (MaterialFile){.folder = dirs->dir[i],
                               .metric = mate50 ? TREB_DTM50 : (treb_metric)(kind % TREB_METRICS),
                               .syzygy = !mate50 && kind >= TREB_METRICS};
            *count += find_one(material, &list[*count]);
        }
    return list;
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* An open file. Both pointers are NULL if it cannot be read. */
typedef struct Opened {
    Table *table;
    Syzygy *syzygy;
    SyzygyMaps maps;
    treb_error error;
} Opened;

static bool open_one(const MaterialFile *file, const Material *material, Opened *o)
{
    o->table = NULL;
    o->syzygy = NULL;
    syzygy_maps_fill(&o->maps);
    if (file->syzygy)
        o->syzygy = syzygy_open(file->path, material, file->metric, &o->maps, &o->error);
    else
        o->table = table_open(file->path, &o->error);
    return o->syzygy != NULL || o->table != NULL;
}

static void close_one(Opened *o)
{
    if (o->table != NULL) table_close(o->table);
    if (o->syzygy != NULL) syzygy_close(o->syzygy);
}

static uint64_t size_of(const MaterialFile *file)
{
    SystemFile about;
    return system_about_path(file->path, &about) ? about.size : 0;
}

/* "DTZ, White to move", "Syzygy's DTZ, both sides to move; wins and losses rounded". */
static void describe(const MaterialFile *file, const Opened *o, char *text, size_t size)
{
    static const char *const names[TREB_DTM50 + 1] = {"WDL", "DTZ", "DTC",
                                                      "DTM", [TREB_DTM50] = "DTM50"};
    static const char *const rounded[2][2] = {{"wins and losses rounded", "wins rounded"},
                                              {"losses rounded", "exact"}};
    bool side[2];
    for (int s = 0; s < 2; s++)
        side[s] = o->table != NULL ? table_has_turn(table_header(o->table), s)
                                   : syzygy_has_side(o->syzygy, s);
    const char *turn = side[0] && side[1] ? "both sides" : side[0] ? "White" : "Black";
    if (o->syzygy == NULL) {
        snprintf(text, size, "%s, %s to move", names[file->metric], turn);
        return;
    }
    SyzygySummary s = syzygy_summary(o->syzygy);
    bool distances = file->metric == TREB_DTZ;
    snprintf(text, size, "Syzygy's %s, %s to move%s%s", names[file->metric], turn,
             distances ? "; " : "", distances ? rounded[s.exact_wins][s.exact_losses] : "");
}

static void print_one(const MaterialFile *file, const Material *material, treb_status *status)
{
    Opened o;
    char size[16], text[sizeof o.error.text + 32];
    if (open_one(file, material, &o)) {
        describe(file, &o, text, sizeof text);
    } else {
        snprintf(text, sizeof text, "cannot be read: %s", o.error.text);
        *status = TREB_ERR_DAMAGED;
    }
    cli_format_size(size_of(file), size);
    printf("    %-20s%10s  %s\n", io_name(file->path), size, text);
    close_one(&o);
}

/* Prints the metrics for which there is no file. */
static void print_missing(const MaterialFile *list, size_t count)
{
    const char *between = "  missing: ";
    for (int m = TREB_WDL; m < TREB_METRICS; m++) {
        bool there = false;
        for (size_t i = 0; i < count; i++) there = there || list[i].metric == (treb_metric)m;
        if (there) continue;
        printf("%s%s", between, treb_metric_text((treb_metric)m));
        between = ", ";
    }
    if (strcmp(between, ", ") == 0) putchar('\n');
}

static treb_status print_all(const Material *material, const MaterialFile *list, size_t count)
{
    char name[MATERIAL_NAME_SIZE];
    treb_status status = TREB_OK;
    material_name(material, name);
    printf("%s, %d men\n", name, material_men(material));
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || list[i].folder != list[i - 1].folder) printf("  %s\n", list[i].folder);
        print_one(&list[i], material, &status);
    }
    print_missing(list, count);
    return status;
}

static json_t *one_json(const MaterialFile *file, const Material *material, treb_status *status)
{
    Opened o;
    json_t *object;
    if (open_one(file, material, &o)) {
        object = o.table != NULL ? info_json(o.table)
                                 : info_json_syzygy(o.syzygy, material, file->metric);
    } else {
        object = json_object();
        json_object_set_new(object, "file", cli_json_text(file->path));
        json_object_set_new(object, "error",
                            answer_error(answer_code(o.error.status), o.error.text));
        *status = TREB_ERR_DAMAGED;
    }
    close_one(&o);
    return object;
}

static treb_status print_json(const Material *material, const MaterialFile *list, size_t count)
{
    char name[MATERIAL_NAME_SIZE];
    uint64_t bytes = 0;
    treb_status status = TREB_OK;
    json_t *object = json_object(), *files = json_array();
    material_name(material, name);
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(files, one_json(&list[i], material, &status));
        bytes += size_of(&list[i]);
    }
    json_object_set_new(object, "material", json_string(name));
    json_object_set_new(object, "men", json_integer(material_men(material)));
    json_object_set_new(object, "bytes", json_integer((json_int_t)bytes));
    json_object_set_new(object, "files", files);
    return cli_json_line("info", object) == CLI_OK ? status : TREB_ERR_MEMORY;
}

int info_material_show(const CliDirs *dirs, const Material *material)
{
    size_t count;
    MaterialFile *list = info_material_files(dirs, material, &count);
    if (list == NULL) return cli_no_memory("info");
    treb_status status = TREB_OK;
    if (count == 0) {
        treb_error error;
        char name[TABLE_NAME_SIZE];
        table_file_name(material, TREB_WDL, name);
        fail(&error, TREB_ERR_NO_TABLE,
             "%s is not installed, and no other file of this material either", name);
        material_name(material, name);
        fail_missing_table(&error, name, TREB_WDL);
        free(list);
        return cli_fail_tables("info", &error, dirs);
    }
    status =
        cli_json_wanted() ? print_json(material, list, count) : print_all(material, list, count);
    free(list);
    return status == TREB_OK ? CLI_OK : CLI_FAILED;
}
