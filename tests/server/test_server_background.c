/* test_server_background.c - background jobs: their order, that each is done once, limits, cancelling, and the end. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/background.h"
#include "tests/support/suite.h"

/* A job that notes its word, and waits until the gate opens or it must stop. */
typedef struct Piece {
    const char *word; /* its result; NULL fails */
    size_t size;      /* size of the result, instead of the word */
} Piece;

static char done[256]; /* words of the jobs, in the order of their starts */
static atomic_int ended, nice_value;
static atomic_bool gate; /* false: jobs wait */

static json_t *fail_with(treb_error *error, const char *text)
{
    error->status = TREB_ERR_IO;
    snprintf(error->text, sizeof error->text, "%s", text);
    return NULL;
}

static json_t *run_piece(void *context, BackgroundRun *run, treb_error *error)
{
    const Piece *piece = context;
    strcat(strcat(done, piece->word != NULL ? piece->word : "?"), " ");
    nice_value = getpriority(PRIO_PROCESS, 0);
    run->total = 9;
    run->done = 4;
    while (gate && !run->stop) usleep(500);
    if (piece->word == NULL || run->stop) return fail_with(error, "it went wrong");
    if (piece->size == 0) return json_pack("{s:s}", "word", piece->word);
    char *text = malloc(piece->size + 1);
    memset(text, 'x', piece->size);
    json_t *object = json_array();
    json_array_append_new(object, json_stringn(text, piece->size));
    free(text);
    return object;
}

static void end_piece(void *context)
{
    free(context);
    ended++;
}

static BackgroundAdded add(Background *b, const char *name, const char *client_key, const char *word,
                           size_t size, bool slow)
{
    Piece *piece = malloc(sizeof *piece);
    *piece = (Piece){word, size};
    const BackgroundWork work = {run_piece, end_piece, piece, slow};
    return background_add(b, name, client_key, &work);
}

/* Waits until a job is in a state, or is unknown (-1). */
static void await(Background *b, const char *name, int state)
{
    for (int i = 0; i < 4000; i++) {
        BackgroundView view;
        bool there = background_look(b, name, &view);
        free(view.result);
        if (there ? (int)view.state == state : state < 0) return;
        usleep(1000);
    }
    ck_abort_msg("%s does not come to state %d", name, state);
}

static Background *begin(unsigned queue, unsigned each, uint64_t kept, bool shut)
{
    done[0] = '\0';
    ended = 0;
    gate = shut;
    Background *b = background_start(&(BackgroundLimits){queue, each, kept});
    ck_assert_ptr_nonnull(b);
    return b;
}

START_TEST(in_turn_and_once)
{
    BackgroundView view;
    const int own = getpriority(PRIO_PROCESS, 0);
    Background *b = begin(9, 9, 1000, true);
    ck_assert(!background_look(b, "a", &view));
    ck_assert_int_eq(add(b, "a", "me", "A", 0, false), BACKGROUND_ADDED);
    await(b, "a", BACKGROUND_RUNNING);
    ck_assert_int_eq(add(b, "b", "me", "B", 0, true), BACKGROUND_ADDED);
    ck_assert_int_eq(add(b, "c", "me", "C", 0, false), BACKGROUND_ADDED);
    ck_assert_int_eq(add(b, "d", "me", "D", 0, false), BACKGROUND_ADDED);
    ck_assert_int_eq(add(b, "c", "you", "again", 0, false), BACKGROUND_THERE);
    ck_assert_int_eq(ended, 1); /* refused work was freed */
    for (int i = 0; i < 1000 && (background_look(b, "a", &view), view.done == 0); i++) usleep(500);
    ck_assert_int_eq((int)view.done, 4);
    ck_assert_int_eq((int)view.total, 9);
    ck_assert_int_ge(nice_value, 10);
    ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), own); /* the priority of this thread has not changed */
    /* Slow jobs come last. */
    static const struct {
        const char *name;
        unsigned ahead;
    } waits[] = {{"b", 3}, {"c", 1}, {"d", 2}};
    for (int i = 0; i < 3; i++) {
        ck_assert(background_look(b, waits[i].name, &view) && view.state == BACKGROUND_WAITING);
        ck_assert_uint_eq(view.ahead, waits[i].ahead);
    }
    unsigned pending;
    uint64_t finished;
    background_counts(b, &pending, &finished);
    ck_assert(pending == 4 && finished == 0);
    gate = false;
    await(b, "b", BACKGROUND_DONE);
    ck_assert_str_eq(done, "A C D B ");
    ck_assert(background_look(b, "c", &view));
    ck_assert_str_eq(view.result, "{\"word\":\"C\"}");
    free(view.result);
    background_counts(b, &pending, &finished);
    ck_assert(pending == 0 && finished == 4);
    ck_assert(background_stop(b, 5000));
    ck_assert_int_eq(ended, 5);
}
END_TEST

START_TEST(bounded)
{
    Background *b = begin(2, 2, 1000, true);
    ck_assert_int_eq(add(b, "a", "me", "A", 0, false), BACKGROUND_ADDED);
    await(b, "a", BACKGROUND_RUNNING);
    ck_assert_int_eq(add(b, "b", "me", "B", 0, false), BACKGROUND_ADDED);
    ck_assert_int_eq(add(b, "c", "me", "C", 0, false), BACKGROUND_CLIENT_FULL);
    ck_assert_int_eq(add(b, "c", "you", "C", 0, false), BACKGROUND_ADDED);
    ck_assert_int_eq(add(b, "d", "they", "D", 0, false), BACKGROUND_FULL);
    ck_assert_int_eq(ended, 2);
    gate = false;
    await(b, "c", BACKGROUND_DONE);
    ck_assert_int_eq(add(b, "d", "me", "D", 0, false), BACKGROUND_ADDED);
    await(b, "d", BACKGROUND_DONE);
    ck_assert(background_stop(b, 5000));
}
END_TEST

