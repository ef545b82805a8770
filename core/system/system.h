/* system.h - all that the library asks of the operating system, but for threads (thread.h). There are two
 * implementations: system_posix.c for Linux, macOS and other systems with POSIX, system_windows.c for Windows.
 *
 * Paths and names are UTF-8 on every system. Files are descriptors as open() returns them; on Windows they are
 * binary, and another process may rename or delete an open file, as elsewhere. Functions that fail return -1, NULL or
 * false, and say why in errno, on Windows too. */
#ifndef TREB_CORE_SYSTEM_SYSTEM_H
#define TREB_CORE_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Files ----------------------------------------------------------------------------------- */

typedef enum SystemOpen {
    SYSTEM_READ, /* reads a file; never waits for another program, if it is a pipe */
    SYSTEM_READ_PRESENT, /* the same, if the system has the folders and the file itself in memory. Else fails with
                            EAGAIN, also where the system cannot tell */
    SYSTEM_UPDATE, /* reads and writes a file that exists */
    SYSTEM_CREATE, /* reads and writes a new file; fails with EEXIST if there is one */
    SYSTEM_UNNAMED /* reads and writes a file without a name in a folder, the path. It ends when it is closed */
} SystemOpen;

/* No process started later gets the descriptor. */
int system_open(const char *path, SystemOpen how);
bool system_close(int file);

typedef enum SystemKind { SYSTEM_FILE, SYSTEM_FOLDER, SYSTEM_OTHER } SystemKind;

/* The state of a file. Two files differ if any member but `kind` does. */
typedef struct SystemFile {
    SystemKind kind;
    uint64_t size;           /* in bytes */
    uint64_t device, number; /* which file it is of those that exist at the moment */
    int64_t changed;         /* when its bytes last changed, */
    uint32_t changed_part;   /*   and the part of a second, in a unit of the system */
} SystemFile;

bool system_about(int file, SystemFile *out);
bool system_about_path(const char *path, SystemFile *out);

/* Read or write at a place. Return the number of bytes, which may be less than `size`; 0 at the end of the file; or -1.
 * system_read_present reads only what the system has in memory: it fails with EAGAIN if there is nothing, and with
 * EOPNOTSUPP, ENOSYS, EINVAL or EPERM if the system or the file system cannot tell. */
ptrdiff_t system_read(int file, void *bytes, size_t size, uint64_t offset);
ptrdiff_t system_read_present(int file, void *bytes, size_t size, uint64_t offset);
ptrdiff_t system_write(int file, const void *bytes, size_t size, uint64_t offset);

/* Returns whether the system says that it has a run of bytes in memory, for files that system_read_present cannot
 * read. False where it cannot tell. */
bool system_present(int file, uint64_t offset, uint64_t size);

/* Asks the system to read a run of bytes into its memory, and does not wait for them. Does nothing where it cannot be
 * asked. */
void system_fetch(int file, uint64_t offset, uint64_t size);

/* Tells the system that a file will be read from its beginning to its end. */
void system_read_in_order(int file);

/* system_cut sets the size of a file. system_reserve makes it at least `size` bytes long, and reserves the space on the
 * disk where the system can do that. system_flush brings what was written to the disk; system_flush_folder the names in
 * a folder, where the system does not do that by itself. */
bool system_cut(int file, uint64_t size);
bool system_reserve(int file, uint64_t size);
bool system_flush(int file);
bool system_flush_folder(const char *path);

/* system_rename replaces a file that has the new name. */
bool system_rename(const char *from, const char *to);
bool system_delete(const char *path);

/* Calls a function with the name of each entry of a folder, until it returns false. Returns false if the folder cannot
 * be listed. */
typedef bool SystemEntry(void *context, const char *name);
bool system_list(const char *folder, SystemEntry *entry, void *context);

/* How many files the process may have open. */
unsigned system_files_most(void);

/* Whether a character separates the parts of a path. */
static inline bool system_is_slash(char c)
{
#ifdef _WIN32
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Maps the first `size` bytes of a file, for reading only. The file may be closed. Fails with EFBIG if they would take
 * more than a quarter of the addresses that a process of 32 bits has. */
const void *system_map(int file, uint64_t size);
void system_unmap(const void *at, uint64_t size);

typedef enum SystemAdvice {
    SYSTEM_RANDOM,   /* single pages will be read */
    SYSTEM_IN_ORDER, /* all pages will be read, in order */
    SYSTEM_SOON /* these pages will be read soon: the system shall bring them, without waiting */
} SystemAdvice;

/* Tells the system how mapped bytes of a file will be read. `at` is the beginning of a page. */
void system_advise(const void *at, uint64_t size, SystemAdvice advice);

/* The bytes of a page of memory. */
size_t system_page(void);

/* Allocates whole pages of zeros, which take memory only when they are touched. With `large`, large pages are used where
 * the system has them; the byte at `before`, a multiple of a page, is then the first of one. NULL: out of memory. */
void *system_pages(size_t size, bool large, size_t before);
void system_pages_free(void *at, size_t size);

/* Takes addresses for `size` bytes, which take memory only where they are written. What they are before is not said. NULL:
 * there are none left. */
void *system_room(size_t size);
void system_room_free(void *at, size_t size);

/* Gives the memory of pages back to the system, if it can. The addresses stay valid; the bytes are zeros, or what they
 * were. */
void system_pages_drop(void *at, size_t size);

/* Allocates memory at a multiple of `unit`, a power of two; `size` is a multiple of it. NULL: out of memory. */
void *system_aligned(size_t unit, size_t size);
void system_aligned_free(void *at);

/* ---- Other ----------------------------------------------------------------------------------- */

/* Seconds of a clock that never goes back, in a few nanoseconds. */
uint64_t system_seconds(void);

/* The number of this process, and whether a process of some number may still be running. */
long system_process(void);
bool system_runs(long process);

/* Writes the text for a value of errno. Never fails. */
void system_reason(int number, char *text, size_t size);

#ifdef _WIN32
/* Returns a path as UTF-16, which the caller frees. NULL: out of memory, or it is not UTF-8. */
wchar_t *system_wide(const char *path);

/* Sets errno from the last error of Windows. Returns false. */
bool system_failed(void);
#endif

/* Loads a library for good, and returns the address of a function of it. NULL if there is no such library or
 * function. */
typedef void SystemFunction(void);
SystemFunction *system_load(const char *library, const char *function);

#endif
