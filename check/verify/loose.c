/* loose.c - memory that may be given back to the system at any time.
 *
 * Pages of files that are mapped are read again when they are touched, and memos that are gone are
 * worked out again. So no bound is put on how much of them is touched; when the process holds more
 * memory than it may, all of that goes at once, while other threads may be reading it. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/system/machine.h"
#include "check/verify/parts.h"

enum {
    LITTLE = 16 << 20, /* bytes */
    MUCH = 256 << 20,
    TOUCHED = 32 << 20 /* by one thread from one look to the next, as a rule at most */
};

struct VerifyLoose {
    void *at;
    uint64_t bytes;
    bool memo; /* that is its own; else pages of a file */
};

void verify_loose_open(VerifyStore *store)
{
    store->resident = machine_held_open();
    store->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
}

void verify_loose_close(VerifyStore *store)
{
    if (store->resident >= 0) close(store->resident);
    free(store->loose);
}

static bool add(VerifyStore *store, const void *at, uint64_t bytes, bool memo)
{
    bool added = false;
#pragma omp critical(verify_loose)
    {
        VerifyLoose *grown = realloc(store->loose, (store->looses + 1) * sizeof *grown);
        if (grown != NULL) {
            store->loose = grown;
            grown[store->looses++] = (VerifyLoose){(void *)(uintptr_t)at, bytes, memo};
            atomic_fetch_add(&store->loose_bytes, bytes);
            added = true;
        }
    }
    return added;
}

bool verify_loose_add(VerifyStore *store, const void *at, uint64_t bytes)
{
    return at == NULL || add(store, at, bytes, false);
}

/* Memory of zeros that takes room only where it is touched. Shared though nobody shares it: of private
 * memory a page that is read first and then written, as a memo's are, has to be brought twice, which
 * interrupts all threads. */
void *verify_loose_new(VerifyStore *store, uint64_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX) return NULL;
    void *at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    if (add(store, at, bytes, true)) return at;
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
    uint64_t all, mapped;
    return machine_held(store->resident, &all, &mapped) ? all : 0;
}

void verify_loose_claim(VerifyStore *store)
{
    uint64_t bytes = resident_bytes(store), most = store->limit / 4;
    verify_claim(store, bytes < most ? bytes : most);
}

/* An eighth is for what is touched until the next look. Where little can be given back, as other
 * memory takes all there is, it is not done over and over again. Says, too, how many looks may be left out: what they
 * let pass has room. */
static bool too_much(VerifyStore *store)
{
    uint64_t eighth = store->limit / 8 < MUCH ? store->limit / 8 : MUCH;
    uint64_t most = store->limit - eighth, rest = atomic_load(&store->resident_rest);
    uint64_t little = store->limit / 16 < LITTLE ? LITTLE : store->limit / 16;
    if (most < rest + little) most = rest + little;
    uint64_t held = resident_bytes(store);
    if (held <= most) atomic_store(&store->looks, (int64_t)((most - held) / TOUCHED));
    return held > most;
}

void verify_loose_mind(VerifyStore *store)
{
    uint64_t used = store->used < store->limit ? store->limit - store->used : 0;
    if (atomic_load_explicit(&store->loose_bytes, memory_order_relaxed) <= used) return;
    if (atomic_fetch_sub(&store->looks, 1) > 0 || !too_much(store)) return;
#pragma omp critical(verify_loose)
    if (too_much(store)) {
        for (size_t i = 0; i < store->looses; i++)
            madvise(store->loose[i].at, (size_t)store->loose[i].bytes,
                    store->loose[i].memo ? MADV_REMOVE : MADV_DONTNEED);
        atomic_store(&store->resident_rest, resident_bytes(store));
    }
}
