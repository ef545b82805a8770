/* memory.h - what searches found out, kept on disk from game to game, as BeBe+ did.
 *
 * Of each search the root's result is kept, and what else had been searched of the iteration that
 * was stopped: the root's neighbourhood. Before the next search of that position these go into the
 * transposition table, and those of the positions that came after it in games, which were searched
 * deeper than a look from here would: so a game that was lost in spite of a good score is not lost
 * that way again. What the tables know is never kept.
 *
 * memory.c keeps them in a file of LMDB's (store.h); memory_none.c is for builds without LMDB. */
#ifndef UCI_MEMORY_H
#define UCI_MEMORY_H

#include "search.h"

enum { MEMORY_TEXT = 512 };

typedef struct Memory Memory;

/* Opens the store, or makes it. It grows to `mib` MiB and no further. Several engines may have one
 * open. NULL: `text` says why; else it says what is in it. */
Memory *memory_open(const char *path, unsigned mib, char text[MEMORY_TEXT]);
void memory_close(Memory *m);

/* What is known of the game's position, its depth 0 for nothing; its neighbourhood goes into `tt`,
 * for the search that comes next. */
void memory_recall(const Memory *m, const Game *g, const Tables *t, Tt *tt, Found *known);

/* Keeps what a search found out: all of it, or nothing if the program or the system ends before. A
 * record gives way to one from a deeper search alone. False: `text` says why, and nothing is kept
 * until memory_new_game. */
bool memory_keep(Memory *m, const Game *g, const Tables *t, const Found *found,
                 char text[MEMORY_TEXT]);

/* Has the system write to the disk what it still holds; what could not be kept is tried anew. */
void memory_new_game(Memory *m);

/* `trebuchet-uci memory ...`: looks at a store, checks it, repairs it. The exit status. */
int memory_command(int argc, char **argv);

#endif
