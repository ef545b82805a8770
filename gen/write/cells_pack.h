/* cells_pack.h - packs the cells that cells.h keeps into a few bits each, before zstd compresses
 * them. */
#ifndef TREB_GEN_WRITE_CELLS_PACK_H
#define TREB_GEN_WRITE_CELLS_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include "gen/solve/plies.h"

/* How cells are packed: in half a byte, in a byte, or not at all. */
typedef enum PackedAs { PACKED_NIBBLES, PACKED_BYTES, PACKED_NOT } PackedAs;

/* Verdicts: two cells in a byte, the first one in the low half. The three low bits of a cell and of
 * its half byte are equal. */
void nibbles_pack(const Plies *chosen, size_t cells, uint8_t *out);
void nibbles_unpack(const uint8_t *in, size_t cells, Plies *out);

/* Distances: a byte for each cell. `bounds`: some distances are marked as bounds. bytes_pack
 * returns false if some cells do not fit into a byte. */
bool bytes_pack(bool bounds, const Plies *chosen, size_t cells, uint8_t *out);
void bytes_unpack(bool bounds, const uint8_t *in, size_t cells, Plies *out);

#endif
