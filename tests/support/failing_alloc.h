/* failing_alloc.h - allocations that fail on demand, to test what the program does without memory.
 *
 * A program linked with failing_alloc.o and the linker's --wrap options calls the functions here
 * instead of malloc and the others, and instead of the functions of zstd that allocate.
 * tests/tests.mk links every test so whose name ends in _memory, and some others. The linker does not redirect calls
 * inside shared libraries: the C library, OpenMP and sanitizers are not affected. The counters are
 * shared by all threads. */
#ifndef TREB_TESTS_SUPPORT_FAILING_ALLOC_H
#define TREB_TESTS_SUPPORT_FAILING_ALLOC_H

#include <stdbool.h>
#include <stdint.h>

typedef enum AllocMode {
    ALLOC_ONE,  /* one allocation fails, later ones do not */
    ALLOC_REST, /* one allocation and all after it fail */
    ALLOC_MODES
} AllocMode;

/* Makes one allocation fail, counted from now: the next one is number 0. UINT64_MAX: none fails. */
void alloc_arm(uint64_t number, AllocMode mode);

/* Lets all allocations succeed again. Returns how many there were since alloc_arm. */
uint64_t alloc_disarm(void);

/* Returns the number of blocks allocated and not yet freed by the functions replaced here. */
int64_t alloc_live(void);

/* A piece of work that must survive failing allocations. */
typedef struct AllocTest {
    /* Does the work and frees all that it allocates. Stores its result in the context, which must
     * need no allocation. May not use assertions of Check, which allocate. */
    void (*work)(void *context);
    /* Called after each run with assertions that this result is allowed. `failed`: an allocation
     * was made to fail; else the work must have succeeded. */
    void (*check)(void *context, bool failed);
    void *context;
    uint64_t most; /* largest number of failing runs in each mode; 0: one for each allocation */
} AllocTest;

/* Runs the work once without a failure, to count its allocations; then repeatedly with one of them
 * failing, in each mode. If there are more than `most`, the first half of the runs takes the first
 * allocations, and the others are spread over the rest. Asserts that no run leaks memory. Returns
 * the number of allocations. */
uint64_t alloc_sweep(const AllocTest *test);

#endif
