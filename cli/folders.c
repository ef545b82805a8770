/* folders.c - see folders.h. */
#include "cli/folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/output.h"
#include "core/format/table.h"
#include "core/format/table_pawn.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/tool.h"

/* ---- Folders --------------------------------------------------------------------------------- */

static bool add_one(CliDirs *dirs, const char *dir)
{
    if (dirs->count == sizeof dirs->dir / sizeof *dirs->dir) return false;
    dirs->dir[dirs->count++] = dir;
    return true;
}

/* Adds the folders of a path that is split at its colons, on Windows at its semicolons. */
static bool add_path(CliDirs *dirs, const char *path)
{
    char *rest = strdup(path);
    if (rest == NULL) return false;
    bool all = true;
    dirs->split[dirs->splits++] = rest;
    for (char *dir; all && (dir = treb_next_place(&rest)) != NULL;) all = add_one(dirs, dir);
    return all;
}

bool cli_dirs_add(CliDirs *dirs, const char *dir)
{
    /* A folder may have a separator in its name. */
    bool one = strpbrk(dir, ":;") == NULL || tool_may(dir, TOOL_EXISTS);
    return !one && dirs->splits < sizeof dirs->dir / sizeof *dirs->dir ? add_path(dirs, dir)
                                                                       : add_one(dirs, dir);
}

void cli_dirs_default(CliDirs *dirs)
{
    bool named = dirs->count > 0 && !dirs->by_default;
    const char *path = tool_variable("TREBUCHET_PATH");
    dirs->by_default = !named;
    if (dirs->count == 0 && path && *path) add_path(dirs, path);
    if (dirs->count == 0) add_one(dirs, "tables");
}

void cli_dirs_free(CliDirs *dirs)
{
    while (dirs->splits > 0) free(dirs->split[--dirs->splits]);
}

bool cli_hint_unread(const char *path)
{
    char place[TOOL_PATH];
    if (tool_may(path, TOOL_READ) || errno != EACCES) return false;
    if (snprintf(place, sizeof place, "%s", path) >= TOOL_PATH) return false;
    /* If a folder above it may not be entered, name that folder: `ls` cannot show what is in it. */
    for (char *slash; (slash = strrchr(place, '/')) != NULL && slash > place;) {
        *slash = '\0';
        if (tool_may(place, TOOL_ENTER)) {
            *slash = '/';
            break;
        }
    }
    fprintf(stderr, "Its owner must allow you to read it: 'ls -ld %s' shows who that is.\n", place);
    return true;
}

void cli_hint_folders(const char *named, const char *const *dir, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cli_hint_unread(dir[i])) return;
    fprintf(stderr, "%s; 'trebuchet gen --help' explains how to make tables.\n", named);
}

static bool is_missing(const char *folder, treb_error *error)
{
    if (io_is_place(folder)) return false;
    return fail_errno(error, "open", folder) != TREB_OK;
}

/* Whether a folder is on a server that cannot be reached. */
static bool is_unreachable(const char *folder, treb_error *error)
{
    if (!io_is_address(folder)) return false;
    treb_tables *tables = treb_tables_open(&folder, 1, error);
    bool reached = tables != NULL;
    treb_tables_close(tables);
    return !reached && (error->status == TREB_ERR_NETWORK || error->status == TREB_ERR_TIMEOUT);
}

/* Leaves out the folders that are lost, with a warning, if there are others. Returns whether there are
 * such and others. */
static bool leave_out(const char *command, CliDirs *dirs,
                      bool is_lost(const char *folder, treb_error *error))
{
    treb_error error[sizeof dirs->dir / sizeof *dirs->dir];
    bool lost[sizeof dirs->dir / sizeof *dirs->dir];
    size_t kept = 0;
    for (size_t i = 0; i < dirs->count; i++) kept += !(lost[i] = is_lost(dirs->dir[i], &error[i]));
    if (kept == 0 || kept == dirs->count) return false;
    kept = 0;
    for (size_t i = 0; i < dirs->count; i++) {
        if (lost[i])
            cli_warn(command, "warning: %s; the other folders are used", error[i].text);
        else
            dirs->dir[kept++] = dirs->dir[i];
    }
    dirs->count = kept;
    return true;
}

bool cli_warn_missing(const char *command, const CliDirs *dirs)
{
    CliDirs there = *dirs;
    return leave_out(command, &there, is_missing);
}

