/* annotate.h - a game as PGN again, with what the tables say of it. */
#ifndef TREB_ANSWER_ANNOTATE_H
#define TREB_ANSWER_ANNOTATE_H

#include "json/judge.h"

/* The game with everything that was in it. Each position that is known has a comment, each fault a NAG
 * and the best move as a variation. What could not be read is told in a comment and stands in
 * it. NULL with TREB_ERR_MEMORY, or if the work was stopped; the caller frees it. */
char *annotate_game(AnswerContext *context, const PgnGame *game, treb_error *error);

#endif
