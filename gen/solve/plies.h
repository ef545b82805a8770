/* plies.h - the type of a distance in the generator.
 *
 * Distances of up to 5 men fit into a byte. Some of 6 men do not: `make WIDE=yes` builds a
 * generator with two bytes, which takes nearly twice the memory. Both write the same files of up to
 * 5 men. */
#ifndef TREB_GEN_PLIES_H
#define TREB_GEN_PLIES_H

#include <stdint.h>

#ifdef TREB_WIDE
typedef uint16_t Plies;
enum { PLIES_MOST = 4094 };
#else
typedef uint8_t Plies;
enum { PLIES_MOST = 254 }; /* the longest distance a code can say */
#endif
enum { PLIES_BYTE_MEN = 5 };          /* a byte suffices for tables of so many men */
enum { PLIES_OPEN = PLIES_MOST + 1 }; /* a draw where legal; else no position */

#endif
