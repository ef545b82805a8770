/* table_server.h - a web server for tests: serves ranges of the files of a folder, over HTTP or
 * HTTPS. It counts requests, and misbehaves on demand. Each test program includes this file
 * once. */
#ifndef TREB_TESTS_SUPPORT_TABLE_SERVER_H
#define TREB_TESTS_SUPPORT_TABLE_SERVER_H

#include <fcntl.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef enum TableServerMode {
    SERVE_WELL,
    SERVE_SLOWLY,     /* answers after 100 ms */
    SERVE_NEVER,      /* does not answer for 5 s */
    SERVE_CODE,       /* answers with table_server.code */
    SERVE_WHOLE,      /* answers 200 with the whole file */
    SERVE_SHIFTED,    /* sends the range after the requested one, with the header for it */
    SERVE_CUT,        /* ends the connection halfway */
    SERVE_LESS,       /* announces more bytes than it sends */
    SERVE_LARGER,     /* announces another size of the file */
    SERVE_CHANGED,    /* sends another ETag */
    SERVE_PACKED,     /* says that the bytes are compressed */
    SERVE_GARBLED,    /* some bits are wrong */
    SERVE_REDIRECTED, /* redirects to a good server */
    SERVE_IN_CIRCLES, /* redirects to itself */
    SERVE_ELSEWHERE   /* redirects to table_server.elsewhere */
} TableServerMode;

static struct TableServer {
    struct MHD_Daemon *daemon;
    const char *folder;
    const char *list; /* content of SHA256SUMS; NULL: list all files of the folder */
    _Atomic int mode;
    _Atomic int times; /* number of further requests that get the bad answer; negative: all */
    _Atomic int code;
    const char *elsewhere;
    bool untagged; /* sends neither ETag nor Last-Modified */
    _Atomic int requests, lists;
    atomic_bool stopping;
    _Atomic int most_at_once, at_once;
    char address[64];
} table_server;

static inline void server_sleep(int milliseconds)
{
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

/* A body that ends halfway. */
typedef struct CutBytes {
    const char *bytes;
    uint64_t size;
} CutBytes;

static inline ssize_t read_cut(void *context, uint64_t at, char *out, size_t most)
{
    const CutBytes *cut = context;
    uint64_t half = cut->size / 2;
    if (at >= half) return MHD_CONTENT_READER_END_WITH_ERROR;
    if (most > half - at) most = (size_t)(half - at);
    memcpy(out, cut->bytes + at, most);
    return (ssize_t)most;
}

static inline enum MHD_Result server_text(struct MHD_Connection *c, unsigned code, const char *text,
                                          const char *location)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                             MHD_RESPMEM_MUST_COPY);
    if (location != NULL) MHD_add_response_header(r, "Location", location);
    enum MHD_Result result = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return result;
}

