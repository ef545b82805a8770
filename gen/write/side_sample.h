/* side_sample.h - which slices of a side to move are in its sample. */
#ifndef TREB_GEN_WRITE_SIDE_SAMPLE_H
#define TREB_GEN_WRITE_SIDE_SAMPLE_H

#include "gen/write/side_encoder.h"

/* Lists about `wanted` of the `slices` slices from `first` on, spread over all of them, in ascending order. Only slices
 * that positions use are listed. Their distances vary, because slices at equal distances might all have a pawn on the
 * same square. Returns the number of slices in `out`. */
size_t side_list_slices(const SideEncoder *s, uint64_t first, uint64_t slices, size_t wanted,
                        uint64_t *out);

/* Allocates SideEncoder.whole if memory is plentiful and enough for both sides of all files that are made at the same
 * time. Then each slice is read and unpacked only once. */
void side_keep_whole(SideEncoder *s);
void side_free_whole(SideEncoder *s);

/* Makes the window of the sample: as much of each of `slices` large slices as the sample's memory allows.
 * `inner_whole`: see window_init_sample. */
treb_status side_sample_window(SideEncoder *s, const Reorder *reorder, size_t slices,
                               bool inner_whole, treb_error *error);

/* Whether the sample is the whole table. If not, codes are learned from other slices, which replace the sample. */
bool side_sample_is_all(const SideEncoder *s);

/* Lists the slices of the sample and allocates memory for them. */
treb_status side_choose_sample(SideEncoder *s, treb_error *error);

#endif
