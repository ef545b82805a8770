/* io.c - see io.h. */
#include "core/system/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/system/error.h"

bool io_read_at(int file, void *bytes, size_t size, uint64_t offset)
{
    uint8_t *to = (uint8_t *)bytes;
    while (size > 0) {
        ptrdiff_t n = system_read(file, to, size, offset);
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
    const uint8_t *from = (const uint8_t *)bytes;
    while (size > 0) {
        ptrdiff_t n = system_write(file, from, size, offset);
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        from += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

bool io_cut(int file, uint64_t size)
{
    SystemFile about;
    return system_about(file, &about) && about.size >= size && system_cut(file, size);
}

static const char not_regular[] = "is not a regular file";

/* A SystemEntry: one is enough. */
static bool any_entry(void *context, const char *name)
{
    (void)context;
    (void)name;
    return false;
}

bool io_is_folder(const char *path) { return system_list(path, any_entry, NULL); }

bool io_is_address(const char *place)
{
    return strncasecmp(place, "http://", 7) == 0 || strncasecmp(place, "https://", 8) == 0;
}

bool io_is_place(const char *place)
{
    return io_is_address(place) || io_is_folder(place);
}

treb_status io_fail_open(const char *path, treb_error *error)
{
    int reason = errno;
    if (reason == EAGAIN) return fail_not_ready(error, path);
    /* What open() says of a socket, and of a device that is not there. */
    if (reason == ENXIO || reason == ENODEV)
        fail(error, TREB_ERR_IO, "%s: %s", fail_path(path), not_regular);
    else
        fail_errno(error, "open", path);
    errno = reason;
    return TREB_ERR_IO;
}

treb_status io_check_regular(const char *path, const SystemFile *about, treb_error *error)
{
    if (about->kind == SYSTEM_FILE) return TREB_OK;
    return fail(error, TREB_ERR_IO, "%s: %s", fail_path(path),
                about->kind == SYSTEM_FOLDER ? "is a directory, not a file" : not_regular);
}

int io_open_regular(const char *path, SystemFile *about, treb_error *error)
{
    int file = system_open(path, SYSTEM_READ);
    if (file < 0) {
        io_fail_open(path, error);
        return -1;
    }
    int reason = 0;
    if (!system_about(file, about)) {
        reason = errno;
        fail_errno(error, "read", path);
    } else if (io_check_regular(path, about, error) == TREB_OK) {
        return file;
    }
    system_close(file);
    errno = reason;
    return -1;
}

char *io_path(const char *directory, const char *name)
{
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = (char *)malloc(size);
    if (path != NULL) snprintf(path, size, "%s/%s", directory, name);
    return path;
}

const char *io_name(const char *path)
{
    const char *name = path;
    for (; *path != '\0'; path++)
        if (system_is_slash(*path)) name = path + 1;
    return name;
}

char *io_folder(const char *path)
{
    size_t length = (size_t)(io_name(path) - path);
    /* The slash stays in "/", and in Windows' "C:\\". */
    if (length > 1 && path[length - 2] != ':') length--;
    char *folder = (char *)malloc(length + 2);
    if (folder == NULL) return NULL;
    memcpy(folder, length > 0 ? path : ".", length > 0 ? length : 1);
    folder[length > 0 ? length : 1] = '\0';
    return folder;
}

char *io_temporary_path(const char *directory, const char *name, const char *infix)
{
    size_t size = strlen(directory) + strlen(name) + strlen(infix) + 40;
    char *path = (char *)malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/.%s%s%s%ld", directory, name, infix, IO_TEMPORARY,
                 system_process());
    return path;
}

int io_create(const char *path)
{
    int file = system_open(path, SYSTEM_CREATE);
    if (file >= 0 || errno != EEXIST) return file;
    /* A file of this name was left by a dead process with the same number. */
    system_delete(path);
    return system_open(path, SYSTEM_CREATE);
}

int io_unnamed(const char *directory) { return system_open(directory, SYSTEM_UNNAMED); }

/* A rename survives a crash only once the directory is on the disk. */
bool io_publish(int file, const char *temporary, const char *path, const char *directory)
{
    bool good = system_flush(file);
    int number = errno;
    if (!system_close(file) && good) {
        good = false;
        number = errno;
    }
    if (good && !system_rename(temporary, path)) {
        good = false;
        number = errno;
    }
    if (good) return system_flush_folder(directory);
    system_delete(temporary);
    errno = number;
    return false;
}
