/* io.c - see io.h. */
#include "core/io.h"

#include <errno.h>
#include <unistd.h>

bool io_read_at(int file, void *bytes, size_t size, uint64_t offset)
{
    uint8_t *to = bytes;
    while (size > 0) {
        ssize_t n = pread(file, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = 0;
        if (n <= 0) return false;
        to += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

bool io_write_at(int file, const void *bytes, size_t size, uint64_t offset)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        ssize_t n = pwrite(file, from, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        from += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}
