/* side_processes.h - several processes that encode one side to move of a file together (gen/solve/processes.h).
 *
 * Each process has the cells of its own planes. All processes learn the same codes from the same sample
 * (exchange_sample). Then each of them encodes some batches of slices, or some coordinates of the outermost axis of a
 * slice, for which the others send it the values (exchange_values.h). Its blocks wait in a temporary file
 * (block_spool.h) and go to the first process in the order of the file. The bytes of the file do not depend on the
 * number of processes. */
#ifndef TREB_GEN_WRITE_SIDE_PROCESSES_H
#define TREB_GEN_WRITE_SIDE_PROCESSES_H

#include "gen/write/side_encode.h"

/* Encodes all cells of a side, whose codes are learned. The first process writes the blocks. Collective. */
treb_status side_encode_together(BlockOutput *out, treb_error *error);

#endif
