/* memory.h - memory of a check, within a bound. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_MEMORY_H
#define TREB_CHECK_VERIFY_MEMORY_H

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Part of the memory is reclaimable: pages of mapped files, which are read again when they are touched, and
 * memos, whose lost entries are worked out again. No bound is put on how much of it is touched. When the process
 * holds more memory than it may, the system takes all reclaimable pages back at once. */
typedef struct VerifyArea VerifyArea;

typedef struct VerifyMemory {
    _Atomic(uint64_t) used; /* bytes claimed; changed in critical sections only */
    uint64_t limit;         /* bytes that may be claimed */
    uint64_t page_bytes;    /* of the system */
    VerifyArea *area;       /* the reclaimable areas */
    size_t areas;
    _Atomic(uint64_t) reclaimable; /* bytes of all areas */
    int held_file;                 /* a file of the system's that says how much memory the process holds; -1: none, and
                                      verify_memory_reclaim does nothing */
    _Atomic(uint64_t) held_least;  /* bytes that the process held after the last reclaim */
    _Atomic(int64_t) skips;        /* calls of verify_memory_reclaim that need not look */
} VerifyMemory;

void verify_memory_open(VerifyMemory *memory, uint64_t limit);
void verify_memory_close(VerifyMemory *memory);

/* Claims bytes of the memory allowed. False if fewer are left. Thread-safe. */
bool verify_claim(VerifyMemory *memory, uint64_t bytes);
void verify_release(VerifyMemory *memory, uint64_t bytes);

/* Claims what the process holds already (open tables, code, stacks), up to a quarter of the limit. */
void verify_claim_held(VerifyMemory *memory);

/* Registers mapped memory as reclaimable, until the memory is closed or unmapped. False: out of memory. */
bool verify_reclaimable_add(VerifyMemory *memory, const void *at, uint64_t bytes);

/* Returns new reclaimable memory, whose bytes may become zero at any time. NULL: out of memory. */
void *verify_reclaimable_new(VerifyMemory *memory, uint64_t bytes);
void verify_reclaimable_free(void *at, uint64_t bytes);

/* Reclaims all areas if the process holds more memory than it may. Call it now and then; it is cheap. Other threads
 * may read the areas meanwhile. */
void verify_memory_reclaim(VerifyMemory *memory);

#endif
