/* verify_list.h - which files a verification is about. */
#ifndef TREB_CLI_VERIFY_LIST_H
#define TREB_CLI_VERIFY_LIST_H

#include "pawns/blocked.h"
#include "cli/cli.h"
#include "core/chess/material.h"

typedef struct VerifyListed {
    char material[MATERIAL_NAME_SIZE]; /* "": a rank file */
    bool syzygy;
    bool named; /* as a file, not by its material */
    char *path; /* NULL: the material has no file in the folders */
} VerifyListed;

typedef struct VerifyList {
    VerifyListed *file;
    size_t count;
} VerifyList;

/* Whether a text has the form of a table file's name, ours or Syzygy's. */
bool verify_list_is_file(const char *text);

/* Adds what is meant by a word: a file, or those of a material; with NULL all of the folders. False
 * without memory. */
bool verify_list_add(VerifyList *list, const treb_tables *tables, const CliDirs *dirs,
                     const char *word);

/* Adds rank files of the folders. False without memory. */
bool verify_list_ranks(VerifyList *list, const CliDirs *dirs, const BlockedNames *names);
void verify_list_free(VerifyList *list);

#endif
