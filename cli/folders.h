/* folders.h - folders of tables, folders for output, and temporary folders. */
#ifndef TREB_CLI_FOLDERS_H
#define TREB_CLI_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "trebuchet.h"

/* The folders of tables, in the order in which they are searched. */
typedef struct CliDirs {
    const char *dir[64];
    size_t count;
    bool by_default; /* no --tables was given */
    char *split[65]; /* owned: copies of paths, split at their colons */
    size_t splits;
} CliDirs;

/* ---- Folders of tables ----------------------------------------------------------------------- */

/* Adds a folder that --tables names, or several as in TREBUCHET_PATH, with colons between them, or
 * semicolons on Windows. Returns false if there are too many. */
bool cli_dirs_add(CliDirs *dirs, const char *dir);

/* If the list is empty, adds the folders of TREBUCHET_PATH or, without that, "tables". */
void cli_dirs_default(CliDirs *dirs);
void cli_dirs_free(CliDirs *dirs);

/* Opens the tables of the folders, or of the default ones. If some folders cannot be opened, but
 * not all, warns and leaves them out of the list. Returns NULL after reporting a failure. */
treb_tables *cli_open_tables(const char *command, CliDirs *dirs);

/* Warns of the folders that cannot be opened, unless that is true of all. Returns whether there are
 * some. */
bool cli_warn_missing(const char *command, const CliDirs *dirs);

/* Names every file with something wrong that the command met, with what to do, and closes the tables,
 * which may be NULL. Returns `code`, or CLI_FAILED if the command would otherwise succeed although a
 * table was damaged, or say that there is no table although a file was. */
int cli_close_tables(const char *command, treb_tables *tables, int code);

/* Prints how to name other folders than those that could not be opened and how to make tables, or, if
 * a folder is not readable, how to find its owner. `named` says which words of the command line name
 * the folders: CLI_NAMES_FOLDERS for most commands. */
#define CLI_NAMES_FOLDERS "--tables DIR names a folder with tables"
void cli_hint_folders(const char *named, const char *const *dir, size_t count);

/* If a file or folder exists but is not readable, prints how to find its owner and returns true. */
bool cli_hint_unread(const char *path);

/* Reports an error and returns true if one of the folders is an address: some commands read local
 * files only. */
bool cli_refuse_addresses(const char *command, const CliDirs *dirs);

/* ---- Folders for output ---------------------------------------------------------------------- */

/* Creates a folder unless it exists. Returns false after reporting that it cannot be created or
 * written to. */
bool cli_make_folder(const char *command, const char *path);

/* Returns whether files can be created in a folder, or, if it does not exist, whether the folder can
 * be created. If not, errno says why. */
bool cli_may_write(const char *path);

/* Removes a folder and everything in it. */
void cli_remove_folder(const char *path);

/* ---- Files that come with Trebuchet ---------------------------------------------------------- */

/* Writes the folder that this program is in. Returns false, with errno, if it is not known. */
bool cli_program_folder(char out[4096]);

/* If a script does not exist, prints where the scripts that come with Trebuchet are. `folder` is
 * "rules" or "strategies". */
void cli_hint_script(const char *path, const char *folder);

#endif
