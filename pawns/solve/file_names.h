/* file_names.h - lists of names of files in folders. */
#ifndef TREB_PAWNS_SOLVE_FILE_NAMES_H
#define TREB_PAWNS_SOLVE_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct FileNames {
    char **name;
    size_t count;
} FileNames;

/* Adds a copy of a name. False without memory. */
bool file_names_add(FileNames *names, const char *name);
void file_names_free(FileNames *names);

/* Adds the names in some folders that `is_name` accepts, sorted and each once. Folders that cannot
 * be read are skipped. False without memory; the list is empty then. */
bool file_names_add_folders(FileNames *names, const char *const *directories, size_t count,
                            bool (*is_name)(const char *name));

#endif
