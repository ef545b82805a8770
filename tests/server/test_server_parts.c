/* test_server_parts.c - the server's parts by themselves: answers kept, workers, compression. */
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "server/answers.h"
#include "server/workers.h"

/* ---- Answers kept ---------------------------------------------------------------------------- */

static Served *make_served(size_t size, char fill)
{
    Reply reply = {.status = 200, .type = "text/plain", .lasts = REPLY_SET};
    reply.body = malloc(size);
    ck_assert_ptr_nonnull(reply.body);
    memset(reply.body, fill, size);
    reply.size = size;
    Served *served = served_create(&reply);
    ck_assert_ptr_nonnull(served);
    ck_assert_ptr_null(reply.body);
    return served;
}

static void keep(AnswerCache *cache, int number, size_t size)
{
    char target[32];
    Served *served = make_served(size, (char)('a' + number % 26));
    snprintf(target, sizeof target, "/%d", number);
    answers_put(cache, target, served, cache);
    served_release(served);
}

static bool is_kept(AnswerCache *cache, int number)
{
    char target[32];
    const void *tag = NULL;
    snprintf(target, sizeof target, "/%d", number);
    Served *served = answers_get(cache, target, &tag);
    if (served == NULL) return false;
    ck_assert_ptr_eq(tag, cache);
    ck_assert_int_eq(served->body[0], 'a' + number % 26);
    served_release(served);
    return true;
}

START_TEST(answers_are_kept)
{
    AnswerCacheInfo info;
    AnswerCache *cache = answers_create(1 << 20);
    ck_assert(!is_kept(cache, 1));
    keep(cache, 1, 100);
    keep(cache, 2, 200);
    ck_assert(is_kept(cache, 1));
    ck_assert(is_kept(cache, 2));
    keep(cache, 1, 300); /* again: in place of the old one */
    answers_info(cache, &info);
    ck_assert_uint_eq(info.entries, 2);
    ck_assert_uint_eq(info.hits, 2);
    ck_assert_uint_eq(info.misses, 3);
    answers_free(cache);
}
END_TEST

START_TEST(answers_are_bounded)
{
    enum { MANY = 4000, BUDGET = 2 << 20 };
    AnswerCacheInfo info;
    AnswerCache *cache = answers_create(BUDGET);
    for (int i = 0; i < MANY; i++) {
        keep(cache, i, 1000);
        /* What is asked for again and again stays. */
        ck_assert(is_kept(cache, 0));
    }
    answers_info(cache, &info);
    ck_assert_uint_le(info.bytes, BUDGET);
    ck_assert_uint_lt(info.entries, MANY);
    ck_assert_uint_gt(info.entries, 300);
    ck_assert(is_kept(cache, MANY - 1));
    ck_assert(!is_kept(cache, 1));
    keep(cache, MANY, BUDGET); /* more than there is room for */
    ck_assert(!is_kept(cache, MANY));
    answers_free(cache);
    cache = answers_create(0);
    keep(cache, 1, 10);
    ck_assert(!is_kept(cache, 1));
    answers_free(cache);
}
END_TEST

/* An answer taken out outlives its place, and the cache. */
START_TEST(answers_outlive_the_cache)
{
    const void *tag;
    AnswerCache *cache = answers_create(1 << 20);
    keep(cache, 1, 5000);
    Served *served = answers_get(cache, "/1", &tag);
    answers_free(cache);
    ck_assert_int_eq(served->body[4999], 'b');
    served_compress(served);
    served_release(served);
}
END_TEST

/* ---- Compression ----------------------------------------------------------------------------- */

START_TEST(compression)
{
    Served *small = make_served(REPLY_GZIP_LEAST - 1, 'a'), *large = make_served(100000, 'a');
    served_compress(small);
    ck_assert_ptr_null(atomic_load(&small->gzip));
    served_compress(large);
    struct MHD_Response *gzip = atomic_load(&large->gzip);
    ck_assert_ptr_nonnull(gzip);
    served_compress(large);
    ck_assert_ptr_eq(atomic_load(&large->gzip), gzip);
    ck_assert_str_eq(MHD_get_response_header(gzip, "Content-Encoding"), "gzip");
    ck_assert_str_eq(MHD_get_response_header(gzip, "Vary"), "Accept-Encoding");
    ck_assert_str_eq(MHD_get_response_header(large->plain, "Vary"), "Accept-Encoding");
    ck_assert_ptr_null(MHD_get_response_header(large->plain, "Content-Encoding"));
    ck_assert_str_ne(MHD_get_response_header(gzip, "ETag"),
                     MHD_get_response_header(large->plain, "ETag"));
    served_release(small);
    served_release(large);
    /* What does not get smaller is left alone. */
    Reply reply = {.status = 200, .type = "text/plain", .lasts = REPLY_SET, .size = 5000};
    reply.body = malloc(reply.size);
    uint32_t noise = 1;
    for (size_t i = 0; i < reply.size; i++)
        reply.body[i] = (char)((noise = noise * 69069 + 1) >> 24);
    Served *random = served_create(&reply);
    served_compress(random);
    ck_assert_ptr_null(atomic_load(&random->gzip));
    served_release(random);
}
END_TEST

