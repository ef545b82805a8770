/* tool.h - what only the command asks of the operating system, and the library does not: system.h has the rest. Paths
 * are UTF-8, and functions that fail say why in errno, as there. */
#ifndef TREB_CORE_SYSTEM_TOOL_H
#define TREB_CORE_SYSTEM_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- The program ----------------------------------------------------------------------------- */

/* Called first by main: makes the arguments UTF-8 and the standard streams binary. Writing beyond a limit on the size
 * of files fails from then on, as it does on a full disk, instead of ending the process. */
void tool_start(int *argc, char ***argv);

/* Makes waiting threads of OpenMP sleep. If they spin, they take the processor from the threads that they
 * wait for whenever the machine has other work; this made a run many times slower. On an idle machine
 * sleeping costs nothing measurable. OpenMP reads its environment only when it is loaded, so the program
 * sets the variable and starts itself again. If that fails, it continues as it is. */
void tool_wait_quietly(char **argv);

/* Returns a variable of the environment, or NULL. The text stays as it is until the process ends. */
const char *tool_variable(const char *name);

/* Writes the path of this program. */
bool tool_program(char *out, size_t size);

/* tool_catch calls `stop` at SIGINT and SIGTERM, and `question` at SIGUSR1 where there is such a signal. tool_alarm
 * calls `ring` after some seconds; 0: never. The functions may only do what a handler of signals may. */
typedef void ToolSignal(int signal);
void tool_catch(ToolSignal *stop, ToolSignal *question);
void tool_alarm(unsigned seconds, ToolSignal *ring);

/* The columns of the terminal that standard output is; 0 if it is none. Whether terminals show UTF-8. */
int tool_columns(void);
bool tool_utf8(void);

/* ---- Files by name --------------------------------------------------------------------------- */

enum { TOOL_PATH = 4096 }; /* bytes that paths on the command line may take */

/* fopen of a binary file, which no process started later gets. */
FILE *tool_open(const char *path, const char *mode);

typedef enum ToolAccess {
    TOOL_NAMED,  /* there is such a name, perhaps of a link that leads nowhere */
    TOOL_EXISTS, /* there is such a file or folder */
    TOOL_READ,   /* it can be read */
    TOOL_WRITE,  /* it can be written */
    TOOL_ENTER,  /* a folder whose files can be used */
    TOOL_FILL    /* a folder in which files can be made */
} ToolAccess;

bool tool_may(const char *path, ToolAccess what);

bool tool_make_folder(const char *path);
bool tool_remove_folder(const char *path); /* which must be empty */

/* Makes a new folder for temporary files and writes its path. If that fails, the path is written for the message. */
bool tool_temporary_folder(char *path, size_t size);

/* tool_absolute writes a path that does not depend on the working folder. tool_real_path resolves links as well; the
 * file must exist. */
bool tool_absolute(const char *path, char *out, size_t size);
bool tool_real_path(const char *path, char *out, size_t size);

/* ---- Locks ----------------------------------------------------------------------------------- */

/* Opens a file for locks, and makes it if there is none. tool_lock locks it for one process alone, or together with
 * others, without waiting. A lock that the process has is exchanged for the new one. It ends when the file is closed.
 * errno is EWOULDBLOCK if another process has it, EINTR if the file has just been removed or a signal came; ENOLCK,
 * EOPNOTSUPP or EINVAL if the file system has no locks. tool_lock_named tells whether the open file still has its
 * name. */
int tool_lock_open(const char *path);
bool tool_lock(int file, bool alone);
bool tool_lock_named(int file, const char *path);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Maps a part of a file for reading and writing; with file -1 memory of no file, which takes space where it is touched.
 * `offset` is a multiple of TOOL_MAP_UNIT. NULL: see errno. */
enum { TOOL_MAP_UNIT = 64 << 10 };
void *tool_map(int file, uint64_t offset, uint64_t size);
void tool_unmap(void *at, uint64_t size);

/* Let the system take the memory of mapped pages: the bytes stay, or become zeros where the system can do that. */
void tool_map_release(void *at, uint64_t size);
void tool_map_discard(void *at, uint64_t size);

/* Makes sure that a part of a file, which may be mapped, has its space on the disk. ENOSPC or EFBIG: there is none. */
bool tool_reserve(int file, uint64_t offset, uint64_t size);

/* Asks for large pages where the system has them. */
void tool_large_pages(void *at, size_t size);

/* ---- Texts ----------------------------------------------------------------------------------- */

/* A text in memory that is written as a file is. */
typedef struct ToolText {
    FILE *out;
    char *text; /* the caller frees it */
    size_t size;
} ToolText;

/* After tool_text_flush and tool_text_close `text` and `size` are what was written so far; a zero follows. False: there
 * is no memory. tool_text_close then frees the text. */
bool tool_text_open(ToolText *text);
bool tool_text_flush(ToolText *text);
bool tool_text_close(ToolText *text);

/* ---- The machine ----------------------------------------------------------------------------- */

unsigned tool_processors(void);

/* The most memory that this process has held so far, in bytes. */
uint64_t tool_memory_most(void);

/* The name of this machine, perhaps cut. */
void tool_machine(char *out, size_t size);

#endif
