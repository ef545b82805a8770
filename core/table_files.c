/* table_files.c - see table_files.h. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "core/table_files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

struct TableFile {
    TableFiles *files; /* NULL: on its own */
    char *path;
    struct stat first; /* the file as it was opened first */
    /* What follows changes under the mutex of `files`. */
    int descriptor; /* -1: closed for now */
    unsigned holders;
    TableFile *newer, *older; /* of the open files, by last use */
};

struct TableFiles {
    pthread_mutex_t mutex;
    pthread_cond_t released; /* a file that nobody holds any more */
    unsigned most, open;
    TableFile *newest, *oldest;
};

TableFiles *table_files_new(unsigned most)
{
    TableFiles *files = calloc(1, sizeof *files);
    if (files == NULL) return NULL;
    files->most = most > 0 ? most : 1;
    if (pthread_mutex_init(&files->mutex, NULL) == 0) {
        if (pthread_cond_init(&files->released, NULL) == 0) return files;
        pthread_mutex_destroy(&files->mutex);
    }
    free(files);
    return NULL;
}

void table_files_free(TableFiles *files)
{
    if (files == NULL) return;
    assert(files->open == 0);
    pthread_cond_destroy(&files->released);
    pthread_mutex_destroy(&files->mutex);
    free(files);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Leaves errno as it is. */
static treb_status fail_open(const TableFile *file, treb_error *error)
{
    int reason = errno;
    treb_status status = fail_errno(error, "open", file->path);
    if (reason == ENOENT || reason == ENOTDIR) status = TREB_ERR_NO_TABLE;
    if (error != NULL) error->status = status;
    errno = reason;
    return status;
}

static treb_status check_first(const TableFile *file, treb_error *error)
{
    if (S_ISDIR(file->first.st_mode))
        return fail(error, TREB_ERR_IO, "%.350s: is a directory, not a table", file->path);
    if (!S_ISREG(file->first.st_mode))
        return fail(error, TREB_ERR_IO, "%.350s: is not a regular file", file->path);
    return TREB_OK;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Opens the file for the first time or again. errno is EMFILE or ENFILE if there are no more
 * descriptors. */
static treb_status open_now(TableFile *file, bool again, treb_error *error)
{
    struct stat now;
    treb_status status = TREB_OK;
    errno = 0;
    /* Not to hang on a pipe that bears the name of a table. */
    int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return fail_open(file, error);
    if (fstat(descriptor, &now) != 0) {
        status = fail_errno(error, "read", file->path);
    } else if (!again) {
        file->first = now;
        status = check_first(file, error);
    } else if (!same_file(&now, &file->first)) {
        status = fail(error, TREB_ERR_DAMAGED,
                      "%.350s: was changed while in use: open the tables again", file->path);
    }
    if (status == TREB_OK)
        file->descriptor = descriptor;
    else
        close(descriptor);
    return status;
}

/* ---- The open files, under the mutex --------------------------------------------------------- */

static void unlink_file(TableFiles *files, TableFile *file)
{
    *(file->newer != NULL ? &file->newer->older : &files->newest) = file->older;
    *(file->older != NULL ? &file->older->newer : &files->oldest) = file->newer;
}

static void link_newest(TableFiles *files, TableFile *file)
{
    file->newer = NULL;
    file->older = files->newest;
    *(file->older != NULL ? &file->older->newer : &files->oldest) = file;
    files->newest = file;
}

static void close_open(TableFiles *files, TableFile *file)
{
    assert(file->holders == 0 && file->descriptor >= 0);
    unlink_file(files, file);
    close(file->descriptor);
    file->descriptor = -1;
    files->open--;
}

/* Closes the file least recently used that nobody holds. False if there is none. */
static bool close_idle(TableFiles *files)
{
    TableFile *file = files->oldest;
    while (file != NULL && file->holders > 0) file = file->newer;
    if (file == NULL) return false;
    close_open(files, file);
    return true;
}

/* Opens a file, closing others where needed. Opening goes on under the mutex: it is rare, and two
 * threads may want the same file. */
static treb_status make_open(TableFiles *files, TableFile *file, bool again, treb_error *error)
{
    while (file->descriptor < 0) {
        if (files->open < files->most) {
            treb_status status = open_now(file, again, error);
            if (status == TREB_OK) {
                files->open++;
                link_newest(files, file);
                break;
            }
            /* The process may have used up what it is allowed: then ours are fewer. */
            if ((errno != EMFILE && errno != ENFILE) || files->open == 0) return status;
        }
        if (!close_idle(files)) pthread_cond_wait(&files->released, &files->mutex);
    }
    return TREB_OK;
}

static treb_status hold(TableFile *file, bool again, treb_error *error)
{
    TableFiles *files = file->files;
    if (files == NULL) return again ? TREB_OK : open_now(file, false, error);
    pthread_mutex_lock(&files->mutex);
    treb_status status = make_open(files, file, again, error);
    if (status == TREB_OK) {
        file->holders++;
        unlink_file(files, file);
        link_newest(files, file);
    }
    pthread_mutex_unlock(&files->mutex);
    return status;
}

/* ---- Interface ------------------------------------------------------------------------------- */

TableFile *table_file_open(TableFiles *files, const char *path, treb_error *error)
{
    TableFile *file = calloc(1, sizeof *file);
    if (file != NULL) file->path = strdup(path);
    if (file == NULL || file->path == NULL) {
        fail(error, TREB_ERR_MEMORY, "%.350s: out of memory", path);
        free(file);
        return NULL;
    }
    file->files = files;
    file->descriptor = -1;
    if (hold(file, false, error) == TREB_OK) return file;
    table_file_close(file);
    return NULL;
}

void table_file_close(TableFile *file)
{
    if (file == NULL) return;
    TableFiles *files = file->files;
    if (files != NULL) {
        pthread_mutex_lock(&files->mutex);
        file->holders = 0;
        if (file->descriptor >= 0) close_open(files, file);
        pthread_cond_broadcast(&files->released);
        pthread_mutex_unlock(&files->mutex);
    } else if (file->descriptor >= 0) {
        close(file->descriptor);
    }
    free(file->path);
    free(file);
}

uint64_t table_file_bytes(const TableFile *file) { return (uint64_t)file->first.st_size; }

treb_status table_file_hold(TableFile *file, int *descriptor, treb_error *error)
{
    treb_status status = hold(file, true, error);
    /* Nobody closes a file that is held, so that its descriptor may be read without the mutex. */
    if (status == TREB_OK) *descriptor = file->descriptor;
    return status;
}

void table_file_release(TableFile *file)
{
    TableFiles *files = file->files;
    if (files == NULL) return;
    pthread_mutex_lock(&files->mutex);
    assert(file->holders > 0);
    if (--file->holders == 0) pthread_cond_signal(&files->released);
    pthread_mutex_unlock(&files->mutex);
}
