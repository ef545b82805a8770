/* table_zstd.c - see table_zstd.h. */
#include "core/format/table_zstd.h"

#include "core/system/error.h"
#include "core/system/features.h"

#if TREB_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

/* Returns whether zstd cannot use a dictionary because it is damaged, and not because memory is
 * out: unpacking an empty frame shows which. */
static bool dictionary_damaged(const uint8_t *bytes, size_t size)
{
    static const uint8_t empty[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0};
    uint8_t out;
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (context == NULL) return false;
    size_t got =
        ZSTD_decompress_usingDict(context, &out, sizeof out, empty, sizeof empty, bytes, size);
    ZSTD_freeDCtx(context);
    return ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_dictionary_corrupted;
}

treb_status table_zstd_dictionary(const uint8_t *bytes, size_t size, const char *path,
                                  ZstdDictionary **out, treb_error *error)
{
    *out = ZSTD_createDDict(bytes, size);
    if (*out != NULL) return TREB_OK;
    if (!dictionary_damaged(bytes, size)) return fail_memory(error);
    return fail(error, TREB_ERR_DAMAGED, "%s: dictionary cannot be used", fail_path(path));
}

void table_zstd_forget(ZstdDictionary *dictionary) { ZSTD_freeDDict(dictionary); }

bool table_zstd_begin(ZstdContext **out)
{
    *out = ZSTD_createDCtx();
    return *out != NULL;
}

void table_zstd_end(ZstdContext *context) { ZSTD_freeDCtx(context); }

bool table_zstd_unpack(ZstdContext *context, const ZstdDictionary *dictionary, const uint8_t *frame,
                       size_t frame_size, uint8_t *out, size_t size)
{
    return ZSTD_decompress_usingDDict(context, out, size, frame, frame_size, dictionary) == size;
}

#else

treb_status table_zstd_dictionary(const uint8_t *bytes, size_t size, const char *path,
                                  ZstdDictionary **out, treb_error *error)
{
    (void)bytes, (void)size, (void)out;
    return fail(error, TREB_ERR_UNSUPPORTED, "%s: needs zstd", fail_path(path));
}

void table_zstd_forget(ZstdDictionary *dictionary) { (void)dictionary; }

bool table_zstd_begin(ZstdContext **out)
{
    *out = NULL;
    return true;
}

void table_zstd_end(ZstdContext *context) { (void)context; }

bool table_zstd_unpack(ZstdContext *context, const ZstdDictionary *dictionary, const uint8_t *frame,
                       size_t frame_size, uint8_t *out, size_t size)
{
    (void)context, (void)dictionary, (void)frame, (void)frame_size, (void)out, (void)size;
    return false;
}

#endif
