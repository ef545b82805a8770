/* info_material.h - trebuchet info MATERIAL: all files of a material. */
#ifndef TREB_CLI_INFO_MATERIAL_H
#define TREB_CLI_INFO_MATERIAL_H

#include "cli/folders.h"
#include "core/chess/material.h"

enum { MATERIAL_PATH_SIZE = 4200 };

/* One file of a material. */
typedef struct MaterialFile {
    const char *folder;
    char path[MATERIAL_PATH_SIZE];
    treb_metric metric;
    bool syzygy;
} MaterialFile;

/* Returns the files of a canonical material in the folders, in the order of the folders. The caller
 * frees the list. Returns NULL without memory. */
MaterialFile *info_material_files(const CliDirs *dirs, const Material *material, size_t *count);

/* Prints the files, as text or with --json as an object. Returns an exit code. */
int info_material_show(const CliDirs *dirs, const Material *material);

#endif
