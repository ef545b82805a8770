/* part.h - shortens slow tests when they run under sanitizers. */
#ifndef TREB_TESTS_SUPPORT_PART_H
#define TREB_TESTS_SUPPORT_PART_H

#include <stdlib.h>

/* Returns N if the environment has TREB_TEST_PART=N, else 1. A long loop does only one in N of its
 * rounds. */
static inline int test_part(void)
{
    const char *given = getenv("TREB_TEST_PART");
    int part = given != NULL ? atoi(given) : 1;
    return part > 1 ? part : 1;
}

#endif
