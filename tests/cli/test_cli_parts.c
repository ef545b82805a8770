/* test_cli_parts.c - parts of the command by themselves: progress with a clock of the test's own, and
 * what a mistyped word may have meant. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/guess.h"
#include "cli/progress.h"
#include "tests/support/suite.h"

/* ---- Progress -------------------------------------------------------------------------------- */

static double now; /* seconds; the build wraps clock_gettime */

int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    out->tv_sec = (time_t)now;
    out->tv_nsec = (long)(1e9 * (now - (double)out->tv_sec));
    return 0;
}

/* Standard error goes to `to`; `text` has what was written there in the end. */
static int divert(int to)
{
    int old = dup(STDERR_FILENO);
    ck_assert(to >= 0 && old >= 0 && dup2(to, STDERR_FILENO) >= 0);
    return old;
}

static void restore(int old)
{
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
}

/* All that is there. A terminal gives it in pieces. */
static void read_all(int file, char *text, size_t size)
{
    size_t length = 0;
    for (ssize_t n; (n = read(file, text + length, size - 1 - length)) > 0;) length += (size_t)n;
    text[length] = '\0';
}

static void work(CliProgress *p, int seconds)
{
    for (int i = 0; i < 4 * seconds; i++, now += 0.25)
        cli_progress_share(p, (uint64_t)i, 4 * (uint64_t)seconds, "%s: step", "KRPvKR");
    cli_progress_clear(p);
}

static void run_in_log(int seconds, bool quiet, char *text, size_t size)
{
    char path[] = "/tmp/trebuchet-progress-XXXXXX";
    int file = mkstemp(path), old = divert(file);
    CliProgress p;
    unlink(path);
    now = 1000;
    cli_progress_start(&p, "verify", quiet);
    work(&p, seconds);
    restore(old);
    lseek(file, 0, SEEK_SET);
    read_all(file, text, size);
    close(file);
}

/* Nothing of short work, a line after 5 seconds, then ever fewer. */
START_TEST(progress_in_a_log)
{
    char text[4096];
    run_in_log(4, false, text, sizeof text);
    ck_assert_str_eq(text, "");
    run_in_log(100, false, text, sizeof text);
    ck_assert_str_eq(text, "trebuchet verify: KRPvKR: step 5% (0:05)\n"
                           "trebuchet verify: KRPvKR: step 15% (0:15)\n"
                           "trebuchet verify: KRPvKR: step 35% (0:35)\n"
                           "trebuchet verify: KRPvKR: step 65% (1:05)\n"
                           "trebuchet verify: KRPvKR: step 95% (1:35)\n");
    run_in_log(100, true, text, sizeof text);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(progress_on_a_terminal)
{
    char text[4096];
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return;
    int side = open(ptsname(terminal), O_RDWR | O_NOCTTY), old = divert(side);
    CliProgress p;
    now = 1000;
    cli_progress_start(&p, "verify", false);
    work(&p, 1);
    restore(old);
    read_all(terminal, text, sizeof text);
    ck_assert_str_eq(
        text, "\rKRPvKR: step 25%\033[K\rKRPvKR: step 50%\033[K\rKRPvKR: step 75%\033[K\r\033[K");
    close(side);
    close(terminal);
}
END_TEST

/* However long the words are. */
START_TEST(progress_of_much)
{
    char text[4096], word[1000];
    char path[] = "/tmp/trebuchet-progress-XXXXXX";
    int file = mkstemp(path), old = divert(file);
    CliProgress p;
    unlink(path);
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    now = 0;
    cli_progress_start(&p, "verify", false);
    now = 6;
    cli_progress_share(&p, 1, 2, "%s", word);
    restore(old);
    lseek(file, 0, SEEK_SET);
    read_all(file, text, sizeof text);
    close(file);
    ck_assert(strstr(text, "xxx 50% (0:06)\n") != NULL);
    ck_assert_uint_lt(strlen(text), 300);
}
END_TEST

/* ---- Guesses --------------------------------------------------------------------------------- */

START_TEST(guesses)
{
    static const char *const words[] = {"gen",   "export", "probe",  "line",    "blocked",
                                        "stats", "info",   "verify", "compare", "bench",
                                        "serve", "engine", "help",   "version"};
    static const char *const pairs[][2] = {{"porbe", "probe"},
                                           {"prob", "probe"},
                                           {"probee", "probe"},
                                           {"pribe", "probe"},
                                           {"Probe", "probe"},
                                           {"generate", "gen"},
                                           {"veri", "verify"},
                                           {"vrefiy", "verify"},
                                           {"stat", "stats"},
                                           {"halp", "help"},
                                           {"versoin", "version"},
                                           {"exprot", "export"},
                                           {"engin", "engine"},
                                           {"comp", "compare"},
                                           {"frobnicate", NULL},
                                           {"x", NULL},
                                           {"", NULL},
                                           {"play", NULL},
                                           {"solve", NULL},
                                           {"ge", "gen"},
                                           {"8/8/8/8/8/8/8/8/8/8/8/8/8/8/8/8/8/8", NULL}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *meant = guess_word(pairs[i][0], words, sizeof words / sizeof *words);
        if (pairs[i][1] == NULL)
            ck_assert_msg(meant == NULL, "%s: %s", pairs[i][0], meant);
        else
            ck_assert_msg(meant != NULL && strcmp(meant, pairs[i][1]) == 0, "%s: %s", pairs[i][0],
                          meant ? meant : "nothing");
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parts of the command");
    TCase *tests = tcase_create("parts");
    tcase_add_test(tests, progress_in_a_log);
    tcase_add_test(tests, progress_on_a_terminal);
    tcase_add_test(tests, progress_of_much);
    tcase_add_test(tests, guesses);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
