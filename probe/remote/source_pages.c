/* source_pages.c - reading files of a web server: see source.h.
 *
 * Files are read in pages of 4 KiB. A page is first looked up among the pages in memory (pages.h),
 * then in the cache on disk (disk.h), then requested from the server (transfer.h); one request asks
 * for pages that follow each other. A version of a file is identified by its checksum in the list
 * (list.h) and by the size, ETag and Last-Modified that came with its first page. All later answers
 * must agree with these, and the cache on disk stores pages under them. */
#include "probe/remote/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AT_ONCE = 256,    /* pages of one request: 1 MiB */
    FORGIVE_MS = 1000 /* how long a failed page is not requested again */
};

/* ---- Requests -------------------------------------------------------------------------------- */

/* A request for pages that follow each other. */
typedef struct PageRequest {
    Transfer transfer;
    HttpFile *file;
    uint64_t first, count;
    bool again; /* request them even if they are on disk: those were damaged */
} PageRequest;

/* The key of a page on disk. */
static XXH128_hash_t key_of(const HttpFile *file, uint64_t page)
{
    struct {
        XXH128_hash_t version;
        uint64_t page;
    } key = {file->key, page};
    return XXH3_128bits(&key, sizeof key);
}

/* Learns the version of a file from the first answer. The caller holds the mutex. */
static void learn(HttpFile *file, const Transfer *t)
{
    struct {
        char name[LIST_NAME_MOST + 1], sum[LIST_SUM_SIZE];
        uint64_t size;
        char etag[TRANSFER_TAG_SIZE], modified[TRANSFER_TAG_SIZE];
    } version;
    file->size = t->total;
    memcpy(file->etag, t->etag, sizeof file->etag);
    memcpy(file->modified, t->modified, sizeof file->modified);
    file->keeps = file->etag[0] != '\0' || file->modified[0] != '\0';
    memset(&version, 0, sizeof version);
    strcpy(version.name, file->listed->name);
    strcpy(version.sum, file->listed->sum);
    version.size = file->size;
    strcpy(version.etag, file->etag);
    strcpy(version.modified, file->modified);
    file->key = XXH3_128bits(&version, sizeof version);
    file->known = true;
}

/* Checks that an answer is of the version that was read before. The caller holds the mutex. */
static treb_status check_version(HttpFile *file, Transfer *t)
{
    if (!file->known) learn(file, t);
    if (file->size == t->total && strcmp(file->etag, t->etag) == 0 &&
        strcmp(file->modified, t->modified) == 0)
        return TREB_OK;
    return http_fail(&t->error, TREB_ERR_DAMAGED,
                     "%.300s: was changed while in use: open the tables again", t->url);
}

/* Gives the pages of a request their bytes, or notes why they failed (`bytes` NULL), and wakes the
 * threads that wait for them. The caller holds the mutex. */
static void take_pages(PageRequest *r, const uint8_t *bytes)
{
    static const treb_error shorter = {
        .status = TREB_ERR_DAMAGED, .text = "a file has become shorter", .metric = -1};
    HttpSource *source = r->file->source;
    const Transfer *t = &r->transfer;
    uint64_t now = transfer_clock();
    for (uint64_t i = 0; i < r->count; i++) {
        Page *page = pages_find(&source->pages, r->file, r->first + i);
        uint64_t at = i * DISK_PAGE;
        if (page == NULL) continue;
        if (bytes != NULL && at < t->size)
            page_here(page, bytes + at, t->size - at);
        else if (page->state == PAGE_COMING)
            page_failed(page, bytes == NULL ? &t->error : &shorter, now);
    }
    pthread_cond_broadcast(&source->changed);
}

/* Stores the pages of an answer on disk. The last page of a file is filled up with zeros. */
static void keep_pages(const PageRequest *r)
{
    const Transfer *t = &r->transfer;
    for (uint64_t i = 0; i * DISK_PAGE < t->size; i++) {
        uint8_t last[DISK_PAGE] = {0};
        const uint8_t *bytes = t->bytes + i * DISK_PAGE;
        uint64_t left = t->size - i * DISK_PAGE;
        if (left < DISK_PAGE) bytes = memcpy(last, bytes, (size_t)left);
        disk_put(r->file->source->disk, key_of(r->file, r->first + i), bytes);
    }
}

