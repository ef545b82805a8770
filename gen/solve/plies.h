/* plies.h - the type of a distance in the generator, and arrays of distances. */
#ifndef TREB_GEN_SOLVE_PLIES_H
#define TREB_GEN_SOLVE_PLIES_H

#include <stddef.h>
#include <stdint.h>

typedef uint16_t Plies;

enum {
    PLIES_MOST = 4094, /* the longest distance that can be stored: six men need 523 */
    /* A draw if the position is legal; otherwise the cell is no position. */
    PLIES_OPEN = PLIES_MOST + 1,
    /* Large arrays take one byte a distance if all distances fit: */
    NARROW_MOST = 254,  /* the longest distance in one byte */
    PLIES_BYTE_MEN = 5, /* all distances of tables with up to this number of men fit */
    NARROW_OPEN = 255   /* PLIES_OPEN in one byte */
};

/* Distances of many cells, one byte each or two. One of the two pointers is NULL. */
typedef struct PliesArray {
    uint8_t *narrow;
    Plies *wide;
} PliesArray;

static inline Plies narrow_plies(uint8_t byte) { return byte == NARROW_OPEN ? PLIES_OPEN : byte; }

static inline Plies array_plies(const PliesArray *array, uint64_t cell)
{
    return array->narrow != NULL ? narrow_plies(array->narrow[cell]) : array->wide[cell];
}

#endif
