/* list.h - what there is in a folder of a web server: its file SHA256SUMS, as sha256sum writes it.
 * One request tells all names; and what a file was summed to tells its versions apart. */
#ifndef TREB_HTTP_LIST_H
#define TREB_HTTP_LIST_H

#include <stddef.h>

#include "probe/remote/disk.h"

#define LIST_NAME "SHA256SUMS"
enum {
    LIST_SUM_SIZE = 65,
    LIST_NAME_MOST = 255,
    LIST_MOST = 16 << 20 /* bytes: a hundred thousand files */
};

typedef struct ListEntry {
    char *name;
    char sum[LIST_SUM_SIZE];
} ListEntry;

typedef struct List {
    ListEntry *entry; /* by name */
    size_t count;
} List;

/* Takes what looks like the name of a file in this folder; other lines are left out. False: out of
 * memory. */
bool list_parse(List *list, const char *text, size_t size);
void list_free(List *list);

/* NULL: it is not listed. */
const ListEntry *list_find(const List *list, const char *name);

#endif
