/* failing_alloc.c - see failing_alloc.h. */
#include "tests/support/failing_alloc.h"

#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>
#include <zstd_errors.h>

static _Atomic(uint64_t) count;
static _Atomic(uint64_t) first_to_fail = UINT64_MAX, last_to_fail = UINT64_MAX;
static _Atomic(int64_t) live;

void alloc_arm(uint64_t number, AllocMode mode)
{
    atomic_store(&count, 0);
    atomic_store(&last_to_fail, mode == ALLOC_ONE ? number : UINT64_MAX - 1);
    atomic_store(&first_to_fail, number);
}

uint64_t alloc_disarm(void)
{
    atomic_store(&first_to_fail, UINT64_MAX);
    return atomic_load(&count);
}

int64_t alloc_live(void) { return atomic_load(&live); }

/* Returns whether the next allocation must fail. */
static bool fails_now(void)
{
    uint64_t number = atomic_fetch_add(&count, 1);
    if (number < atomic_load(&first_to_fail) || number > atomic_load(&last_to_fail)) return false;
    errno = ENOMEM;
    return true;
}

static void *note(void *block)
{
    if (block != NULL) atomic_fetch_add(&live, 1);
    return block;
}

/* ---- the C library's ------------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void __real_free(void *block);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);

void *__wrap_malloc(size_t size) { return fails_now() ? NULL : note(__real_malloc(size)); }

void *__wrap_calloc(size_t n, size_t size)
{
    return fails_now() ? NULL : note(__real_calloc(n, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (fails_now()) return NULL;
    void *moved = __real_realloc(block, size);
    return block == NULL ? note(moved) : moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails_now() ? NULL : note(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails_now()) return ENOMEM;
    int status = __real_posix_memalign(out, alignment, size);
    if (status == 0) note(*out);
    return status;
}

char *__wrap_strdup(const char *text) { return fails_now() ? NULL : note(__real_strdup(text)); }

char *__wrap_strndup(const char *text, size_t size)
{
    return fails_now() ? NULL : note(__real_strndup(text, size));
}

/* Mapped memory is not counted among the live blocks. */
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return fails_now() ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}

void __wrap_free(void *block)
{
    if (block != NULL) atomic_fetch_sub(&live, 1);
    __real_free(block);
}

/* ---- zstd's, which fail as they do when zstd itself gets no memory ---------------------------- */

ZSTD_CCtx *__real_ZSTD_createCCtx(void);
ZSTD_DCtx *__real_ZSTD_createDCtx(void);
ZSTD_CDict *__real_ZSTD_createCDict(const void *bytes, size_t size, int level);
ZSTD_DDict *__real_ZSTD_createDDict(const void *bytes, size_t size);
size_t __real_ZSTD_compress2(ZSTD_CCtx *context, void *out, size_t capacity, const void *in,
                             size_t size);
size_t __real_ZSTD_compress(void *out, size_t capacity, const void *in, size_t size, int level);
size_t __real_ZSTD_decompress(void *out, size_t capacity, const void *in, size_t size);
size_t __real_ZSTD_freeCCtx(ZSTD_CCtx *context);
size_t __real_ZSTD_freeDCtx(ZSTD_DCtx *context);
size_t __real_ZSTD_freeCDict(ZSTD_CDict *dictionary);
size_t __real_ZSTD_freeDDict(ZSTD_DDict *dictionary);

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void)
{
    return fails_now() ? NULL : note(__real_ZSTD_createCCtx());
}

ZSTD_DCtx *__wrap_ZSTD_createDCtx(void)
{
    return fails_now() ? NULL : note(__real_ZSTD_createDCtx());
}

ZSTD_CDict *__wrap_ZSTD_createCDict(const void *bytes, size_t size, int level)
{
    return fails_now() ? NULL : note(__real_ZSTD_createCDict(bytes, size, level));
}

ZSTD_DDict *__wrap_ZSTD_createDDict(const void *bytes, size_t size)
{
    return fails_now() ? NULL : note(__real_ZSTD_createDDict(bytes, size));
}

/* The first call with a context allocates the memory that the level needs. */
size_t __wrap_ZSTD_compress2(ZSTD_CCtx *context, void *out, size_t capacity, const void *in,
                             size_t size)
{
    if (fails_now()) return (size_t)-ZSTD_error_memory_allocation;
    return __real_ZSTD_compress2(context, out, capacity, in, size);
}

/* These allocate a context of their own. */
size_t __wrap_ZSTD_compress(void *out, size_t capacity, const void *in, size_t size, int level)
{
    if (fails_now()) return (size_t)-ZSTD_error_memory_allocation;
    return __real_ZSTD_compress(out, capacity, in, size, level);
}

size_t __wrap_ZSTD_decompress(void *out, size_t capacity, const void *in, size_t size)
{
    if (fails_now()) return (size_t)-ZSTD_error_memory_allocation;
    return __real_ZSTD_decompress(out, capacity, in, size);
}

static void forget(const void *block)
{
    if (block != NULL) atomic_fetch_sub(&live, 1);
}

size_t __wrap_ZSTD_freeCCtx(ZSTD_CCtx *context)
{
    forget(context);
    return __real_ZSTD_freeCCtx(context);
}

size_t __wrap_ZSTD_freeDCtx(ZSTD_DCtx *context)
{
    forget(context);
    return __real_ZSTD_freeDCtx(context);
}

size_t __wrap_ZSTD_freeCDict(ZSTD_CDict *dictionary)
{
    forget(dictionary);
    return __real_ZSTD_freeCDict(dictionary);
}

size_t __wrap_ZSTD_freeDDict(ZSTD_DDict *dictionary)
{
    forget(dictionary);
    return __real_ZSTD_freeDDict(dictionary);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* Returns how many allocations the run made. */
static uint64_t run_once(const AllocTest *test, uint64_t number, AllocMode mode)
{
    int64_t before = alloc_live();
    alloc_arm(number, mode);
    test->work(test->context);
    uint64_t made = alloc_disarm();
    int64_t left = alloc_live() - before;
    ck_assert_msg(left == 0, "%" PRId64 " blocks are left after allocation %" PRId64 " failed",
                  left, (int64_t)number);
    test->check(test->context, number < made);
    return made;
}

/* Returns the allocation that fails in run number `run` of `runs`. */
static uint64_t number_of(uint64_t run, uint64_t runs, uint64_t allocations)
{
    uint64_t first = runs / 2;
    if (runs == allocations || run < first) return run;
    return first + (run - first) * (allocations - first) / (runs - first);
}

uint64_t alloc_sweep(const AllocTest *test)
{
    uint64_t allocations = run_once(test, UINT64_MAX, ALLOC_ONE);
    uint64_t runs = test->most && test->most < allocations ? test->most : allocations;
    ck_assert_uint_gt(allocations, 0);
    for (int mode = 0; mode < ALLOC_MODES; mode++)
        for (uint64_t run = 0; run < runs; run++)
            run_once(test, number_of(run, runs, allocations), (AllocMode)mode);
    return allocations;
}
