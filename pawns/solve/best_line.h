/* best_line.h - the best play of both sides from a position. */
#ifndef TREB_PAWNS_SOLVE_BEST_LINE_H
#define TREB_PAWNS_SOLVE_BEST_LINE_H

#include "pawns/solve/evaluate.h"

/* Why a line ends. */
typedef enum LineEnd {
    LINE_END_GOAL, /* the goal is reached (blocked.h) */
    LINE_END_MATE,
    LINE_END_DRAW,     /* nobody can win */
    LINE_END_TABLES,   /* few enough men for the tables */
    LINE_END_PIECES,   /* more pieces than are followed */
    LINE_END_OPEN,     /* the value is unknown */
    LINE_END_CAPACITY, /* there is room for no more moves */
    LINE_END_CAPTURE   /* a capture; a blocked-pawn table knows only who wins after it */
} LineEnd;

/* A line under construction. */
typedef struct BestLine {
    ProofGraph *graph;
    Distances *distances;
    Distances *careful; /* distances_new(); used first */
    PawnMove *out;      /* has room for `capacity` moves */
    int count, capacity;
    /* Most pieces of a structure that is followed: distances with one piece take 2 MB, with two
     * 128 MB. */
    int pieces;
    treb_position pos; /* after the moves so far */
} BestLine;

void best_line_add(BestLine *line, const PawnMove *move);

/* Creates the distances that a line needs. False without memory. Call best_line_end() in any
 * case. */
bool best_line_start(BestLine *line);
void best_line_end(BestLine *line);

/* Plays on from line->pos until there is an end: the winner on the shortest way, the loser on the
 * longest. False on failure. */
bool best_line_play(BestLine *line, LineEnd *end);

#endif
