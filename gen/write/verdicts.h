/* verdicts.h - the verdicts of a table, kept until all of its slices are solved.
 *
 * How many verdicts share a byte depends on which of them occur, and the best order of the axes on
 * all slices. So verdicts wait, lightly compressed: so many bytes in memory, the rest in a file
 * without a name, which is gone when it is closed or the run is killed. */
#ifndef TREB_GEN_VERDICTS_H
#define TREB_GEN_VERDICTS_H

#include "gen/write/codes.h"

typedef struct Verdicts Verdicts;

/* `directory` has room for the file; `keep` bytes may be claimed beside what verdicts_memory says.
 * NULL: see `error`. */
Verdicts *verdicts_new(const Shape *shape, const char *directory, Ledger *ledger, uint64_t keep,
                       treb_error *error);
void verdicts_free(Verdicts *verdicts);

/* Bytes that it claims for so many threads. */
uint64_t verdicts_memory(const Shape *shape, int threads);

/* Takes the slices of `slice`, number[lane] each, in parallel; may be called from several threads. */
treb_status verdicts_add(Verdicts *verdicts, const uint64_t *number, const Slice *slice,
                         treb_error *error);

/* Planes are kept in chunks of so many; the last has fewer. */
uint32_t verdicts_planes(const Shape *shape);
uint32_t verdicts_chunks(const Verdicts *verdicts);

/* Whether a slice was added. */
bool verdicts_has(const Verdicts *verdicts, uint64_t number);

/* Unpacks the cells of a chunk, as codes_choose wrote them. Thread-safe. */
treb_status verdicts_read(const Verdicts *verdicts, uint64_t number, int side, uint32_t chunk,
                          Plies *out, treb_error *error);

/* The verdicts seen, as a mask of 1 << TREB_LOSS and so on; a draw is always among them. */
unsigned verdicts_seen(const Verdicts *verdicts);

#endif
