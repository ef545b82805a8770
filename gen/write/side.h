/* side.h - a side to move of a file with codec symbols, while it is made: what the files of coded.h
 * share.
 *
 *     side_cells   its cells, chunk after chunk and in batches of slices; a sample of them
 *     side_values  what value stands for what, and cells as values
 *     side_order   the order of the axes that suits them
 *     side_codes   classes of slices, and a code for each
 *     side_encode  cells as blocks, by these codes
 *     shared       what ranks do of that together */
#ifndef TREB_GEN_SIDE_H
#define TREB_GEN_SIDE_H

#include "gen/compress/coder.h"
#include "gen/write/coded.h"
#include "gen/write/window.h"

enum {
    SAMPLE_CELLS = 128 << 20, /* of the slices that are looked at first, or one slice */
    BATCH_CELLS = 16 << 20,   /* of the slices that go by together, or one slice */
    CLASSES = 12,             /* that a side has at most */
    ROWS = 8,                 /* see side_values.c */
    SEGMENT = 1 << 20         /* cells that a thread codes at a time */
};

/* Slices whose cells are in memory, as values. */
typedef struct Batch {
    uint64_t *number; /* of each slice, in the file */
    size_t count;
    uint8_t *cells; /* slice after slice as the solver has them; NULL: the side keeps them; */
    Window *window; /* or, of large ones, those of a window: NULL if there is none */
} Batch;

/* Slices that have a code of their own: they follow each other in the file. */
typedef struct Class {
    uint64_t first, slices;
    Coder *coder;
    uint8_t *some; /* of its cells, to see how many a block holds */
    size_t count;
} Class;

typedef struct Side {
    const CodedJob *job;
    int side;
    uint64_t cells; /* of a slice */
    bool large;     /* slices are: there is never one in memory as a whole */
    Window window;  /* of the sample of such */
    uint8_t of[WDL_VALUES][PLIES_OPEN + 1];
    uint8_t row[ROWS][PLIES_OPEN + 1]; /* the same by what stands for the verdict */
    bool present[ENCODE_VALUES];
    uint8_t limit[ENCODE_LIMITS]; /* of mate distances: what ENCODE_UP_TO | n stands for */
    Batch sample;
    uint8_t *whole; /* room for all slices, by their number, where there is memory; or NULL */
    bool filled;    /* all are there, not only those of the sample */
    Reorder reorder;
    uint8_t *ordered; /* room for the cells of a batch in that order, or NULL */
    uint64_t bytes;   /* that the cells take by one code, about */
    Class each[CLASSES];
    unsigned classes;
    unsigned block_bytes;
} Side;

/* Cells of a sample, or of one slice that is not large: see WriteOptions. */
static inline uint64_t side_sample_cells(uint64_t large)
{
    return large > 0 && large < SAMPLE_CELLS ? large : SAMPLE_CELLS;
}

static inline bool side_is_large(const Shape *shape, uint64_t large)
{
    return shape->kings * shape_lane_cells(shape) > side_sample_cells(large);
}

/* Distances are looked at with the verdict, as their values depend on it. */
static inline bool side_by_verdict(const CodedJob *job) { return job->metric != TREB_WDL; }

/* ---- side_cells ------------------------------------------------------------------------------ */

/* A chunk of a slice: its cells, and their verdicts where those matter. */
typedef struct Chunk {
    Plies *cell, *verdict;
    uint8_t *spare; /* room for values */
    size_t count;
} Chunk;

/* Room for one. False: out of memory; it may be freed in any case. */
bool side_chunk_init(const Side *s, Chunk *chunk);
void side_chunk_free(Chunk *chunk);

/* Reads one that is here, of a slice by the solver's number: that of a slice of the file. */
treb_status side_read_chunk(const Side *s, uint64_t slice, uint32_t number, Chunk *out,
                            treb_error *error);
uint64_t side_solved_slice(const CodedJob *job, uint64_t slice);

/* What is done with each chunk. */
typedef treb_status UseChunk(void *context, size_t slice, uint32_t number, const Chunk *chunk,
                             treb_error *error);

/* All chunks of a batch that are here, in parallel. Where the batch has parts of planes only, or some, also those beside
 * them that one process has in the same chunk: batch_looks_at says which. */
bool batch_looks_at(const Side *s, const Batch *batch, uint32_t kings);
treb_status side_each_chunk(const Side *s, const Batch *batch, UseChunk *use, void *context,
                            treb_error *error);

