/* line.h - the best play of both sides, found in steps and told as JSON. */
#ifndef TREB_ANSWER_LINE_H
#define TREB_ANSWER_LINE_H

#include <jansson.h>

#include "json/answer.h"
#include "json/pgn.h"
#include "pawns/solve.h"

/* Plies that one step of a line adds at most: what a caller who may have to stop can wait for. */
enum { LINE_STEP = 16 };

/* A line that goes on from `last`, where it has come to. Moves are written to line.move. */
typedef struct LineWalk {
    PgnLine line;
    treb_move *room; /* of `capacity` moves: line.move */
    size_t capacity;
    treb_position last;
} LineWalk;

/* Fills a line of which position, metric and rule are given; TREB_WDL takes the first metric that is
 * known. Where tables end it is that of blocked-pawn tables, which leave the rule aside, and goes on
 * in tables behind a capture where these know the rest. On failure the moves before it are there,
 * unless the position itself is not known. `note` is what line->note may point to. */
enum { LINE_NOTE_SIZE = 160 };
treb_status line_fill(AnswerContext *context, PgnLine *line, treb_move *room, size_t capacity,
                      char note[LINE_NOTE_SIZE], treb_error *error);

/* The best play from a position that was solved, as a PGN game; on by the context's tables where they know the rest.
 * NULL with the reason on failure; the caller frees it. */
char *line_pgn_solved(AnswerContext *context, Solve *solve, treb_error *error);

/* Begins a line without moves; `line` has all but these. */
LineWalk line_begin(const PgnLine *line, treb_move *room, size_t capacity);

/* Adds up to LINE_STEP plies. On failure those before it are there. */
treb_status line_step(LineWalk *walk, const treb_tables *tables, treb_error *error);

/* Whether another step may add more. */
bool line_goes_on(const LineWalk *walk);

/* The object of GET /v1/line. NULL: out of memory. */
json_t *line_json(const PgnLine *line);

#endif
