/* shift.h - shifts a position over the board, and compares the results in all places.
 *
 * In PIONEER's library of endings (Botvinnik and others, 1983) a configuration is a position in
 * which the men keep their places relative to each other while the whole is shifted over the board.
 * PIONEER assumed that the positions of a configuration form four groups, depending on the edges
 * that the men touch, each with one verdict and one first move: the edge effect. Results are those
 * without the 50-move rule. */
#ifndef TREB_FIND_SHIFT_H
#define TREB_FIND_SHIFT_H

#include "core/chess/san.h"
#include "find/find.h"

/* The edges on which a man stands. */
typedef enum ShiftEdge {
    SHIFT_FREE,
    SHIFT_SIDE,   /* the a- or h-file */
    SHIFT_TOP,    /* the first or eighth rank */
    SHIFT_CORNER, /* both a file and a rank at the edge */
    SHIFT_EDGES
} ShiftEdge;

enum { SHIFT_PLACES = 49, SHIFT_IMPOSSIBLE = 3 /* a result: this side cannot be to move */ };

/* One place of the configuration. Arrays of two are by side to move. */
typedef struct ShiftPlace {
    treb_position pos;
    int files, ranks; /* how far it was shifted */
    ShiftEdge edge;
    int result[2];           /* for the side to move: 0 loss, 1 draw, 2 win, or SHIFT_IMPOSSIBLE */
    int moves[2];            /* number of legal moves */
    Move keep[2][MOVES_MAX]; /* moves that keep a win or a draw */
    int kept[2];
} ShiftPlace;

/* What the places of a group have in common. Arrays of two are by side to move. */
typedef struct ShiftGroup {
    int places;
    int count[2][SHIFT_IMPOSSIBLE + 1]; /* number of places, by result */
    bool one_verdict[2]; /* all places in which this side can be to move have the same result */
    /* Moves that keep the result in all these places, if they have one result. They are given as
     * moves in the original position. */
    Move common[2][MOVES_MAX];
    int commons[2];
} ShiftGroup;

typedef struct Shift {
    treb_position pos; /* the original position */
    ShiftPlace place[SHIFT_PLACES];
    int places;
    ShiftGroup group[SHIFT_EDGES];
} Shift;

/* Called before each place. Returns true to end with TREB_ERR_IO. */
typedef bool (*ShiftStopped)(void *context);

/* Shifts a position. En passant is ignored. `stopped` may be NULL. Returns the errors of the
 * library. */
treb_status shift_find(const treb_tables *tables, const treb_position *pos, ShiftStopped stopped,
                       void *context, Shift *out, treb_error *error);

/* Returns "free of the edges", "at a side edge" and so on. */
const char *shift_edge_text(ShiftEdge edge);

/* Returns "loss", "draw", "win" or "impossible". */
const char *shift_result_text(int result);

/* Writes a move in algebraic notation for the given position; as squares if it is not legal
 * there. */
void shift_move_name(const treb_position *pos, int turn, Move m, char out[SAN_SIZE]);

/* Writes a place in Forsyth's notation, with White to move. */
void shift_place_fen(const ShiftPlace *place, char fen[TREB_FEN_SIZE]);

#endif
