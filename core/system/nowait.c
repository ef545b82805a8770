/* nowait.c - see nowait.h. */
#include "core/system/nowait.h"

#include <errno.h>

#include "core/system/io.h"

/* Errors of kernels and file systems that do not have the function. */
static bool is_unsupported(int number)
{
    return number == EOPNOTSUPP || number == ENOSYS || number == EINVAL || number == EPERM;
}

int nowait_open(const char *path) { return system_open(path, SYSTEM_READ_PRESENT); }

bool nowait_read(int file, void *bytes, size_t size, uint64_t offset)
{
    uint8_t *to = (uint8_t *)bytes;
    while (size > 0) {
        ptrdiff_t n = system_read_present(file, to, size, offset);
        if (n < 0 && is_unsupported(errno)) {
            if (system_present(file, offset, size)) return io_read_at(file, to, size, offset);
            errno = EAGAIN;
        }
        if (n == 0) errno = 0;
        if (n <= 0) return false;
        to += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

bool nowait_has(int file, uint64_t offset, uint64_t size)
{
    uint64_t page = system_page(), end = offset + size;
    for (uint64_t at = offset; at < end; at = (at / page + 1) * page) {
        uint8_t byte;
        ptrdiff_t n = system_read_present(file, &byte, 1, at);
        if (n < 0 && is_unsupported(errno)) return system_present(file, at, end - at);
        if (n < 0) return false;
    }
    return true;
}

void nowait_fetch(int file, uint64_t offset, uint64_t size) { system_fetch(file, offset, size); }
