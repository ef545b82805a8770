/* pgn.h - a line as a PGN game. */
#ifndef TREB_ANSWER_PGN_H
#define TREB_ANSWER_PGN_H

#include <stdbool.h>
#include <stddef.h>

#include "trebuchet.h"

typedef struct PgnLine {
    treb_position pos; /* where it starts */
    treb_value value;  /* of the start */
    treb_metric metric;
    treb_rule rule;
    const treb_move *move;
    size_t moves;
    treb_line_end end;
    bool failed;      /* the line breaks off, and nobody knows who wins */
    bool broken;      /* it breaks off; who wins is known all the same */
    const char *note; /* says how it ends; NULL: that follows from the rest */
} PgnLine;

/* Who wins by the rule of the line: under the 50-move rule nobody wins a cursed win. -1: nobody. */
int pgn_winner(const PgnLine *line);

/* The game with its tags, wrapped at 80 columns. NULL without memory; the caller frees it. */
char *pgn_write(const PgnLine *line);

#endif
