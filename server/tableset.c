/* tableset.c - see tableset.h. */
#include "server/tableset.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/format/table_bundle.h"
#include "core/system/error.h"
#include "core/system/io.h"

treb_tables *tableset_tables(const TableHolder *holder, treb_error *error)
{
    size_t count = 0;
    if (holder->lenient && holder->count == 1 && access(holder->directories[0], F_OK) != 0)
        return treb_tables_open(NULL, 0, error);
    const char **present = calloc(holder->count + 1, sizeof *present);
    if (present == NULL) {
        fail_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < holder->count; i++)
        if (io_is_place(holder->directories[i])) present[count++] = holder->directories[i];
    treb_tables *tables = count > 0 ? treb_tables_open(present, count, error)
                                    : treb_tables_open(holder->directories, holder->count, error);
    free(present);
    return tables;
}

const char *tableset_missing(const TableHolder *holder, size_t *number)
{
    while (*number < holder->count) {
        const char *folder = holder->directories[(*number)++];
        if (!io_is_place(folder)) return folder;
    }
    return NULL;
}

static TableSet *set_open(const TableHolder *holder, treb_error *error)
{
    TableSet *set = calloc(1, sizeof *set);
    if (set != NULL && (set->cache = response_cache_create(holder->cache_bytes)) != NULL) {
        set->tables = tableset_tables(holder, error);
    } else {
        fail_memory(error);
    }
    if (set == NULL || set->tables == NULL) {
        if (set != NULL) response_cache_free(set->cache);
        free(set);
        return NULL;
    }
    treb_tables_set_memory(set->tables, holder->block_bytes);
    treb_tables_check(set->tables);
    atomic_init(&set->users, 1);
    pthread_mutex_init(&set->bundle_lock, NULL);
    set->bundle = -1;
    return set;
}

/* ---- The list of headers --------------------------------------------------------------------- */

/* Returns the file, without a name; -1 on failure. */
static int bundle_make(const TableHolder *holder, treb_error *error)
{
    size_t count = 0;
    FILE *file = tmpfile();
    const char **folders = calloc(holder->count + 1, sizeof *folders);
    treb_status status =
        file != NULL && folders != NULL ? TREB_OK : fail_errno(error, "create", "a temporary file");
    for (size_t i = 0; i < holder->count && folders != NULL; i++)
        if (io_is_folder(holder->directories[i])) folders[count++] = holder->directories[i];
    if (status == TREB_OK) status = table_bundle_print(folders, count, file, error);
    int made = status == TREB_OK ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
    if (status == TREB_OK && made < 0) fail_errno(error, "open", "a temporary file");
    if (file != NULL) fclose(file);
    free(folders);
    return made;
}

int tableset_bundle(const TableHolder *holder, TableSet *set, treb_error *error)
{
    pthread_mutex_lock(&set->bundle_lock);
    if (!set->bundle_made) set->bundle = bundle_make(holder, &set->bundle_error);
    set->bundle_made = true;
    if (set->bundle < 0) *error = set->bundle_error;
    int file = set->bundle >= 0 ? fcntl(set->bundle, F_DUPFD_CLOEXEC, 0) : -1;
    if (set->bundle >= 0 && file < 0) fail_errno(error, "open", TABLE_BUNDLE_NAME);
    pthread_mutex_unlock(&set->bundle_lock);
    return file;
}

/* ---- Replacing a set ------------------------------------------------------------------------- */

treb_status tableset_open(TableHolder *holder, treb_error *error)
{
    pthread_mutex_init(&holder->lock, NULL);
    holder->current = set_open(holder, error);
    return holder->current != NULL ? TREB_OK : error->status;
}

treb_status tableset_reload(TableHolder *holder, treb_error *error)
{
    TableSet *fresh = set_open(holder, error);
    if (fresh == NULL) return error->status;
    pthread_mutex_lock(&holder->lock);
    TableSet *old = holder->current;
    holder->current = fresh;
    pthread_mutex_unlock(&holder->lock);
    tableset_release(old);
    return TREB_OK;
}

void tableset_close(TableHolder *holder)
{
    if (holder->current != NULL) tableset_release(holder->current);
    holder->current = NULL;
    pthread_mutex_destroy(&holder->lock);
}

TableSet *tableset_acquire(TableHolder *holder)
{
    pthread_mutex_lock(&holder->lock);
    TableSet *set = holder->current;
    atomic_fetch_add_explicit(&set->users, 1, memory_order_relaxed);
    pthread_mutex_unlock(&holder->lock);
    return set;
}

void tableset_release(TableSet *set)
{
    assert(atomic_load(&set->users) > 0);
    if (atomic_fetch_sub_explicit(&set->users, 1, memory_order_acq_rel) != 1) return;
    response_cache_free(set->cache);
    treb_tables_close(set->tables);
    if (set->bundle >= 0) close(set->bundle);
    pthread_mutex_destroy(&set->bundle_lock);
    free(set);
}
