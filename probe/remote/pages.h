/* pages.h - pages of files that were read a moment ago, or are on their way: a page that several
 * threads want comes once. All under the lock of its user. */
#ifndef TREB_HTTP_PAGES_H
#define TREB_HTTP_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/remote/disk.h"

enum { PAGES_KEPT = 1024 /* 4 MiB */, PAGES_SLOTS = 2048 };

typedef enum PageState { PAGE_NEW, PAGE_COMING, PAGE_HERE, PAGE_FAILED } PageState;

typedef struct Page {
    const void *file;
    uint64_t number;
    PageState state;
    unsigned users;
    uint64_t when;     /* it failed */
    treb_error *error; /* why */
    struct Page *next; /* of a slot */
    struct Page *newer, *older;
    uint8_t bytes[DISK_PAGE];
} Page;

typedef struct Pages {
    unsigned count;
    Page *slot[PAGES_SLOTS];
    Page *newest, *oldest;
} Pages;

/* The page; NULL if it is not there. */
Page *pages_find(const Pages *pages, const void *file, uint64_t number);

/* The same for a user, until pages_release. One that was not there is PAGE_NEW. Pages that nobody
 * uses and that are not coming go where there are too many. NULL: out of memory. */
Page *pages_use(Pages *pages, const void *file, uint64_t number);
void pages_release(Page *page);

/* What has become of a page. `why` is copied. */
void page_here(Page *page, const uint8_t *bytes, uint64_t size);
void page_failed(Page *page, const treb_error *why, uint64_t now);

void pages_clear(Pages *pages);

#endif
