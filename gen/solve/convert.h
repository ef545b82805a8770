/* convert.h - the moves that leave a slice: captures, promotions, pawn pushes, en passant. */
#ifndef TREB_GEN_CONVERT_H
#define TREB_GEN_CONVERT_H

#include "gen/solve/solved.h"

/* How good an outcome is for the side that moves: more is better. A loss in d is d, a win in d is
 * OUTCOME_WIN - d, so that the winner hurries and the loser holds out. */
enum { OUTCOME_NONE = 0, OUTCOME_DRAW = 0x4000, OUTCOME_WIN = 0x7fff };

/* The best outcome of the conversions from every cell of one plane. */
typedef struct Outcomes {
    uint8_t *verdict;  /* 0 none, else 1 + TREB_LOSS ... 1 + TREB_WIN */
    uint8_t *capture;  /* the same of captures alone */
    uint8_t *ends;     /* the same of captures and promotions, which end a count to conversion */
    int16_t *dtc;      /* distances to conversion; NULL in tables without pawns, where all are 1 */
    int16_t *dtm;      /* distances to mate; NULL if not wanted */
    int16_t *ends_dtm; /* the same of those that complete bounds; NULL likewise */
} Outcomes;

/* The conversions of one side to move in one slice. */
typedef struct Converter Converter;

/* `pawns` are the slice's. Fails as the source does (TREB_ERR_NO_TABLE: a junior is not solved), or
 * with TREB_ERR_MEMORY. */
treb_status converter_new(const Shape *shape, const uint64_t pawns[2], int mover,
                          const SolvedSource *source, Converter **out, treb_error *error);
void converter_free(Converter *converter);

void outcomes_clear(const Outcomes *out, size_t cells);

/* Rooms for planes that are fetched, of each lane, and there of single pushes and of double ones: these lead to slices of
 * their own. */
enum { CONVERTER_ROOMS = 2 * SLICE_LANES };

/* Adds the outcomes of the plane `kings` of the slice in lane `lane`. Thread-safe; `fetched` are the
 * thread's. Fails as the source does. */
treb_status converter_plane(const Converter *converter, uint32_t kings, int lane,
                            const Outcomes *out, SolvedRoom fetched[CONVERTER_ROOMS],
                            treb_error *error);

#endif
