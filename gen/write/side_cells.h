/* side_cells.h - reads the cells of one side to move that have waited (cells.h), chunk by chunk. */
#ifndef TREB_GEN_WRITE_SIDE_CELLS_H
#define TREB_GEN_WRITE_SIDE_CELLS_H

#include "gen/write/side_encoder.h"

/* A chunk of a slice: its cells, and their verdicts where the metric needs them. */
typedef struct CellChunk {
    PackedChunk cell, verdict;
    uint8_t *values; /* memory for the cells as values */
} CellChunk;

/* Allocates memory for one chunk. Returns false if out of memory; the chunk may be freed in any case. */
bool side_chunk_init(const SideEncoder *s, CellChunk *chunk);
void side_chunk_free(CellChunk *chunk);

/* Returns the solver's number of a slice of the file. */
uint64_t side_solved_slice(const SymbolsJob *job, uint64_t slice);

/* Reads chunk `number` of a slice, which this process must have. `slice` is the solver's number. */
treb_status side_read_chunk(const SideEncoder *s, uint64_t slice, uint32_t number, CellChunk *out,
                            treb_error *error);

/* Called with each chunk; `slice` is its place in the batch. */
typedef treb_status UseChunk(void *context, size_t slice, uint32_t number, const CellChunk *chunk,
                             treb_error *error);

/* Calls `use`, in parallel, with all chunks of the batch that this process has; with a window only those that
 * cell_batch_covers. Returns an error of `use` or of reading, and TREB_STOPPED if it was stopped. */
treb_status side_each_chunk(const SideEncoder *s, const CellBatch *batch, UseChunk *use,
                            void *context, treb_error *error);

#endif
