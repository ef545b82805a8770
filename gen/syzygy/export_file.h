/* file.h - a Syzygy file, put together from its arrays. */
#ifndef TREB_GEN_SYZYGY_EXPORT_FILE_H
#define TREB_GEN_SYZYGY_EXPORT_FILE_H

#include "gen/syzygy/array_encode.h"
#include "gen/syzygy/array_orders.h"
#include "probe/syzygy/format.h"

typedef struct ExportArray {
    ArrayOrder order;
    Encoded encoded;
    uint8_t flags; /* of DTZ, beside those of encoded.code */
    uint16_t map_count[SYZYGY_MAPS];
    uint16_t map[SYZYGY_MAPS][ENCODE_VALUES]; /* of DTZ: what the values stand for */
} ExportArray;

typedef struct ExportFile {
    const Material *material;
    treb_metric metric;
    int sides, files; /* arrays: of each file of the leading pawn one for each side to move */
    ExportArray array[4][2];
} ExportFile;

/* Writes it to `directory`; the file appears when it is complete. `size` gets its bytes. */
treb_status export_file_write(const ExportFile *file, const char *directory, uint64_t *size,
                              treb_error *error);
void export_file_free(ExportFile *file);

#endif
