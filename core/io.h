/* io.h - reading and writing all of a run of bytes at a place in a file. */
#ifndef TREB_CORE_IO_H
#define TREB_CORE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both go on after interruptions and short transfers. False: errno tells why; 0 where the file ends
 * before `size` bytes. */
bool io_read_at(int file, void *bytes, size_t size, uint64_t offset);
bool io_write_at(int file, const void *bytes, size_t size, uint64_t offset);

#endif
