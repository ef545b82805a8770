/* cmd_engine.c - `trebuchet engine`: runs a chess engine that was built for Fathom on our tables.
 *
 * The engine takes this process's place, so that its input, output, signals and exit code are its
 * own. The command only sets environment variables: where the loader finds our libfathom.so.1 before
 * the system's, and where that library finds the tables. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/cmd.h"
#include "cli/folders.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/system/io.h"

/* The name of our library, and the variable with the folders that the loader searches first. */
#ifdef __APPLE__
static const char library[] = "libfathom.1.dylib", library_path[] = "DYLD_LIBRARY_PATH";
#else
static const char library[] = "libfathom.so.1", library_path[] = "LD_LIBRARY_PATH";
#endif

typedef struct Engine {
    CliDirs dirs;
    const char *cache; /* bytes as text, or NULL */
    char cache_text[24];
    char library[PATH_MAX]; /* folder of our library */
    char program[PATH_MAX]; /* file of the engine */
    char **argv;            /* command line of the engine */
} Engine;

/* ---- Finding files --------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Joins a folder and a name. Returns false if the path is too long. */
static bool join(char out[PATH_MAX], const char *folder, size_t length, const char *name)
{
    int size = snprintf(out, PATH_MAX, "%.*s/%s", (int)length, folder, name);
    return size > 0 && size < PATH_MAX;
}

/* Finds our library: next to this program in a build folder, in ../lib where it is installed. */
static bool find_library(Engine *engine)
{
    static const char *const places[] = {"fathom", "../lib/trebuchet"};
    char self[PATH_MAX], folder[PATH_MAX], file[PATH_MAX];
    if (!cli_program_folder(self)) {
        cli_error("engine", "cannot find the folder of this program: %s", strerror(errno));
        return false;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (join(folder, self, strlen(self), places[i]) &&
            join(file, folder, strlen(folder), library) && is_file(file) &&
            realpath(folder, engine->library) != NULL)
            return true;
    cli_error("engine",
              "%s is neither in %s/fathom nor in %s/../lib/trebuchet; run 'make' or "
              "'make install'",
              library, self, self);
    return false;
}

/* Finds the engine in PATH, and then in Debian's folders for games, which are not in root's PATH. */
static bool find_program(Engine *engine)
{
    const char *name = engine->argv[0], *path = getenv("PATH");
    const char *const lists[] = {path != NULL ? path : "/usr/local/bin:/usr/bin:/bin",
                                 "/usr/local/games:/usr/games"};
    if (strchr(name, '/') != NULL) {
        snprintf(engine->program, PATH_MAX, "%s", name);
        if (is_file(name)) return true;
        cli_error("engine", "there is no engine %s", name);
        return false;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *at = lists[i]; *at != '\0';) {
            size_t length = strcspn(at, ":");
            if (join(engine->program, length > 0 ? at : ".", length > 0 ? length : 1, name) &&
                is_file(engine->program) && access(engine->program, X_OK) == 0)
                return true;
            at += length + (at[length] == ':');
        }
    cli_error("engine", "there is no engine '%s' in PATH, /usr/local/games or /usr/games", name);
    return false;
}

/* Warns if an ELF file does not contain the name of our library: then it does not use it. Scripts may
 * start any program, so there is no warning. */
static void warn_if_not_linked(const char *program)
{
    static const char elf[] = "\177ELF";
    struct stat info;
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &info) == 0 && info.st_size > (off_t)strlen(elf)) {
        size_t size = (size_t)info.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            if (memcmp(bytes, elf, strlen(elf)) == 0 &&
                memmem(bytes, size, library, sizeof library) == NULL)
                cli_warn("engine",
                         "warning: %s is not linked with %s and will not probe these tables",
                         program, library);
            munmap(bytes, size);
        }
    }
    close(fd);
}

/* ---- The environment ------------------------------------------------------------------------- */

static bool set_variable(const char *name, const char *value)
{
    if (setenv(name, value, 1) == 0) return true;
    cli_error("engine", "cannot set %s: %s", name, strerror(errno));
    return false;
}

/* Puts the folder of our library before the others that the loader searches. */
static bool set_library_path(const Engine *engine)
{
    const char *old = getenv(library_path);
    char *text;
    bool more = old != NULL && *old != '\0';
    if (asprintf(&text, "%s%s%s", engine->library, more ? ":" : "", more ? old : "") < 0)
        return cli_no_memory("engine") == CLI_OK;
    bool ok = set_variable(library_path, text);
    free(text);
    return ok;
}

/* Returns the absolute path of a folder, or NULL after reporting a failure. The caller frees it. */
static char *full_path(const char *folder, const CliDirs *dirs)
{
    if (io_is_address(folder)) return strdup(folder);
    char *path = realpath(folder, NULL);
    if (path == NULL) {
        cli_error("engine", "%s: %s", folder, strerror(errno));
        cli_hint_tables(NULL, dirs);
    } else if (strchr(path, ':') != NULL) {
        cli_error("engine", "%s: a folder with a colon in its name cannot be used here", path);
        free(path);
        path = NULL;
    }
    return path;
}

