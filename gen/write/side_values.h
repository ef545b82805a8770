/* side_values.h - which value of the code stands for which verdict or distance, and cells as values. */
#ifndef TREB_GEN_WRITE_SIDE_VALUES_H
#define TREB_GEN_WRITE_SIDE_VALUES_H

#include "gen/write/side_cells.h"

/* Chooses from the sample's cells what the values stand for, and puts that into the file's header. */
treb_status side_choose_values(SideEncoder *s, treb_error *error);

/* Turns the cells of a chunk into values. Returns TREB_ERR_ARGUMENT if a cell has a value that no position was counted
 * with. */
treb_status side_chunk_values(const SideEncoder *s, const CellChunk *chunk, uint8_t *restrict out,
                              treb_error *error);

/* The limits of the side's codes. */
CodeLimits side_limits(const SideEncoder *s);

/* Whether only one value occurs. Such a side has no pages in the file. */
bool side_is_constant(const SideEncoder *s);

/* Whether the distances of a side to move are few enough for codec symbols: each verdict at most ENCODE_VALUES. */
bool symbols_fit(const Histograms *histograms, treb_metric metric, int side);

#endif
