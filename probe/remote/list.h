/* list.h - the files in a folder of a web server, as its file SHA256SUMS lists them (written by
 * sha256sum). Private to probe/remote/.
 *
 * One request for it gives all names. The checksum of a file also identifies its version. */
#ifndef TREB_PROBE_REMOTE_LIST_H
#define TREB_PROBE_REMOTE_LIST_H

#include <stddef.h>

#include "probe/remote/disk.h"

#define LIST_NAME "SHA256SUMS"
enum {
    LIST_SUM_SIZE = 65,   /* 64 hexadecimal digits and a zero */
    LIST_NAME_MOST = 255, /* characters of a name */
    LIST_MOST = 16 << 20  /* bytes of a list: enough for a hundred thousand files */
};

typedef struct ListEntry {
    char *name;
    char sum[LIST_SUM_SIZE];
} ListEntry;

typedef struct List {
    ListEntry *entry; /* sorted by name */
    size_t count;
} List;

/* Fills a list from the text of SHA256SUMS. Lines whose name is not a plain file name in this
 * folder are skipped. False: out of memory. */
bool list_parse(List *list, const char *text, size_t size);
void list_free(List *list);

/* The entry of a name; NULL if it is not listed. */
const ListEntry *list_find(const List *list, const char *name);

#endif
