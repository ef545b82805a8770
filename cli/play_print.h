/* play_print.h - the results of testing a strategy, for people and for programs. */
#ifndef TREB_CLI_PLAY_PRINT_H
#define TREB_CLI_PLAY_PRINT_H

#include "find/play.h"

/* The strategy. */
typedef struct PlayPrint {
    const char *path, *material;
    const Strategy *strategy;
} PlayPrint;

/* Print the result of a test: as text, and as one JSON object (returns an exit code). */
void play_print(const PlayPrint *what, const PlayReport *report);
int play_print_json(const PlayPrint *what, const PlayReport *report);

/* Print a game from a position, in the two forms. */
void play_print_game(const PlayPrint *what, const treb_position *first, const PlayGame *game);
int play_print_game_json(const PlayPrint *what, const treb_position *first, const PlayGame *game);

#endif