/* For Transfer.done. */
static void request_done(Transfer *t)
{
    PageRequest *r = t->context;
    HttpSource *source = r->file->source;
    pthread_mutex_lock(&source->mutex);
    bool good = t->error.status == TREB_OK;
    if (good && t->bytes != NULL) good = check_version(r->file, t) == TREB_OK;
    /* Without bytes the request was not needed: all its pages were on disk. */
    if (!good || t->bytes != NULL) take_pages(r, good ? t->bytes : NULL);
    pthread_mutex_unlock(&source->mutex);
    if (good && t->bytes != NULL && source->disk != NULL && r->file->keeps) keep_pages(r);
    free(t->bytes);
    free(t->url);
    free(r);
}

/* Takes a page from the disk. False if it is not there. */
static bool take_kept(HttpFile *file, uint64_t number)
{
    uint8_t bytes[DISK_PAGE];
    HttpSource *source = file->source;
    if (!disk_get(source->disk, key_of(file, number), bytes)) return false;
    atomic_fetch_add_explicit(&source->kept, 1, memory_order_relaxed);
    pthread_mutex_lock(&source->mutex);
    Page *page = pages_find(&source->pages, file, number);
    if (page != NULL && page->state != PAGE_HERE) page_here(page, bytes, DISK_PAGE);
    pthread_cond_broadcast(&source->changed);
    pthread_mutex_unlock(&source->mutex);
    return true;
}

static void set_range(PageRequest *r)
{
    r->transfer.first = r->first * DISK_PAGE;
    r->transfer.last = (r->first + r->count) * DISK_PAGE - 1;
    r->transfer.most = (size_t)(r->count * DISK_PAGE);
}

/* For Transfer.unneeded: looks on disk first. Pages at both ends of the request that are there need
 * not be requested. */
static bool request_unneeded(Transfer *t)
{
    PageRequest *r = t->context;
    if (r->file->source->disk == NULL || r->again || !r->file->known || !r->file->keeps)
        return false;
    while (r->count > 0 && take_kept(r->file, r->first)) r->first++, r->count--;
    while (r->count > 0 && take_kept(r->file, r->first + r->count - 1)) r->count--;
    set_range(r);
    return r->count == 0;
}

