/* table_files.c - see table_files.h. */
#include "core/format/table_files.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/format/table_name.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/nowait.h"
#include "core/system/thread.h"

struct TableFile {
    TableFiles *files; /* the set it belongs to; NULL: none */
    char *path;
    SystemFile first;          /* state of the file when it was first opened */
    const treb_source *source; /* NULL: a file of this machine */
    void *handle;              /* handle of the source */
    /* The following members change under the mutex of `files`. */
    int descriptor; /* -1: closed for now */
    bool opening;   /* a thread is opening it, and has released the mutex meanwhile */
    unsigned holders;
    TableFile *newer, *older; /* list of open files, by last use */
};

struct TableFiles {
    ThreadMutex mutex;
    ThreadCondition
        released;        /* signalled when a file is no longer held or no longer being opened */
    unsigned most, open; /* `open` includes files that are being opened */
    TableFile *newest, *oldest;
};

TableFiles *table_files_new(unsigned most)
{
    TableFiles *files = (TableFiles *)calloc(1, sizeof *files);
    if (files == NULL) return NULL;
    files->most = most > 0 ? most : 1;
    if (mutex_init(&files->mutex)) {
        if (condition_init(&files->released)) return files;
        mutex_destroy(&files->mutex);
    }
    free(files);
    return NULL;
}

