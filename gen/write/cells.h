/* cells.h - what goes into a table's file for one metric, kept until all of its slices are solved.
 *
 * How many verdicts share a byte depends on which of them occur, and the best order of the axes on
 * all slices; Syzygy's files number positions in another way altogether. So cells wait, lightly
 * compressed: so many bytes in memory, the rest in a file without a name, which is gone when it is
 * closed or the run is killed. */
#ifndef TREB_GEN_WRITE_CELLS_H
#define TREB_GEN_WRITE_CELLS_H

#include "core/system/state.h"
#include "gen/write/codes.h"
#include "gen/write/statistics.h"
#include "gen/write/write_progress.h"

typedef struct Cells Cells;

/* Where they wait. */
typedef struct CellsPlace {
    const char *directory; /* has room for the file */
    /* Of a file that outlives the run, beside which nothing stays in memory, with the metric's name added;
     * NULL: one without a name. */
    const char *path;
    MemoryBudget *budget;
    uint64_t keep; /* bytes that may be claimed in memory, beside what cells_memory says */
    const atomic_bool *stop; /* when true nothing more is added; NULL allowed */
    WriteProgress *progress;       /* NULL allowed */
    const Processes *processes;      /* each of which has its own planes; NULL: all are here */
} CellsPlace;

enum {
    CELLS_BOTH = 3,  /* sides to move, as 1 << TREB_WHITE and so on */
    CELLS_BOUNDS = 4 /* beside these: mate distances that may be bounds are marked */
};

/* NULL: see `error`. */
Cells *cells_new(const Layout *layout, treb_metric metric, unsigned sides, const CellsPlace *place,
                 treb_error *error);
void cells_free(Cells *cells);

/* What is there, for another run; the file is on the disk then. TREB_ERR_IO. */
treb_status cells_put(const Cells *cells, State *state, treb_error *error);

/* As cells_new, with what an earlier run put. NULL: that cannot be used. */
Cells *cells_get(const Layout *layout, treb_metric metric, unsigned sides, const CellsPlace *place,
                 State *state);

/* Bytes that one claims. */
uint64_t cells_memory(const Layout *layout, const Processes *processes);

/* Takes the slices of `slice`, number[lane] each, for each of these metrics, verdicts first; in parallel.
 * `planes`, which may be NULL, gets each plane that is read. May be called from several threads. */
treb_status cells_add(Cells *const cells[], int count, const uint64_t *number, const SolvedSlice *slice,
                      PlaneStatistics *planes, treb_error *error);

/* Bytes that adding claims with so many threads, for so many metrics; and reading a chunk. */
uint64_t cells_add_memory(const Layout *layout, int count, int threads);
uint64_t cells_read_memory(const Layout *layout);

/* Planes are kept in chunks of so many; some have fewer. */
uint32_t cells_planes(const Layout *layout);
uint32_t cells_chunks(const Cells *cells);

/* Those of a chunk: without processes, one after the other. Whether they are here. */
const uint32_t *cells_chunk_planes(const Cells *cells, uint32_t chunk, uint32_t *count);
bool cells_here(const Cells *cells, uint32_t chunk);

/* Bytes of the cells of a chunk, unpacked. */
size_t cells_chunk_bytes(const Layout *layout);

/* Whether a slice was added. */
bool cells_has(const Cells *cells, uint64_t number);

/* Unpacks a chunk of a side that is kept, and here, as codes_choose wrote it. Thread-safe. */
treb_status cells_read(const Cells *cells, uint64_t number, int side, uint32_t chunk, Plies *out,
                       treb_error *error);

/* The other way round: packs what was chosen for a chunk that is here. */
treb_status cells_write(Cells *cells, uint64_t number, int side, uint32_t chunk,
                        const Plies *chosen, treb_error *error);

/* Brings the cells of the processes of a place to the first, where `to` are new ones without processes; elsewhere it is
 * NULL. By all of them together. */
treb_status cells_gather(const Cells *from, const Layout *layout, treb_metric metric, unsigned sides,
                         const CellsPlace *place, Cells **to, treb_error *error);

/* Bytes that it claims, beside those cells. */
uint64_t cells_gather_memory(const Layout *layout);

/* Has all processes know the verdicts that any of them has seen. */
void cells_agree(Cells *cells, const Processes *processes);

/* The verdicts seen, as a mask of 1 << TREB_LOSS and so on; a draw is always among them. */
unsigned cells_seen(const Cells *cells);

#endif