/* The results that were taken least recently are dropped. */
START_TEST(kept)
{
    Background *b = begin(9, 9, 1000, false);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(add(b,
                             i == 0   ? "a"
                             : i == 1 ? "b"
                                      : "c",
                             "me", "x", 300, false),
                         BACKGROUND_ADDED);
        await(b, i == 0 ? "a" : i == 1 ? "b" : "c", BACKGROUND_DONE);
    }
    BackgroundView view;
    ck_assert(background_look(b, "a", &view));
    free(view.result);
    add(b, "d", "me", "x", 300, false);
    await(b, "d", BACKGROUND_DONE);
    ck_assert(!background_look(b, "b", &view));
    await(b, "a", BACKGROUND_DONE);
    await(b, "c", BACKGROUND_DONE);
    /* A result larger than the limit is not kept at all. */
    add(b, "e", "me", "x", 2000, false);
    await(b, "e", -1);
    ck_assert(background_stop(b, 5000));
}
END_TEST

START_TEST(failures)
{
    BackgroundView view;
    Background *b = begin(9, 9, 1000, false);
    add(b, "a", "me", NULL, 0, false);
    await(b, "a", BACKGROUND_FAILED);
    ck_assert(background_look(b, "a", &view));
    ck_assert_ptr_null(view.result);
    ck_assert_int_eq(view.error.status, TREB_ERR_IO);
    ck_assert_str_eq(view.error.text, "it went wrong");
    /* A failed job is tried again on request. */
    ck_assert_int_eq(add(b, "a", "me", "A", 0, false), BACKGROUND_ADDED);
    await(b, "a", BACKGROUND_DONE);
    /* Failed jobs do not pile up. */
    for (int i = 0; i < 80; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        add(b, name, "me", NULL, 0, false);
        await(b, name, BACKGROUND_FAILED);
        strcpy(done, "");
    }
    ck_assert(!background_look(b, "f0", &view));
    ck_assert(background_look(b, "f79", &view));
    await(b, "a", BACKGROUND_DONE);
    ck_assert(background_stop(b, 5000));
}
END_TEST

START_TEST(cancelled)
{
    Background *b = begin(9, 9, 1000, true);
    add(b, "a", "me", "A", 0, false);
    await(b, "a", BACKGROUND_RUNNING);
    add(b, "b", "me", "B", 0, false);
    add(b, "c", "me", "C", 0, false);
    ck_assert_int_eq(background_cancel(b, "x", "me"), BACKGROUND_UNKNOWN);
    ck_assert_int_eq(background_cancel(b, "b", "you"), BACKGROUND_STAYS);
    ck_assert_int_eq(background_cancel(b, "b", "me"), BACKGROUND_CANCELLED);
    ck_assert_int_eq(add(b, "c", "you", "C", 0, false), BACKGROUND_THERE);
    ck_assert_int_eq(background_cancel(b, "c", "me"), BACKGROUND_STAYS);
    /* A running job ends, and can be requested again at once. */
    ck_assert_int_eq(background_cancel(b, "a", "me"), BACKGROUND_CANCELLED);
    ck_assert_int_eq(add(b, "a", "you", "again", 0, false), BACKGROUND_ADDED);
    gate = false;
    await(b, "a", BACKGROUND_DONE);
    ck_assert_str_eq(done, "A C again ");
    ck_assert_int_eq(background_cancel(b, "a", "you"), BACKGROUND_STAYS);
    ck_assert(background_stop(b, 5000));
    ck_assert_int_eq(ended, 5);
}
END_TEST

/* The running job is told to stop, waiting ones are dropped, and no more are accepted. */
START_TEST(closed)
{
    Background *b = begin(9, 9, 1000, true);
    add(b, "a", "me", "A", 0, false);
    await(b, "a", BACKGROUND_RUNNING);
    add(b, "b", "me", "B", 0, false);
    background_close(b);
    ck_assert_int_eq(add(b, "c", "me", "C", 0, false), BACKGROUND_CLOSED);
    ck_assert(background_stop(b, 5000));
    ck_assert_str_eq(done, "A ");
    ck_assert_int_eq(ended, 3);
}
END_TEST

static atomic_bool hangs;

static json_t *hang(void *context, BackgroundRun *run, treb_error *error)
{
    (void)context, (void)run;
    while (hangs) usleep(500);
    return fail_with(error, "at last");
}

/* The wait for a hanging job is limited. */
START_TEST(hanging)
{
    Background *b = begin(9, 9, 1000, false);
    const BackgroundWork work = {.run = hang};
    hangs = true;
    background_add(b, "a", "me", &work);
    await(b, "a", BACKGROUND_RUNNING);
    ck_assert(!background_stop(b, 30));
    hangs = false;
    ck_assert(background_stop(b, 5000));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server_background");
    TCase *tests = tcase_create("background");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, in_turn_and_once);
    tcase_add_test(tests, bounded);
    tcase_add_test(tests, kept);
    tcase_add_test(tests, failures);
    tcase_add_test(tests, cancelled);
    tcase_add_test(tests, closed);
    tcase_add_test(tests, hanging);
    return run_suite(suite);
}
