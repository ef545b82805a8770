/* suite.h - the end of every test program: its suite is run and the exit code made of it. */
#ifndef TREB_TESTS_SUITE_H
#define TREB_TESTS_SUITE_H

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

/* Each test in a process of its own, unless CK_FORK in the environment says no. */
static inline int run_suite(Suite *suite) { return run_suite_as(suite, CK_FORK_GETENV); }

/* All tests in this process, as a child of one that has run OpenMP threads hangs in its own. */
static inline int run_suite_in_process(Suite *suite) { return run_suite_as(suite, CK_NOFORK); }

#endif
