/* test_cache.c - when the cache decides that a page, of which single values are read, is worth
 * unpacking. */
#include <check.h>
#include <stdlib.h>

#include "probe/cache.h"
#include "tests/support/suite.h"

enum { SLOTS = 6, MOST = 1000 };

/* Returns how often a page must be read until it is worth unpacking; MOST: never. */
static int asked(Cache *cache, CacheSlot *slot)
{
    int times = 1;
    while (times < MOST && !cache_count(cache, slot)) times++;
    return times;
}

/* A page is unpacked early while there is space, late when it replaces another page, and never
 * without memory. */
START_TEST(early_or_late)
{
    static uint8_t page[CACHE_PAGE_SIZE];
    static CacheSlot slots[SLOTS];
    static Cache cache;
    unsigned bytes;
    ck_assert(cache_init(&cache, 2 * CACHE_PAGE_SIZE));
    int early = asked(&cache, &slots[0]);
    ck_assert_int_gt(early, 1);
    ck_assert_int_eq(asked(&cache, &slots[1]), early); /* each page has its own count */
    ck_assert(!cache_read(&cache, &slots[0], 8, &bytes));
    page[8] = 77;
    for (int i = 0; i < 2; i++) cache_insert(&cache, &slots[i], page, sizeof page, CACHE_PAGE_BITS);
    ck_assert(cache_read(&cache, &slots[0], 8, &bytes));
    ck_assert_uint_eq(bytes, 77);
    int late = asked(&cache, &slots[2]); /* the cache is full */
    ck_assert_int_gt(late, 4 * early);
    ck_assert_int_lt(late, MOST);
    cache_insert(&cache, &slots[2], page, sizeof page, CACHE_PAGE_BITS);
    ck_assert(cache_read(&cache, &slots[2], 8, &bytes));
    /* One of the other pages was removed, and its count starts again. */
    int gone = cache_read(&cache, &slots[0], 8, &bytes) ? 1 : 0;
    ck_assert(!cache_read(&cache, &slots[gone], 8, &bytes));
    ck_assert_int_eq(asked(&cache, &slots[gone]), late);
    cache_set_limit(&cache, 0);
    for (int i = 0; i < SLOTS; i++) ck_assert_int_eq(asked(&cache, &slots[i]), MOST);
    cache_destroy(&cache);
}
END_TEST

/* A page that another thread has unpacked in the meantime is not unpacked again, and stays in the
 * cache. */
START_TEST(filled_meanwhile)
{
    static uint8_t page[CACHE_PAGE_SIZE];
    static CacheSlot slot;
    static Cache cache;
    unsigned bytes;
    ck_assert(cache_init(&cache, 4 * CACHE_PAGE_SIZE));
    page[100] = 5;
    cache_insert(&cache, &slot, page, sizeof page, CACHE_PAGE_BITS);
    for (int i = 0; i < 100; i++) ck_assert(!cache_count(&cache, &slot));
    ck_assert(cache_read(&cache, &slot, 100, &bytes));
    ck_assert_uint_eq(bytes, 5);
    cache_destroy(&cache);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cache");
    TCase *tests = tcase_create("cache");
    tcase_add_test(tests, early_or_late);
    tcase_add_test(tests, filled_meanwhile);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
