/* scratch_parts.h - the arrays of a part of a stored side (scratch.h), and how they are filled from a solved slice.
 *
 * A part has at most one array of distances, followed by one or two sets of cells. Each of them has the planes one
 * after another. */
#ifndef TREB_GEN_STORE_SCRATCH_PARTS_H
#define TREB_GEN_STORE_SCRATCH_PARTS_H

#include "gen/store/scratch.h"

/* Returns the bytes of one plane of distances (0: the part has none), the number of sets, the bytes of one plane of a
 * set, and the bytes of `planes` planes of the whole part. */
size_t part_plies_bytes(const StoreEntry *entry, StoredFormat format, int part);
int part_sets(StoredFormat format, int part);
size_t entry_set_bytes(const StoreEntry *entry);
size_t part_bytes(const StoreEntry *entry, StoredFormat format, int part, uint32_t planes);

/* Points the arrays of a part in `out` into memory for `planes` planes. */
void part_place(const StoreEntry *entry, StoredFormat format, int part, uint32_t planes,
                void *memory, int color, SolvedArrays *out);

/* Allocates memory for all planes of a part. False: out of memory. */
bool part_alloc(const StoreEntry *entry, StoredSide *side, int color, int part);

/* Returns what must be read of a solved plane (PLANE_...) for a part. */
unsigned part_plane_parts(const SolvedSlice *slice, int part);

/* Copies a solved plane, or the cells of it that are in the subset, to plane number `at` of arrays. `square` is the
 * number of the subset's square. */
void part_put_plane(const StoreEntry *entry, const Plane *plane, int square, uint32_t at, int part,
                    const SolvedArrays *to, int color);

#endif
