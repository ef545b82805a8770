/* suite.h - runs the suite of a test program and returns its exit code. */
#ifndef TREB_TESTS_SUPPORT_SUITE_H
#define TREB_TESTS_SUPPORT_SUITE_H

#include <check.h>
#include <stdlib.h>

static inline int run_suite_as(Suite *suite, enum fork_status status)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, status);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Runs each test in its own process, unless CK_FORK=no is set in the environment. */
static inline int run_suite(Suite *suite) { return run_suite_as(suite, CK_FORK_GETENV); }

/* Runs all tests in this process. OpenMP needs this: after a process has run OpenMP threads, its
 * children hang. */
static inline int run_suite_in_process(Suite *suite) { return run_suite_as(suite, CK_NOFORK); }

#endif
