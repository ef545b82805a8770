/* block_spool.c - see block_spool.h. */
#include "gen/write/block_spool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "core/system/system.h"

/* Header of a segment in the file. The number of cells of each block and the bytes of the blocks
 * follow. */
typedef struct SegmentHead {
    uint32_t count, block_bytes;
} SegmentHead;

treb_status block_spool_init(BlockSpool *spool, const Processes *processes, const char *directory,
                             bool file, treb_error *error)
{
    *spool = (BlockSpool){.file = -1, .processes = processes, .directory = directory};
    if (!file) return TREB_OK;
    spool->file = io_unnamed(directory);
    return spool->file >= 0 ? TREB_OK : fail_errno(error, "create a file in", directory);
}

void block_spool_free(BlockSpool *spool)
{
    if (spool->file >= 0) system_close(spool->file);
    free(spool->bytes);
}

static size_t segment_size(SegmentHead head)
{
    return head.count * (sizeof(uint16_t) + (size_t)head.block_bytes);
}

treb_status block_spool_add(BlockSpool *spool, const CodedBlocks *blocks, treb_error *error)
{
    const SegmentHead head = {(uint32_t)blocks->count, blocks->block_bytes};
    const struct {
        const void *bytes;
        size_t size;
    } part[] = {{&head, sizeof head},
                {blocks->cells, head.count * sizeof *blocks->cells},
                {blocks->bytes, (size_t)head.count * head.block_bytes}};
    for (int i = 0; i < 3; i++) {
        if (!io_write_at(spool->file, part[i].bytes, part[i].size, spool->end))
            return fail_errno(error, "write a temporary file in", spool->directory);
        spool->end += part[i].size;
    }
    return TREB_OK;
}

treb_status block_spool_send(void *context, bool *more, treb_error *error)
{
    BlockSpool *spool = context;
    for (size_t sent = 0; sent < EXCHANGE_ROUND && spool->sent < spool->end;) {
        SegmentHead head;
        bool ok = io_read_at(spool->file, &head, sizeof head, spool->sent);
        const size_t size = ok ? segment_size(head) : 0;
        uint8_t *grown = ok ? realloc(spool->bytes, size + 1) : NULL;
        if (ok && grown == NULL) return fail_memory(error);
        spool->bytes = ok ? grown : spool->bytes;
        if (!ok || !io_read_at(spool->file, spool->bytes, size, spool->sent + sizeof head))
            return fail_errno(error, "read a temporary file in", spool->directory);
        spool->processes->send(spool->processes->context, 0, &head, sizeof head, spool->bytes,
                               size);
        spool->sent += sizeof head + size;
        sent += size;
    }
    *more = spool->sent < spool->end;
    return TREB_OK;
}

treb_status block_spool_clear(BlockSpool *spool, treb_error *error)
{
    spool->end = spool->sent = 0;
    if (spool->file < 0 || system_cut(spool->file, 0)) return TREB_OK;
    return fail_errno(error, "write a temporary file in", spool->directory);
}

treb_status block_spool_receive(const ReceivedBytes *received, UseBlocks *use, void *context,
                                treb_error *error)
{
    SegmentHead head;
    treb_status status = TREB_OK;
    for (size_t at = 0; at < received->size && status == TREB_OK;
         at += sizeof head + segment_size(head)) {
        memcpy(&head, received->bytes + at, sizeof head);
        const uint8_t *sizes = received->bytes + at + sizeof head;
        CodedBlocks blocks = {.bytes =
                                  (uint8_t *)(uintptr_t)sizes + head.count * sizeof *blocks.cells,
                              .cells = malloc((head.count + 1) * sizeof *blocks.cells),
                              .count = head.count,
                              .block_bytes = head.block_bytes};
        if (blocks.cells == NULL) return fail_memory(error);
        memcpy(blocks.cells, sizes, head.count * sizeof *blocks.cells);
        status = use(context, &blocks, error);
        free(blocks.cells);
    }
    return status;
}
