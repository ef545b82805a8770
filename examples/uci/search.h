/* search.h - full-width alpha-beta search by iterative deepening. */
#ifndef UCI_SEARCH_H
#define UCI_SEARCH_H

#include <stdatomic.h>

#include "tables.h"
#include "tt.h"

enum { PLY_MAX = 128, DEPTH_MAX = 100, GAME_KEYS = 512, NEAR_MAX = 512 };

/* The position and those before it, as far as they can be repeated. */
typedef struct Game {
    Board board;
    uint64_t keys[GAME_KEYS]; /* the last is the board's */
    int key_count;
    Board before[2]; /* one ply ago, and two */
    int played;      /* plies */
} Game;

void game_start(Game *g, const Board *b);
void game_play(Game *g, Move m);

/* 0 means without limit. */
typedef struct Limits {
    int depth;
    int mate; /* look for a mate in so many moves, and no further */
    uint64_t nodes;
    double seconds;        /* stop then */
    double enough;         /* begin no iteration after so many seconds */
    bool infinite;         /* no move before `stop` */
    Move moves[MOVES_MAX]; /* if move_count is not 0: consider no others */
    int move_count;
} Limits;

/* What to tell the user after an iteration. */
typedef struct SearchInfo {
    int depth, score;
    uint64_t nodes, hits;
    double seconds;
    int full; /* of the transposition table, in thousandths */
    const Move *line;
    int length;
} SearchInfo;

/* What a search found out about its root, so that another can go on from there. */
typedef struct Found {
    int depth; /* of the last iteration that came to its end; 0: there was none */
    int score;
    Move line[PLY_MAX];
    int length;
    /* Of the iteration after it: the positions that it was done with when it was stopped, beside
     * the line that it was on. With them in the table another search comes to that line at once. */
    TtEntry near[NEAR_MAX];
    int near_count;
} Found;

typedef struct SearchSetup {
    const Game *game;
    const Limits *limits;
    Tables *tables;
    Tt *tt;
    atomic_bool *stop;
    void (*report)(const SearchInfo *info);
    bool always_wait;   /* for a disk, under the clock as well */
    uint64_t *nodes;    /* NULL, or where to put how many there were */
    const Found *known; /* NULL, or what an earlier search found out, its depth 0 for nothing */
    Found *found;       /* NULL, or where to put what this one does; depth 0: not to be kept */
    void (*note)(void *context, const Found *found); /* NULL, or called after each iteration */
    void *context;
} SearchSetup;

/* Searches until a limit is reached or *stop. Returns the best move; 0 if there is none. */
Move search_run(const SearchSetup *setup);

#endif
