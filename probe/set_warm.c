/* set_warm.c - reading tables before they are needed: warming and pinning (trebuchet.h). */
#include <stdlib.h>

#include "core/system/error.h"
#include "probe/file_open.h"
#include "probe/file_pin.h"
#include "probe/file_warm.h"
#include "probe/set.h"

treb_status treb_tables_pin(treb_tables *tables, const char *material, treb_metric metric,
                            treb_error *error)
{
    treb_error why;
    treb_error missing;
    ProbeFile *file = set_find_file(tables, material, metric, &missing);
    if (file == NULL) return fail_again(error, &missing);
    return file_pin(file, &why) == 0 ? TREB_OK : fail_again(error, &why);
}

/* ---- Warming --------------------------------------------------------------------------------- */

/* A file and its size in bytes. */
typedef struct WarmFile {
    ProbeFile *file;
    uint64_t size;
} WarmFile;

/* The state of one treb_tables_warm. */
typedef struct Warming {
    treb_progress *progress;
    void *context;
    uint64_t done, total;
    bool stopped;
    treb_status status; /* of the first failure; TREB_OK if there was none */
} Warming;

/* A FileProgress: adds bytes to what is done and calls the user's function. True: stop. */
static bool count_bytes(void *context, uint64_t bytes)
{
    Warming *w = (Warming *)context;
    w->done += bytes;
    if (w->done > w->total) w->done = w->total; /* a file has grown since it was listed */
    if (w->progress != NULL && !w->stopped)
        w->stopped = w->progress(w->context, w->done, w->total) != 0;
    return w->stopped;
}

static int compare_sizes(const void *left, const void *right)
{
    const WarmFile *a = (const WarmFile *)left, *b = (const WarmFile *)right;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return a->file < b->file ? -1 : a->file > b->file;
}

/* Lists the files that answer for a metric, the smallest first. Returns how many there are. */
static size_t list_smallest(const treb_tables *set, treb_metric metric, WarmFile *out)
{
    size_t count = 0;
    for (size_t i = 0; i < set->entry_count; i++) {
        ProbeFile *file = set->entries[i].file[metric];
        if (file == NULL) continue;
        /* The size of a file of a source is known once it is open. If it cannot be opened warm says
         * why. */
        const ProbeReader reader = reader_waiting();
        if (file->source != NULL) (void)file_open(&reader, file, NULL);
        out[count++] = (WarmFile){file, file_size(file)};
    }
    qsort(out, count, sizeof *out, compare_sizes);
    return count;
}

/* Opens a file and, if `whole`, reads all of it. Keeps the first failure. */
static void warm(Warming *w, ProbeFile *file, bool whole, treb_error *error)
{
    treb_error why;
    const ProbeReader reader = reader_waiting();
    treb_status status = (treb_status)-file_open(&reader, file, &why);
    if (status == TREB_OK && whole) status = file_warm(file, count_bytes, w, &why);
    if (status != TREB_OK && w->status == TREB_OK) w->status = fail_again(error, &why);
    count_bytes(w, 0);
}

treb_status treb_tables_warm(treb_tables *tables, treb_metric metric, uint64_t bytes,
                             treb_progress *progress, void *context, treb_error *error)
{
    Warming w = {.progress = progress, .context = context};
    if (!table_is_metric(metric))
        return fail(error, TREB_ERR_ARGUMENT, "there is no such metric");
    WarmFile *files = (WarmFile *)malloc((tables->entry_count + 1) * sizeof *files);
    if (files == NULL) return fail_memory(error);
    size_t count = list_smallest(tables, metric, files), whole = 0;
    while (whole < count && files[whole].size <= bytes - w.total) w.total += files[whole++].size;
    for (size_t i = 0; i < count && !w.stopped; i++) warm(&w, files[i].file, i < whole, error);
    free(files);
    return w.status;
}
