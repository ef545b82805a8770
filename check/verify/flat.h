/* flat.h - the arrays of a Syzygy file, unpacked. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_FLAT_H
#define TREB_CHECK_VERIFY_FLAT_H

#include "check/verify/report.h"

/* All values of a file, in its own order. */
typedef struct VerifyFlat {
    const Syzygy *table;
    bool wdl;
    uint8_t *verdict[2][4]; /* by side to move and the leading pawn's file */
    uint16_t *dtz[4];
} VerifyFlat;

uint64_t verify_flat_bytes(const Syzygy *table, bool wdl);

/* Unpacks a file. If that fails the report has why, and nothing is kept. */
void verify_flat_load(VerifyReport *report, const Syzygy *table, bool wdl, VerifyFlat *flat);
void verify_flat_free(VerifyFlat *flat);

/* What the file has of a position, as it would be probed: a treb_wdl, or what syzygy_dtz says; -1:
 * nothing. `twin` asks for the mirror image's, see syzygy_twin; -2: it has none. The position's
 * side to move is stored. */
int verify_flat_value(const VerifyFlat *flat, const treb_position *pos, unsigned verdict,
                      bool twin);

#endif
