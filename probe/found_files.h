/* found_files.h - the table files that directories and sources have. Private to probe/. */
#ifndef TREB_PROBE_FOUND_FILES_H
#define TREB_PROBE_FOUND_FILES_H

#include "probe/file.h"

typedef struct FileList {
    FoundFile *files;
    size_t count, capacity;
} FileList;

/* All files found so far. Of files with the same name, or with the same material, metric and
 * format, only the first found is listed. Starts as all zero. */
typedef struct FoundFiles {
    FileList tables;
    FileList pawn_files; /* see probe/pawn_file.h; only their paths are filled */
} FoundFiles;

/* Adds the files of a directory. */
treb_status found_add_directory(FoundFiles *found, const char *directory, treb_error *error);

/* Adds the files that a source lists, but no Syzygy files and no pawn files. The files refer to the
 * source. */
treb_status found_add_source(FoundFiles *found, const treb_source *source, treb_error *error);

/* Sorts tables by men, material, metric and format, and pawn files by name. */
void found_sort(FoundFiles *found);

/* Frees the lists and all paths in them. */
void found_free(FoundFiles *found);

#endif
