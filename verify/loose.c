/* loose.c - memory that may be given back to the system at any time.
 *
 * Pages of files that are mapped are read again when they are touched, and memos that are gone are
 * worked out again. So no bound is put on how much of them is touched; when the process holds more
 * memory than it may, all of that goes at once, while other threads may be reading it. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verify/parts.h"

enum { LITTLE = 16 << 20 /* bytes */ };

struct VerifyLoose {
    void *at;
    uint64_t bytes;
};

void verify_loose_open(VerifyStore *store)
{
    store->resident = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    store->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
}

void verify_loose_close(VerifyStore *store)
{
    if (store->resident >= 0) close(store->resident);
    free(store->loose);
}

bool verify_loose_add(VerifyStore *store, const void *at, uint64_t bytes)
{
    bool added = false;
    if (at == NULL) return true;
#pragma omp critical(verify_loose)
    {
        VerifyLoose *grown = realloc(store->loose, (store->looses + 1) * sizeof *grown);
        if (grown != NULL) {
            store->loose = grown;
            grown[store->looses++] = (VerifyLoose){(void *)(uintptr_t)at, bytes};
            atomic_fetch_add(&store->loose_bytes, bytes);
            added = true;
        }
    }
    return added;
}

/* Memory of zeros that takes room only where it is touched. */
void *verify_loose_new(VerifyStore *store, uint64_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX) return NULL;
    void *at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    if (verify_loose_add(store, at, bytes)) return at;
    munmap(at, (size_t)bytes);
    return NULL;
}

void verify_loose_free(void *at, uint64_t bytes)
{
    if (at != NULL) munmap(at, (size_t)bytes);
}

/* Bytes of memory that the process holds; 0 if that cannot be found out. */
static uint64_t resident_bytes(const VerifyStore *store)
{
    char text[64] = "";
    unsigned long long all, resident;
    if (store->resident < 0 || pread(store->resident, text, sizeof text - 1, 0) <= 0) return 0;
    return sscanf(text, "%llu %llu", &all, &resident) == 2 ? resident * store->page_bytes : 0;
}

/* A sixteenth is for what is touched until the next look. Where little can be given back, as other
 * memory takes all there is, it is not done over and over again. */
static bool too_much(const VerifyStore *store)
{
    uint64_t most = store->limit - store->limit / 16, rest = atomic_load(&store->resident_rest);
    if (most < rest + LITTLE) most = rest + LITTLE;
    return resident_bytes(store) > most;
}

void verify_loose_mind(VerifyStore *store)
{
    uint64_t used = store->used < store->limit ? store->limit - store->used : 0;
    if (atomic_load_explicit(&store->loose_bytes, memory_order_relaxed) <= used) return;
    if (!too_much(store)) return;
#pragma omp critical(verify_loose)
    if (too_much(store)) {
        for (size_t i = 0; i < store->looses; i++)
            madvise(store->loose[i].at, (size_t)store->loose[i].bytes, MADV_DONTNEED);
        atomic_store(&store->resident_rest, resident_bytes(store));
    }
}