treb_tables *cli_open_tables(const char *command, CliDirs *dirs)
{
    treb_error error;
    bool named = dirs->count > 0 || tool_variable("TREBUCHET_PATH") != NULL;
    cli_dirs_default(dirs);
    leave_out(command, dirs, is_missing);
    /* ./tables is only the last resort, so it may be absent. */
    size_t count = !named && !tool_may(dirs->dir[0], TOOL_EXISTS) ? 0 : dirs->count;
    treb_tables *tables = treb_tables_open(dirs->dir, count, &error);
    if (tables == NULL && count > 0 && leave_out(command, dirs, is_unreachable))
        tables = treb_tables_open(dirs->dir, dirs->count, &error);
    if (tables != NULL) return tables;
    cli_fail(command, &error);
    cli_hint_folders(CLI_NAMES_FOLDERS, dirs->dir, dirs->count);
    return NULL;
}

int cli_close_tables(const char *command, treb_tables *tables, int code)
{
    treb_error why;
    const char *path, *first = NULL;
    for (size_t i = 0; tables != NULL && (path = treb_tables_fault(tables, i, &why)) != NULL; i++) {
        bool table = !table_pawn_is_name(io_name(path), NULL);
        if (first == NULL) first = path;
        /* A pawn file that cannot be read is passed over: the answer may come from others. */
        bool answers = code == CLI_NO_TABLE || (code == CLI_OK && table);
        if (!cli_reported(why.text)) {
            if (answers || code == CLI_FAILED)
                cli_fail(command, &why);
            else
                cli_warn(command, "%s", why.text);
        }
        if (answers) code = CLI_FAILED;
    }
    if (first != NULL)
        fprintf(stderr, "Copy or make it again: 'trebuchet verify --checksum %s' says whether a file is good.\n",
                first);
    treb_tables_close(tables);
    return code;
}

bool cli_refuse_addresses(const char *command, const CliDirs *dirs)
{
    for (size_t i = 0; i < dirs->count; i++)
        if (io_is_address(dirs->dir[i])) {
            cli_error(command, "%s: this command reads local files only; download the tables first",
                      dirs->dir[i]);
            return true;
        }
    return false;
}

bool cli_may_write(const char *path)
{
    char whole[TOOL_PATH];
    if (tool_may(path, TOOL_FILL)) return true;
    if (errno != ENOENT || snprintf(whole, sizeof whole, "%s", path) >= TOOL_PATH) return false;
    for (size_t end = strlen(whole); end > 1 && system_is_slash(whole[end - 1]);)
        whole[--end] = '\0';
    char *parent = io_folder(whole);
    const bool may = parent != NULL && tool_may(parent, TOOL_FILL);
    free(parent);
    return may;
}

bool cli_make_folder(const char *command, const char *path)
{
    if (tool_make_folder(path)) return true;
    SystemFile about;
    if (errno == EEXIST && system_about_path(path, &about) && about.kind == SYSTEM_FOLDER) {
        if (tool_may(path, TOOL_FILL)) return true;
        cli_error(command, "cannot write into the folder %s: %s", path, strerror(errno));
        return false;
    }
    if (errno == ENOENT) {
        cli_error(command, "cannot create the folder %s: the folder above it does not exist", path);
        return false;
    }
    if (errno == EEXIST) errno = ENOTDIR;
    cli_error(command, "cannot create the folder %s: %s", path, strerror(errno));
    return false;
}

/* ---- Files that come with Trebuchet ---------------------------------------------------------- */

bool cli_program_folder(char out[TOOL_PATH])
{
    if (!tool_program(out, TOOL_PATH)) return false;
    *strrchr(out, '/') = '\0';
    return true;
}

void cli_hint_script(const char *path, const char *folder)
{
    /* Relative to the program where it is installed, and in a build folder. */
    static const char *const places[] = {"../share/trebuchet", "../examples"};
    char self[TOOL_PATH], place[TOOL_PATH + 64], found[TOOL_PATH];
    if (tool_may(path, TOOL_EXISTS) || errno != ENOENT) return;
    for (size_t i = 0; cli_program_folder(self) && i < sizeof places / sizeof *places; i++) {
        snprintf(place, sizeof place, "%s/%s/%s", self, places[i], folder);
        if (!tool_real_path(place, found, sizeof found)) continue;
        fprintf(stderr, "The %s that come with Trebuchet are in %s.\n", folder, found);
        return;
    }
    fprintf(stderr,
            "Trebuchet comes with some %s: in examples/%s/ of its sources, or in "
            "share/trebuchet/%s where it is installed.\n",
            folder, folder, folder);
}

/* ---- Temporary folders ----------------------------------------------------------------------- */

/* A SystemEntry. A generation that was stopped leaves its scratch files in a folder inside. */
static bool remove_entry(void *folder, const char *name)
{
    SystemFile about;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
    char *path = io_path(folder, name);
    if (path == NULL) return false;
    if (!system_delete(path) && system_about_path(path, &about) && about.kind == SYSTEM_FOLDER)
        cli_remove_folder(path);
    free(path);
    return true;
}

void cli_remove_folder(const char *path)
{
    system_list(path, remove_entry, (void *)(uintptr_t)path);
    tool_remove_folder(path);
}
