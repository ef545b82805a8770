/* side_fill.h - reads the cells of slices into a batch, as values. */
#ifndef TREB_GEN_WRITE_SIDE_FILL_H
#define TREB_GEN_WRITE_SIDE_FILL_H

#include "gen/write/side_encoder.h"

/* Fills a batch with the values of its slices. Cells of slices that no position uses stay as they are. With several
 * processes all of them must call this; afterwards each has the whole batch. */
treb_status side_fill_batch(const SideEncoder *s, CellBatch *batch, treb_error *error);

/* Fills SideEncoder.whole, if there is one, with all slices that are not in the sample. */
treb_status side_fill_whole(SideEncoder *s, treb_error *error);

#endif
