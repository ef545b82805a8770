/* memory.h - keeps the memory of a check within a limit. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_MEMORY_H
#define TREB_CHECK_VERIFY_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of the memory is reclaimable: pages of mapped files, which the system reads again when they
 * are touched, and memos, whose lost entries are computed again. A check may touch any amount of
 * it. When the process holds more memory than the limit, verify_memory_reclaim makes the system
 * free all reclaimable pages at once. */
typedef struct VerifyArea VerifyArea;

typedef struct VerifyMemory {
    _Atomic(uint64_t) used; /* bytes claimed; changed in critical sections only */
    uint64_t limit;         /* number of bytes that may be claimed */
    uint64_t page_bytes;    /* page size of the system */
    VerifyArea *area;       /* list of the reclaimable areas */
    size_t areas;
    _Atomic(uint64_t) reclaimable; /* total bytes of all areas */
    /* open file of the system that says how much memory the process holds; -1: there is none,
     * and verify_memory_reclaim does nothing */
    int held_file;
    _Atomic(uint64_t) held_least; /* bytes that the process held after the last reclaim */
    _Atomic(int64_t) skips; /* number of calls of verify_memory_reclaim that may return at once */
} VerifyMemory;

void verify_memory_open(VerifyMemory *memory, uint64_t limit);
void verify_memory_close(VerifyMemory *memory);

/* Claims bytes of the limit. Returns false if fewer are left. Thread-safe. */
bool verify_claim(VerifyMemory *memory, uint64_t bytes);
void verify_release(VerifyMemory *memory, uint64_t bytes);

/* Claims the memory that the process already holds (open tables, code, stacks), but at most a
 * quarter of the limit. */
void verify_claim_held(VerifyMemory *memory);

/* Registers mapped memory as reclaimable, until the memory is closed or unmapped. Returns false if
 * out of memory. */
bool verify_reclaimable_add(VerifyMemory *memory, const void *at, uint64_t bytes);

/* Returns new reclaimable memory. Its bytes may become zero at any time. Returns NULL if out of
 * memory. */
void *verify_reclaimable_new(VerifyMemory *memory, uint64_t bytes);
void verify_reclaimable_free(void *at, uint64_t bytes);

/* Reclaims all areas if the process holds more memory than the limit. It is cheap; call it often.
 * Other threads may read the areas at the same time. */
void verify_memory_reclaim(VerifyMemory *memory);

#endif
