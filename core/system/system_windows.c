/* system_windows.c - system.h for Windows. Names go through the functions for UTF-16, and a path that is longer than 259
 * characters gets the prefix that Windows wants for it. */
#ifdef _WIN32
#include "core/system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <windows.h>

/* ---- Errors and names ------------------------------------------------------------------------ */

bool system_failed(void)
{
    static const struct {
        DWORD error;
        int number;
    } numbers[] = {{ERROR_FILE_NOT_FOUND, ENOENT},      {ERROR_PATH_NOT_FOUND, ENOENT},
                   {ERROR_INVALID_NAME, ENOENT},        {ERROR_INVALID_DRIVE, ENOENT},
                   {ERROR_BAD_NETPATH, ENOENT},         {ERROR_DIRECTORY, ENOTDIR},
                   {ERROR_ACCESS_DENIED, EACCES},       {ERROR_WRITE_PROTECT, EROFS},
                   {ERROR_SHARING_VIOLATION, EBUSY},    {ERROR_LOCK_VIOLATION, EAGAIN},
                   {ERROR_USER_MAPPED_FILE, EBUSY},     {ERROR_FILE_EXISTS, EEXIST},
                   {ERROR_ALREADY_EXISTS, EEXIST},      {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                   {ERROR_TOO_MANY_OPEN_FILES, EMFILE}, {ERROR_INVALID_HANDLE, EBADF},
                   {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},   {ERROR_OUTOFMEMORY, ENOMEM},
                   {ERROR_COMMITMENT_LIMIT, ENOMEM},    {ERROR_DISK_FULL, ENOSPC},
                   {ERROR_HANDLE_DISK_FULL, ENOSPC},    {ERROR_INVALID_PARAMETER, EINVAL},
                   {ERROR_NOT_SUPPORTED, EOPNOTSUPP},   {ERROR_INVALID_FUNCTION, EOPNOTSUPP}};
    const DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].error == error) errno = numbers[i].number;
    return false;
}

wchar_t *system_wide(const char *path)
{
    static const wchar_t long_prefix[] = L"\\\\?\\";
    enum { PREFIX = sizeof long_prefix / sizeof *long_prefix - 1 };
    const int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *wide = size > 0 ? (wchar_t *)malloc((size_t)size * sizeof *wide) : NULL;
    if (wide == NULL) {
        errno = size > 0 ? ENOMEM : ENOENT;
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, size);
    if (size <= MAX_PATH - 12 || wcsncmp(wide, L"\\\\", 2) == 0) return wide;
    const DWORD most = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *full = (wchar_t *)malloc((most + PREFIX) * sizeof *full);
    if (full != NULL) {
        wcscpy(full, long_prefix);
        GetFullPathNameW(wide, most, full + PREFIX, NULL);
    } else {
        errno = ENOMEM;
    }
    free(wide);
    return full;
}

static HANDLE handle_of(int file) { return (HANDLE)_get_osfhandle(file); }

/* ---- Files ----------------------------------------------------------------------------------- */

