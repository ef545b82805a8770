/* advice.c - see advice.h. */
#include "cli/advice.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/estimate.h"
#include "core/system/error.h"

enum { FIRST_SET = 4 };

/* Where new tables would go. */
static struct {
    char folder[PATH_MAX]; /* "" if no folder can be written to */
    bool named;            /* the command has to name it */
} place = {"tables", false};

void advice_folders(const CliDirs *dirs, bool named)
{
    place.folder[0] = '\0';
    for (size_t i = 0; i < dirs->count; i++) {
        if (strlen(dirs->dir[i]) >= PATH_MAX || !cli_may_write(dirs->dir[i])) continue;
        strcpy(place.folder, dirs->dir[i]);
        /* Without --tables, gen takes the first. */
        place.named = named || i > 0;
        return;
    }
}

/* All materials of up to FIRST_SET men, or the one named. The caller frees the list. */
static Material *list_wanted(const char *name, size_t *count)
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
        if (material_parse(name, list)) return list;
        free(list);
        return NULL;
    }
    for (size_t men = 3, at = 0; men <= FIRST_SET; men++)
        at += material_list((int)men, list + at, *count - at);
    return list;
}

/* "'trebuchet gen --tables here KRPvKR' makes it: about ..." */
static void write_command(const char *material, const Estimate *e, char *text, size_t size)
{
    char memory[16], disk[16], most[16];
    bool space = strpbrk(place.folder, " \t") != NULL;
    const char *quote = space ? "\"" : "";
    cli_format_size(e->memory, memory);
    cli_format_size(e->result, disk);
    cli_format_size(e->result + e->scratch, most);
    snprintf(text, size,
             "'trebuchet gen %s%s%s%s%s%s' makes %s: about %s of memory and %s of disk (%s while "
             "it runs)",
             place.named ? "--tables " : "", place.named ? quote : "",
             place.named ? place.folder : "", place.named ? quote : "", place.named ? " " : "",
             material != NULL ? material : "--men 4",
             material != NULL ? "it" : "all tables of up to 4 men", memory, disk, most);
}

/* What it takes to make the tables listed, and in `why` what this machine lacks for it. Of one with
 * pawns those with queens in their place must be made too, and that plan is much shorter: if that
 * much is refused the whole need not be planned, which for eight men takes 0.2 s. */
static treb_status weigh(const GenerateOptions *options, const Material *list, size_t count,
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

bool cli_advice(const char *material, char *text, size_t size)
{
    size_t count;
    Estimate e;
    treb_error error;
    char why[512];
    GenerateOptions options = {
        .codec = TABLE_SYMBOLS, .directory = place.folder, .metrics = (1u << TREB_METRICS) - 1};
    if (place.folder[0] == '\0') {
        snprintf(text, size, "None of these folders can be written to, so no tables can be added");
        return false;
    }
    Material *list = list_wanted(material, &count);
    treb_status status = list == NULL ? fail_memory(&error)
                                      : weigh(&options, list, count, &e, why, sizeof why, &error);
    free(list);
    if (status != TREB_OK) {
        snprintf(text, size, "It cannot be made here: %s", error.text);
        return false;
    }
    if (why[0] != '\0')
        snprintf(text, size, "%s cannot be made here: that %s",
                 material != NULL ? material : "Tables", why);
    else
        write_command(material, &e, text, size);
    estimate_free(&e);
    return why[0] == '\0';
}
