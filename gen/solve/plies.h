/* plies.h - the type of a distance in the generator. */
#ifndef TREB_GEN_PLIES_H
#define TREB_GEN_PLIES_H

#include <stdint.h>

typedef uint16_t Plies;

enum {
    PLIES_MOST = 4094,           /* the longest distance: six men need 523 */
    PLIES_OPEN = PLIES_MOST + 1, /* a draw where legal; else no position */
    /* Where many wait they take a byte each, if all fit: */
    NARROW_MOST = 254, /* enough for tables of so many men: */
    PLIES_BYTE_MEN = 5,
    NARROW_OPEN = 255
};

#endif
