/* table_encode.c - compresses the blocks of a table file (table.h). */
#include "core/format/table_format.h"

#include <stdlib.h>
#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* for useRowMatchFinder */
#include <zstd.h>
#include <zstd_errors.h>

struct TableEncoder {
    ZSTD_CCtx *context;
    ZSTD_CDict *dictionary; /* NULL: no dictionary */
};

size_t table_block_bound(const TableHeader *header)
{
    return ZSTD_compressBound((size_t)1 << header->block_bits);
}

/* Size and checksum of a block are in the file, so that frames need not contain them. */
static bool encoder_set(TableEncoder *encoder, int level)
{
    ZSTD_CCtx *context = encoder->context;
    return !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 0)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)) &&
           (encoder->dictionary == NULL ||
            !ZSTD_isError(ZSTD_CCtx_refCDict(context, encoder->dictionary)));
}

TableEncoder *table_encoder_new(int level, const void *dictionary, size_t dictionary_size)
{
    TableEncoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return NULL;
    encoder->context = ZSTD_createCCtx();
    if (encoder->context && dictionary_size > 0)
        encoder->dictionary = ZSTD_createCDict(dictionary, dictionary_size, level);
    if (encoder->context && (encoder->dictionary || dictionary_size == 0) &&
        encoder_set(encoder, level))
        return encoder;
    table_encoder_free(encoder);
    return NULL;
}

/* Found by experiments on blocks of eight tables (docs/performance.md). Matches are rarely shorter
 * than 5 or 6 bytes, and in small blocks chains are found faster than rows. A libzstd without the
 * last parameter ignores it. */
void table_encoder_tune(TableEncoder *encoder, treb_metric metric)
{
    int shortest = metric == TREB_WDL || metric == TREB_DTZ ? 6 : 5;
    ZSTD_CCtx_setParameter(encoder->context, ZSTD_c_searchLog, 4);
    ZSTD_CCtx_setParameter(encoder->context, ZSTD_c_minMatch, shortest);
    ZSTD_CCtx_setParameter(encoder->context, ZSTD_c_useRowMatchFinder, ZSTD_ps_disable);
}

void table_encoder_free(TableEncoder *encoder)
{
    if (encoder == NULL) return;
    ZSTD_freeCCtx(encoder->context);
    ZSTD_freeCDict(encoder->dictionary);
    free(encoder);
}

size_t table_encode_block(TableEncoder *encoder, const uint8_t *block, size_t size, uint8_t *out,
                          size_t capacity)
{
    if (size == 0 || capacity < size) return 0;
    if (memcmp(block, block + 1, size - 1) == 0) {
        out[0] = block[0];
        return 1;
    }
    size_t packed = ZSTD_compress2(encoder->context, out, capacity, block, size);
    if (ZSTD_isError(packed) && ZSTD_getErrorCode(packed) != ZSTD_error_dstSize_tooSmall) return 0;
    /* If a frame saves nothing, the block itself is stored; its size shows that. */
    if (ZSTD_isError(packed) || packed - FORMAT_ZSTD_MAGIC_SIZE >= size) {
        memcpy(out, block, size);
        return size;
    }
    packed -= FORMAT_ZSTD_MAGIC_SIZE;
    memmove(out, out + FORMAT_ZSTD_MAGIC_SIZE, packed);
    return packed;
}
