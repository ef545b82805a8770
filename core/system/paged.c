/* paged.c - see paged.h. */
#include "core/system/paged.h"

#include <errno.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/machine.h"
#include "core/system/tool.h"

void paged_close(Paged *paged)
{
    if (paged->at == NULL) return;
    tool_unmap(paged->at, paged->bytes);
    system_close(paged->file);
    if (paged->held >= 0) system_close(paged->held);
    *paged = (Paged){0};
}

/* Reserves the disk space first: writing to a mapped file cannot report that the disk is full. */
static void *map_all(int file, uint64_t bytes)
{
    return system_reserve(file, bytes) ? tool_map(file, 0, bytes) : NULL;
}

treb_status paged_open(Paged *paged, const char *directory, uint64_t bytes, uint64_t most,
                       treb_error *error)
{
    *paged = (Paged){.bytes = bytes, .most = most, .file = io_unnamed(directory)};
    if (paged->file < 0) return fail_errno(error, "create a file in", directory);
    void *at = map_all(paged->file, bytes);
    if (at == NULL) {
        treb_status status = errno == ENOMEM
                                 ? fail_memory(error)
                                 : fail_errno(error, "make a scratch file in", directory);
        system_close(paged->file);
        return status;
    }
    paged->at = at;
    paged->held = machine_held_open();
    return TREB_OK;
}

/* Other mapped files may hold more than `most` bytes by themselves, and those pages cannot be given
 * back here. To avoid giving pages back at every call, a quarter of `most` must be new since the
 * last time. */
void paged_mind(Paged *paged, uint64_t bytes)
{
    uint64_t all, mapped;
    if (paged->at == NULL ||
        __atomic_add_fetch(&paged->since, bytes, __ATOMIC_RELAXED) < paged->most / 64)
        return;
    __atomic_store_n(&paged->since, 0, __ATOMIC_RELAXED);
    if (!machine_held(paged->held, &all, &mapped) || mapped <= paged->most) return;
    const uint64_t left = __atomic_load_n(&paged->left, __ATOMIC_RELAXED);
    if (mapped <= left + paged->most / 4) {
        /* Other mapped files hold less by now. */
        if (mapped < left) __atomic_store_n(&paged->left, mapped, __ATOMIC_RELAXED);
        return;
    }
    tool_map_release(paged->at, paged->bytes);
    if (machine_held(paged->held, &all, &mapped))
        __atomic_store_n(&paged->left, mapped, __ATOMIC_RELAXED);
}
