/* syzygy_file.h - a Syzygy file in memory. Private to probe/syzygy/ and gen/syzygy/, which writes
 * such files. */
#ifndef TREB_PROBE_SYZYGY_SYZYGY_FILE_H
#define TREB_PROBE_SYZYGY_SYZYGY_FILE_H

#include "core/format/code.h"
#include "core/format/mapped.h"
#include "probe/syzygy/format.h"
#include "probe/syzygy/syzygy.h"

/* An array of values: for a side to move and a file of the leading pawn. */
typedef struct SyzygyArray {
    SyzygyIndex index;
    uint8_t flags, constant;
    uint8_t block_bits, sparse_bits; /* log2 of the bytes of a block, of the cells of a step */
    uint32_t blocks;
    uint64_t lengths;      /* entries of `length`: one for each block, and padding */
    const uint8_t *sparse; /* for the middle cell of each step: its block, its place in that */
    const uint8_t *length; /* by block: number of its values, minus 1 */
    const uint8_t *block;
    Code code;
    const uint8_t *map[SYZYGY_MAPS]; /* see format.h */
    uint16_t map_count[SYZYGY_MAPS];
} SyzygyArray;

struct Syzygy {
    Mapped map;
    const SyzygyMaps *maps;
    char *path;
    treb_metric metric;
    bool symmetric;
    int sides, files;
    int lead; /* the leading pawns, colour * 8 + type */
    SyzygyArray array[2][4];
    TableFile *file; /* for syzygy_ready; NULL if the file was opened without TableFiles */
};

/* Reads the codes, maps and indexes of arrays whose sizes are known, from offset `at` on. Returns
 * what is wrong with them, or NULL. */
const char *syzygy_read_arrays(Syzygy *table, uint64_t at);

/* Called before bytes of a table are read. Returns false if they must not be read. */
typedef bool SyzygyGuard(void *context, const uint8_t *at, uint64_t size);

enum { SYZYGY_NOWHERE = -1, SYZYGY_UNREAD = -2 };

/* Finds the block of a cell. Returns the number of the cell's value in that block, or
 * SYZYGY_NOWHERE if there is none. `guard` may be NULL; if it returns false the result is
 * SYZYGY_UNREAD. Inlined, so that a NULL guard costs nothing. */
static inline int syzygy_find_block(const SyzygyArray *array, uint64_t cell, uint64_t *block,
                                    SyzygyGuard *guard, void *context)
{
    const uint8_t *entry = array->sparse + SYZYGY_SPARSE_SIZE * (cell >> array->sparse_bits);
    if (guard != NULL && !guard(context, entry, SYZYGY_SPARSE_SIZE)) return SYZYGY_UNREAD;
    int32_t step = (int32_t)1 << array->sparse_bits;
    int32_t place = (int32_t)(cell & ((uint64_t)step - 1)) - step / 2;
    uint64_t at = syzygy_get32(entry);
    place += (int32_t)syzygy_get16(entry + 4);
    if (at > array->lengths) return SYZYGY_NOWHERE;
    while (place < 0) {
        if (at == 0) return SYZYGY_NOWHERE;
        const uint8_t *length = array->length + 2 * --at;
        if (guard != NULL && !guard(context, length, 2)) return SYZYGY_UNREAD;
        place += (int32_t)syzygy_get16(length) + 1;
    }
    for (; at < array->lengths; at++) {
        const uint8_t *length = array->length + 2 * at;
        if (guard != NULL && !guard(context, length, 2)) return SYZYGY_UNREAD;
        int32_t last = (int32_t)syzygy_get16(length);
        if (place <= last) break;
        place -= last + 1;
    }
    *block = at;
    return at < array->blocks ? place : SYZYGY_NOWHERE;
}

/* The array that has a position. */
const SyzygyArray *syzygy_array_of(const Syzygy *table, const treb_position *pos);

/* The value of a cell: 0 to 4095, or -1 if there is none. */
int syzygy_cell(const Syzygy *table, const SyzygyArray *array, uint64_t cell);

#endif