void table_files_free(TableFiles *files)
{
    if (files == NULL) return;
    assert(files->open == 0);
    condition_destroy(&files->released);
    mutex_destroy(&files->mutex);
    free(files);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Sets TREB_ERR_NO_TABLE in an error that was filled in, with the table that the file would hold if
 * its name is that of a table. Returns TREB_ERR_NO_TABLE. */
static treb_status fail_no_file(const char *path, treb_error *error)
{
    Material material;
    treb_metric metric;
    char name[MATERIAL_NAME_SIZE] = "";
    const bool table = table_parse_name(io_name(path), &material, &metric);
    if (table) material_name(&material, name);
    return fail_missing_table(error, name, table ? (int)metric : -1);
}

/* Fills in the error of system_open. Does not change errno. */
static treb_status fail_open(const TableFile *file, treb_error *error)
{
    int reason = errno;
    treb_status status = io_fail_open(file->path, error);
    if (reason == ENOENT || reason == ENOTDIR) status = fail_no_file(file->path, error);
    errno = reason;
    return status;
}

static bool same_file(const SystemFile *a, const SystemFile *b)
{
    return a->device == b->device && a->number == b->number && a->size == b->size &&
           a->changed == b->changed && a->changed_part == b->changed_part;
}

/* Opens the file for the first time, or again: writes *descriptor. On failure errno is EMFILE or
 * ENFILE if there are no descriptors left. */
static treb_status open_now(TableFile *file, bool again, TableWait wait, int *descriptor,
                            treb_error *error)
{
    SystemFile now;
    treb_status status = TREB_OK;
    errno = 0;
    int opened =
        wait == WAIT_FOR_ALL ? system_open(file->path, SYSTEM_READ) : nowait_open(file->path);
    if (opened < 0 && wait != WAIT_FOR_ALL && errno == EAGAIN)
        return fail_not_ready(error, file->path);
    if (opened < 0) return fail_open(file, error);
    if (!system_about(opened, &now)) {
        status = fail_errno(error, "read", file->path);
    } else if (!again) {
        file->first = now;
        status = io_check_regular(file->path, &now, error);
    } else if (!same_file(&now, &file->first)) {
        status = fail(error, TREB_ERR_DAMAGED,
                      "%.350s: was changed while in use: open the tables again", file->path);
    }
    if (status == TREB_OK)
        *descriptor = opened;
    else
        system_close(opened);
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
    system_close(file->descriptor);
    file->descriptor = -1;
    files->open--;
}

/* Closes the file that was not used for longest and that nobody holds. Returns false if there is
 * none. */
static bool close_idle(TableFiles *files)
{
    TableFile *file = files->oldest;
    while (file != NULL && file->holders > 0) file = file->newer;
    if (file == NULL) return false;
    close_open(files, file);
    return true;
}

/* Opens a file without the mutex: opening may take as long as a disk takes, and other threads must
 * be able to read other files meanwhile. Sets errno like open_now. */
static treb_status open_unlocked(TableFiles *files, TableFile *file, bool again, TableWait wait,
                                 treb_error *error)
{
    int descriptor;
    files->open++;
    file->opening = true;
    mutex_unlock(&files->mutex);
    treb_status status = open_now(file, again, wait, &descriptor, error);
    int reason = errno;
    mutex_lock(&files->mutex);
    file->opening = false;
    if (status == TREB_OK) {
        file->descriptor = descriptor;
        link_newest(files, file);
    } else {
        files->open--;
    }
    condition_broadcast(&files->released);
    errno = reason;
    return status;
}

/* Opens a file, and closes others if needed. */
static treb_status make_open(TableFiles *files, TableFile *file, bool again, TableWait wait,
                             treb_error *error)
{
    while (file->descriptor < 0) {
        if (!file->opening && files->open < files->most) {
            treb_status status = open_unlocked(files, file, again, wait, error);
            if (status == TREB_OK) break;
            /* The process may have no descriptors left: then the set uses fewer. */
            if ((errno != EMFILE && errno != ENFILE) || files->open == 0) return status;
        }
        if (!file->opening && close_idle(files)) continue;
        if (wait != WAIT_FOR_ALL) return fail_not_ready(error, file->path);
        condition_wait(&files->released, &files->mutex);
    }
    return TREB_OK;
}

static treb_status hold(TableFile *file, bool again, TableWait wait, treb_error *error)
{
    TableFiles *files = file->files;
    if (files == NULL)
        return again ? TREB_OK : open_now(file, false, wait, &file->descriptor, error);
    mutex_lock(&files->mutex);
    treb_status status = make_open(files, file, again, wait, error);
    if (status == TREB_OK) {
        file->holders++;
        unlink_file(files, file);
        link_newest(files, file);
    }
    mutex_unlock(&files->mutex);
    return status;
}

/* ---- Interface ------------------------------------------------------------------------------- */

static TableFile *file_new(TableFiles *files, const char *path)
{
    TableFile *file = (TableFile *)calloc(1, sizeof *file);
    if (file == NULL) return NULL;
    file->files = files;
    file->descriptor = -1;
    file->path = strdup(path);
    if (file->path != NULL) return file;
    free(file);
    return NULL;
}

TableFile *table_file_open(TableFiles *files, const char *path, treb_error *error)
{
    TableFile *file = file_new(files, path);
    if (file == NULL) {
        fail(error, TREB_ERR_MEMORY, "%.350s: out of memory", path);
        return NULL;
    }
    if (hold(file, false, WAIT_FOR_ALL, error) == TREB_OK) return file;
    table_file_close(file);
    return NULL;
}

TableFile *table_file_later(TableFiles *files, const char *path, const SystemFile *first)
{
    TableFile *file = file_new(files, path);
    if (file != NULL) file->first = *first;
    return file;
}

/* Clears what a source need not fill in: only the status and text of a treb_error. */
static void source_failed(treb_error *error)
{
    error->metric = -1;
    error->material[0] = '\0';
}

TableFile *table_file_from_source(const treb_source *source, const char *path, const char *name,
                                  treb_error *error)
{
    treb_error unused;
    uint64_t size = 0;
    TableFile *file = file_new(NULL, path);
    if (file == NULL) {
        fail_memory(error);
        return NULL;
    }
    if (error == NULL) error = &unused;
    treb_status status = source->open(source->context, name, &file->handle, &size, error);
    if (status == TREB_OK) {
        file->source = source;
        file->first.size = size;
        return file;
    }
    source_failed(error);
    if (status == TREB_ERR_NO_TABLE) fail_no_file(name, error);
    table_file_close(file);
    return NULL;
}

bool table_file_has_source(const TableFile *file) { return file->source != NULL; }

void table_file_close(TableFile *file)
{
    if (file == NULL) return;
    if (file->source != NULL) file->source->close_file(file->source->context, file->handle);
    TableFiles *files = file->files;
    if (files != NULL) {
        mutex_lock(&files->mutex);
        file->holders = 0;
        if (file->descriptor >= 0) close_open(files, file);
        condition_broadcast(&files->released);
        mutex_unlock(&files->mutex);
    } else if (file->descriptor >= 0) {
        system_close(file->descriptor);
    }
    free(file->path);
    free(file);
}

uint64_t table_file_bytes(const TableFile *file) { return file->first.size; }

treb_status table_file_hold(TableFile *file, TableWait wait, int *descriptor, treb_error *error)
{
    treb_status status = hold(file, true, wait, error);
    /* Nobody closes a file that is held, so that its descriptor can be read without the mutex. */
    if (status == TREB_OK) *descriptor = file->descriptor;
    return status;
}

void table_file_release(TableFile *file)
{
    TableFiles *files = file->files;
    if (files == NULL) return;
    mutex_lock(&files->mutex);
    assert(file->holders > 0);
    if (--file->holders == 0) condition_broadcast(&files->released);
    mutex_unlock(&files->mutex);
}

/* Reads or fetches bytes of a file that is held. */
static treb_status read_held(const TableFile *file, int descriptor, TableWait wait, void *bytes,
                             size_t size, uint64_t offset, bool *cut, treb_error *error)
{
    bool got = false;
    if (wait == WAIT_NEVER_FETCH) {
        nowait_fetch(descriptor, offset, size);
        errno = EAGAIN;
    } else if (wait == WAIT_NEVER) {
        got = nowait_read(descriptor, bytes, size, offset);
    } else {
        got = io_read_at(descriptor, bytes, size, offset);
    }
    if (got) return TREB_OK;
    if (wait != WAIT_FOR_ALL && errno == EAGAIN) return fail_not_ready(error, file->path);
    *cut = errno == 0;
    return *cut ? TREB_ERR_DAMAGED : fail_errno(error, "read", file->path);
}

/* Reads bytes of a source's file. */
static treb_status read_source(const TableFile *file, treb_read how, void *bytes, size_t size,
                               uint64_t offset, bool *cut, treb_error *error)
{
    treb_error unused;
    uint64_t end = table_file_bytes(file);
    *cut = offset > end || size > end - offset;
    if (*cut) return TREB_ERR_DAMAGED;
    if (size == 0) return TREB_OK;
    if (error == NULL) error = &unused;
    treb_status status =
        file->source->read(file->source->context, file->handle, how, offset, size, bytes, error);
    if (status != TREB_OK) source_failed(error);
    return status;
}

treb_status table_file_read(TableFile *file, TableWait wait, void *bytes, size_t size,
                            uint64_t offset, bool *cut, treb_error *error)
{
    static const treb_read how[] = {TREB_READ_WAIT, TREB_READ_TRY, TREB_READ_BEGIN, TREB_READ_TRY};
    int descriptor;
    *cut = false;
    if (file->source != NULL) return read_source(file, how[wait], bytes, size, offset, cut, error);
    if (wait == WAIT_LOCAL_ONLY) wait = WAIT_FOR_ALL;
    treb_status status = table_file_hold(file, wait, &descriptor, error);
    if (status != TREB_OK) return status;
    status = read_held(file, descriptor, wait, bytes, size, offset, cut, error);
    table_file_release(file);
    return status;
}

treb_status table_file_read_again(TableFile *file, void *bytes, size_t size, uint64_t offset,
                                  treb_error *error)
{
    bool cut;
    return read_source(file, TREB_READ_AGAIN, bytes, size, offset, &cut, error);
}

bool table_file_has(TableFile *file, uint64_t offset, uint64_t size)
{
    int descriptor;
    if (table_file_hold(file, WAIT_NEVER, &descriptor, NULL) != TREB_OK) return false;
    bool present = nowait_has(descriptor, offset, size);
    table_file_release(file);
    return present;
}
