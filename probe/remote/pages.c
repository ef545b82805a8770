/* pages.c - see pages.h. */
#include "probe/remote/pages.h"

#include <stdlib.h>
#include <string.h>

static Page **slot_of(const Pages *pages, const void *file, uint64_t number)
{
    const uint64_t key[2] = {(uintptr_t)file, number};
    return (Page **)&pages->slot[XXH3_64bits(key, sizeof key) % PAGES_SLOTS];
}

/* The pointer to a page in the list of its slot, or to the NULL at the end of the list. */
static Page **place_of(const Pages *pages, const void *file, uint64_t number)
{
    Page **at = slot_of(pages, file, number);
    while (*at != NULL && ((*at)->file != file || (*at)->number != number)) at = &(*at)->next;
    return at;
}

Page *pages_find(const Pages *pages, const void *file, uint64_t number)
{
    return *place_of(pages, file, number);
}

/* Takes a page out of the order of use. */
static void unlink_page(Pages *pages, Page *page)
{
    *(page->newer != NULL ? &page->newer->older : &pages->newest) = page->older;
    *(page->older != NULL ? &page->older->newer : &pages->oldest) = page->newer;
}

static void link_newest(Pages *pages, Page *page)
{
    page->newer = NULL;
    page->older = pages->newest;
    *(page->older != NULL ? &page->older->newer : &pages->oldest) = page;
    pages->newest = page;
}

static void drop(Pages *pages, Page *page)
{
    *place_of(pages, page->file, page->number) = page->next;
    unlink_page(pages, page);
    pages->count--;
    free(page->error);
    free(page);
}

/* Drops the oldest page that can be dropped. False: there is none. */
static bool drop_oldest(Pages *pages)
{
    Page *page = pages->oldest;
    while (page != NULL && (page->users > 0 || page->state == PAGE_COMING)) page = page->newer;
    if (page != NULL) drop(pages, page);
    return page != NULL;
}

Page *pages_use(Pages *pages, const void *file, uint64_t number)
{
    Page *page = pages_find(pages, file, number);
    if (page == NULL) {
        while (pages->count >= PAGES_KEPT && drop_oldest(pages)) {
        }
        page = calloc(1, sizeof *page);
        if (page == NULL) return NULL;
        page->file = file;
        page->number = number;
        *place_of(pages, file, number) = page;
        pages->count++;
    } else {
        unlink_page(pages, page);
    }
    link_newest(pages, page);
    page->users++;
    return page;
}

void pages_release(Page *page) { page->users--; }

void page_here(Page *page, const uint8_t *bytes, uint64_t size)
{
    memset(page->bytes, 0, sizeof page->bytes);
    memcpy(page->bytes, bytes, size < DISK_PAGE ? (size_t)size : DISK_PAGE);
    page->state = PAGE_HERE;
}

void page_failed(Page *page, const treb_error *why, uint64_t now)
{
    if (page->error == NULL) page->error = malloc(sizeof *page->error);
    if (page->error != NULL) *page->error = *why;
    page->when = now;
    page->state = PAGE_FAILED;
}

void pages_clear(Pages *pages)
{
    while (pages->newest != NULL) drop(pages, pages->newest);
}
