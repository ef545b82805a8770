/* ghosts.h - what processes that solve a slice together send each other, ply by ply.
 *
 * Of the ghost planes (partition.h) a process must know which cells were decided. As soon as a process decides cells of
 * a plane that is a ghost plane of others, it sends them this set of cells, packed as in its log. At the end of a ply
 * every process receives what the others sent. It removes won cells from the cells not yet won of the ghost plane.
 * Lost cells stay packed: they are read at the next ply. */
#ifndef TREB_GEN_SOLVE_GHOSTS_H
#define TREB_GEN_SOLVE_GHOSTS_H

#include "gen/solve/buffers.h"
#include "gen/solve/partition.h"

/* Head of a message: cells of a plane that were decided at a ply. The packed set follows. */
typedef struct GhostItem {
    /* Blocks of rows that are not empty (kernel.h); of a pair the squares of either man. */
    uint64_t row_blocks;
    uint32_t size; /* bytes of the set */
    uint16_t kings;
    uint8_t side, won;
} GhostItem;

typedef struct GhostMessages {
    ReceivedBytes *message;
    size_t count, capacity;
} GhostMessages;

typedef struct Ghosts {
    /* By side and kings: packed cells lost at the ply before; NULL: none. */
    const uint8_t **lost[2];
    const uint8_t **item[2]; /* by side: items with cells won at the ply before */
    uint32_t items[2];       /* number of these */
    GhostMessages messages;  /* memory of the items */
} Ghosts;

/* False: out of memory. */
bool ghosts_init(Ghosts *ghosts, const Layout *layout);
void ghosts_free(Ghosts *ghosts);

/* Sends a packed set of cells that were decided in an own plane at ply n to the processes that need it. */
void ghosts_send(const Solver *s, uint32_t kings, int side, bool won, unsigned n,
                 const uint8_t *packed, size_t size);

/* Receives what the other processes sent at ply n. Collective; called by one thread. */
void ghosts_receive(Solver *s, unsigned n);

/* Applies one received item with won cells. `number` counts the items of both sides. */
void ghosts_apply_won(const Solver *s, uint32_t number, Buffers *t);

/* Frees the messages that were received last. */
void ghosts_release(Solver *s);

#endif
