/* tool_posix.c - tool.h for systems with POSIX. */
#ifndef _WIN32
#include "core/system/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

/* ---- The program ----------------------------------------------------------------------------- */

void tool_start(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    signal(SIGXFSZ, SIG_IGN);
}

bool tool_program(char *out, size_t size)
{
#ifdef __APPLE__
    uint32_t room = (uint32_t)size;
    return _NSGetExecutablePath(out, &room) == 0;
#else
    ssize_t length = readlink("/proc/self/exe", out, size - 1);
    out[length > 0 ? length : 0] = '\0';
    return length > 0;
#endif
}

void tool_wait_quietly(char **argv)
{
    char self[TOOL_PATH];
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")) return;
    if (setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
    execv("/proc/self/exe", argv);
    if (tool_program(self, sizeof self)) execv(self, argv);
}

const char *tool_variable(const char *name) { return getenv(name); }

void tool_catch(ToolSignal *stop, ToolSignal *question)
{
    struct sigaction action = {.sa_handler = stop};
    struct sigaction other = {.sa_handler = question, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &other, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void tool_alarm(unsigned seconds, ToolSignal *ring)
{
    signal(SIGALRM, ring);
    if (seconds > 0) alarm(seconds);
}

int tool_columns(void)
{
#ifdef TIOCGWINSZ
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
#endif
    return 0;
}

bool tool_utf8(void)
{
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* ---- Files by name --------------------------------------------------------------------------- */

FILE *tool_open(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (file != NULL) fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
    return file;
}

bool tool_may(const char *path, ToolAccess what)
{
    static const int mode[] = {[TOOL_EXISTS] = F_OK,
                               [TOOL_READ] = R_OK,
                               [TOOL_WRITE] = W_OK,
                               [TOOL_ENTER] = X_OK,
                               [TOOL_FILL] = W_OK | X_OK};
    struct stat about;
    return (what == TOOL_NAMED ? lstat(path, &about) : access(path, mode[what])) == 0;
}

bool tool_make_folder(const char *path) { return mkdir(path, 0777) == 0; }
bool tool_remove_folder(const char *path) { return rmdir(path) == 0; }

bool tool_temporary_folder(char *path, size_t size)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, size, "%s/trebuchet-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(path) != NULL;
}

bool tool_absolute(const char *path, char *out, size_t size)
{
    char here[TOOL_PATH] = "";
    if (path[0] != '/' && getcwd(here, sizeof here) == NULL) return false;
    int length = snprintf(out, size, path[0] == '/' ? "%s%s" : "%s/%s", here, path);
    return length > 0 && (size_t)length < size;
}

bool tool_real_path(const char *path, char *out, size_t size)
{
    char *found = realpath(path, NULL);
    const bool good = found != NULL && snprintf(out, size, "%s", found) < (int)size;
    free(found);
    return good;
}

/* ---- Locks ----------------------------------------------------------------------------------- */

/* A file on another machine was removed there. */
static void try_again(void)
{
#ifdef ESTALE
    if (errno == ESTALE) errno = EINTR;
#endif
}

int tool_lock_open(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) try_again();
    return file;
}

bool tool_lock(int file, bool alone)
{
    if (flock(file, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) return true;
    try_again();
    return false;
}

bool tool_lock_named(int file, const char *path)
{
    struct stat open, named;
    return fstat(file, &open) == 0 && open.st_nlink > 0 && stat(path, &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* Memory of no file is MAP_SHARED although no other process shares it: a page of private memory that is first read and
 * then written causes two page faults, and each of them interrupts all threads. */
void *tool_map(int file, uint64_t offset, uint64_t size)
{
    const int flags = file < 0 ? MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    void *at = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, flags, file, (off_t)offset);
    return at != MAP_FAILED ? at : NULL;
}

void tool_unmap(void *at, uint64_t size) { munmap(at, (size_t)size); }

void tool_map_release(void *at, uint64_t size)
{
#ifdef MADV_DONTNEED
    madvise(at, (size_t)size, MADV_DONTNEED);
#else
    posix_madvise(at, (size_t)size, POSIX_MADV_DONTNEED);
#endif
}

void tool_map_discard(void *at, uint64_t size)
{
#ifdef MADV_REMOVE
    madvise(at, (size_t)size, MADV_REMOVE);
#else
    tool_map_release(at, size);
#endif
}

bool tool_reserve(int file, uint64_t offset, uint64_t size)
{
#ifdef __APPLE__
    (void)file;
    (void)offset;
    (void)size;
    return true;
#else
    errno = posix_fallocate(file, (off_t)offset, (off_t)size);
    if (errno == EDQUOT) errno = ENOSPC;
    return errno == 0;
#endif
}

void tool_large_pages(void *at, size_t size)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(at, size, MADV_HUGEPAGE);
#else
    (void)at;
    (void)size;
#endif
}

/* ---- Texts ----------------------------------------------------------------------------------- */

bool tool_text_open(ToolText *text)
{
    *text = (ToolText){0};
    text->out = open_memstream(&text->text, &text->size);
    return text->out != NULL;
}

bool tool_text_flush(ToolText *text) { return fflush(text->out) == 0 && !ferror(text->out); }

bool tool_text_close(ToolText *text)
{
    const bool failed = ferror(text->out) != 0;
    const bool good = fclose(text->out) == 0 && !failed;
    text->out = NULL;
    if (good) return true;
    free(text->text);
    text->text = NULL;
    return false;
}

/* ---- The machine ----------------------------------------------------------------------------- */

unsigned tool_processors(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (unsigned)processors : 1;
}

uint64_t tool_memory_most(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
#ifdef __APPLE__
    return (uint64_t)used.ru_maxrss;
#else
    return 1024 * (uint64_t)used.ru_maxrss;
#endif
}

void tool_machine(char *out, size_t size)
{
    if (gethostname(out, size) != 0) out[0] = '\0';
    out[size - 1] = '\0';
}
#endif