/* How many slices have so many cells together: one at least, and not more than there are. */
size_t batch_slices(const Side *s, uint64_t cells);

/* Bytes of each slice of a batch. */
uint64_t batch_slice_cells(const Side *s, const Batch *batch);

/* Where the cells of one are. */
uint8_t *batch_slice(const Side *s, const Batch *batch, size_t i);

/* Keeps all slices in one place, if memory is ample and there is room for both sides of all files that are made at the
 * same time: what is looked at, learned from and coded is read and unpacked once then. */
void side_keep_whole(Side *s);
void side_free_whole(Side *s);

/* Room for that many, unless the side keeps them. A batch that is all 0 may be freed, too. */
treb_status batch_reserve(const Side *s, Batch *batch, uint64_t cells, treb_error *error);
void batch_free(Batch *batch);

/* Lists slices from all over some that follow each other: one of each of so many parts, not always in
 * the same place, as these might have a pawn on the same square. In ascending order, and only such as
 * positions use. Returns how many. */
size_t side_list_slices(const Side *s, uint64_t first, uint64_t slices, size_t wanted,
                        uint64_t *out);

/* Memory that may be claimed beside what this file, and others that are made at the same time, need
 * at most. */
uint64_t side_spare_memory(const Side *s);

/* A window for as much of each of so many large slices as a sample has room for. */
treb_status side_sample_window(Side *s, const Reorder *reorder, size_t slices, bool inner_whole,
                               treb_error *error);

/* Whether all slices are in the sample; else codes are learned from others, which take its place. */
bool side_sample_is_all(const Side *s);

/* Lists the slices of the sample, and reserves room for them. */
treb_status side_choose_sample(Side *s, treb_error *error);

/* ---- side_values ----------------------------------------------------------------------------- */

/* Chooses what the values stand for, by the sample's cells, and says so in the header. */
treb_status side_choose_values(Side *s, treb_error *error);

/* The cells of a chunk as values. */
treb_status side_chunk_values(const Side *s, const Chunk *chunk, uint8_t *restrict out,
                              treb_error *error);

/* Fills a batch with the values of its slices, but for those that no position uses. Ranks do so together, and
 * each has all of it then. */
treb_status batch_fill(const Side *s, Batch *batch, treb_error *error);

/* The same of all slices that the side keeps, and that are not in the sample. */
treb_status side_fill_whole(Side *s, treb_error *error);

/* What the cells of a side may be. */
CodeForm side_form(const Side *s);

/* One value throughout needs no pages. */
bool side_is_constant(const Side *s);

/* ---- side_order ------------------------------------------------------------------------------ */

/* Chooses the order that takes least for the sample, which is filled. */
treb_status side_choose_order(Side *s, treb_error *error);

/* Cells of a batch in an order, slice after slice. */
void side_copy_cells(const Side *s, const Batch *batch, const Reorder *reorder, uint64_t first,
                     size_t count, uint8_t *out);

/* ---- side_codes ------------------------------------------------------------------------------ */

/* Divides the side into classes, has their codes learned and chooses the size of blocks. The sample is
 * filled if it is all; else it is lost. */
treb_status side_learn(Side *s, treb_error *error);
void side_free_codes(Side *s);

/* How many classes a side may have: see WriteOptions. */
unsigned side_classes_most(const Shape *shape, unsigned wanted);

/* Bytes that learning claims at most, beside the coders and the sample. */
uint64_t side_learn_memory(const Shape *shape, unsigned wanted);

/* ---- side_encode ----------------------------------------------------------------------------- */

/* Who writes a side. */
typedef struct Out {
    Side *side;
    TableWriter *writer[2]; /* the second may be NULL */
    unsigned class;         /* that is being written */
    struct Spool *spool; /* where blocks wait for the first rank; NULL: they are written at once */
} Out;

/* Cells that are to be coded, of one class. */
typedef struct Source {
    const Batch *batch;
    const uint8_t *ordered; /* all of them in the order of the file, or NULL */
    uint64_t size;
} Source;

/* Codes them, a segment after the other, and writes the blocks. */
treb_status side_encode(const Out *out, const Source *source, treb_error *error);
treb_status side_write_blocks(const Out *out, const CodedBlocks *blocks, treb_error *error);

#endif
