/* part.h - less of what takes long, where tests run many times slower: sanitizers. */
#ifndef TREB_TESTS_PART_H
#define TREB_TESTS_PART_H

#include <stdlib.h>

/* TREB_TEST_PART=N: long loops take one in N, and there are fewer runs of them. Else 1. */
static inline int test_part(void)
{
    const char *given = getenv("TREB_TEST_PART");
    int part = given != NULL ? atoi(given) : 1;
    return part > 1 ? part : 1;
}

#endif
