/* common.c - what the commands share: folders of tables, the board, the terminal. */
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/cli.h"
#include "core/chess/position.h"
#include "core/format/table.h"

/* ---- Folders --------------------------------------------------------------------------------- */

bool cli_dirs_add(CliDirs *dirs, const char *dir)
{
    if (dirs->count == sizeof dirs->dir / sizeof *dirs->dir) return false;
    dirs->dir[dirs->count++] = dir;
    return true;
}

void cli_dirs_default(CliDirs *dirs)
{
    bool named = dirs->count > 0 && !dirs->by_default;
    const char *path = getenv("TREBUCHET_PATH");
    dirs->by_default = !named;
    if (dirs->count == 0 && path && *path && (dirs->environment = strdup(path)) != NULL) {
        char *rest = dirs->environment;
        for (char *dir; (dir = treb_next_place(&rest)) != NULL;) cli_dirs_add(dirs, dir);
    }
    if (dirs->count == 0) cli_dirs_add(dirs, "tables");
    advice_folders(dirs, named);
}

void cli_dirs_free(CliDirs *dirs) { free(dirs->environment); }

bool cli_hint_unread(const char *path)
{
    char place[PATH_MAX];
    if (access(path, R_OK) == 0 || errno != EACCES) return false;
    if (snprintf(place, sizeof place, "%s", path) >= PATH_MAX) return false;
    /* Of a folder that nobody else may enter, nothing in it can be looked at. */
    for (char *slash; (slash = strrchr(place, '/')) != NULL && slash > place;) {
        *slash = '\0';
        if (access(place, X_OK) == 0) {
            *slash = '/';
            break;
        }
    }
    fprintf(stderr, "Its owner must let you read it: 'ls -ld %s' tells who that is.\n", place);
    return true;
}

void cli_hint_folders(const char *named, const char *const *dir, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cli_hint_unread(dir[i])) return;
    fprintf(stderr, "%s; 'trebuchet gen --help' tells how to make some.\n", named);
}

treb_tables *cli_open_tables(const char *command, CliDirs *dirs)
{
    treb_error error;
    bool named = dirs->count > 0 || getenv("TREBUCHET_PATH") != NULL;
    cli_dirs_default(dirs);
    /* Nobody asked for ./tables, so it need not be there. */
    size_t count = !named && access(dirs->dir[0], F_OK) != 0 ? 0 : dirs->count;
    treb_tables *tables = treb_tables_open(dirs->dir, count, &error);
    if (tables != NULL) return tables;
    cli_fail(command, &error, NULL);
    cli_hint_folders(CLI_NAMES_FOLDERS, dirs->dir, dirs->count);
    return NULL;
}

bool cli_is_address(const char *folder)
{
    return strncasecmp(folder, "http://", 7) == 0 || strncasecmp(folder, "https://", 8) == 0;
}

bool cli_refuse_addresses(const char *command, const CliDirs *dirs)
{
    for (size_t i = 0; i < dirs->count; i++)
        if (cli_is_address(dirs->dir[i])) {
            cli_error(command, "%s: takes files of this machine: fetch those first", dirs->dir[i]);
            return true;
        }
    return false;
}

bool cli_may_write(const char *path)
{
    char parent[PATH_MAX];
    if (access(path, W_OK | X_OK) == 0) return true;
    if (errno != ENOENT || snprintf(parent, sizeof parent, "%s", path) >= PATH_MAX) return false;
    for (size_t end = strlen(parent); end > 1 && parent[end - 1] == '/';) parent[--end] = '\0';
    char *slash = strrchr(parent, '/');
    if (slash == NULL) return access(".", W_OK | X_OK) == 0;
    slash[slash == parent] = '\0';
    return access(parent, W_OK | X_OK) == 0;
}

bool cli_make_folder(const char *command, const char *path)
{
    if (mkdir(path, 0777) == 0) return true;
    struct stat info;
    if (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        if (access(path, W_OK | X_OK) == 0) return true;
        cli_error(command, "cannot write into the folder %s: %s", path, strerror(errno));
        return false;
    }
    if (errno == ENOENT) {
        cli_error(command, "cannot make the folder %s: the folder above it is not there", path);
        return false;
    }
    if (errno == EEXIST) errno = ENOTDIR;
    cli_error(command, "cannot make the folder %s: %s", path, strerror(errno));
    return false;
}

/* ---- What comes with Trebuchet --------------------------------------------------------------- */

bool cli_program_folder(char out[PATH_MAX])
{
    ssize_t size = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (size <= 0) return false;
    out[size] = '\0';
    *strrchr(out, '/') = '\0';
    return true;
}

void cli_hint_script(const char *path, const char *folder)
{
    /* Where it is installed; in a build folder among the sources. */
    static const char *const places[] = {"../share/trebuchet", ".."};
    char self[PATH_MAX], place[PATH_MAX + 64], found[PATH_MAX];
    if (access(path, F_OK) == 0 || errno != ENOENT) return;
    for (size_t i = 0; cli_program_folder(self) && i < sizeof places / sizeof *places; i++) {
        snprintf(place, sizeof place, "%s/%s/%s", self, places[i], folder);
        if (realpath(place, found) == NULL) continue;
        fprintf(stderr, "Those that come with Trebuchet are in %s.\n", found);
        return;
    }
    fprintf(
        stderr,
        "Some come with Trebuchet: in %s/ of its sources, share/trebuchet/%s where installed.\n",
        folder, folder);
}

/* ---- The board ------------------------------------------------------------------------------- */

void cli_print_board(const treb_position *pos)
{
    static const char letters[2][TREB_TYPES + 1] = {"PNBRQK", "pnbrqk"};
    for (int rank = 7; rank >= 0; rank--) {
        printf("  %d ", rank + 1);
        for (int file = 0; file < 8; file++) {
            int color = 0, type = position_piece_at(pos, 8 * rank + file, &color);
            printf(" %c", type < 0 ? '.' : letters[color][type]);
        }
        putchar('\n');
    }
    printf("     a b c d e f g h     %s to move", pos->turn == TREB_WHITE ? "White" : "Black");
    if (pos->ep) printf(", en passant on %c%d", 'a' + pos->ep % 8, 1 + pos->ep / 8);
    if (pos->halfmove) printf(", 50-move clock at %d plies", pos->halfmove);
    puts("\n");
}

/* ---- The terminal ---------------------------------------------------------------------------- */

int cli_columns(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    uint64_t number;
    if (columns != NULL && cli_parse_number(columns, 20, 1000, &number)) return (int)number;
    return 80;
}

bool cli_utf8(void)
{
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
