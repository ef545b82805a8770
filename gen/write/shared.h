/* shared.h - a side of a file with codec symbols, made by ranks together (gen/solve/ranks.h).
 *
 * Each rank has the cells of its own planes. What is learned from a sample all of them learn alike: the sample's
 * values go from each to all. Of the rest each codes some batches, or some coordinates of the outermost axis of a
 * slice, for which the others send it the values. The blocks wait in a file (the spool), and go to the first rank in
 * the order of the file. The bytes are those of one process. */
#ifndef TREB_GEN_SHARED_H
#define TREB_GEN_SHARED_H

#include "gen/write/side.h"

/* batch_fill of ranks: all of the same batch in each of them. */
treb_status shared_sample(const Side *s, const Batch *batch, treb_error *error);

/* Codes all cells of a side, whose codes are learned, and writes them. */
treb_status shared_write(Out *out, treb_error *error);

typedef struct Spool Spool;
treb_status spool_add(Spool *spool, const CodedBlocks *blocks, treb_error *error);

#endif
