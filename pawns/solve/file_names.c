/* file_names.c - see file_names.h. */
#include "pawns/solve/file_names.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool file_names_add(FileNames *names, const char *name)
{
    char **grown = realloc(names->name, (names->count + 1) * sizeof *grown);
    if (grown == NULL) return false;
    names->name = grown;
    if ((grown[names->count] = strdup(name)) == NULL) return false;
    names->count++;
    return true;
}

void file_names_free(FileNames *names)
{
    for (size_t i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
    *names = (FileNames){0};
}

/* Adds the names in one folder, except those that are in the list already, from number `start` on.
 * False without memory. */
static bool add_folder(FileNames *names, size_t start, const char *directory,
                       bool (*is_name)(const char *name))
{
    const size_t before = names->count;
    bool good = true;
    DIR *list = opendir(directory);
    if (list == NULL) return true;
    for (struct dirent *entry; good && (entry = readdir(list)) != NULL;) {
        bool known = false;
        if (!is_name(entry->d_name)) continue;
        for (size_t k = start; k < before && !known; k++)
            known = strcmp(names->name[k], entry->d_name) == 0;
        good = known || file_names_add(names, entry->d_name);
    }
    closedir(list);
    return good;
}

bool file_names_add_folders(FileNames *names, const char *const *directories, size_t count,
                            bool (*is_name)(const char *name))
{
    const size_t start = names->count;
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = add_folder(names, start, directories[i], is_name);
    if (!good) file_names_free(names);
    if (names->count > start)
        qsort(names->name + start, names->count - start, sizeof *names->name, compare_names);
    return good;
}
