/* verify_list.h - the files that a verification checks. */
#ifndef TREB_CLI_VERIFY_LIST_H
#define TREB_CLI_VERIFY_LIST_H

#include "cli/folders.h"
#include "core/chess/material.h"
#include "pawns/solve/file_names.h"

typedef struct VerifyListed {
    char material[MATERIAL_NAME_SIZE]; /* "": a blocked-pawn table or a pawn file */
    bool syzygy;
    bool named; /* named as a file, not by its material */
    char *path; /* owned; NULL: the material has no file in the folders */
} VerifyListed;

typedef struct VerifyList {
    VerifyListed *file;
    size_t count;
} VerifyList;

/* Returns whether a text looks like the name of a table file, Trebuchet's or Syzygy's. */
bool verify_list_is_file(const char *text);

/* Adds the files that a word names: one file, or all files of a material. NULL stands for all files in
 * the folders. Returns false without memory. */
bool verify_list_add(VerifyList *list, const treb_tables *tables, const CliDirs *dirs,
                     const char *word);

/* Adds blocked-pawn tables and pawn files by their names. Returns false without memory. */
bool verify_list_pawns(VerifyList *list, const CliDirs *dirs, const FileNames *names);
void verify_list_free(VerifyList *list);

#endif
