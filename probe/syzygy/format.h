/* format.h - the numbers of Syzygy's files that are the same for those who read and who write.
 * docs/syzygy.md describes the format. */
#ifndef TREB_SYZYGY_FORMAT_H
#define TREB_SYZYGY_FORMAT_H

#include <stdint.h>

#include "trebuchet.h"

static const uint8_t syzygy_magic[TREB_DTZ + 1][4] = {
    [TREB_WDL] = {0x71, 0xe8, 0x23, 0x5d},
    [TREB_DTZ] = {0xd7, 0x66, 0x0c, 0xa5},
};

enum {
    SYZYGY_AT_LAYOUT = 4, /* behind the magic number; the upper half is the number of men */
    SYZYGY_AT_MEN = 5,
    SYZYGY_BOTH_SIDES = 1, /* of the layout */
    SYZYGY_PAWNS = 2,
    SYZYGY_ALIGNMENT = 64, /* of blocks, and of the file but for its checksum */
    SYZYGY_SPARSE_SIZE = 6,
    SYZYGY_SYMBOL_SIZE = 3,
    SYZYGY_LEAF = 0xfff,  /* as a right symbol: the left one is a value */
    SYZYGY_NO_SECOND = 15 /* as a place: there are no pawns of another colour */
};

enum {                        /* flags of an array */
       SYZYGY_BLACK = 1,      /* DTZ: Black is to move */
       SYZYGY_MAPPED = 2,     /* DTZ: values are numbers of a map */
       SYZYGY_WIN_PLIES = 4,  /* DTZ: wins are exact, not rounded */
       SYZYGY_LOSS_PLIES = 8, /* DTZ: losses are */
       SYZYGY_WIDE = 16,      /* DTZ: the map has two bytes a value */
       SYZYGY_CONSTANT = 128  /* all values are the same */
};

/* Maps of an array: what its values stand for in wins, losses, cursed wins, blessed losses. */
enum { SYZYGY_MAPS = 4 };

static inline unsigned syzygy_get16(const uint8_t *at) { return at[0] | (unsigned)at[1] << 8; }

static inline uint32_t syzygy_get32(const uint8_t *at)
{
    return syzygy_get16(at) | (uint32_t)syzygy_get16(at + 2) << 16;
}

static inline void syzygy_put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void syzygy_put32(uint8_t *at, uint32_t value)
{
    syzygy_put16(at, value & 0xffff);
    syzygy_put16(at + 2, value >> 16);
}

#endif
