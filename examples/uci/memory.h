/* memory.h - keeps the results of searches on disk from game to game, as BeBe+ did.
 *
 * Of each search, the memory keeps the result for the root, and the part of the unfinished iteration
 * that was complete: the neighbourhood of the root. Before the next search of this position, the
 * neighbourhood is loaded into the transposition table. So are the results for positions that came
 * after it in games, which were searched deeper than a search from the root would. So the engine does
 * not lose again a game that it lost in spite of a good score. Positions that the tables know are
 * never kept.
 *
 * memory.c keeps them in an LMDB file (store.h). memory_none.c is for builds without LMDB. */
#ifndef UCI_MEMORY_H
#define UCI_MEMORY_H

#include "search.h"

enum { MEMORY_TEXT = 512 };

typedef struct Memory Memory;

/* Opens the store, or creates it. It grows to at most `mib` MiB. Several engines may open one store.
 * On success, `text` describes the store. On failure, returns NULL and `text` says why. */
Memory *memory_open(const char *path, unsigned mib, char text[MEMORY_TEXT]);
void memory_close(Memory *m);

/* Sets *known to what is known about the game's position (depth 0: nothing), and loads its
 * neighbourhood into `tt` for the next search. */
void memory_recall(const Memory *m, const Game *g, const Tables *t, Tt *tt, Found *known);

/* Keeps the results of a search: all of them, or none if the program or the system ends before that.
 * A record is replaced only by one from a deeper search, or by one of equal depth that says more.
 * On failure, returns false and `text` says why; nothing is kept until memory_new_game. */
bool memory_keep(Memory *m, const Game *g, const Tables *t, const Found *found,
                 char text[MEMORY_TEXT]);

/* Flushes the store to the disk. After a failure, the memory keeps results again. */
void memory_new_game(Memory *m);

/* `trebuchet-uci memory ...`: shows, checks or repairs a store. Returns the exit status. */
int memory_command(int argc, char **argv);

#endif
