/* input.h - which kind of text the user gave: positions, one on each line, or games. */
#ifndef TREB_CORE_PGN_INPUT_H
#define TREB_CORE_PGN_INPUT_H

#include "core/pgn/text_reader.h"

typedef enum InputKind { INPUT_LINES, INPUT_PGN } InputKind;

/* Decides by the first line that is not skipped. Takes nothing from the reader. */
InputKind input_kind(TextReader *reader);

/* Returns whether a line of positions is skipped: it is blank, or a comment that begins with #. */
bool input_skips(const char *line);

#endif