static PageRequest *request_new(HttpFile *file, uint64_t first, uint64_t count, bool again)
{
    const char *address = file->source->address, *name = file->listed->name;
    size_t size = strlen(address) + strlen(name) + 2;
    PageRequest *r = calloc(1, sizeof *r);
    char *url = malloc(size);
    if (r == NULL || url == NULL) {
        free(r);
        free(url);
        return NULL;
    }
    snprintf(url, size, "%s/%s", address, name);
    *r = (PageRequest){.file = file, .first = first, .count = count, .again = again};
    r->transfer.url = url;
    r->transfer.ranged = true;
    r->transfer.unneeded = request_unneeded;
    r->transfer.done = request_done;
    r->transfer.context = r;
    set_range(r);
    return r;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Pages that follow each other and that one reader uses, at most AT_ONCE. */
typedef struct PageRun {
    HttpFile *file;
    uint64_t first;
    unsigned count;
    Page *page[AT_ONCE];
} PageRun;

/* The caller of the functions below holds the mutex. */

/* Whether a page failed so long ago that it is requested again. */
static bool is_stale(const Page *page)
{
    return page->state == PAGE_FAILED && transfer_clock() - page->when > FORGIVE_MS;
}

/* Requests the pages that are neither here nor coming, with one request from the first such page to
 * the last. With `again` also pages that are here. False: out of memory. */
static bool ask(PageRun *w, bool again)
{
    unsigned first = w->count, last = 0;
    for (unsigned i = 0; i < w->count; i++) {
        Page *page = w->page[i];
        if (!(page->state == PAGE_NEW || is_stale(page) || (again && page->state != PAGE_COMING)))
            continue;
        page->state = PAGE_COMING;
        if (i < first) first = i;
        last = i;
    }
    if (first == w->count) return true;
    PageRequest *r = request_new(w->file, w->first + first, last - first + 1, again);
    if (r != NULL) {
        transfers_add(w->file->source->transfers, &r->transfer);
        return true;
    }
    for (unsigned i = first; i <= last; i++) w->page[i]->state = PAGE_NEW;
    return false;
}

/* Takes pages from the disk. Releases the mutex meanwhile. Only for readers that may wait. */
static void take_from_disk(PageRun *w)
{
    bool mine[AT_ONCE];
    HttpSource *source = w->file->source;
    if (source->disk == NULL || !w->file->known || !w->file->keeps) return;
    for (unsigned i = 0; i < w->count; i++)
        if ((mine[i] = w->page[i]->state == PAGE_NEW)) w->page[i]->state = PAGE_COMING;
    pthread_mutex_unlock(&source->mutex);
    for (unsigned i = 0; i < w->count; i++)
        if (mine[i]) mine[i] = !take_kept(w->file, w->first + i);
    pthread_mutex_lock(&source->mutex);
    for (unsigned i = 0; i < w->count; i++)
        if (mine[i]) w->page[i]->state = PAGE_NEW;
}

/* The state of all the pages: TREB_OK, TREB_ERR_NOT_READY, or why one has failed. */
static treb_status state_of(const PageRun *w, treb_error *error)
{
    treb_status status = TREB_OK;
    for (unsigned i = 0; i < w->count; i++) {
        const Page *page = w->page[i];
        if (page->state == PAGE_FAILED && !is_stale(page)) {
            if (page->error == NULL) return http_fail(error, TREB_ERR_MEMORY, "out of memory");
            *error = *page->error;
            return error->status;
        }
        if (page->state != PAGE_HERE) status = TREB_ERR_NOT_READY;
    }
    if (status == TREB_ERR_NOT_READY)
        http_fail(error, status, "%.300s/%s: is not in memory yet", w->file->source->address,
                  w->file->listed->name);
    return status;
}

/* Waits until all pages are here or one has failed. */
static treb_status wait_for(PageRun *w, treb_error *error)
{
    treb_status status;
    while ((status = state_of(w, error)) == TREB_ERR_NOT_READY) {
        /* Requests a page again that failed for another reader, too long ago. */
        if (!ask(w, false)) return http_fail(error, TREB_ERR_MEMORY, "out of memory");
        pthread_cond_wait(&w->file->source->changed, &w->file->source->mutex);
    }
    return status;
}

/* Brings pages as `how` says. */
static treb_status bring(PageRun *w, treb_read how, treb_error *error)
{
    if (how == TREB_READ_TRY) return state_of(w, error);
    if (how == TREB_READ_WAIT) take_from_disk(w);
    if (!ask(w, how == TREB_READ_AGAIN)) return http_fail(error, TREB_ERR_MEMORY, "out of memory");
    if (how == TREB_READ_BEGIN)
        return http_fail(error, TREB_ERR_NOT_READY, "%.300s/%s: is not in memory yet",
                         w->file->source->address, w->file->listed->name);
    return wait_for(w, error);
}

/* False: out of memory. */
static bool use_pages(PageRun *w)
{
    unsigned i = 0;
    while (i < w->count &&
           (w->page[i] = pages_use(&w->file->source->pages, w->file, w->first + i)) != NULL)
        i++;
    if (i == w->count) return true;
    while (i > 0) pages_release(w->page[--i]);
    return false;
}

/* Reads bytes of at most AT_ONCE pages. */
static treb_status read_part(HttpFile *file, treb_read how, uint64_t offset, size_t size,
                             uint8_t *out, treb_error *error)
{
    uint64_t first = offset / DISK_PAGE, last = (offset + size - 1) / DISK_PAGE;
    PageRun w = {.file = file, .first = first, .count = (unsigned)(last - first + 1)};
    if (!use_pages(&w)) return http_fail(error, TREB_ERR_MEMORY, "out of memory");
    treb_status status = bring(&w, how, error);
    for (unsigned i = 0; i < w.count; i++) {
        uint64_t at = (first + i) * DISK_PAGE;
        uint64_t from = at > offset ? at : offset, end = at + DISK_PAGE;
        if (end > offset + size) end = offset + size;
        if (status == TREB_OK)
            memcpy(out + (from - offset), w.page[i]->bytes + (from - at), (size_t)(end - from));
        pages_release(w.page[i]);
    }
    return status;
}

treb_status source_read(void *context, void *handle, treb_read how, uint64_t offset, size_t size,
                        void *out, treb_error *error)
{
    HttpSource *source = context;
    treb_status status = TREB_OK;
    uint8_t *to = out;
    pthread_mutex_lock(&source->mutex);
    while (size > 0 && (status == TREB_OK || how == TREB_READ_BEGIN)) {
        size_t most = (size_t)AT_ONCE * DISK_PAGE - (size_t)(offset % DISK_PAGE);
        size_t part = size < most ? size : most;
        status = read_part(handle, how, offset, part, to, error);
        if (status != TREB_OK && status != TREB_ERR_NOT_READY) break;
        if (to != NULL) to += part;
        offset += part;
        size -= part;
    }
    pthread_mutex_unlock(&source->mutex);
    return status;
}

treb_status source_know_file(HttpFile *file, treb_error *error)
{
    uint8_t byte;
    return file->known ? TREB_OK : read_part(file, TREB_READ_WAIT, 0, 1, &byte, error);
}
