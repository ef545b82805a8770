/* list.c - which rank files there are. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "blocked/blocked.h"

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

bool blocked_names(const char *const *directories, size_t count, BlockedNames *out)
{
    bool good = true;
    *out = (BlockedNames){0};
    for (size_t i = 0; i < count && good; i++) {
        size_t before = out->count;
        DIR *list = opendir(directories[i]);
        if (list == NULL) continue;
        for (struct dirent *entry; good && (entry = readdir(list)) != NULL;) {
            if (!table_ranks_is_name(entry->d_name)) continue;
            bool known = false;
            for (size_t k = 0; k < before && !known; k++)
                known = strcmp(out->name[k], entry->d_name) == 0;
            good = known || blocked_names_add(out, entry->d_name);
        }
        closedir(list);
    }
    if (!good) blocked_names_free(out);
    if (out->count > 0) qsort(out->name, out->count, sizeof *out->name, compare_names);
    return good;
}
