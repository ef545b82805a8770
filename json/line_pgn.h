/* line_pgn.h - a best line as a PGN game. */
#ifndef TREB_JSON_LINE_PGN_H
#define TREB_JSON_LINE_PGN_H

#include <stdbool.h>
#include <stddef.h>

#include "trebuchet.h"

typedef struct PgnLine {
    treb_position pos; /* where the line starts */
    treb_value value;  /* of that position */
    treb_metric metric;
    treb_rule rule;
    const treb_move *move;
    size_t moves;
    treb_line_end end;
    bool failed;      /* the line breaks off, and the winner is not known */
    bool broken;      /* the line breaks off, but the winner is known */
    const char *note; /* says how the line ends; NULL: the text follows from the other members */
} PgnLine;

/* Returns whether the result of the line is known. A line that is played out has the result that its
 * last position and the clock give, also if that of best play is not known. */
bool line_decided(const PgnLine *line);

/* Returns the winner under the rule of the line, -1 if it is a draw or not decided. A mate that comes
 * too late for the 50-move rule is a draw. */
int line_winner(const PgnLine *line);

/* The game with its tags, wrapped at 80 columns. Returns NULL if there is no memory; the caller frees
 * the text. */
char *line_pgn(const PgnLine *line);

#endif
