/* source.c - a folder of a web server as a source of table files: see source.h and trebuchet-http.h. */
#include "probe/remote/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Files ----------------------------------------------------------------------------------- */

static treb_status list_files(void *context, void (*add)(void *to, const char *file), void *to,
                              treb_error *error)
{
    const HttpSource *source = context;
    (void)error;
    for (size_t i = 0; i < source->list.count; i++) add(to, source->list.entry[i].name);
    return TREB_OK;
}

static treb_status open_file(void *context, const char *name, void **handle, uint64_t *size,
                             treb_error *error)
{
    HttpSource *source = context;
    const ListEntry *listed = list_find(&source->list, name);
    if (listed == NULL)
        return http_fail(error, TREB_ERR_NO_TABLE, "%.300s/%s: is not in " LIST_NAME,
                         source->address, name);
    HttpFile *file = &source->file[listed - source->list.entry];
    pthread_mutex_lock(&source->mutex);
    treb_status status = source_know_file(file, error);
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

/* Takes the list from the answer to a request for it. */
static treb_status judge_list(HttpSource *source, Transfer *t, treb_error *error)
{
    if (t->error.status == TREB_ERR_NO_TABLE)
        return http_fail(
            error, TREB_ERR_NETWORK,
            "%.300s: does not exist; make this list of the tables with 'sha256sum *.treb > " LIST_NAME
            "' in their folder",
            t->url);
    if (t->error.status != TREB_OK) {
        *error = t->error;
        return error->status;
    }
    if (!list_parse(&source->list, (const char *)t->bytes, t->size))
        return http_fail(error, TREB_ERR_MEMORY, "out of memory");
    if (source->list.count == 0 && t->size > 0)
        return http_fail(
            error, TREB_ERR_NETWORK,
            "%.300s: is not a list written by sha256sum: check the address of the tables", t->url);
    source->file = calloc(source->list.count + 1, sizeof *source->file);
    if (source->file == NULL) return http_fail(error, TREB_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < source->list.count; i++)
        source->file[i] = (HttpFile){.source = source, .listed = &source->list.entry[i]};
    return TREB_OK;
}

static treb_status read_list(HttpSource *source, treb_error *error)
{
    char url[SOURCE_ADDRESS_SIZE + sizeof LIST_NAME + 1];
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

/* Reads a size such as "10GiB". 0: it is not a size. */
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

/* Completes options that the caller left 0, from the environment or with defaults. */
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

/* Checks and stores the address of a folder. */
static treb_status take_address(HttpSource *source, const char *address, bool *secure,
                                treb_error *error)
{
    size_t size = strlen(address);
    *secure = strncasecmp(address, "https://", 8) == 0;
    if (!*secure && strncasecmp(address, "http://", 7) != 0)
        return http_fail(error, TREB_ERR_ARGUMENT,
                         "%.300s: is not an address that begins with http:// or https://", address);
    const char *host = strstr(address, "://") + 3;
    size_t length = strcspn(host, "/?#");
    if (length == 0) return http_fail(error, TREB_ERR_ARGUMENT, "%.300s: has no host", address);
    /* The message must not repeat the password. */
    if (memchr(host, '@', length) != NULL)
        return http_fail(
            error, TREB_ERR_ARGUMENT,
            "%.*s://...@%.200s: put the name and the password into ~/.netrc, because all users "
            "can see the arguments of a program",
            *secure ? 5 : 4, address, (const char *)memchr(host, '@', length) + 1);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)address[i] <= ' ' || strchr("?#\"<>", address[i]) != NULL)
            return http_fail(error, TREB_ERR_ARGUMENT,
                             "%.300s: is not the address of a folder: it has a '%c' in it", address,
                             (unsigned char)address[i] < ' ' ? ' ' : address[i]);
    while (size > 0 && address[size - 1] == '/') size--;
    if (size >= SOURCE_ADDRESS_SIZE)
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
                         source_read,     close_file, close_source};
    return TREB_OK;
}

void treb_http_get_counts(const treb_source *source, treb_http_counts *out)
{
    HttpSource *http = source->context;
    transfers_counts(http->transfers, out);
    out->kept = atomic_load_explicit(&http->kept, memory_order_relaxed);
}
