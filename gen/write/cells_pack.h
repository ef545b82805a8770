/* cells_pack.h - cells that wait (cells.h) in few bits each, before they are compressed. */
#ifndef TREB_GEN_WRITE_CELLS_PACK_H
#define TREB_GEN_WRITE_CELLS_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include "gen/solve/plies.h"

/* Verdicts, two in a byte. */
void nibbles_pack(const Plies *chosen, size_t cells, uint8_t *out);
void nibbles_unpack(const uint8_t *in, size_t cells, Plies *out);

/* Distances, a byte each; with `bounds` some are marked as such. False: some do not fit. */
bool bytes_pack(bool bounds, const Plies *chosen, size_t cells, uint8_t *out);
void bytes_unpack(bool bounds, const uint8_t *in, size_t cells, Plies *out);

#endif
