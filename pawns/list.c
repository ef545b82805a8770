/* list.c - which rank files there are, and which solved pawn endings. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "pawns/blocked.h"
#include "core/format/table_solved.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool blocked_names_add(BlockedNames *names, const char *name)
{
    char **grown = realloc(names->name, (names->count + 1) * sizeof *grown);
    if (grown == NULL) return false;
    names->name = grown;
    if ((grown[names->count] = strdup(name)) == NULL) return false;
    names->count++;
    return true;
}

void blocked_names_free(BlockedNames *names)
{
    for (size_t i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
    *names = (BlockedNames){0};
}

static bool is_name(const char *name, bool solved)
{
    return solved ? table_solved_is_name(name, NULL) : table_ranks_is_name(name);
}

/* Adds those of one kind. */
static bool add_names(const char *const *directories, size_t count, bool solved, BlockedNames *out)
{
    const size_t start = out->count;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        size_t before = out->count;
        DIR *list = opendir(directories[i]);
        if (list == NULL) continue;
        for (struct dirent *entry; good && (entry = readdir(list)) != NULL;) {
            if (!is_name(entry->d_name, solved)) continue;
            bool known = false;
            for (size_t k = start; k < before && !known; k++)
                known = strcmp(out->name[k], entry->d_name) == 0;
            good = known || blocked_names_add(out, entry->d_name);
        }
        closedir(list);
    }
    if (!good) blocked_names_free(out);
    if (out->count > start)
        qsort(out->name + start, out->count - start, sizeof *out->name, compare_names);
    return good;
}

bool blocked_names(const char *const *directories, size_t count, BlockedNames *out)
{
    *out = (BlockedNames){0};
    return add_names(directories, count, false, out);
}

bool solved_names(const char *const *directories, size_t count, BlockedNames *out)
{
    return add_names(directories, count, true, out);
}
