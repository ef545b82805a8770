/* rule_book_read.c - reads the texts and figures of the rule book; see rule_book.h. */
#include <stdlib.h>
#include <string.h>

#include "core/chess/position.h"
#include "json/rule_book.h"

const char rule_book_trial[] = "-- On trial:";

json_t *rule_book_about(const char *text)
{
    size_t length = 0;
    char *about = malloc(strlen(text) + 1);
    if (about == NULL) return NULL;
    while (text[0] == '-' && text[1] == '-' &&
           strncmp(text, rule_book_trial, strlen(rule_book_trial)) != 0) {
        const size_t line = strcspn(text, "\n"), skip = text[2] == ' ' ? 3 : 2;
        memcpy(about + length, text + skip, line - skip);
        length += line - skip;
        about[length++] = '\n';
        text += line + (text[line] == '\n');
    }
    while (length > 0 && about[length - 1] == '\n') length--;
    json_t *object = json_stringn(about, length);
    free(about);
    return object;
}

json_t *rule_book_figures(const RuleFigures *f, const char *rule, const char *material,
                          const char *const *members)
{
    while (f->rule != NULL && (strcmp(f->rule, rule) != 0 || strcmp(f->material, material) != 0))
        f++;
    json_t *figures = f->rule != NULL ? json_loads(f->json, 0, NULL) : NULL;
    json_t *kept = figures != NULL ? json_object() : NULL;
    for (; kept != NULL && *members != NULL; members++)
        json_object_set(kept, *members, json_object_get(figures, *members));
    json_decref(figures);
    return kept != NULL ? kept : json_null();
}

bool rule_book_turn(treb_position *pos, char name[MATERIAL_NAME_SIZE])
{
    Material here = material_of_position(pos), table = here;
    material_canonical(&table);
    material_name(&table, name);
    if (material_equal(&here, &table)) return false;
    treb_position other;
    position_swap_colors(pos, &other);
    *pos = other;
    return true;
}
