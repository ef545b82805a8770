/* play.h - a strategy on trial: against every defence, from every position that is won.
 *
 * A plan is played until its tree ends, or until Black makes a move that the tree does not have; then there is
 * another. So a won position with White to move leads, by Black's choices, to others and to ends. Once all are
 * known, how long Black can hold out follows from the ends backwards, as in a table; where it does not, Black
 * has a way not to be mated. Positions that a symmetry of the board makes the same are one. */
#ifndef TREB_FIND_PLAY_H
#define TREB_FIND_PLAY_H

#include "find/find.h"
#include "find/strategy.h"

/* How a game can end. */
typedef enum PlayEnd {
    PLAY_MATE,
    PLAY_SUB_ENDING,    /* another ending, by a capture or a promotion, which is still won */
    PLAY_NO_ADVICE, /* of the strategy's that can be followed: from here on White has failed */
    PLAY_STALEMATE,
    PLAY_THROWN, /* what is left is no longer won */
    PLAY_CIRCLE, /* no end in sight */
    PLAY_ENDS
} PlayEnd;

enum { PLAY_SHOWN_MAX = 100, PLAY_BEST_MAX = 1024 };

/* "mate", "no advice", "circles". */
const char *play_end_text(PlayEnd end);

typedef struct PlayExample {
    treb_position pos;
    int moves; /* White's, by the strategy; -1: without end */
    int best;  /* and that are needed; -1: not known */
} PlayExample;

/* A position with White to move in whose own plan a failure may happen, or the first of a circle. */
typedef struct PlayPlace {
    treb_position pos;
    PlayEnd end;
    uint64_t
        led; /* positions from which the strategy fails and to which this place is the nearest; itself, too */
    int advice; /* that is followed there, or -1 */
} PlayPlace;

/* Of won positions with the same side to move. */
typedef struct PlayTotals {
    uint64_t won;  /* positions */
    uint64_t wins; /* from which the strategy wins against every defence */
    int longest;   /* White's moves, of those */
    /* Positions from which Black can bring an end about. Those of several are counted for each, but PLAY_CIRCLE
     * has those of no other. */
    uint64_t fault[PLAY_ENDS];
} PlayTotals;

/* Of positions that need the same number of moves: by the strategy. */
typedef struct PlayByBest {
    uint64_t count, sum;
    int longest;
} PlayByBest;

typedef struct PlayReport {
    PlayTotals of[2]; /* by side to move */
    /* Of positions with White to move: */
    uint64_t here[PLAY_ENDS];                     /* in whose own plan it may happen */
    uint64_t followed[STRATEGY_ADVICE_MAX];       /* by advice */
    PlayByBest by_best[PLAY_BEST_MAX];            /* by moves needed, of those that are won */
    int longest_best;                             /* -1: no table says what is needed */
    PlayExample worst[PLAY_SHOWN_MAX];            /* the longest first */
    PlayExample wrong[PLAY_ENDS][PLAY_SHOWN_MAX]; /* some of `here`, and of what goes in circles */
    size_t worsts, wrongs[PLAY_ENDS];
    PlayPlace place[PLAY_SHOWN_MAX]; /* to which most failures are led, those first */
    size_t places;
    uint64_t place_count; /* how many there are in all */
    /* Played out: */
    uint64_t games, game_moves, game[PLAY_ENDS];
    uint64_t contradicted; /* games that were longer than proven, or ended otherwise */
    int game_longest;
} PlayReport;

typedef struct PlayQuery {
    const treb_tables *tables; /* of the material; with DTC for what is needed */
    const char *path;          /* of the strategy */
    size_t shown;              /* examples of each kind, up to PLAY_SHOWN_MAX */
    uint64_t games, seed;      /* to be played out behind the proof */
    unsigned threads;          /* 0: as OpenMP likes */
    const atomic_bool
        *stop;             /* when true it ends early, and the report means nothing; NULL allowed */
    FindProgress progress; /* NULL allowed */
    void *context;
} PlayQuery;

/* Tries it. TREB_ERR_ARGUMENT for what is wrong in the file. Memory: 18 bytes for each position of the table, and 8
 * for each position that a plan may assign_places to; of positions from which it fails, 40 and 8 more. */
treb_status play_try(const PlayQuery *query, PlayReport *report, treb_error *error);

typedef struct PlayMove {
    Move move;
    int advice; /* of White's */
} PlayMove;

typedef struct PlayGame {
    PlayMove *move; /* owned */
    size_t moves, room;
    PlayEnd end;
} PlayGame;

/* One game from a position with White to move, or Black. Black defends as long as tables with DTC know, or where
 * `random` is not NULL by any moves. Zero the game before its first use, and free it with play_game_free. */
treb_status play_game(const PlayQuery *query, Strategy *strategy, const treb_position *pos,
                      uint64_t *random, PlayGame *game, treb_error *error);
void play_game_free(PlayGame *game);

#endif
