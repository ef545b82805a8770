/* io.h - reading and writing all of a run of bytes at a place in a file, the parts of paths, and files
 * that get their name when they are complete. */
#ifndef TREB_CORE_IO_H
#define TREB_CORE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both go on after interruptions and short transfers. False: errno tells why; 0 where the file ends
 * before `size` bytes. */
bool io_read_at(int file, void *bytes, size_t size, uint64_t offset);
bool io_write_at(int file, const void *bytes, size_t size, uint64_t offset);

/* Cuts a file to a size that it must have at least. False: it is shorter, or errno tells why. */
bool io_cut(int file, uint64_t size);

/* directory/name. To be freed; NULL: out of memory. */
char *io_path(const char *directory, const char *name);

/* The other way: what of a path is behind its last slash, and the folder before it: "." where there is no
 * slash, "/" where nothing else is before it. The folder is to be freed; NULL: out of memory. */
const char *io_name(const char *path);
char *io_folder(const char *path);

/* The same for a file that is being written: directory/.name[infix].tmp-42. It ends in the number of
 * this process, so that what a killed one left can be told from what a living one is writing. */
#define IO_TEMPORARY ".tmp-"
char *io_temporary_path(const char *directory, const char *name, const char *infix);

/* A new, empty file to write and read; -1: see errno. */
int io_create(const char *path);

/* A file without a name in a folder, to write and read; it is gone when it is closed. -1: see errno. */
int io_unnamed(const char *directory);

/* Puts a file on the disk, closes it, and gives it its name in `directory`. False: errno tells why,
 * and it is gone. */
bool io_publish(int file, const char *temporary, const char *path, const char *directory);

#endif
