/* failing_alloc.h - allocations that fail on demand, for tests of what happens without memory.
 *
 * A program linked with failing_alloc.o and the linker's --wrap options (the Makefile does this for
 * every test whose name ends in _memory) sends its own calls of malloc and the like through here,
 * and those calls of zstd that allocate. The linker cannot send calls made inside shared libraries,
 * so that the C library, OpenMP and sanitizers are never disturbed. Calls are counted across all
 * threads. */
#ifndef TREB_TESTS_FAILING_ALLOC_H
#define TREB_TESTS_FAILING_ALLOC_H

#include <stdbool.h>
#include <stdint.h>

typedef enum AllocMode {
    ALLOC_ONE,  /* one allocation fails, later ones do not */
    ALLOC_REST, /* that one fails, and all after it */
    ALLOC_MODES
} AllocMode;

/* From now on allocation number `number` fails, the next one being number 0. UINT64_MAX: none. */
void alloc_arm(uint64_t number, AllocMode mode);

/* No allocation fails any more. Returns how many there were since alloc_arm. */
uint64_t alloc_disarm(void);

/* Blocks that were allocated and not yet freed, by the calls that are sent through here. */
int64_t alloc_live(void);

/* Something that must bear the want of memory. */
typedef struct AllocTest {
    /* Does it, and frees all that it allocates; what came of it goes into the context, which must
     * need no allocation. No assertions of Check in here: they allocate, too. */
    void (*work)(void *context);
    /* Called after each run with assertions that this result is allowed. `failed`: an allocation
     * was made to fail; else the work must have succeeded. */
    void (*check)(void *context, bool failed);
    void *context;
    uint64_t most; /* runs with a failure in each mode at most; 0: one for each allocation */
} AllocTest;

/* Runs the work once as it is, which tells how many allocations it makes; then again and again with
 * one of them failing, in each mode. If there are more than `most`, the first half of the runs takes
 * the first allocations, the others are spread over the rest. Asserts that no run leaves memory
 * behind. Returns the number of allocations of the first run. */
uint64_t alloc_sweep(const AllocTest *test);

#endif
