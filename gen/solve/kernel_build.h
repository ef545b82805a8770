/* kernel_build.h - the functions of kernel_distance.c that kernel.c uses. Each build of the kernel compiles both
 * files. */
#ifndef TREB_GEN_SOLVE_KERNEL_BUILD_H
#define TREB_GEN_SOLVE_KERNEL_BUILD_H

#include "gen/solve/kernel.h"

/* The suffix of the names in a build. */
#ifndef KERNEL_BUILD
#define KERNEL_BUILD portable
#endif

#define NAME3(prefix, suffix) prefix##suffix
#define NAME2(prefix, suffix) NAME3(prefix, suffix)
#define NAME(prefix) NAME2(prefix, KERNEL_BUILD)
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

void NAME(distance_mark_)(const uint64_t *set, size_t words, Plies value, Plies *plies);
void NAME(distance_pick_)(const uint64_t *set, size_t words, unsigned shift, const Plies *plies,
                          Plies *out);
Plies NAME(distance_fill_)(const Plies *in, Plies before, Plies cap, Plies *out);

uint64_t NAME(set_count_)(const uint64_t *set, size_t words);
uint8_t *NAME(set_pack_)(const uint64_t *set, uint8_t *out);
const uint8_t *NAME(set_unpack_)(const uint8_t *packed, uint64_t *set);
const uint8_t *NAME(set_unpack_mark_)(const uint8_t *packed, Plies value, Plies *plies);

#endif
