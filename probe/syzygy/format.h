/* format.h - constants of Syzygy's file format, for reading and writing. docs/syzygy.md describes
 * the format. */
#ifndef TREB_PROBE_SYZYGY_FORMAT_H
#define TREB_PROBE_SYZYGY_FORMAT_H

#include <stdint.h>

#include "trebuchet.h"

static const uint8_t syzygy_magic[TREB_DTZ + 1][4] = {
    {0x71, 0xe8, 0x23, 0x5d}, /* TREB_WDL */
    {0xd7, 0x66, 0x0c, 0xa5}, /* TREB_DTZ */
};

enum {
    SYZYGY_AT_LAYOUT = 4, /* a byte after the magic number; its upper half is the number of men */
    SYZYGY_AT_MEN = 5,
    SYZYGY_BOTH_SIDES = 1, /* flag of the layout byte */
    SYZYGY_PAWNS = 2,      /* flag of the layout byte */
    SYZYGY_ALIGNMENT = 64, /* of blocks, and of the file's size without its checksum */
    SYZYGY_SPARSE_SIZE = 6,
    SYZYGY_SYMBOL_SIZE = 3,
    SYZYGY_LEAF = 0xfff,  /* as the right symbol of a pair: the left one is a value */
    SYZYGY_NO_SECOND = 15 /* as a place: only one colour has pawns */
};

enum {                        /* flags of an array */
       SYZYGY_BLACK = 1,      /* DTZ: Black is to move */
       SYZYGY_MAPPED = 2,     /* DTZ: values are indexes into a map */
       SYZYGY_WIN_PLIES = 4,  /* DTZ: wins are exact, not rounded */
       SYZYGY_LOSS_PLIES = 8, /* DTZ: losses are exact */
       SYZYGY_WIDE = 16,      /* DTZ: the map has two bytes a value */
       SYZYGY_CONSTANT = 128  /* all values are the same */
};

/* Number of maps of an array: they say what its values mean in wins, losses, cursed wins, blessed
 * losses. */
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
