/* side_coders.h - divides the slices of a side to move into classes, and learns a code for each class. */
#ifndef TREB_GEN_WRITE_SIDE_CODERS_H
#define TREB_GEN_WRITE_SIDE_CODERS_H

#include "gen/write/side_encoder.h"

/* Chooses the classes, learns their codes and chooses the size of blocks. If the sample is the whole table, it must be
 * filled and stays; otherwise other slices replace it. */
treb_status side_learn(SideEncoder *s, treb_error *error);
void side_free_coders(SideEncoder *s);

/* Most classes that a side of this table may have. `wanted`: see WriteOptions.classes. */
unsigned side_classes_most(const Layout *layout, unsigned wanted);

/* Bytes that side_learn claims at most, without the coders and the sample. */
uint64_t side_learn_memory(const Layout *layout, unsigned wanted);

#endif
