/* tool_windows.c - tool.h for Windows. */
#ifdef _WIN32
#include "core/system/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>

#include "core/system/system.h"

static HANDLE handle_of(int file) { return (HANDLE)_get_osfhandle(file); }

/* Returns UTF-16 as UTF-8, which the caller frees. NULL: out of memory. */
static char *narrow(const wchar_t *wide)
{
    const int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = size > 0 ? malloc((size_t)size) : NULL;
    if (text != NULL) WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    return text;
}

/* Writes a path with slashes, as all parts of the command make them. */
static bool put_path(const wchar_t *wide, char *out, size_t size)
{
    if (wcsncmp(wide, L"\\\\?\\", 4) == 0 && wcsncmp(wide + 4, L"UNC", 3) != 0) wide += 4;
    if (WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)size, NULL, NULL) == 0)
        return system_failed();
    for (; *out; out++)
        if (*out == '\\') *out = '/';
    return true;
}

/* ---- The program ----------------------------------------------------------------------------- */

int __wgetmainargs(int *argc, wchar_t ***argv, wchar_t ***variables, int wildcards, void *mode);

static unsigned terminal_before;

static void restore_terminal(void) { SetConsoleOutputCP(terminal_before); }

static void start_streams(void)
{
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
    _setmode(2, _O_BINARY);
    terminal_before = GetConsoleOutputCP();
    if (terminal_before == 0 || terminal_before == CP_UTF8) return;
    SetConsoleOutputCP(CP_UTF8);
    atexit(restore_terminal);
}

/* Expands wildcards in names of files, which shells of Windows do not. */
void tool_start(int *argc, char ***argv)
{
    int count = 0, mode = 0;
    wchar_t **words, **variables;
    start_streams();
    __wgetmainargs(&count, &words, &variables, 1, &mode);
    char **out = calloc((size_t)count + 1, sizeof *out);
    for (int i = 0; out != NULL && i < count; i++)
        if ((out[i] = narrow(words[i])) == NULL) return;
    if (out == NULL || count == 0) return;
    *argc = count;
    *argv = out;
}

/* Threads of the OpenMP of mingw-w64 sleep when they wait. */
void tool_wait_quietly(char **argv) { (void)argv; }

const char *tool_variable(const char *name)
{
    wchar_t *wide = system_wide(name);
    const wchar_t *value = wide != NULL ? _wgetenv(wide) : NULL;
    free(wide);
    return value != NULL ? narrow(value) : NULL;
}

bool tool_program(char *out, size_t size)
{
    wchar_t path[TOOL_PATH];
    const DWORD length = GetModuleFileNameW(NULL, path, TOOL_PATH);
    return length > 0 && length < TOOL_PATH && put_path(path, out, size);
}

/* After the first of a signal the next one ends the process. */
void tool_catch(ToolSignal *stop, ToolSignal *question)
{
    (void)question;
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    signal(SIGBREAK, stop);
}

static ToolSignal *ring_by;

static void CALLBACK on_timer(void *context, BOOLEAN fired)
{
    (void)context;
    (void)fired;
    ring_by(SIGTERM);
}

void tool_alarm(unsigned seconds, ToolSignal *ring)
{
    HANDLE timer;
    ring_by = ring;
    if (seconds > 0)
        CreateTimerQueueTimer(&timer, NULL, on_timer, NULL, 1000 * seconds, 0, WT_EXECUTEONLYONCE);
}

int tool_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &about)) return 0;
    return about.srWindow.Right - about.srWindow.Left + 1;
}

bool tool_utf8(void) { return true; }

/* ---- Files by name --------------------------------------------------------------------------- */

FILE *tool_open(const char *path, const char *mode)
{
    wchar_t *wide = system_wide(path), how[8] = {0};
    for (size_t i = 0; i < 4 && mode[i]; i++) how[i] = (wchar_t)mode[i];
    FILE *file = wide != NULL ? _wfopen(wide, wcscat(how, strchr(mode, 'b') ? L"N" : L"bN")) : NULL;
    free(wide);
    return file;
}

bool tool_may(const char *path, ToolAccess what)
{
    enum { EXISTS = 0, WRITE = 2, READ = 4 };
    wchar_t *wide = system_wide(path);
    const bool write = what == TOOL_WRITE || what == TOOL_FILL;
    const int mode = what == TOOL_READ ? READ : write ? WRITE : EXISTS;
    const bool may = wide != NULL && _waccess(wide, mode) == 0;
    free(wide);
    return may;
}

bool tool_make_folder(const char *path)
{
    wchar_t *wide = system_wide(path);
    const bool good = wide != NULL && (CreateDirectoryW(wide, NULL) || system_failed());
    free(wide);
    return good;
}

bool tool_remove_folder(const char *path)
{
    wchar_t *wide = system_wide(path);
    const bool good = wide != NULL && (RemoveDirectoryW(wide) || system_failed());
    free(wide);
    return good;
}

bool tool_temporary_folder(char *path, size_t size)
{
    wchar_t base[MAX_PATH + 1];
    const DWORD length = GetTempPathW(MAX_PATH, base);
    if (length == 0 || length > MAX_PATH || !put_path(base, path, size)) return system_failed();
    const size_t end = strlen(path);
    errno = EEXIST;
    for (int i = 0; i < 1000 && errno == EEXIST; i++) {
        snprintf(path + end, size - end, "trebuchet-%ld-%d", system_process(), i);
        if (tool_make_folder(path)) return true;
    }
    return false;
}

