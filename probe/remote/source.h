/* source.h - a folder of a web server, opened as a source of table files. Private to probe/remote/.
 *
 *   source.c       opening: the address, the list of files, treb_http_source (trebuchet-http.h)
 *   source_pages.c reading files, page by page */
#ifndef TREB_PROBE_REMOTE_SOURCE_H
#define TREB_PROBE_REMOTE_SOURCE_H

#include <pthread.h>
#include <stdatomic.h>

#include "probe/remote/list.h"
#include "probe/remote/pages.h"
#include "probe/remote/transfer.h"

enum { SOURCE_ADDRESS_SIZE = 2048 };

/* A file of the folder. */
typedef struct HttpFile {
    struct HttpSource *source;
    const ListEntry *listed;
    bool known; /* an answer has come, and the members below are filled */
    uint64_t size;
    char etag[TRANSFER_TAG_SIZE], modified[TRANSFER_TAG_SIZE];
    bool keeps;        /* the server gave a tag or time, so that pages may be kept on disk */
    XXH128_hash_t key; /* hash of the version */
} HttpFile;

typedef struct HttpSource {
    char address[SOURCE_ADDRESS_SIZE]; /* without the last slash */
    Transfers *transfers;
    Disk *disk; /* NULL: none */
    List list;
    HttpFile *file;         /* one for each entry of the list, in its order */
    pthread_mutex_t mutex;  /* protects `pages`, and the members of files from `known` on */
    pthread_cond_t changed; /* signalled when a page has come or failed */
    Pages pages;
    _Atomic uint64_t kept; /* number of pages that came from the disk */
} HttpSource;

/* Reads bytes of a file: the function `read` of a treb_source. `handle` is a HttpFile. */
treb_status source_read(void *context, void *handle, treb_read how, uint64_t offset, size_t size,
                        void *out, treb_error *error);

/* Reads the first page of a file unless its size and version are known. The answer tells them, and
 * the page is needed next. The caller holds the mutex, which is released while it waits. */
treb_status source_know_file(HttpFile *file, treb_error *error);

#endif
