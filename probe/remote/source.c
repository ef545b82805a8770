/* source.c - a folder of a web server as a source of table files: trebuchet-http.h.
 *
 * Files are read in pages of 4 KiB. A page is looked for among those that came a moment ago or are
 * coming (pages), then in the folder for what was read (disk), then asked for: pages that lie side by
 * side with one request. Which version of a file the pages are of is said by its sum in the list, and
 * by the size, ETag and Last-Modified that came with its first page: all that comes later must say
 * the same, and what is kept in the folder is kept by them. */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "probe/remote/list.h"
#include "probe/remote/pages.h"
#include "probe/remote/transfer.h"

enum {
    AT_ONCE = 256,     /* pages of one request: 1 MiB */
    FORGIVE_MS = 1000, /* how long a failure counts for those who ask again */
    ADDRESS_SIZE = 2048
};

/* A file of the folder. */
typedef struct HttpFile {
    struct HttpSource *source;
    const ListEntry *listed;
    bool known; /* what follows; it was read from */
    uint64_t size;
    char etag[TRANSFER_TAG_SIZE], modified[TRANSFER_TAG_SIZE];
    bool keeps;        /* its version is certain enough to keep pages in the folder */
    XXH128_hash_t key; /* of the version */
} HttpFile;

typedef struct HttpSource {
    char address[ADDRESS_SIZE]; /* without the last slash */
    Transfers *transfers;
    Disk *disk; /* NULL: none */
    List list;
    HttpFile *file;         /* as in the list */
    pthread_mutex_t mutex;  /* of `pages` and of what is known of files */
    pthread_cond_t changed; /* a page has come, or failed */
    Pages pages;
    _Atomic uint64_t kept;
} HttpSource;

/* ---- Requests -------------------------------------------------------------------------------- */

/* Some pages that are asked for. */
typedef struct PageRequest {
    Transfer transfer;
    HttpFile *file;
    uint64_t first, count;
    bool again; /* whatever the folder has */
} PageRequest;

static XXH128_hash_t key_of(const HttpFile *file, uint64_t page)
{
    struct {
        XXH128_hash_t version;
        uint64_t page;
    } key = {file->key, page};
    return XXH3_128bits(&key, sizeof key);
}

/* Learns from its first answer which version of a file there is. Under the mutex. */
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

/* Whether an answer is of the version that was read before. Under the mutex. */
static treb_status check_version(HttpFile *file, Transfer *t)
{
    if (!file->known) learn(file, t);
    if (file->size == t->total && strcmp(file->etag, t->etag) == 0 &&
        strcmp(file->modified, t->modified) == 0)
        return TREB_OK;
    return http_fail(&t->error, TREB_ERR_DAMAGED,
                     "%.300s: was changed while in use: open the tables again", t->url);
}

