/* io.h - reading and writing runs of bytes at a place in a file, parts of paths, and files that get
 * their name only when they are complete. */
#ifndef TREB_CORE_SYSTEM_IO_H
#define TREB_CORE_SYSTEM_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/system/system.h"
#include "trebuchet.h"

/* Read or write all `size` bytes at `offset`, also after interruptions and short transfers. Return
 * false on failure: errno has the reason, and is 0 if the file ends too early. */
bool io_read_at(int file, void *bytes, size_t size, uint64_t offset);
bool io_write_at(int file, const void *bytes, size_t size, uint64_t offset);

/* Cuts a file to `size` bytes. Returns false if it has fewer, or on failure: errno has the
 * reason. */
bool io_cut(int file, uint64_t size);

/* Whether a folder can be listed. If not, errno says why. */
bool io_is_folder(const char *path);

/* Whether a place of tables is an address of a server, "http://..." or "https://...", rather than a folder. */
bool io_is_address(const char *place);

/* Whether a place of tables is a folder that can be listed, or an address. If not, errno says why. */
bool io_is_place(const char *place);

/* Opens a file for reading, and writes its state to `about`. Never waits for another program: a pipe,
 * a device or a folder with the name of a file is refused. Returns a descriptor, or -1 with *error
 * filled in: errno is 0 for something that is not a regular file, else the reason. */
int io_open_regular(const char *path, SystemFile *about, treb_error *error);

/* The two parts of it, for files that are opened in another way. io_fail_open explains why system_open
 * failed, and leaves errno as it is; io_check_regular refuses what is not a regular file. Both
 * return TREB_ERR_IO. */
treb_status io_fail_open(const char *path, treb_error *error);
treb_status io_check_regular(const char *path, const SystemFile *about, treb_error *error);

/* Returns "directory/name", which the caller frees; NULL if memory is out. */
char *io_path(const char *directory, const char *name);

/* io_name returns the part of a path behind its last slash. io_folder returns the folder before it,
 * which the caller frees: "." if there is no slash, "/" if nothing precedes the slash; NULL if
 * memory is out. */
const char *io_name(const char *path);
char *io_folder(const char *path);

/* Returns the path of a file that is still being written, directory/.name[infix].tmp-42, which the
 * caller frees; NULL if memory is out. The number is that of this process, so that a file left by a
 * killed process can be distinguished from one that a running process writes. */
#define IO_TEMPORARY ".tmp-"
char *io_temporary_path(const char *directory, const char *name, const char *infix);

/* Creates an empty file for writing and reading. Returns a descriptor, or -1: see errno. */
int io_create(const char *path);

/* Creates a file without a name in a folder, for writing and reading. The file ends when it is
 * closed. Returns a descriptor, or -1: see errno. */
int io_unnamed(const char *directory);

/* Flushes a file to the disk, closes it, and renames it from `temporary` to `path`, which is in
 * `directory`. On failure returns false, with the reason in errno, and the file is deleted. */
bool io_publish(int file, const char *temporary, const char *path, const char *directory);

#endif
