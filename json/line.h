/* line.h - the best play of both sides: found in steps, and written as JSON or PGN.
 *
 * The work can be stopped between two steps. The moves found so far are kept. */
#ifndef TREB_JSON_LINE_H
#define TREB_JSON_LINE_H

#include "pawns/solve/solve.h"
#include "json/context.h"
#include "json/line_pgn.h"

/* Plies that one step adds at most, so that a caller who has to stop need not wait for long. */
enum { LINE_STEP = 16 };

/* A line that is being continued. */
typedef struct LineWalk {
    PgnLine line;
    treb_move *room; /* memory of line.move, for `capacity` moves */
    size_t capacity;
    treb_position last; /* position after the last move */
} LineWalk;

enum { LINE_NOTE_SIZE = 160 };

/* Fills a line whose position, metric and rule are set. With TREB_WDL takes the first metric that is
 * known. Where tables end, the line comes from blocked-pawn tables, which ignore the rule; after a
 * capture it goes on with the tables if these know the position. On failure the moves before it are
 * kept, unless the position itself is unknown. `note` is memory for line->note. */
treb_status line_fill(AnswerContext *context, PgnLine *line, treb_move *room, size_t capacity,
                      char note[LINE_NOTE_SIZE], treb_error *error);

/* The best line of a solved position as a PGN game. It goes on with the tables of the context where
 * they know the position. Returns NULL and an error on failure; the caller frees the text. */
char *line_solved_pgn(AnswerContext *context, Solve *solve, treb_error *error);

/* Begins a line without moves; `line` has everything else. */
LineWalk line_begin(const PgnLine *line, treb_move *room, size_t capacity);

/* Adds up to LINE_STEP plies. On failure the moves before it are kept. */
treb_status line_step(LineWalk *walk, const treb_tables *tables, treb_error *error);

/* Returns whether another step may add more moves. */
bool line_goes_on(const LineWalk *walk);

/* Follows the line to its end, or until the work is stopped. */
treb_status line_walk(AnswerContext *context, LineWalk *walk, treb_error *error);

/* The object of GET /v1/line. Returns NULL if there is no memory. */
json_t *line_json(const PgnLine *line);

#endif
