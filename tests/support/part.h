/* part.h - shortens slow tests where tests run many times slower: under sanitizers. */
#ifndef TREB_TESTS_SUPPORT_PART_H
#define TREB_TESTS_SUPPORT_PART_H

#include <stdlib.h>

/* Returns N if the environment has TREB_TEST_PART=N, else 1: long loops run one in N rounds. */
static inline int test_part(void)
{
    const char *given = getenv("TREB_TEST_PART");
    int part = given != NULL ? atoi(given) : 1;
    return part > 1 ? part : 1;
}

#endif
