/* words.c - see words.h.
 *
 * A scratch file is mapped. The system decides which pages of it are in memory. When the process
 * holds too much memory, it reclaims these pages (memory.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/verify/words.h"
#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/machine.h"
#include "core/system/tool.h"

void verify_words_layout(VerifyWords *words, const unsigned bits[TREB_METRICS], bool completed)
{
    unsigned shift = 0;
    for (int m = 0; m < TREB_METRICS; m++) {
        VerifyField *field = &words->field[m];
        field->shift = shift;
        field->most = (UINT64_C(1) << bits[m]) - 1;
        field->mask = field->most << shift;
        shift += bits[m];
    }
    words->bytes = 1;
    while (8 * words->bytes < shift + completed) words->bytes *= 2;
    words->attained = shift < 8 * words->bytes ? UINT64_C(1) << shift : 0;
}

treb_status verify_words_in_memory(VerifyWords *words, uint64_t cells, int sides, treb_error *error)
{
    enum { HUGE_PAGE = 2 << 20 };
    words->side_bytes = cells * words->bytes;
    for (int s = 0; s < sides; s++) {
        const bool large = words->side_bytes >= HUGE_PAGE;
        const size_t unit = large ? HUGE_PAGE : 64;
        const size_t bytes = (size_t)(words->side_bytes + unit - 1) / unit * unit;
        words->side[s] = system_aligned(unit, bytes);
        if (words->side[s] == NULL) return fail_memory(error);
        /* Moves lead to words all over this memory. */
        if (large) tool_large_pages(words->side[s], bytes);
    }
    return TREB_OK;
}

static treb_status fail_disk(const char *folder, uint64_t bytes, treb_error *error)
{
    return fail(
        error, TREB_ERR_IO,
        "%.300s: memory is short, so a scratch file of %.1f GB is needed, but only %.1f GB are "
        "free there; set TMPDIR to another folder, or allow more with --memory",
        folder, (double)bytes / 1e9, (double)machine_free_disk(folder) / 1e9);
}

treb_status verify_words_on_disk(VerifyWords *words, VerifyStore *store, uint64_t cells, int sides,
                                 const char *folder, uint64_t most, treb_error *error)
{
    const uint64_t unit = TOOL_MAP_UNIT;
    words->page_bytes = store->memory.page_bytes;
    words->side_bytes = (cells * words->bytes + unit - 1) / unit * unit;
    words->folder = folder;
    words->file = io_unnamed(folder);
    if (words->file < 0) return fail_errno(error, "make a scratch file", folder);
    words->on_disk = true;
    if (machine_free_disk(folder) < most) return fail_disk(folder, most, error);
    if (!system_cut(words->file, words->side_bytes * (uint64_t)sides))
        return errno == EFBIG ? fail_disk(folder, most, error)
                              : fail_errno(error, "make a scratch file", folder);
    for (int s = 0; s < sides; s++) {
        void *at = tool_map(words->file, words->side_bytes * (uint64_t)s, words->side_bytes);
        if (at == NULL)
            return errno == ENOMEM ? fail_memory(error)
                                   : fail_errno(error, "map a scratch file", folder);
        words->side[s] = at;
        if (!verify_reclaimable_add(&store->memory, at, words->side_bytes))
            return fail_memory(error);
    }
    return TREB_OK;
}

/* Writing to a mapped file cannot report that the disk is full. So the space is reserved first. */
treb_status verify_words_reserve(const VerifyWords *words, uint64_t first, uint64_t end,
                                 treb_error *error)
{
    uint64_t bytes = (end - first) * words->bytes;
    for (int s = 0; s < 2 && words->on_disk && words->side[s] != NULL; s++) {
        const uint64_t at = words->side_bytes * (uint64_t)s + first * words->bytes;
        if (tool_reserve(words->file, at, bytes)) continue;
        return errno == ENOSPC || errno == EFBIG
                   ? fail_disk(words->folder, 2 * bytes, error)
                   : fail_errno(error, "make a scratch file", words->folder);
    }
    return TREB_OK;
}

void verify_words_discard(const VerifyWords *words, uint64_t first, uint64_t end)
{
    uint64_t page = words->page_bytes;
    for (int s = 0; s < 2 && words->on_disk && words->side[s] != NULL; s++) {
        /* Pages that the range shares with other cells stay. */
        uint64_t from = (first * words->bytes + page - 1) / page * page;
        uint64_t to = end * words->bytes / page * page;
        if (from < to) tool_map_discard((uint8_t *)words->side[s] + from, to - from);
    }
}

void verify_words_free(VerifyWords *words)
{
    for (int s = 0; s < 2; s++) {
        if (words->side[s] == NULL) continue;
        if (words->on_disk)
            tool_unmap(words->side[s], words->side_bytes);
        else
            system_aligned_free(words->side[s]);
        words->side[s] = NULL;
    }
    if (words->on_disk) system_close(words->file);
    words->on_disk = false;
}
