/* advice.c - see advice.h. */
#include "cli/advice.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/estimate.h"
#include "cli/folders.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/system/error.h"
#include "core/system/tool.h"

enum { FIRST_SET = 4 /* men: the tables to start with */ };

/* Where new tables would go. */
typedef struct Place {
    const char *folder; /* NULL: no folder is writable */
    bool named;         /* the command has to name it with --tables */
} Place;

static Place find_place(const CliDirs *dirs)
{
    for (size_t i = 0; i < dirs->count; i++)
        if (strlen(dirs->dir[i]) < TOOL_PATH && cli_may_write(dirs->dir[i]))
            /* Without --tables, gen writes into the first default folder. */
            return (Place){dirs->dir[i], !dirs->by_default || i > 0};
    return (Place){NULL, false};
}

/* Lists the material named, or, if that is NULL, all materials of up to FIRST_SET men. The caller
 * frees the list. Returns NULL without memory or for a wrong name. */
static Material *list_materials(const char *name, size_t *count)
{
    Material *list;
    *count = 1;
    if (name == NULL) {
        *count = 0;
        for (int men = 3; men <= FIRST_SET; men++) *count += material_list(men, NULL, 0);
    }
    list = malloc(*count * sizeof *list);
    if (list == NULL) return NULL;
    if (name != NULL) {
        if (material_parse(name, list) && material_men(list) > 2) return list;
        free(list);
        return NULL;
    }
    for (size_t men = 3, at = 0; men <= FIRST_SET; men++)
        at += material_list((int)men, list + at, *count - at);
    return list;
}

/* "'trebuchet gen --tables here KRPvKR' makes it: about ..." */
static void write_command(const char *material, const Place *place, const Estimate *e, char *text,
                          size_t size)
{
    char memory[16], disk[16], most[16];
    bool space = strpbrk(place->folder, " \t") != NULL;
    const char *quote = space ? "\"" : "";
    cli_format_size(e->memory, memory);
    cli_format_size(e->result, disk);
    cli_format_size(e->result + e->scratch, most);
    snprintf(text, size,
             "'trebuchet gen %s%s%s%s%s%s' makes %s: about %s of memory and %s of disk (%s while "
             "it runs)",
             place->named ? "--tables " : "", place->named ? quote : "",
             place->named ? place->folder : "", place->named ? quote : "", place->named ? " " : "",
             material != NULL ? material : "--men 4",
             material != NULL ? "it" : "all tables of up to 4 men", memory, disk, most);
}

/* Estimates what it takes to make the tables listed. Writes the reason into `why` if this machine
 * cannot make them, else "". A table with pawns also needs the tables that have queens in their place,
 * and their plan is much shorter: if this machine cannot make those, the whole plan is not computed,
 * which takes 0.2 s for eight men. */
static treb_status estimate_cost(const GenerateOptions *options, const Material *list, size_t count,
                                 Estimate *e, char *why, size_t size, treb_error *error)
{
    Material queens = list[0];
    why[0] = '\0';
    for (int color = 0; color < 2; color++) {
        queens.count[color][TREB_QUEEN] += queens.count[color][TREB_PAWN];
        queens.count[color][TREB_PAWN] = 0;
    }
    if (count == 1 && material_has_pawns(&list[0])) {
        treb_status status = estimate_make(options, &queens, 1, e, error);
        if (status != TREB_OK || estimate_refusal(e, options, why, size)) return status;
        estimate_free(e);
    }
    treb_status status = estimate_make(options, list, count, e, error);
    if (status == TREB_OK) estimate_refusal(e, options, why, size);
    return status;
}

bool cli_advice(const char *material, const CliDirs *dirs, char *text, size_t size)
{
    size_t count;
    Estimate e;
    treb_error error;
    char why[512];
    const Place place = find_place(dirs);
    if (place.folder == NULL) {
        snprintf(text, size, "None of these folders is writable, so no tables can be added");
        return false;
    }
    GenerateOptions options = {
        .codec = TABLE_SYMBOLS, .directory = place.folder, .metrics = (1u << TREB_METRICS) - 1};
    Material *list = list_materials(material, &count);
    treb_status status = list == NULL
                             ? fail_memory(&error)
                             : estimate_cost(&options, list, count, &e, why, sizeof why, &error);
    free(list);
    if (status != TREB_OK) {
        snprintf(text, size, "It cannot be made here: %s", error.text);
        return false;
    }
    if (why[0] != '\0')
        snprintf(text, size, "%s cannot be made here: that %s",
                 material != NULL ? material : "Tables", why);
    else
        write_command(material, &place, &e, text, size);
    estimate_free(&e);
    return why[0] == '\0';
}

void cli_hint_tables(const char *material, const CliDirs *dirs)
{
    char advice[512];
    fflush(stdout);
    cli_advice(material, dirs, advice, sizeof advice);
    fprintf(stderr, "%s.\n", advice);
    fputs("--tables DIR names another folder.\n", stderr);
    cli_note_advice(advice);
}

void cli_hint_missing(const char *material, const CliDirs *dirs)
{
    fflush(stdout);
    fputs("Looked in:", stderr);
    for (size_t i = 0; i < dirs->count; i++) fprintf(stderr, " %s", dirs->dir[i]);
    fputc('\n', stderr);
    cli_hint_tables(material, dirs);
}

int cli_fail_tables(const char *command, const treb_error *error, const CliDirs *dirs)
{
    int code = cli_fail(command, error);
    if (error->status == TREB_ERR_NO_TABLE)
        cli_hint_missing(error->material[0] != '\0' ? error->material : NULL, dirs);
    return code;
}

int cli_no_tables(const char *command, const CliDirs *dirs)
{
    treb_error error;
    fail(&error, TREB_ERR_NO_TABLE, "there are no tables");
    return cli_fail_tables(command, &error, dirs);
}
