/* cmd_engine.c - `trebuchet engine`: runs a chess engine that was built for Fathom on our tables.
 *
 * The engine takes this process's place, so that its input, output, signals and exit code are its
 * own. All it gets is an environment: where the loader finds our libfathom.so.1 before the
 * system's, and where that finds tables. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"

static const char library[] = "libfathom.so.1";

static const char usage[] =
    "Usage: trebuchet engine [options] -- COMMAND [ARGUMENTS]\n"
    "\n"
    "Runs a chess engine that links Fathom (libfathom.so.1), such as Debian's\n"
    "ethereal-chess, on Trebuchet's tables. Set its option SyzygyPath to any text but\n"
    "an empty one, as engines ask no tables without it.\n"
    "\n"
    "  -t, --tables DIR   look for tables in DIR (several times: in each)\n"
    "  -c, --cache SIZE   keep so much unpacked in memory (256MiB)\n"
    "  -h, --help         print this\n"
    "\n"
    "Exit codes: the engine's; 1 if the engine, the library or a folder of --tables\n"
    "is not there, 2 called wrongly.\n";

typedef struct Engine {
    CliDirs dirs;
    const char *cache; /* bytes as text, or NULL */
    char cache_text[24];
    char library[PATH_MAX]; /* the folder of our library */
    char program[PATH_MAX]; /* the engine's file */
    char **argv;            /* the engine's */
} Engine;

/* ---- Finding files --------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Joins a folder and a name. False if there is no room. */
static bool join(char out[PATH_MAX], const char *folder, size_t length, const char *name)
{
    int size = snprintf(out, PATH_MAX, "%.*s/%s", (int)length, folder, name);
    return size > 0 && size < PATH_MAX;
}

/* Our library: beside this program in a build folder, under ../lib of it where it is installed. */
static bool find_library(Engine *engine)
{
    static const char *const places[] = {"fathom", "../lib/trebuchet"};
    char self[PATH_MAX], folder[PATH_MAX], file[PATH_MAX];
    if (!cli_program_folder(self)) {
        cli_error("engine", "cannot find out where this program is: %s", strerror(errno));
        return false;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (join(folder, self, strlen(self), places[i]) &&
            join(file, folder, strlen(folder), library) && is_file(file) &&
            realpath(folder, engine->library) != NULL)
            return true;
    cli_error("engine",
              "%s is neither in %s/fathom nor in %s/../lib/trebuchet: run 'make' or "
              "'make install'",
              library, self, self);
    return false;
}

/* As the shell does, and then where Debian puts games, which root's PATH leaves out. */
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

/* A program that never names our library cannot be going to use it. Scripts may start anything. */
static void warn_if_not_linked(const char *program)
{
    struct stat info;
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &info) == 0 && info.st_size > SELFMAG) {
        size_t size = (size_t)info.st_size;
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            if (memcmp(bytes, ELFMAG, SELFMAG) == 0 &&
                memmem(bytes, size, library, sizeof library) == NULL)
                cli_warn("engine",
                         "warning: %s is not linked with %s and will not ask these tables", program,
                         library);
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

/* Puts our folder before those that the loader already looks into. */
static bool set_library_path(const Engine *engine)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    char *text;
    bool more = old != NULL && *old != '\0';
    if (asprintf(&text, "%s%s%s", engine->library, more ? ":" : "", more ? old : "") < 0)
        return cli_no_memory("engine") == CLI_OK;
    bool ok = set_variable("LD_LIBRARY_PATH", text);
    free(text);
    return ok;
}

/* The folder in full, or NULL after saying why not. The caller frees it. */
static char *full_path(const char *folder)
{
    if (cli_is_address(folder)) return strdup(folder);
    char *path = realpath(folder, NULL);
    if (path == NULL) {
        cli_error("engine", "%s: %s", folder, strerror(errno));
        cli_hint_tables(NULL);
    } else if (strchr(path, ':') != NULL) {
        cli_error("engine", "%s: a folder with a colon in its name cannot be passed on", path);
        free(path);
        path = NULL;
    }
    return path;
}

/* Folders that were named on the command line must be there. Others are left out if they are not: the
 * engine's own path may be set later. */
static void find_folders(CliDirs *dirs)
{
    bool named = dirs->count > 0;
    size_t kept = 0;
    cli_dirs_default(dirs);
    for (size_t i = 0; i < dirs->count; i++) {
        if (named || cli_is_address(dirs->dir[i]) || access(dirs->dir[i], F_OK) == 0)
            dirs->dir[kept++] = dirs->dir[i];
        else
            cli_warn("engine", "warning: %s: %s", dirs->dir[i], strerror(errno));
    }
    dirs->count = kept;
}

/* In full, as the engine may change its folder. */
static bool set_tables_path(const Engine *engine)
{
    char *text = NULL, *longer = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < engine->dirs.count; i++) {
        char *path = full_path(engine->dirs.dir[i]);
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

/* Not an end: the path in the engine's own options may name folders that have some. */
static void warn_no_tables(const CliDirs *dirs)
{
    cli_warn("engine",
             "warning: no tables%s%s%s: the engine has only those that its own option names",
             dirs->count > 0 ? " in " : "", dirs->count > 0 ? dirs->dir[0] : "",
             dirs->count > 1 ? " and the others" : "");
    cli_hint_tables(NULL);
}

/* False if a folder cannot be read. Says so if the engine will find nothing. */
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

static bool set_option(void *args, int c, const char *value)
{
    Engine *engine = args;
    uint64_t bytes;
    (void)c; /* --cache is the only one */
    if (!cli_set_size("engine", "--cache", value, 0, &bytes)) return false;
    snprintf(engine->cache_text, sizeof engine->cache_text, "%llu", (unsigned long long)bytes);
    engine->cache = engine->cache_text;
    return true;
}

/* -1: carry on; else the exit code. */
static int parse(Engine *engine, int argc, char **argv)
{
    static const struct option options[] = {{"tables", 1, NULL, 't'},
                                            {"cache", 1, NULL, 'c'},
                                            {"help", 0, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    /* The plus: what follows the first other word is the engine's. */
    const CliOptions reader = {"engine", usage, "+t:c:h", options, &engine->dirs, set_option};
    int code = cli_options(&reader, engine, argc, argv);
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
