/* side_encoder.h - the state of one side to move of a file with codec symbols, while it is made.
 *
 * The steps, each in a file of its own:
 *
 *     side_sample      chooses the slices of the sample
 *     side_values      chooses from the sample which value stands for what, and turns cells into values
 *     side_fill        reads the cells of slices as values
 *     side_order       chooses the order of the axes that makes the sample smallest
 *     side_coders      divides the slices into classes and learns a code for each class
 *     side_encode      turns values into blocks of code words
 *     side_processes   does the last step with several processes
 *
 * side_cells reads the cells that have waited (cells.h). symbols_file.c calls the steps. */
#ifndef TREB_GEN_WRITE_SIDE_ENCODER_H
#define TREB_GEN_WRITE_SIDE_ENCODER_H

#include "gen/compress/coder.h"
#include "gen/write/cell_batch.h"
#include "gen/write/symbols_job.h"

enum {
    /* cells of the sample, at most; at least one slice that is not large */
    SAMPLE_CELLS = 128 << 20,
    /* cells of the slices that are coded together, at most; at least one slice */
    BATCH_CELLS = 16 << 20,
    CLASSES = 12,     /* most classes of a side */
    ROWS = 8,         /* rows of SideEncoder.value_by_row */
    SEGMENT = 1 << 20 /* cells that a thread codes at a time */
};

/* Consecutive slices of the file that have a code of their own. */
typedef struct SliceClass {
    uint64_t first, slices; /* number of the first slice in the file; number of slices */
    Coder *coder;
    uint8_t *sample; /* some cells of the class, which tell how many cells a block holds */
    size_t sample_cells;
} SliceClass;

struct SideEncoder {
    const SymbolsJob *job;
    int side;
    uint64_t reserved; /* bytes that this file, and those made at the same time, need at most */
    uint64_t cells;    /* of a slice */
    bool large;        /* slices are too large to be in memory as a whole */
    Window window;     /* of the sample, if slices are large */
    /* The value of a cell by verdict and cell code (codes.h). */
    uint8_t value[WDL_VALUES][PLIES_OPEN + 1];
    /* The value of a cell by what is stored for its verdict (see row_of in side_values.c) and cell code. */
    uint8_t value_by_row[ROWS][PLIES_OPEN + 1];
    bool present[ENCODE_VALUES]; /* values that occur */
    /* of mate distances: the value that ENCODE_UP_TO | n stands for */
    uint8_t up_to[ENCODE_LIMITS];
    CellBatch sample;
    uint8_t *whole; /* memory for all slices by their number, where memory is plentiful; or NULL */
    bool filled;    /* `whole` holds all slices, not only those of the sample */
    Reorder reorder;
    /* the slices that are kept, in `whole` or as the sample, are in the file's order, one after another */
    bool in_order;
    uint8_t *ordered; /* memory for the cells of a batch in the file's order, or NULL */
    uint64_t bytes;   /* estimated size of all cells with one code */
    SliceClass each[CLASSES];
    unsigned classes;
    unsigned block_bytes; /* size of a block */
};

/* Largest number of cells of a sample, and of a slice that is not large. `large`: see WriteOptions. */
static inline uint64_t side_sample_cells(uint64_t large)
{
    return large > 0 && large < SAMPLE_CELLS ? large : SAMPLE_CELLS;
}

static inline bool side_is_large(const Layout *layout, uint64_t large)
{
    return layout->kings * layout_lane_cells(layout) > side_sample_cells(large);
}

/* Whether a cell is read with its verdict: what the value of a distance stands for depends on the verdict. */
static inline bool side_by_verdict(const SymbolsJob *job)
{
    return job->metric != TREB_WDL && job->metric != TREB_DTM50;
}

/* Sets all members that come from the job, and the rest to 0. */
void side_encoder_init(SideEncoder *s, const SymbolsJob *job, int side, uint64_t reserved);

/* Number of slices with at most `cells` cells together: at least 1, at most all. */
size_t side_slices_in(const SideEncoder *s, uint64_t cells);

/* Bytes that may be claimed beyond `reserved`. */
uint64_t side_spare_memory(const SideEncoder *s);

#endif
