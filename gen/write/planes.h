/* planes.h - from the planes of a solved slice to runs of bytes in a file. */
#ifndef TREB_GEN_PLANES_H
#define TREB_GEN_PLANES_H

#include "gen/write/blocks.h"

/* Room to bring planes into the file's order: their cells as codes_choose wrote them, and two planes
 * to work with. */
typedef struct PlaneRoom {
    Plies *chosen, *spare, *ordered;
} PlaneRoom;

/* For `planes` planes, of `plane_cells` cells in the file. False: out of memory. */
bool plane_room_init(PlaneRoom *room, const Shape *shape, size_t plane_cells, size_t planes,
                     Ledger *ledger);
void plane_room_free(PlaneRoom *room);

/* Writes one side of the slice in one lane, slice `number` of the file, some planes at a time, in
 * parallel. */
treb_status planes_write(FileBlocks *file, uint64_t number, const Slice *slice, int lane, int side,
                         treb_error *error);

/* The cells of a slice of kings and pawns alone, one a plane, `stride` apart. */
typedef struct KingsCells {
    const Plies *chosen;
    size_t stride;
    uint32_t kings;
} KingsCells;

/* Writes one side of such a slice. */
treb_status planes_write_kings(FileBlocks *file, uint64_t number, int side, const KingsCells *from,
                               treb_error *error);

/* Bytes that so many threads claim at most, each with room for `planes` planes. */
uint64_t planes_memory(const Shape *shape, size_t plane_cells, unsigned width, size_t planes,
                       int threads);

#endif
