/* input.h - what kind of text somebody has: positions, one in a line, or games. */
#ifndef TREB_GAMES_INPUT_H
#define TREB_GAMES_INPUT_H

#include "core/pgn/source.h"

typedef enum InputKind { INPUT_LINES, INPUT_PGN } InputKind;

/* Goes by the first line that says something; nothing is taken from the source. */
InputKind input_kind(Source *source);

/* Whether a line of positions is passed over: it is blank, or a remark that begins with #. */
bool input_skips(const char *line);

#endif
