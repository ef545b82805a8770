/* convert.h - conversions, the moves that leave a slice: captures, promotions, pawn pushes, and captures en passant.
 *
 * A table that is read from its files (finished.h) needs some of them only. Or it needs the other moves as well, the
 * quiet ones, if its files do not have the side to move. */
#ifndef TREB_GEN_SOLVE_CONVERT_H
#define TREB_GEN_SOLVE_CONVERT_H

#include "gen/solve/slice_provider.h"

/* An outcome is a number: the larger, the better for the side that moves. A loss in d plies is d, and a win in d
 * plies is OUTCOME_WIN - d, because the winner prefers a short way and the loser a long one. */
enum { OUTCOME_NONE = 0, OUTCOME_DRAW = 0x4000, OUTCOME_WIN = 0x7fff };

/* Some cells of a plane. */
typedef struct CellSet {
    uint64_t *words;
    uint64_t squares[KERNEL_MEN_MAX]; /* by man: the squares on which he stands in these cells */
} CellSet;

/* The best outcome of the conversions from every cell of one plane. */
typedef struct Outcomes {
    /* Of all conversions: 0 if there is none, otherwise 1 + TREB_LOSS ... 1 + TREB_WIN. */
    uint8_t *verdict;
    /* Likewise, of captures; and of captures and promotions, which end a count to conversion. NULL if the converter has
     * only some of the conversions. */
    uint8_t *capture, *ends;
    /* Likewise, of the moves that complete cells (core/format/table.h); NULL also if they are only captures. */
    uint8_t *completing;
    /* Outcomes by distance to conversion; NULL in tables without pawns, where all distances are 1. */
    int16_t *dtc;
    int16_t *dtm;      /* outcomes by distance to mate; NULL if this metric is not solved */
    int16_t *ends_dtm; /* likewise, of conversions that complete bounds (core/format/table.h); NULL as above */
    const CellSet *wanted; /* the cells to find outcomes of; others may get any. NULL: all */
} Outcomes;

/* Moves of one side to move in one slice. */
typedef struct Converter Converter;

/* Which moves: more and more of them. */
typedef enum ConverterMoves {
    MOVES_NONE,
    MOVES_CAPTURES,
    MOVES_COMPLETING,  /* those that complete bounds (core/format/table.h): the last pawn becomes a queen, too */
    MOVES_CONVERSIONS, /* all conversions */
    MOVES_ALL          /* quiet moves too. Then pushes lead to cells like other moves, without distances to conversion */
} ConverterMoves;

/* Lists the moves of the slice with these pawns. Returns the errors of the provider (TREB_ERR_NO_TABLE: a sub-ending is
 * not solved), or TREB_ERR_MEMORY. */
treb_status converter_new(const Layout *layout, const uint64_t pawns[2], int mover,
                          ConverterMoves moves, const SliceProvider *provider, Converter **out,
                          treb_error *error);
void converter_free(Converter *converter);

void outcomes_clear(const Outcomes *out, size_t cells);

/* Number of buffers for fetched planes: for each lane one for single pushes and one for double pushes, because they
 * lead to different slices. */
enum { CONVERTER_BUFFERS = 2 * SLICE_LANES };

/* Adds the outcomes of plane `kings` of the slice in lane `lane`. Thread-safe; each thread has its own `fetched`.
 * Returns the errors of the provider. */
treb_status converter_plane(const Converter *converter, uint32_t kings, int lane,
                            const Outcomes *out, SolvedBuffer fetched[CONVERTER_BUFFERS],
                            treb_error *error);

#endif