static inline enum MHD_Result server_list(struct MHD_Connection *c)
{
    static const char sum[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    static const char *const names[] = {"KPvK", "KQvK", "KRvK"};
    static const char *const metrics[] = {"wdl", "dtz", "dtc", "dtm"};
    char text[4096] = "", *end = text;
    atomic_fetch_add(&table_server.lists, 1);
    for (int n = 0; n < 3; n++)
        for (int m = 0; m < 4; m++)
            end += sprintf(end, "%s  %s.%s.treb\n", sum, names[n], metrics[m]);
    if (table_server.list == NULL) return server_text(c, 200, text, NULL);
    return server_text(c, table_server.list[0] != '\0' ? 200 : 404, table_server.list, NULL);
}

/* Sends bytes `first` to `last` of a file in the way of the current mode. */
static inline enum MHD_Result server_range(struct MHD_Connection *c, int file, uint64_t size,
                                           uint64_t first, uint64_t last, int mode)
{
    char range[96];
    if (mode == SERVE_SHIFTED) first += 1, last += 1;
    if (last >= size) last = size - 1;
    uint64_t count = last - first + 1, sent = mode == SERVE_LESS ? count / 2 : count;
    if (mode == SERVE_WHOLE) first = 0, sent = count = size;
    char *bytes = malloc(count + sizeof(CutBytes));
    if (bytes == NULL || pread(file, bytes, count, (off_t)first) != (ssize_t)count) abort();
    for (uint64_t i = 32; mode == SERVE_GARBLED && i < count; i += 64) bytes[i] ^= 4;
    struct MHD_Response *r;
    if (mode == SERVE_CUT) {
        CutBytes *cut = malloc(sizeof *cut + count);
        *cut = (CutBytes){memcpy(cut + 1, bytes, count), count};
        r = MHD_create_response_from_callback(count, 1024, read_cut, cut, free);
        free(bytes);
    } else {
        r = MHD_create_response_from_buffer(sent, bytes, MHD_RESPMEM_MUST_FREE);
    }
    snprintf(range, sizeof range, "bytes %llu-%llu/%llu", (unsigned long long)first,
             (unsigned long long)last, (unsigned long long)size + (mode == SERVE_LARGER));
    MHD_add_response_header(r, "Content-Range", range);
    if (!table_server.untagged)
        MHD_add_response_header(r, "ETag", mode == SERVE_CHANGED ? "\"two\"" : "\"one\"");
    if (mode == SERVE_PACKED) MHD_add_response_header(r, "Content-Encoding", "gzip");
    enum MHD_Result result = MHD_queue_response(c, mode == SERVE_WHOLE ? 200 : 206, r);
    MHD_destroy_response(r);
    return result;
}

static inline int server_mode(const char *url)
{
    int mode = atomic_load(&table_server.mode), times = atomic_load(&table_server.times);
    if (mode == SERVE_WELL || strncmp(url, "/well/", 6) == 0 || times == 0) return SERVE_WELL;
    if (times > 0 && atomic_fetch_sub(&table_server.times, 1) <= 0) return SERVE_WELL;
    return mode;
}

static inline enum MHD_Result server_answer(struct MHD_Connection *c, const char *url)
{
    char path[512], to[512];
    struct stat about;
    unsigned long long first = 0, last = 0;
    const char *name = strrchr(url, '/') + 1;
    if (strcmp(name, "SHA256SUMS") == 0) return server_list(c);
    atomic_fetch_add(&table_server.requests, 1);
    int mode = server_mode(url);
    snprintf(to, sizeof to, "%s%s", mode == SERVE_REDIRECTED ? "/well/" : "/tables/", name);
    if (mode == SERVE_SLOWLY) server_sleep(100);
    for (int i = 0; mode == SERVE_NEVER && i < 500 && !table_server.stopping; i++) server_sleep(10);
    if (mode == SERVE_CODE) return server_text(c, (unsigned)table_server.code, "<html>No.", NULL);
    if (mode == SERVE_REDIRECTED || mode == SERVE_IN_CIRCLES) return server_text(c, 302, "", to);
    if (mode == SERVE_ELSEWHERE) return server_text(c, 302, "", table_server.elsewhere);
    snprintf(path, sizeof path, "%s/%s", table_server.folder, name);
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about) != 0) return server_text(c, 404, "<html>None.", NULL);
    const char *range = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Range");
    enum MHD_Result result;
    if (range == NULL || sscanf(range, "bytes=%llu-%llu", &first, &last) != 2 || last < first)
        result = server_text(c, 400, "a range was to be asked for", NULL);
    else if (first >= (unsigned long long)about.st_size)
        result = server_text(c, 416, "", NULL);
    else
        result = server_range(c, file, (uint64_t)about.st_size, first, last, mode);
    close(file);
    return result;
}

static enum MHD_Result server_handle(void *context, struct MHD_Connection *c, const char *url,
                                     const char *method, const char *version, const char *data,
                                     size_t *size, void **state)
{
    (void)context, (void)method, (void)version, (void)data, (void)size;
    if (*state == NULL) { /* the headers are not complete yet */
        *state = &table_server;
        return MHD_YES;
    }
    int now = atomic_fetch_add(&table_server.at_once, 1) + 1;
    int most = atomic_load(&table_server.most_at_once);
    while (now > most && !atomic_compare_exchange_weak(&table_server.most_at_once, &most, now)) {
    }
    enum MHD_Result result = server_answer(c, url);
    atomic_fetch_sub(&table_server.at_once, 1);
    return result;
}

/* Serves a folder on a free port of this machine. With a certificate and a key it uses HTTPS. */
static inline void server_start(const char *folder, const char *certificate, const char *key)
{
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD;
    struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)certificate},
                                   {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)key},
                                   {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    memset(&table_server, 0, sizeof table_server);
    table_server.folder = folder;
    table_server.times = -1;
    if (certificate != NULL) flags |= MHD_USE_TLS;
    table_server.daemon =
        MHD_start_daemon(flags, 0, NULL, NULL, server_handle, NULL, MHD_OPTION_ARRAY,
                         certificate != NULL ? tls : none, MHD_OPTION_END);
    if (table_server.daemon == NULL) abort();
    unsigned port = MHD_get_daemon_info(table_server.daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    snprintf(table_server.address, sizeof table_server.address, "%s://localhost:%u/tables/",
             certificate != NULL ? "https" : "http", port);
}

static inline void server_stop(void)
{
    table_server.stopping = true;
    MHD_stop_daemon(table_server.daemon);
    table_server.daemon = NULL;
}

static inline void server_set(int mode, int times)
{
    atomic_store(&table_server.times, times);
    atomic_store(&table_server.mode, mode);
}

/* Returns the number of requests for tables since the last call. */
static inline int server_count(void) { return atomic_exchange(&table_server.requests, 0); }

#endif
