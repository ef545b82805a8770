/* slice_provider.h - solved slices as the solver of another slice reads them.
 *
 * A conversion (capture, promotion or pawn push) leads from a slice to a cell of a slice that is already solved. The
 * solver gets such slices from a SliceProvider: gen/store is one.
 *
 * The value of a cell is the distance to mate in plies. Its parity says who wins: the side to move wins in an odd
 * number of plies and loses in an even number. Where distances to mate are not solved, a win is 1 and a loss is 2.
 * PLIES_OPEN is a draw if the position is legal. */
#ifndef TREB_GEN_SOLVE_SLICE_PROVIDER_H
#define TREB_GEN_SOLVE_SLICE_PROVIDER_H

#include "gen/solve/layout.h"
#include "gen/solve/plies.h"
#include "gen/solve/subset.h"
#include "trebuchet.h"

/* Arrays of the cells of solved slices, by side to move; NULL where they are not in memory. They have all cells of a
 * slice, or those of a subset: for each pair of kings, square by square of the promoted man. */
typedef struct SolvedArrays {
    PliesArray value[2];
    uint64_t *legal[2];
    uint64_t *cursed[2]; /* won or lost by mate, drawn by the 50-move rule; NULL: no cell is */
    /* Only while the table itself is being solved, for its own pushes: */
    PliesArray dtc[2];             /* distance to conversion where the value is a win or a loss */
    uint64_t *stalemate[2];        /* no legal move, except perhaps a capture en passant */
    const PromotionSubset *subset; /* NULL: whole slices */
    /* By man and square: how far his square takes a cell from the first one of a plane, which has `plane_cells` cells; of
     * cells that are not kept, another one. NULL: as in the layout (or in the subset). */
    const uint32_t (*step)[64];
    size_t plane_cells;
    /* By kings: place of a plane in the arrays, -1 if it is missing; NULL: all, in order. */
    const int32_t *place;
    bool by_plane; /* too large for memory: the arrays are NULL and planes are fetched one by one */
} SolvedArrays;

/* Memory of one thread for fetched planes. A fetch brings neighbouring planes along, and the next fetch of one of them
 * finds it here. All 0 at first; the caller frees `bytes`. */
typedef struct SolvedBuffer {
    uint8_t *bytes;
    size_t size;
    const SolvedArrays *of; /* whose planes are in `bytes`; NULL: none */
    size_t chunk;           /* which planes: the number of a chunk of the scratch file */
    bool push;              /* whether the arrays for pushes are there too */
} SolvedBuffer;

/* A source of solved slices. All functions are thread-safe. */
typedef struct SliceProvider {
    void *context;
    /* Returns the layout of a solved material, or of the given subset of it (`wanted`, 0 for whole slices) if the
     * provider keeps subsets of this material. NULL: it has no such material. Valid as long as the provider. */
    const Layout *(*layout)(void *context, const Material *material, unsigned wanted);
    /* Provides one side to move of a slice. `layout` is one that the function above returned. `push`: with the arrays
     * that only pushes read. Valid until `release`. */
    treb_status (*find)(void *context, const Layout *layout, uint64_t slice, int side, bool push,
                        const SolvedArrays **solved, int *lane, treb_error *error);
    void (*release)(void *context, const SolvedArrays *solved);
    /* Fetches one plane of arrays that are `by_plane`, into `buffer`. The arrays of `out` then begin with this plane.
     * May be NULL if no arrays are `by_plane`. */
    treb_status (*plane)(void *context, const Layout *layout, const SolvedArrays *solved, int side,
                         uint32_t plane, bool push, SolvedBuffer *buffer, SolvedArrays *out,
                         treb_error *error);
} SliceProvider;

#endif
