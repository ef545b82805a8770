/* file_pin.c - see file_pin.h. */
#include "probe/file_pin.h"

#include <stdlib.h>

#include "probe/file_open.h"

/* Unpacks all blocks of a side. One byte follows them, so that two bytes can be read anywhere.
 * Returns memory that the caller frees, or NULL with *error filled. */
static uint8_t *unpack_side(const OpenTable *open, int side, treb_error *error)
{
    uint64_t blocks = table_side_blocks(open->header), bytes = blocks << open->block_bits;
    uint8_t *out = bytes < SIZE_MAX ? (uint8_t *)malloc((size_t)bytes + 1) : NULL;
    ProbeDecoder *decoder = out != NULL ? pool_take(open->pool, 1, WAIT_FOR_ALL) : NULL;
    if (decoder == NULL) {
        file_fail(error, TREB_ERR_MEMORY, table_path(open->table), "out of memory");
        free(out);
        return NULL;
    }
    treb_status status = TREB_OK;
    for (uint64_t b = 0; b < blocks && status == TREB_OK; b++)
        status = table_read_block(open->table, decoder->decoder, side, b,
                                  out + (b << open->block_bits), error);
    out[bytes] = 0;
    pool_give(open->pool, decoder);
    if (status == TREB_OK) return out;
    file_note(open->file, error);
    free(out);
    return NULL;
}

/* The caller holds the file's mutex. */
static int pin_side(OpenTable *open, int side, treb_error *error)
{
    if (!open->stored[side] || atomic_load(&open->whole[side]) != NULL) return 0;
    uint8_t *bytes = unpack_side(open, side, error);
    if (bytes == NULL) return -(int)error->status;
    atomic_fetch_add(&open->pool->pinned, table_side_blocks(open->header) << open->block_bits);
    atomic_store_explicit(&open->whole[side], bytes, memory_order_release);
    return 0;
}

int file_pin(ProbeFile *file, treb_error *error)
{
    treb_error unused;
    if (error == NULL) error = &unused;
    mutex_lock(&file->mutex);
    int result = file_open_locked(file, error) ? 0 : -(int)error->status;
    OpenTable *open = atomic_load(&file->open);
    Syzygy *syzygy = atomic_load(&file->syzygy);
    for (int side = 0; side < 2 && result == 0 && open != NULL; side++)
        result = pin_side(open, side, error);
    if (TREB_SYZYGY && result == 0 && syzygy != NULL)
        result = file_note_result(file, -(int)syzygy_check(syzygy, error), error);
    mutex_unlock(&file->mutex);
    return result;
}
