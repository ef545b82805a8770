/* cells_pack.c - see cells_pack.h. */
#include "gen/write/cells_pack.h"

#include <string.h>

#include "gen/write/codes.h"

/* A cell of verdicts fits into half a byte: it is one of five verdicts, or CELL_UP_TO_DRAW (14) or
 * CELL_FREE (15). Fewer bytes mean less time for zstd. */
enum { NIBBLES_SPECIAL = 14 };

void nibbles_pack(const Plies *chosen, size_t cells, uint8_t *out)
{
    for (size_t i = 0; i + 1 < cells; i += 2)
        out[i / 2] = (uint8_t)((chosen[i] & 15) | (chosen[i + 1] & 15) << 4);
    if (cells % 2) out[cells / 2] = (uint8_t)(chosen[cells - 1] & 15);
}

static Plies nibble_cell(unsigned nibble)
{
    return (Plies)(nibble < NIBBLES_SPECIAL ? nibble : nibble - NIBBLES_SPECIAL + CELL_UP_TO_DRAW);
}

void nibbles_unpack(const uint8_t *in, size_t cells, Plies *out)
{
    Plies two[256][2];
    for (unsigned b = 0; b < 256; b++)
        for (int i = 0; i < 2; i++) two[b][i] = nibble_cell(b >> 4 * i & 15);
    for (size_t i = 0; i + 1 < cells; i += 2) memcpy(out + i, two[in[i / 2]], sizeof *two);
    if (cells % 2) out[cells - 1] = nibble_cell(in[cells / 2] & 15);
}

/* Distances take one byte each if all distances of a chunk fit. With bounds, the values from BYTE_BOUND on
 * stand for bounds. BYTE_FREE stands for CELL_FREE. */
enum { BYTE_FREE = 255, BYTE_BOUND = 128 };

static unsigned byte_codes(bool bounds) { return bounds ? BYTE_BOUND : BYTE_FREE; }

bool bytes_pack(bool bounds, const Plies *chosen, size_t cells, uint8_t *out)
{
    const unsigned codes = byte_codes(bounds);
    unsigned misfits = 0;
    for (size_t i = 0; i < cells; i++) {
        Plies c = chosen[i], low = c & (BYTE_BOUND - 1);
        misfits |=
            (c >= codes) & (c != CELL_FREE) & (c < CELL_BOUND || c >= CELL_BOUND + BYTE_BOUND);
        out[i] = (uint8_t)(c == CELL_FREE ? BYTE_FREE : c >= CELL_BOUND ? BYTE_BOUND | low : c);
    }
    return !misfits;
}

void bytes_unpack(bool bounds, const uint8_t *in, size_t cells, Plies *out)
{
    const unsigned codes = byte_codes(bounds);
    const Plies bound = CELL_BOUND - BYTE_BOUND;
    for (size_t i = 0; i < cells; i++) {
        Plies c = (Plies)(in[i] >= codes ? in[i] + bound : in[i]);
        out[i] = in[i] == BYTE_FREE ? CELL_FREE : c;
    }
}
