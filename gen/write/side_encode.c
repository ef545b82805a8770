/* side_encode.c - cells in the order of the file become blocks: see side.h. */
#include <omp.h>

#include "core/system/error.h"
#include "gen/write/shared.h"

treb_status side_write_blocks(const Out *out, const CodedBlocks *blocks, treb_error *error)
{
    treb_status status = TREB_OK;
    if (out->spool != NULL) return spool_add(out->spool, blocks, error);
    for (int w = 0; w < 2 && out->writer[w] != NULL; w++)
        for (size_t b = 0; b < blocks->count && status == TREB_OK; b++)
            status = table_writer_add_words(out->writer[w], out->side->side, out->class,
                                            blocks->bytes + b * blocks->block_bytes,
                                            blocks->cells[b], error);
    return status;
}

/* What a thread needs. */
typedef struct Worker {
    CoderRoom *room;
    uint8_t *cells;
    CodedBlocks blocks;
} Worker;

treb_status side_encode(const Out *out, const Source *source, treb_error *error)
{
    const Side *s = out->side;
    const Coder *coder = s->each[out->class].coder;
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        Worker worker = {coder_room_make(coder), ledger_alloc(s->job->ledger, SEGMENT), {0}};
#pragma omp for schedule(dynamic) ordered
        for (uint64_t first = 0; first < source->size; first += SEGMENT) {
            treb_error mine;
            uint64_t left = source->size - first;
            size_t part = left < SEGMENT ? (size_t)left : SEGMENT;
            treb_status own =
                worker.room && worker.cells ? stop_check(s->job->stop, &mine) : fail_memory(&mine);
            if (s->job->watch) watch_add(&s->job->watch->written, part);
            if (own == TREB_OK) {
                const uint8_t *cells = worker.cells;
                if (source->ordered != NULL)
                    cells = source->ordered + first;
                else
                    side_copy_cells(s, source->batch, &s->reorder, first, part, worker.cells);
                own = coder_encode(coder, worker.room, cells, part, s->block_bytes, &worker.blocks,
                                   &mine);
            }
#pragma omp ordered
            {
                if (own == TREB_OK && status == TREB_OK)
                    own = side_write_blocks(out, &worker.blocks, &mine);
                if (own != TREB_OK && status == TREB_OK) {
                    status = own;
                    *error = mine;
                }
            }
        }
        coder_room_free(worker.room);
        coder_blocks_free(&worker.blocks);
        ledger_free(worker.cells);
    }
    return status;
}