/* Tells those who wait. */
static void take_pages(PageRequest *r, const uint8_t *bytes)
{
    static const treb_error shorter = {TREB_ERR_DAMAGED, "a file has become shorter"};
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

/* Keeps what came in the folder; the last page of a file is filled up with zeros. */
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

static void request_done(Transfer *t)
{
    PageRequest *r = t->context;
    HttpSource *source = r->file->source;
    pthread_mutex_lock(&source->mutex);
    bool good = t->error.status == TREB_OK;
    if (good && t->bytes != NULL) good = check_version(r->file, t) == TREB_OK;
    /* Without bytes: they were in the folder. */
    if (!good || t->bytes != NULL) take_pages(r, good ? t->bytes : NULL);
    pthread_mutex_unlock(&source->mutex);
    if (good && t->bytes != NULL && source->disk != NULL && r->file->keeps) keep_pages(r);
    free(t->bytes);
    free(t->url);
    free(r);
}

/* Takes a page from the folder, if it is there. */
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

/* Looks into the folder first: what is there at both ends need not be asked for. */
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

/* Pages that one reader uses: at most AT_ONCE. */
typedef struct Wanted {
    HttpFile *file;
    uint64_t first;
    unsigned count;
    Page *page[AT_ONCE];
} Wanted;

/* All under the mutex, but for where it says so. */

static bool is_stale(const Page *page)
{
    return page->state == PAGE_FAILED && transfer_clock() - page->when > FORGIVE_MS;
}

/* Asks for what is neither here nor coming, with one request from the first such page to the last. */
static bool ask(Wanted *w, bool again)
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

/* Takes from the folder what is there; lets go of the mutex meanwhile. For those who may wait. */
static void take_from_folder(Wanted *w)
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

/* What the pages have come to: TREB_OK, TREB_ERR_NOT_READY, or why one cannot be had. */
static treb_status state_of(const Wanted *w, treb_error *error)
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

static treb_status wait_for(Wanted *w, treb_error *error)
{
    treb_status status;
    while ((status = state_of(w, error)) == TREB_ERR_NOT_READY) {
        /* One that failed for another reader, too long ago. */
        if (!ask(w, false)) return http_fail(error, TREB_ERR_MEMORY, "out of memory");
        pthread_cond_wait(&w->file->source->changed, &w->file->source->mutex);
    }
    return status;
}

static treb_status bring(Wanted *w, treb_read how, treb_error *error)
{
    if (how == TREB_READ_TRY) return state_of(w, error);
    if (how == TREB_READ_WAIT) take_from_folder(w);
    if (!ask(w, how == TREB_READ_AGAIN)) return http_fail(error, TREB_ERR_MEMORY, "out of memory");
    if (how == TREB_READ_BEGIN)
        return http_fail(error, TREB_ERR_NOT_READY, "%.300s/%s: is not in memory yet",
                         w->file->source->address, w->file->listed->name);
    return wait_for(w, error);
}

static bool use_pages(Wanted *w)
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
    Wanted w = {.file = file, .first = first, .count = (unsigned)(last - first + 1)};
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

static treb_status read_file(void *context, void *handle, treb_read how, uint64_t offset,
                             size_t size, void *out, treb_error *error)
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

/* ---- Files ----------------------------------------------------------------------------------- */

static treb_status list_files(void *context, void (*add)(void *to, const char *file), void *to,
                              treb_error *error)
{
    const HttpSource *source = context;
    (void)error;
    for (size_t i = 0; i < source->list.count; i++) add(to, source->list.entry[i].name);
    return TREB_OK;
}

/* Its first page says what there is to know, and is wanted next. */
static treb_status open_file(void *context, const char *name, void **handle, uint64_t *size,
                             treb_error *error)
{
    HttpSource *source = context;
    uint8_t byte;
    const ListEntry *listed = list_find(&source->list, name);
    if (listed == NULL)
        return http_fail(error, TREB_ERR_NO_TABLE, "%.300s/%s: is not in " LIST_NAME,
                         source->address, name);
    HttpFile *file = &source->file[listed - source->list.entry];
    pthread_mutex_lock(&source->mutex);
    treb_status status =
        file->known ? TREB_OK : read_part(file, TREB_READ_WAIT, 0, 1, &byte, error);
    *handle = file;
    *size = file->size;
    pthread_mutex_unlock(&source->mutex);
    return status;
}

static void close_file(void *context, void *handle)
{
    (void)context;
    (void)handle;
}

static void close_source(void *context)
{
    HttpSource *source = context;
    transfers_free(source->transfers);
    pages_clear(&source->pages);
    disk_close(source->disk);
    list_free(&source->list);
    free(source->file);
    pthread_cond_destroy(&source->changed);
    pthread_mutex_destroy(&source->mutex);
    free(source);
}

/* ---- The list -------------------------------------------------------------------------------- */

typedef struct ListRequest {
    Transfer transfer;
    HttpSource *source;
    bool done;
} ListRequest;

static void list_done(Transfer *t)
{
    ListRequest *r = t->context;
    pthread_mutex_lock(&r->source->mutex);
    r->done = true;
    pthread_cond_broadcast(&r->source->changed);
    pthread_mutex_unlock(&r->source->mutex);
}

static treb_status judge_list(HttpSource *source, Transfer *t, treb_error *error)
{
    if (t->error.status == TREB_ERR_NO_TABLE)
        return http_fail(error, TREB_ERR_NETWORK,
                         "%.300s: is not there; it lists the tables: 'sha256sum *.treb > " LIST_NAME
                         "' in their folder makes it",
                         t->url);
    if (t->error.status != TREB_OK) {
        *error = t->error;
        return error->status;
    }
    if (!list_parse(&source->list, (const char *)t->bytes, t->size))
        return http_fail(error, TREB_ERR_MEMORY, "out of memory");
    if (source->list.count == 0 && t->size > 0)
        return http_fail(error, TREB_ERR_NETWORK,
                         "%.300s: is no list as sha256sum writes it; is this the tables' address?",
                         t->url);
    source->file = calloc(source->list.count + 1, sizeof *source->file);
    if (source->file == NULL) return http_fail(error, TREB_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < source->list.count; i++)
        source->file[i] = (HttpFile){.source = source, .listed = &source->list.entry[i]};
    return TREB_OK;
}

static treb_status read_list(HttpSource *source, treb_error *error)
{
    char url[ADDRESS_SIZE + sizeof LIST_NAME + 1];
    snprintf(url, sizeof url, "%s/" LIST_NAME, source->address);
    ListRequest r = {.transfer = {.url = url, .most = LIST_MOST, .done = list_done},
                     .source = source};
    r.transfer.context = &r;
    transfers_add(source->transfers, &r.transfer);
    pthread_mutex_lock(&source->mutex);
    while (!r.done) pthread_cond_wait(&source->changed, &source->mutex);
    pthread_mutex_unlock(&source->mutex);
    treb_status status = judge_list(source, &r.transfer, error);
    free(r.transfer.bytes);
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Reads "10GiB". 0: it is none. */
static uint64_t read_size(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    if (!isdigit((unsigned char)*text)) return 0;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : NULL;
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    if (unit != NULL) end++;
    if (*end != '\0' && strcasecmp(end, "B") != 0 && strcasecmp(end, "iB") != 0) return 0;
    return number > UINT64_MAX >> shift ? 0 : (uint64_t)number << shift;
}

static const char *from_environment(const char *name)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? text : NULL;
}

/* What the caller and the environment leave open. */
static treb_status complete(treb_http_options *o, treb_error *error)
{
    enum { TIMEOUT = 10, TIMEOUT_MOST = 3600 };
    static const uint64_t cache_bytes = UINT64_C(1) << 30, least = UINT64_C(1) << 20;
    const char *size = from_environment("TREBUCHET_HTTP_CACHE_SIZE"),
               *seconds = from_environment("TREBUCHET_HTTP_TIMEOUT");
    if (o->cache == NULL) o->cache = from_environment("TREBUCHET_HTTP_CACHE");
    if (o->ca_file == NULL) o->ca_file = from_environment("TREBUCHET_HTTP_CA");
    if (o->cache_bytes == 0) o->cache_bytes = size != NULL ? read_size(size) : cache_bytes;
    if (o->cache_bytes < least)
        return http_fail(error, TREB_ERR_ARGUMENT,
                         "TREBUCHET_HTTP_CACHE_SIZE takes a size such as 10GiB, at least 1MiB");
    if (o->timeout == 0) o->timeout = seconds != NULL ? (unsigned)read_size(seconds) : TIMEOUT;
    if (o->timeout < 1 || o->timeout > TIMEOUT_MOST)
        return http_fail(error, TREB_ERR_ARGUMENT,
                         "TREBUCHET_HTTP_TIMEOUT takes seconds, from 1 to %d", TIMEOUT_MOST);
    return TREB_OK;
}

/* Takes the address, unless it cannot be one of a folder. */
static treb_status take_address(HttpSource *source, const char *address, bool *secure,
                                treb_error *error)
{
    size_t size = strlen(address);
    *secure = strncasecmp(address, "https://", 8) == 0;
    if (!*secure && strncasecmp(address, "http://", 7) != 0)
        return http_fail(error, TREB_ERR_ARGUMENT,
                         "%.300s: is no address that begins with http:// or https://", address);
    const char *host = strstr(address, "://") + 3;
    size_t length = strcspn(host, "/?#");
    if (length == 0) return http_fail(error, TREB_ERR_ARGUMENT, "%.300s: has no host", address);
    /* The password is not to be repeated. */
    if (memchr(host, '@', length) != NULL)
        return http_fail(error, TREB_ERR_ARGUMENT,
                         "%.*s://...@%.200s: a name and password stand in ~/.netrc, as all can see "
                         "what a program was called with",
                         *secure ? 5 : 4, address, (const char *)memchr(host, '@', length) + 1);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)address[i] <= ' ' || strchr("?#\"<>", address[i]) != NULL)
            return http_fail(error, TREB_ERR_ARGUMENT,
                             "%.300s: is not the address of a folder: it has a '%c' in it", address,
                             (unsigned char)address[i] < ' ' ? ' ' : address[i]);
    while (size > 0 && address[size - 1] == '/') size--;
    if (size >= ADDRESS_SIZE)
        return http_fail(error, TREB_ERR_ARGUMENT, "%.100s...: is too long", address);
    memcpy(source->address, address, size);
    return TREB_OK;
}

