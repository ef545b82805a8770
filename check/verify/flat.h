/* flat.h - the arrays of a Syzygy file, unpacked into memory. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_FLAT_H
#define TREB_CHECK_VERIFY_FLAT_H

#include "check/verify/report.h"

/* All values of a Syzygy file, in the order of the file. */
typedef struct VerifyFlat {
    const Syzygy *table;
    bool wdl;
    uint8_t *verdict[2][4]; /* by side to move and file (a to d) of the leading pawn */
    uint16_t *dtz[4];
} VerifyFlat;

uint64_t verify_flat_bytes(const Syzygy *table, bool wdl);

/* Unpacks a file. On an error, the report holds the error and `flat` is empty. */
void verify_flat_load(VerifyReport *report, const Syzygy *table, bool wdl, VerifyFlat *flat);
void verify_flat_free(VerifyFlat *flat);

/* Returns what the file says of a position, as a probe would: a treb_wdl for a WDL file, a distance
 * as syzygy_dtz returns it for a DTZ file; -1 if the file has no value. With `twin`, returns the
 * value of the mirror image (see syzygy_twin), or -2 if there is no twin. The file must store the
 * side to move of the position. */
int verify_flat_value(const VerifyFlat *flat, const treb_position *pos, unsigned verdict,
                      bool twin);

#endif
