/* search.h - full-width alpha-beta search by iterative deepening. */
#ifndef UCI_SEARCH_H
#define UCI_SEARCH_H

#include <stdatomic.h>

#include "tables.h"
#include "tt.h"

enum { PLY_MAX = 128, DEPTH_MAX = 100, GAME_KEYS = 512, NEAR_MAX = 512 };

/* The present position, and the positions before it that can be repeated. */
typedef struct Game {
    Board board;
    uint64_t keys[GAME_KEYS]; /* the last one is the key of `board` */
    int key_count;
    Board before[2]; /* one ply and two plies ago */
    int played;      /* plies */
} Game;

void game_start(Game *g, const Board *b);
void game_play(Game *g, Move m);

/* Limits of a search. 0 means no limit. */
typedef struct Limits {
    int depth;
    int mate; /* number of moves of a mate to look for */
    uint64_t nodes;
    double seconds;        /* stop after this time */
    double enough;         /* begin no new iteration after this number of seconds */
    bool infinite;         /* no move before `stop` */
    Move moves[MOVES_MAX]; /* if move_count is not 0: search only these */
    int move_count;
} Limits;

/* What the user is told after an iteration. */
typedef struct SearchInfo {
    int depth, score;
    uint64_t nodes, hits;
    double seconds;
    int full; /* of the transposition table, in thousandths */
    const Move *line;
    int length;
} SearchInfo;

/* The result of a search for its root, so that another search can continue from it. */
typedef struct Found {
    int depth; /* of the last complete iteration; 0 if there is none */
    int score;
    Move line[PLY_MAX];
    int length;
    /* The positions that the next iteration had completed when it was stopped, at the nodes of the
     * line that it was searching. With these in the table, another search reaches this line at once. */
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
    bool always_wait;   /* wait for a disk, even with a clock running */
    uint64_t *nodes;    /* NULL, or receives the number of nodes */
    const Found *known; /* NULL, or the result of an earlier search; depth 0: none */
    Found *found;       /* NULL, or receives the result; depth 0: not to be kept */
    void (*note)(void *context, const Found *found); /* NULL, or called after each iteration */
    void *context;
} SearchSetup;

/* Searches until a limit is reached or *stop is set. Returns the best move, or 0 if there is none. */
Move search_run(const SearchSetup *setup);

#endif