static treb_status open_parts(HttpSource *source, const treb_http_options *o, bool secure,
                              treb_error *error)
{
    if (o->cache != NULL && o->cache[0] != '\0') {
        source->disk = disk_open(o->cache, o->cache_bytes, error);
        if (source->disk == NULL) return error->status;
    }
    source->transfers = transfers_new(o->timeout, o->ca_file, secure, error);
    if (source->transfers == NULL) return error->status;
    return read_list(source, error);
}

treb_status treb_http_source(const char *address, const treb_http_options *options,
                             treb_source *out, treb_error *error)
{
    bool secure;
    treb_error unused;
    treb_http_options o = options != NULL ? *options : (treb_http_options){0};
    if (error == NULL) error = &unused;
    HttpSource *source = calloc(1, sizeof *source);
    if (source == NULL) return http_fail(error, TREB_ERR_MEMORY, "out of memory");
    pthread_mutex_init(&source->mutex, NULL);
    pthread_cond_init(&source->changed, NULL);
    treb_status status = take_address(source, address, &secure, error);
    if (status == TREB_OK) status = complete(&o, error);
    if (status == TREB_OK) status = open_parts(source, &o, secure, error);
    if (status != TREB_OK) {
        close_source(source);
        return status;
    }
    *out = (treb_source){source->address, source,     list_files,  open_file,
                         read_file,       close_file, close_source};
    return TREB_OK;
}

void treb_http_get_counts(const treb_source *source, treb_http_counts *out)
{
    HttpSource *http = source->context;
    transfers_counts(http->transfers, out);
    out->kept = atomic_load_explicit(&http->kept, memory_order_relaxed);
}
