/* side_encode.c - see side_encode.h. */
#include "gen/write/side_encode.h"

#include <omp.h>

#include "core/system/error.h"

treb_status side_write_blocks(const BlockOutput *out, const CodedBlocks *blocks, treb_error *error)
{
    treb_status status = TREB_OK;
    if (out->spool != NULL) return block_spool_add(out->spool, blocks, error);
    for (size_t b = 0; b < blocks->count && status == TREB_OK; b++)
        status = table_writer_add_words(out->writer, out->side->side, out->class,
                                        blocks->bytes + b * blocks->block_bytes, blocks->cells[b],
                                        error);
    return status;
}

/* What a thread needs. */
typedef struct Worker {
    CoderBuffer *buffer;
    uint8_t *cells;
    CodedBlocks blocks;
} Worker;

treb_status side_encode(const BlockOutput *out, const EncodeInput *input, treb_error *error)
{
    const SideEncoder *s = out->side;
    const Coder *coder = s->each[out->class].coder;
    treb_status status = TREB_OK;
#pragma omp parallel
    {
        Worker worker = {coder_buffer_make(coder), budget_alloc(s->job->budget, SEGMENT), {0}};
#pragma omp for schedule(dynamic) ordered
        for (uint64_t first = 0; first < input->size; first += SEGMENT) {
            treb_error mine;
            uint64_t left = input->size - first;
            size_t part = left < SEGMENT ? (size_t)left : SEGMENT;
            treb_status own = worker.buffer && worker.cells ? stop_check(s->job->stop, &mine)
                                                            : fail_memory(&mine);
            if (s->job->progress) progress_add(&s->job->progress->written, part);
            if (own == TREB_OK) {
                const uint8_t *cells = worker.cells;
                if (input->ordered != NULL)
                    cells = input->ordered + first;
                else
                    cell_batch_copy(s, input->batch, &s->reorder, first, part, worker.cells);
                own = coder_encode(coder, worker.buffer, cells, part, s->block_bytes,
                                   &worker.blocks, &mine);
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
        coder_buffer_free(worker.buffer);
        coder_blocks_free(&worker.blocks);
        budget_free(worker.cells);
    }
    return status;
}
