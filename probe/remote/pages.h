/* pages.h - the pages of files that were read recently or have been requested. A page that several
 * threads need is requested once. Private to probe/remote/. The caller holds a lock during all
 * these functions. */
#ifndef TREB_PROBE_REMOTE_PAGES_H
#define TREB_PROBE_REMOTE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/remote/disk.h"

enum { PAGES_KEPT = 1024 /* pages: 4 MiB */, PAGES_SLOTS = 2048 };

typedef enum PageState {
    PAGE_NEW,    /* nobody has requested it */
    PAGE_COMING, /* it has been requested */
    PAGE_HERE,   /* it has its bytes */
    PAGE_FAILED  /* the request failed */
} PageState;

typedef struct Page {
    const void *file;
    uint64_t number;
    PageState state;
    unsigned users;             /* threads that use it now */
    uint64_t when;              /* PAGE_FAILED: the time by transfer_clock */
    treb_error *error;          /* PAGE_FAILED: why; NULL: out of memory */
    struct Page *next;          /* in the same hash slot */
    struct Page *newer, *older; /* in the order of use */
    uint8_t bytes[DISK_PAGE];
} Page;

typedef struct Pages {
    unsigned count;
    Page *slot[PAGES_SLOTS]; /* a hash table by file and number */
    Page *newest, *oldest;
} Pages;

/* Finds a page; NULL if there is none. */
Page *pages_find(const Pages *pages, const void *file, uint64_t number);

/* Finds a page, or adds it as PAGE_NEW, and counts a user of it until pages_release. If there are
 * more than PAGES_KEPT pages the oldest are dropped that have no users and are not PAGE_COMING.
 * NULL: out of memory. */
Page *pages_use(Pages *pages, const void *file, uint64_t number);
void pages_release(Page *page);

/* Gives a page its bytes, filled up with zeros; or notes that its request failed. `why` is
 * copied. */
void page_here(Page *page, const uint8_t *bytes, uint64_t size);
void page_failed(Page *page, const treb_error *why, uint64_t now);

void pages_clear(Pages *pages);

#endif