enum { SHARE = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

static int open_wide(const wchar_t *path, DWORD access, DWORD how, DWORD flags)
{
    /* Without these semantics a folder could not be told from a file that must not be read. */
    HANDLE handle =
        CreateFileW(path, access, SHARE, NULL, how, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        system_failed();
        return -1;
    }
    const int file = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
    if (file < 0) CloseHandle(handle);
    return file;
}

static int open_unnamed(const wchar_t *folder)
{
    wchar_t name[MAX_PATH];
    if (GetTempFileNameW(folder, L"trb", 0, name) == 0) {
        system_failed();
        return -1;
    }
    const int file = open_wide(name, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_ALWAYS,
                               FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
    if (file < 0) DeleteFileW(name);
    return file;
}

int system_open(const char *path, SystemOpen how)
{
    int file = -1;
    if (how == SYSTEM_READ_PRESENT) {
        errno = EAGAIN;
        return -1;
    }
    wchar_t *wide = system_wide(path);
    if (wide == NULL) return -1;
    if (how == SYSTEM_UNNAMED)
        file = open_unnamed(wide);
    else
        file = open_wide(wide, how == SYSTEM_READ ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE,
                         how == SYSTEM_CREATE ? CREATE_NEW : OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
    free(wide);
    return file;
}

bool system_close(int file) { return _close(file) == 0; }

bool system_about(int file, SystemFile *out)
{
    BY_HANDLE_FILE_INFORMATION about;
    HANDLE handle = handle_of(file);
    if (handle == INVALID_HANDLE_VALUE) return false;
    const bool disk = GetFileType(handle) == FILE_TYPE_DISK;
    *out = (SystemFile){.kind = SYSTEM_OTHER};
    if (!disk) return true;
    if (!GetFileInformationByHandle(handle, &about)) return system_failed();
    const uint64_t changed =
        (uint64_t)about.ftLastWriteTime.dwHighDateTime << 32 | about.ftLastWriteTime.dwLowDateTime;
    out->kind = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? SYSTEM_FOLDER : SYSTEM_FILE;
    out->size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
    out->device = about.dwVolumeSerialNumber;
    out->number = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    out->changed = (int64_t)(changed / 10000000);
    out->changed_part = (uint32_t)(changed % 10000000);
    return true;
}

bool system_about_path(const char *path, SystemFile *out)
{
    wchar_t *wide = system_wide(path);
    const int file = wide != NULL ? open_wide(wide, FILE_READ_ATTRIBUTES, OPEN_EXISTING, 0) : -1;
    free(wide);
    const bool good = file >= 0 && system_about(file, out);
    if (file >= 0) _close(file);
    return good;
}

/* A read or write of at most 1 GiB, at a place. */
static OVERLAPPED at_place(uint64_t offset)
{
    OVERLAPPED place;
    memset(&place, 0, sizeof place);
    place.Offset = (DWORD)offset;
    place.OffsetHigh = (DWORD)(offset >> 32);
    return place;
}

enum { TRANSFER_MOST = 1 << 30 };

ptrdiff_t system_read(int file, void *bytes, size_t size, uint64_t offset)
{
    OVERLAPPED place = at_place(offset);
    DWORD n = 0;
    if (ReadFile(handle_of(file), bytes, (DWORD)(size < TRANSFER_MOST ? size : TRANSFER_MOST), &n,
                 &place))
        return (ptrdiff_t)n;
    if (GetLastError() == ERROR_HANDLE_EOF) return 0;
    system_failed();
    return -1;
}

ptrdiff_t system_write(int file, const void *bytes, size_t size, uint64_t offset)
{
    OVERLAPPED place = at_place(offset);
    DWORD n = 0;
    if (WriteFile(handle_of(file), bytes, (DWORD)(size < TRANSFER_MOST ? size : TRANSFER_MOST), &n,
                  &place))
        return (ptrdiff_t)n;
    system_failed();
    return -1;
}

/* Windows does not tell which bytes of a file it has in memory. */
ptrdiff_t system_read_present(int file, void *bytes, size_t size, uint64_t offset)
{
    (void)bytes;
    (void)size;
    (void)offset;
    errno = handle_of(file) != INVALID_HANDLE_VALUE ? EOPNOTSUPP : EBADF;
    return -1;
}

bool system_present(int file, uint64_t offset, uint64_t size)
{
    (void)file;
    (void)offset;
    (void)size;
    return false;
}

/* Windows can be asked for pages of mapped files only. */
void system_fetch(int file, uint64_t offset, uint64_t size)
{
    (void)file;
    (void)offset;
    (void)size;
}

/* Windows notices this by itself. */
void system_read_in_order(int file) { (void)file; }

bool system_cut(int file, uint64_t size)
{
    FILE_END_OF_FILE_INFO end;
    end.EndOfFile.QuadPart = (LONGLONG)size;
    return SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end) ||
           system_failed();
}

bool system_reserve(int file, uint64_t size)
{
    FILE_ALLOCATION_INFO space;
    SystemFile about;
    space.AllocationSize.QuadPart = (LONGLONG)size;
    if (!system_about(file, &about)) return false;
    if (about.size >= size) return true;
    if (!SetFileInformationByHandle(handle_of(file), FileAllocationInfo, &space, sizeof space) &&
        GetLastError() == ERROR_DISK_FULL)
        return system_failed();
    return system_cut(file, size);
}

bool system_flush(int file) { return FlushFileBuffers(handle_of(file)) || system_failed(); }

/* Windows keeps names in a journal. */
bool system_flush_folder(const char *path)
{
    (void)path;
    return true;
}

/* A virus scanner or an indexer may have the file open for a moment, and not let it be replaced. */
bool system_rename(const char *from, const char *to)
{
    enum { TRIES = 20, MILLISECONDS = 50 };
    wchar_t *old_name = system_wide(from), *new_name = system_wide(to);
    bool good = false;
    for (int i = 0; old_name != NULL && new_name != NULL && !good && i < TRIES; i++) {
        if (i > 0) Sleep(MILLISECONDS);
        good =
            MoveFileExW(old_name, new_name, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ||
            system_failed();
        if (!good && errno != EACCES && errno != EBUSY) break;
    }
    free(old_name);
    free(new_name);
    return good;
}

bool system_delete(const char *path)
{
    wchar_t *wide = system_wide(path);
    const bool good = wide != NULL && (DeleteFileW(wide) || system_failed());
    free(wide);
    return good;
}

/* The pattern "FOLDER\*". */
static wchar_t *all_of(const char *folder)
{
    const size_t length = strlen(folder);
    char *pattern = (char *)malloc(length + 3);
    if (pattern == NULL) return NULL;
    memcpy(pattern, folder, length);
    strcpy(pattern + length, "\\*");
    wchar_t *wide = system_wide(pattern);
    free(pattern);
    return wide;
}

bool system_list(const char *folder, SystemEntry *entry, void *context)
{
    WIN32_FIND_DATAW found;
    char name[3 * MAX_PATH + 1];
    wchar_t *pattern = all_of(folder);
    HANDLE list = pattern != NULL ? FindFirstFileW(pattern, &found) : INVALID_HANDLE_VALUE;
    if (pattern != NULL && list == INVALID_HANDLE_VALUE) system_failed();
    free(pattern);
    if (list == INVALID_HANDLE_VALUE) return false;
    do {
        if (WideCharToMultiByte(CP_UTF8, 0, found.cFileName, -1, name, sizeof name, NULL, NULL) >
                0 &&
            !entry(context, name))
            break;
    } while (FindNextFileW(list, &found));
    FindClose(list);
    return true;
}

/* The C library has places for that many descriptors. */
unsigned system_files_most(void) { return 2048; }

/* ---- Memory ---------------------------------------------------------------------------------- */

const void *system_map(int file, uint64_t size)
{
    if (size > SIZE_MAX / 4) {
        errno = EFBIG;
        return NULL;
    }
    HANDLE map = CreateFileMappingW(handle_of(file), NULL, PAGE_READONLY, 0, 0, NULL);
    if (map == NULL) {
        system_failed();
        return NULL;
    }
    const void *at = MapViewOfFile(map, FILE_MAP_READ, 0, 0, (SIZE_T)size);
    if (at == NULL) system_failed();
    CloseHandle(map);
    return at;
}

void system_unmap(const void *at, uint64_t size)
{
    (void)size;
    UnmapViewOfFile(at);
}

/* PrefetchVirtualMemory is newer than Windows 7, so it is looked for. */
void system_advise(const void *at, uint64_t size, SystemAdvice advice)
{
    typedef struct Range {
        const void *at;
        SIZE_T size;
    } Range;
    typedef BOOL WINAPI Prefetch(HANDLE process, ULONG_PTR count, const Range *ranges, ULONG flags);
    if (advice != SYSTEM_SOON) return;
    Prefetch *prefetch = (Prefetch *)(void (*)(void))GetProcAddress(
        GetModuleHandleW(L"kernel32.dll"), "PrefetchVirtualMemory");
    const Range range = {at, (SIZE_T)size};
    if (prefetch != NULL) (void)prefetch(GetCurrentProcess(), 1, &range, 0);
}

size_t system_page(void)
{
    SYSTEM_INFO about;
    GetSystemInfo(&about);
    return about.dwPageSize;
}

/* Large pages need a right that few users have. */
void *system_pages(size_t size, bool large, size_t before)
{
    (void)large;
    (void)before;
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void system_pages_free(void *at, size_t size)
{
    (void)size;
    VirtualFree(at, 0, MEM_RELEASE);
}

/* Pages that are reset need not be kept; unlocking pages that are not locked takes them out of the working set. */
void system_pages_drop(void *at, size_t size)
{
    VirtualAlloc(at, size, MEM_RESET, PAGE_READWRITE);
    VirtualUnlock(at, size);
}

void *system_room(size_t size) { return system_pages(size, false, 0); }
void system_room_free(void *at, size_t size) { system_pages_free(at, size); }

void *system_aligned(size_t unit, size_t size) { return _aligned_malloc(size, unit); }
void system_aligned_free(void *at) { _aligned_free(at); }

/* ---- Other ----------------------------------------------------------------------------------- */

uint64_t system_seconds(void) { return GetTickCount64() / 1000; }

long system_process(void) { return (long)GetCurrentProcessId(); }

bool system_runs(long process)
{
    DWORD code = STILL_ACTIVE;
    HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)process);
    if (handle == NULL) return GetLastError() == ERROR_ACCESS_DENIED;
    GetExitCodeProcess(handle, &code);
    CloseHandle(handle);
    return code == STILL_ACTIVE;
}

void system_reason(int number, char *text, size_t size)
{
    if (strerror_s(text, size, number) != 0) snprintf(text, size, "error %d", number);
}

SystemFunction *system_load(const char *library, const char *function)
{
    wchar_t *wide = system_wide(library);
    HMODULE module = wide != NULL ? LoadLibraryW(wide) : NULL;
    free(wide);
    return module != NULL ? (SystemFunction *)(void (*)(void))GetProcAddress(module, function)
                          : NULL;
}
#endif
