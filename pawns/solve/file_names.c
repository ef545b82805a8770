/* file_names.c - see file_names.h. */
#include "pawns/solve/file_names.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/system.h"

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

typedef struct Adding {
    FileNames *names;
    size_t start, before; /* the names of the other folders */
    bool (*is_name)(const char *name);
    bool failed; /* no memory */
} Adding;

/* A SystemEntry: adds a name, except if it is in the list already. */
static bool add_entry(void *context, const char *name)
{
    Adding *a = context;
    bool known = false;
    if (!a->is_name(name)) return true;
    for (size_t k = a->start; k < a->before && !known; k++)
        known = strcmp(a->names->name[k], name) == 0;
    a->failed = !known && !file_names_add(a->names, name);
    return !a->failed;
}

static bool add_folder(FileNames *names, size_t start, const char *directory,
                       bool (*is_name)(const char *name))
{
    Adding adding = {names, start, names->count, is_name, false};
    system_list(directory, add_entry, &adding);
    return !adding.failed;
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
