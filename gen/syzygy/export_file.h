/* export_file.h - writes a Syzygy file from its encoded arrays. */
#ifndef TREB_GEN_SYZYGY_EXPORT_FILE_H
#define TREB_GEN_SYZYGY_EXPORT_FILE_H

#include "gen/syzygy/array_encode.h"
#include "gen/syzygy/array_orders.h"
#include "probe/syzygy/format.h"

typedef struct ExportArray {
    ArrayOrder order;
    Encoded encoded;
    uint8_t flags; /* flags of a DTZ array; those in encoded.code are added to them */
    uint16_t map_count[SYZYGY_MAPS];          /* of DTZ: number of entries of each map */
    uint16_t map[SYZYGY_MAPS][ENCODE_VALUES]; /* of DTZ: distance of each value */
} ExportArray;

typedef struct ExportFile {
    const Material *material;
    treb_metric metric;
    int sides, files; /* number of sides to move and of pawn files; without pawns `files` is 1 */
    ExportArray array[4][2]; /* by file of the leading pawn and side to move */
} ExportFile;

/* Writes the file to `directory` under a temporary name, and renames it when it is complete. Sets *size
 * to its size in bytes. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status export_file_write(const ExportFile *file, const char *directory, uint64_t *size,
                              treb_error *error);

/* Frees the encoded arrays, not `file` itself. */
void export_file_free(ExportFile *file);

#endif