/* ---- Workers --------------------------------------------------------------------------------- */

typedef struct Counted {
    Job job;
    atomic_int *count, *most, *now;
    bool wait;
} Counted;

static void count_job(Job *job)
{
    Counted *counted = (Counted *)job;
    int now = atomic_fetch_add(counted->now, 1) + 1, most = atomic_load(counted->most);
    while (now > most && !atomic_compare_exchange_weak(counted->most, &most, now)) continue;
    if (counted->wait) usleep(2000);
    atomic_fetch_sub(counted->now, 1);
    atomic_fetch_add(counted->count, 1);
}

START_TEST(workers_do_all)
{
    enum { JOBS = 2000 };
    static Counted jobs[JOBS];
    atomic_int count = 0, most = 0, now = 0;
    Workers workers;
    ck_assert(workers_start(&workers, 3));
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = (Counted){{.run = count_job, .owner = "a"}, &count, &most, &now, false};
        ck_assert_int_eq(workers_add(&workers, &jobs[i].job, false), WORKERS_ADDED);
    }
    workers_stop(&workers);
    ck_assert_int_eq(count, JOBS);
}
END_TEST

/* Heavy jobs never have all threads, so that a light one is done while they wait. */
START_TEST(heavy_jobs_leave_room)
{
    enum { HEAVY = 20 };
    Counted heavy[HEAVY], light;
    atomic_int count = 0, most = 0, now = 0, light_count = 0, light_most = 0, light_now = 0;
    Workers workers;
    ck_assert(workers_start(&workers, 2));
    for (int i = 0; i < HEAVY; i++) {
        heavy[i] = (Counted){{.run = count_job, .owner = "a"}, &count, &most, &now, true};
        ck_assert_int_eq(workers_add(&workers, &heavy[i].job, true), WORKERS_ADDED);
    }
    light =
        (Counted){{.run = count_job, .owner = "a"}, &light_count, &light_most, &light_now, false};
    ck_assert_int_eq(workers_add(&workers, &light.job, false), WORKERS_ADDED);
    while (atomic_load(&light_count) == 0) usleep(100);
    ck_assert_int_lt(count, HEAVY);
    workers_stop(&workers);
    ck_assert_int_eq(count, HEAVY);
    ck_assert_int_eq(most, 1);
}
END_TEST

START_TEST(heavy_jobs_are_bounded)
{
    enum { OWNERS = WORKERS_HEAVY_MAX / WORKERS_HEAVY_EACH + 1 };
    static Counted jobs[OWNERS][WORKERS_HEAVY_MAX];
    static const char *const names[OWNERS] = {"a", "b", "c", "d", "e"};
    atomic_int count = 0, most = 0, now = 0;
    int added = 0, full = 0, owner_full = 0;
    Workers workers;
    ck_assert(workers_start(&workers, 2));
    for (int o = 0; o < OWNERS; o++)
        for (int i = 0; i < WORKERS_HEAVY_EACH + 10; i++) {
            Counted *job = &jobs[o][i];
            *job = (Counted){{.run = count_job, .owner = names[o]}, &count, &most, &now, true};
            WorkersAdded result = workers_add(&workers, &job->job, true);
            added += result == WORKERS_ADDED;
            full += result == WORKERS_FULL;
            owner_full += result == WORKERS_OWNER_FULL;
        }
    workers_stop(&workers);
    ck_assert_int_eq(count, added);
    ck_assert_int_ge(added, WORKERS_HEAVY_MAX);
    ck_assert_int_gt(full, 0);
    ck_assert_int_gt(owner_full, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server_parts");
    TCase *tests = tcase_create("parts");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, answers_are_kept);
    tcase_add_test(tests, answers_are_bounded);
    tcase_add_test(tests, answers_outlive_the_cache);
    tcase_add_test(tests, compression);
    tcase_add_test(tests, workers_do_all);
    tcase_add_test(tests, heavy_jobs_leave_room);
    tcase_add_test(tests, heavy_jobs_are_bounded);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
