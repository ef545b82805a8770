/* info_material.h - trebuchet info MATERIAL: all files that there are of it. */
#ifndef TREB_CLI_INFO_MATERIAL_H
#define TREB_CLI_INFO_MATERIAL_H

#include "cli/cli.h"
#include "core/chess/material.h"

enum { MATERIAL_PATH_SIZE = 4200 };

/* One of them. */
typedef struct MaterialFile {
    const char *folder;
    char path[MATERIAL_PATH_SIZE];
    treb_metric metric;
    bool syzygy;
} MaterialFile;

/* The files of a canonical material in the folders, in their order. NULL without memory; the caller
 * frees the list. */
MaterialFile *material_files(const CliDirs *dirs, const Material *material, size_t *count);

/* What there is, as text or with --json as an object. An exit code. */
int material_files_show(const CliDirs *dirs, const Material *material);

#endif
