/* annotate.h - writes a game as PGN, annotated with values from the tables. */
#ifndef TREB_JSON_ANNOTATE_H
#define TREB_JSON_ANNOTATE_H

#include "json/judge.h"

/* Returns the game with everything that was in it. Each known position gets a comment; each bad move
 * gets a NAG and the best move as a variation. Text that could not be read is quoted in a comment.
 * Returns NULL and an error if there is no memory or the work was stopped. The caller frees the
 * text. */
char *annotate_game(AnswerContext *context, const PgnGame *game, treb_error *error);

#endif
