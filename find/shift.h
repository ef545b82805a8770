/* shift.h - a configuration: a position slid over the board, its men keeping their places to each other.
 *
 * After PIONEER's library of endings (Botvinnik and others, 1983), which held that the positions of a
 * configuration divide into four groups, by the edges that its men touch, each with one verdict and one first
 * move: the edge effect. Results are those without the 50-move rule. */
#ifndef TREB_FIND_SHIFT_H
#define TREB_FIND_SHIFT_H

#include "core/chess/san.h"
#include "find/find.h"

/* Which edges some man stands on. */
typedef enum ShiftEdge {
    SHIFT_FREE,
    SHIFT_SIDE,   /* the a- or h-file, */
    SHIFT_TOP,    /* the first or eighth rank, */
    SHIFT_CORNER, /* or both kinds */
    SHIFT_EDGES
} ShiftEdge;

enum { SHIFT_PLACES = 49, SHIFT_IMPOSSIBLE = 3 /* a result: the side cannot be to move */ };

/* One place of the configuration. By side to move. */
typedef struct ShiftPlace {
    treb_position pos;
    int files, ranks; /* how far it was shifted */
    ShiftEdge edge;
    int result[2]; /* for the side to move: 0 a loss, 1 a draw, 2 a win; SHIFT_IMPOSSIBLE */
    int moves[2];  /* legal ones */
    Move keep[2][MOVES_MAX]; /* those that keep a win or a draw */
    int kept[2];
} ShiftPlace;

/* What a group has in common. By side to move. */
typedef struct ShiftGroup {
    int places;
    int count[2][SHIFT_IMPOSSIBLE + 1]; /* of places, by result */
    bool one_verdict[2];                /* of those where the side can be to move */
    /* Moves that keep the result in all of them, if they have one verdict: as they would be in the position given. */
    Move common[2][MOVES_MAX];
    int commons[2];
} ShiftGroup;

typedef struct Shift {
    treb_position pos; /* as it was given */
    ShiftPlace place[SHIFT_PLACES];
    int places;
    ShiftGroup group[SHIFT_EDGES];
} Shift;

/* Asked between the places whether to end; then the status is TREB_ERR_IO. */
typedef bool (*ShiftStopped)(void *context);

/* Slides a position. En passant is left out. `stopped` may be NULL. The library's errors. */
treb_status shift_find(const treb_tables *tables, const treb_position *pos, ShiftStopped stopped,
                       void *context, Shift *out, treb_error *error);

/* "free of the edges", "at a side edge". */
const char *shift_edge_text(ShiftEdge edge);

/* "loss", "draw", "win", "impossible". */
const char *shift_result_text(int result);

/* A move as it is written in the position given, or in a place of it; as squares where it is not legal there. */
void shift_move_name(const treb_position *pos, int turn, Move m, char out[SAN_SIZE]);

/* A place in Forsyth's notation, with White to move. */
void shift_place_fen(const ShiftPlace *place, char fen[TREB_FEN_SIZE]);

#endif
