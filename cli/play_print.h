/* play_print.h - what became of a strategy, for people and programs. */
#ifndef TREB_CLI_PLAY_PRINT_H
#define TREB_CLI_PLAY_PRINT_H

#include "find/play.h"

/* What it is about. */
typedef struct PlayPrint {
    const char *path, *material;
    const Strategy *strategy;
} PlayPrint;

/* A trial; as one JSON object. That returns an exit code. */
void play_print(const PlayPrint *what, const PlayReport *report);
int play_print_json(const PlayPrint *what, const PlayReport *report);

/* A game from a position, in the same ways. */
void play_print_game(const PlayPrint *what, const treb_position *first, const PlayGame *game);
int play_print_game_json(const PlayPrint *what, const treb_position *first, const PlayGame *game);

#endif