/* Folders named on the command line must exist. Default folders that do not exist are left out with a
 * warning, because the engine's own option may name tables later. */
static void find_folders(CliDirs *dirs)
{
    bool named = dirs->count > 0;
    size_t kept = 0;
    cli_dirs_default(dirs);
    for (size_t i = 0; i < dirs->count; i++) {
        if (named || io_is_address(dirs->dir[i]) || access(dirs->dir[i], F_OK) == 0)
            dirs->dir[kept++] = dirs->dir[i];
        else
            cli_warn("engine", "warning: %s: %s", dirs->dir[i], strerror(errno));
    }
    dirs->count = kept;
}

/* Sets TREBUCHET_PATH to absolute paths, because the engine may change its current folder. */
static bool set_tables_path(const Engine *engine)
{
    char *text = NULL, *longer = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < engine->dirs.count; i++) {
        char *path = full_path(engine->dirs.dir[i], &engine->dirs);
        ok = path != NULL;
        if (ok && asprintf(&longer, "%s%s%s", i ? text : "", i ? ":" : "", path) < 0) {
            longer = NULL;
            ok = cli_no_memory("engine") == CLI_OK;
        }
        free(path);
        free(text);
        text = longer;
        longer = NULL;
    }
    ok = ok && set_variable("TREBUCHET_PATH", text != NULL ? text : "");
    free(text);
    return ok;
}

/* Warns that there are no tables. The engine is started anyway: its own option may name folders. */
static void warn_no_tables(const CliDirs *dirs)
{
    cli_warn(
        "engine",
        "warning: there are no tables%s%s%s; the engine has only those that its own option names",
        dirs->count > 0 ? " in " : "", dirs->count > 0 ? dirs->dir[0] : "",
        dirs->count > 1 ? " and the others" : "");
    cli_hint_tables(NULL, dirs);
}

/* Returns false after reporting that a folder cannot be read. Warns if there are no tables. */
static bool check_tables(Engine *engine)
{
    size_t count = 0;
    if (engine->dirs.count > 0) {
        treb_tables *tables = cli_open_tables("engine", &engine->dirs);
        if (tables == NULL) return false;
        count = treb_tables_count(tables);
        treb_tables_close(tables);
    }
    if (count == 0) warn_no_tables(&engine->dirs);
    return true;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool set_cache(const char *command, const CliOption *option, void *to, const char *value)
{
    Engine *engine = to;
    uint64_t bytes;
    if (!cli_set_size(command, option, &bytes, value)) return false;
    snprintf(engine->cache_text, sizeof engine->cache_text, "%llu", (unsigned long long)bytes);
    engine->cache = engine->cache_text;
    return true;
}

static const CliOption options[] = {
    CLI_OPTION_TABLES(Engine, dirs),
    {"cache", 'c', "SIZE", CLI_OWN(set_cache), "memory for unpacked blocks (default: 256MiB)"},
    CLI_OPTION_HELP,
    CLI_OPTIONS_END};

static const CliCommand engine_command = {
    .name = "engine",
    .synopsis = "trebuchet engine [options] -- COMMAND [ARGUMENTS]",
    .about = "Runs a chess engine that is linked with Fathom (libfathom.so.1), such as Debian's "
             "ethereal-chess, on Trebuchet's tables. Set the engine's option SyzygyPath to any "
             "text that is not empty: without it, engines do not probe tables.",
    .options = options,
    .notes = "Exit codes: those of the engine; 1 if the engine, the library or a folder of "
             "--tables does not exist, 2 wrong command line.",
    .stop_at_words = true}; /* the words after COMMAND are the engine's */

/* Returns -1 to go on, else the exit code. */
static int parse(Engine *engine, int argc, char **argv)
{
    int code = cli_options(&engine_command, engine, argc, argv);
    if (code >= 0) return code;
    engine->argv = argv + optind;
    if (engine->argv[0] != NULL) return -1;
    cli_error("engine", "name the engine to run, as in 'trebuchet engine -- ethereal-chess'");
    return cli_usage("engine");
}

static int run(Engine *engine)
{
    if (!find_library(engine) || !find_program(engine)) return CLI_FAILED;
    find_folders(&engine->dirs);
    if (!set_tables_path(engine) || !check_tables(engine) || !set_library_path(engine) ||
        (engine->cache != NULL && !set_variable("TREBUCHET_CACHE", engine->cache)))
        return CLI_FAILED;
    warn_if_not_linked(engine->program);
    signal(SIGXFSZ, SIG_DFL); /* as it was before main() */
    execv(engine->program, engine->argv);
    cli_error("engine", "cannot run %s: %s", engine->program, strerror(errno));
    return CLI_FAILED;
}

int cli_engine(int argc, char **argv)
{
    Engine engine = {0};
    int code = parse(&engine, argc, argv);
    if (code < 0) code = run(&engine);
    cli_dirs_free(&engine.dirs);
    return cli_finish("engine", code);
}