bool tool_absolute(const char *path, char *out, size_t size)
{
    wchar_t full[TOOL_PATH], *wide = system_wide(path);
    const DWORD length = wide != NULL ? GetFullPathNameW(wide, TOOL_PATH, full, NULL) : 0;
    free(wide);
    return length > 0 && length < TOOL_PATH && put_path(full, out, size);
}

bool tool_real_path(const char *path, char *out, size_t size)
{
    return tool_may(path, TOOL_EXISTS) && tool_absolute(path, out, size);
}

/* ---- Locks ----------------------------------------------------------------------------------- */

/* Windows does not let others read what is locked. So a place is locked that no file reaches. */
static OVERLAPPED far_away(void)
{
    OVERLAPPED place;
    memset(&place, 0, sizeof place);
    place.OffsetHigh = 0x40000000;
    return place;
}

/* A file that was deleted while others have it open cannot be opened until they have closed it. */
int tool_lock_open(const char *path)
{
    int file = system_open(path, SYSTEM_CREATE);
    if (file < 0 && errno == EEXIST) file = system_open(path, SYSTEM_UPDATE);
    if (file < 0 && (errno == EACCES || errno == ENOENT) && tool_may(path, TOOL_EXISTS)) {
        Sleep(1);
        errno = EINTR;
    }
    return file;
}

bool tool_lock(int file, bool alone)
{
    OVERLAPPED place = far_away();
    const DWORD flags = LOCKFILE_FAIL_IMMEDIATELY | (alone ? LOCKFILE_EXCLUSIVE_LOCK : 0);
    UnlockFileEx(handle_of(file), 0, 1, 0, &place);
    place = far_away();
    if (LockFileEx(handle_of(file), flags, 0, 1, 0, &place)) return true;
    system_failed();
    if (errno == EAGAIN) errno = EWOULDBLOCK;
    return false;
}

bool tool_lock_named(int file, const char *path)
{
    SystemFile open, named;
    return system_about(file, &open) && system_about_path(path, &named) &&
           open.device == named.device && open.number == named.number;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void *tool_map(int file, uint64_t offset, uint64_t size)
{
    const uint64_t end = offset + size;
    HANDLE map = CreateFileMappingW(file >= 0 ? handle_of(file) : INVALID_HANDLE_VALUE, NULL,
                                    PAGE_READWRITE, (DWORD)(end >> 32), (DWORD)end, NULL);
    void *at = map != NULL ? MapViewOfFile(map, FILE_MAP_WRITE, (DWORD)(offset >> 32),
                                           (DWORD)offset, (SIZE_T)size)
                           : NULL;
    if (at == NULL) system_failed();
    if (map != NULL) CloseHandle(map);
    return at;
}

void tool_unmap(void *at, uint64_t size)
{
    (void)size;
    UnmapViewOfFile(at);
}

/* Unlocking pages that are not locked takes them out of the memory of the process. */
void tool_map_release(void *at, uint64_t size) { VirtualUnlock(at, (SIZE_T)size); }
void tool_map_discard(void *at, uint64_t size) { tool_map_release(at, size); }

/* The space of a file is reserved when it gets its size. */
bool tool_reserve(int file, uint64_t offset, uint64_t size)
{
    (void)file;
    (void)offset;
    (void)size;
    return true;
}

void tool_large_pages(void *at, size_t size)
{
    (void)at;
    (void)size;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The C library of Windows has no files in memory, so a temporary file takes the text. Each thread keeps one for the
 * next text: to make a file takes longer than most texts. */
static _Thread_local FILE *idle;

static FILE *open_temporary(void)
{
    wchar_t folder[MAX_PATH + 1];
    const DWORD length = GetTempPathW(MAX_PATH, folder);
    char *path = length > 0 && length <= MAX_PATH ? narrow(folder) : NULL;
    const int file = path != NULL ? system_open(path, SYSTEM_UNNAMED) : -1;
    FILE *stream = file >= 0 ? _fdopen(file, "w+b") : NULL;
    if (stream == NULL && file >= 0) system_close(file);
    free(path);
    return stream;
}

bool tool_text_open(ToolText *text)
{
    *text = (ToolText){0};
    text->out = idle != NULL ? idle : open_temporary();
    idle = NULL;
    return text->out != NULL;
}

bool tool_text_flush(ToolText *text)
{
    const long size = ftell(text->out);
    if (size < 0 || fflush(text->out) != 0 || ferror(text->out)) return false;
    char *grown = realloc(text->text, (size_t)size + 1);
    if (grown == NULL) return false;
    text->text = grown;
    text->size = (size_t)size;
    grown[size] = '\0';
    return size == 0 || system_read(_fileno(text->out), grown, (size_t)size, 0) == size;
}

bool tool_text_close(ToolText *text)
{
    const bool good = tool_text_flush(text);
    if (!good || idle != NULL) {
        fclose(text->out);
    } else {
        rewind(text->out);
        idle = text->out;
    }
    text->out = NULL;
    if (good) return true;
    free(text->text);
    text->text = NULL;
    return false;
}

/* ---- The machine ----------------------------------------------------------------------------- */

unsigned tool_processors(void) { return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS); }

uint64_t tool_memory_most(void)
{
    PROCESS_MEMORY_COUNTERS used = {.cb = sizeof used};
    return GetProcessMemoryInfo(GetCurrentProcess(), &used, sizeof used) ? used.PeakWorkingSetSize
                                                                         : 0;
}

void tool_machine(char *out, size_t size)
{
    DWORD room = (DWORD)size;
    if (!GetComputerNameA(out, &room)) out[0] = '\0';
}
#endif
