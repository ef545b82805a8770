/* cells.h - keeps the cells of one metric until all slices of a table are solved.
 *
 * A table's files need all slices: how many verdicts share a byte depends on which of them
 * occur, the best order of the axes depends on all slices, and Syzygy's files number positions
 * differently. So this module keeps the cells, lightly compressed, until they are written. A limited
 * number of bytes stays in memory. The rest is in a temporary file without a name; the system deletes it
 * when it is closed or the run is killed.
 *
 * Cells are kept in chunks. A chunk has the cells of some planes of one slice, for one side to move. */
#ifndef TREB_GEN_WRITE_CELLS_H
#define TREB_GEN_WRITE_CELLS_H

#include "core/system/state.h"
#include "gen/write/cells_pack.h"
#include "gen/write/codes.h"
#include "gen/write/statistics.h"
#include "gen/write/write_progress.h"

typedef struct Cells Cells;

/* Where cells are kept. */
typedef struct CellsPlace {
    const char *directory; /* directory of the temporary file */
    /* Name of a file that stays after the run, for resuming; the metric's name is added. Then no
     * cells stay in memory. NULL: a temporary file without a name. */
    const char *path;
    MemoryBudget *budget;
    uint64_t keep; /* bytes of cells that may be claimed in memory, in addition to cells_memory */
    const atomic_bool *stop; /* when it becomes true, cells_add stops; NULL allowed */
    WriteProgress *progress; /* NULL allowed */
    const Processes *
        processes; /* each process keeps the cells of its own planes; NULL: one process keeps all */
} CellsPlace;

enum {
    CELLS_BOTH = 3, /* both sides to move, as bits 1 << TREB_WHITE and 1 << TREB_BLACK */
    /* flag in addition to the sides: cells are bounds, which some moves complete (core/format/table.h). Mate
     * distances that may be bounds are marked (codes.h) */
    CELLS_BOUNDS = 4
};

/* Creates an empty set of cells. `sides`: the sides to move to keep, and CELLS_BOUNDS. Returns
 * NULL with `error` set if out of memory or if the file cannot be created. */
Cells *cells_new(const Layout *layout, treb_metric metric, unsigned sides, const CellsPlace *place,
                 treb_error *error);
void cells_free(Cells *cells);

/* Writes all cells to the disk, then appends to `state` what cells_get needs. Returns TREB_ERR_IO on
 * failure. */
treb_status cells_put(const Cells *cells, State *state, treb_error *error);

/* Like cells_new, but continues from the state that cells_put saved in an earlier run. Returns NULL if
 * the state or the file cannot be used. */
Cells *cells_get(const Layout *layout, treb_metric metric, unsigned sides, const CellsPlace *place,
                 State *state);

/* Bytes that one set of cells claims, without the cells themselves. */
uint64_t cells_memory(const Layout *layout, const Processes *processes);

/* Adds the cells of the solved slices to `count` sets, one for each metric, verdicts first;
 * number[lane] is the number of the slice in that lane. Uses several threads and may be called from
 * several threads. `planes` collects statistics of each plane that is read; NULL allowed. Returns TREB_OK
 * also if it was stopped; otherwise the errors of plane_read, TREB_ERR_MEMORY or TREB_ERR_IO. */
treb_status cells_add(Cells *const cells[], int count, const uint64_t *number,
                      const SolvedSlice *slice, PlaneStatistics *planes, treb_error *error);

/* Bytes that cells_add claims with `threads` threads and `count` metrics, and bytes that
 * cells_read or cells_read_packed claims. */
uint64_t cells_add_memory(const Layout *layout, int count, int threads);
uint64_t cells_read_memory(const Layout *layout);

/* Number of planes of a chunk (the last chunk of a part may have fewer), and number of chunks of
 * a side of a slice. */
uint32_t cells_planes(const Layout *layout);
uint32_t cells_chunks(const Cells *cells);

/* cells_chunk_planes returns the planes of a chunk, in ascending order; without processes they
 * are consecutive. cells_here returns whether this process keeps the chunk. */
const uint32_t *cells_chunk_planes(const Cells *cells, uint32_t chunk, uint32_t *count);
bool cells_here(const Cells *cells, uint32_t chunk);

/* Bytes of the unpacked cells of a full chunk. */
size_t cells_chunk_bytes(const Layout *layout);

/* Returns whether a slice was added. */
bool cells_has(const Cells *cells, uint64_t number);

/* A chunk as it is kept. */
typedef struct PackedChunk {
    const uint8_t *bytes;
    size_t count; /* number of cells */
    PackedAs as;
    bool bounds;     /* see bytes_unpack */
    uint8_t *memory; /* what must be freed; NULL: nothing, because the chunk is in memory anyway */
} PackedChunk;

/* Reads a chunk, which this process must keep, but does not unpack it. If it succeeds, the caller frees
 * the chunk, while the cells still exist. Thread-safe. Returns TREB_ERR_MEMORY or TREB_ERR_IO on
 * failure. */
treb_status cells_read_packed(const Cells *cells, uint64_t number, int side, uint32_t chunk,
                              PackedChunk *out, treb_error *error);
void cells_free_packed(PackedChunk *chunk); /* it may be all 0 */

/* Unpacks a chunk to `out`, with the codes and special values that codes_choose wrote. This process must
 * keep the side and the chunk. Thread-safe. Returns TREB_ERR_MEMORY or TREB_ERR_IO on failure. */
treb_status cells_read(const Cells *cells, uint64_t number, int side, uint32_t chunk, Plies *out,
                       treb_error *error);

/* Packs and keeps the chosen cells of a chunk that belongs to this process: the inverse of cells_read.
 * Returns TREB_ERR_MEMORY or TREB_ERR_IO on failure. */
treb_status cells_write(Cells *cells, uint64_t number, int side, uint32_t chunk,
                        const Plies *chosen, treb_error *error);

/* Brings the cells of all processes to the first one. There `*to` becomes a new set with all
 * planes; in the other processes it is NULL. Collective. */
treb_status cells_gather(const Cells *from, const Layout *layout, treb_metric metric,
                         unsigned sides, const CellsPlace *place, Cells **to, treb_error *error);

/* Bytes that cells_gather claims, without the new set of cells. */
uint64_t cells_gather_memory(const Layout *layout);

/* Exchanges the verdicts seen, so that cells_seen returns one result in all processes. Collective. */
void cells_agree(Cells *cells, const Processes *processes);

/* Returns the verdicts seen, as a mask of 1 << TREB_LOSS and so on. A draw is always included. */
unsigned cells_seen(const Cells *cells);

#endif
