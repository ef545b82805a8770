/* play.h - tests a strategy: plays it from every won position, against every defence.
 *
 * A plan is played until its tree ends, or until Black makes a move that is not in the tree. Then
 * the strategy makes another plan. So each won position with White to move leads, depending on
 * Black's choices, to other such positions and to ends of the game. Once all these are known, the
 * longest defence is computed backwards from the ends, as in a table. If a position gets no length,
 * Black can avoid mate. Positions that a symmetry of the board maps to each other count as one. */
#ifndef TREB_FIND_PLAY_H
#define TREB_FIND_PLAY_H

#include "find/find.h"
#include "find/strategy.h"

/* The ways in which a game can end. */
typedef enum PlayEnd {
    PLAY_MATE,
    PLAY_SUB_ENDING, /* a capture or promotion leads to another ending, which is still won */
    PLAY_NO_ADVICE,  /* no advice of the strategy can be followed: White has failed */
    PLAY_STALEMATE,
    PLAY_THROWN, /* the position is no longer won */
    PLAY_CIRCLE, /* play repeats without end */
    PLAY_ENDS
} PlayEnd;

enum { PLAY_SHOWN_MAX = 100, PLAY_BEST_MAX = 1024 };

/* Returns "mate", "no advice", "circles" and so on. */
const char *play_end_text(PlayEnd end);

typedef struct PlayExample {
    treb_position pos;
    int moves; /* White's moves by the strategy; -1: no end */
    int best;  /* White's moves that are needed; -1: not known */
} PlayExample;

/* A place where the strategy fails: a position with White to move whose own plan may fail, or the
 * first position of a cycle. */
typedef struct PlayPlace {
    treb_position pos;
    PlayEnd end;
    /* number of positions from which the strategy fails and for which this is the nearest place,
     * including the place itself */
    uint64_t failures;
    int advice; /* the advice that is followed there, or -1 */
} PlayPlace;

/* Totals over the won positions with the same side to move. */
typedef struct PlayTotals {
    uint64_t won;  /* number of positions */
    uint64_t wins; /* number of positions from which the strategy wins against every defence */
    int longest;   /* White's moves in the longest of these wins */
    /* Number of positions from which Black can force each end. A position with several ends is
     * counted for each, but PLAY_CIRCLE counts only positions that have no other. */
    uint64_t fault[PLAY_ENDS];
} PlayTotals;

/* Results of the strategy in positions that need the same number of moves. */
typedef struct PlayByBest {
    uint64_t count, sum;
    int longest;
} PlayByBest;

typedef struct PlayReport {
    PlayTotals of[2]; /* by side to move */
    /* Of positions with White to move: */
    uint64_t here[PLAY_ENDS]; /* number of positions whose own plan may end so */
    /* number of positions, by the advice that is followed */
    uint64_t followed[STRATEGY_ADVICE_MAX];
    PlayByBest by_best
        /* by number of moves needed; only positions from which the strategy wins */
        [PLAY_BEST_MAX];
    int longest_best;                  /* -1: no table says how many moves are needed */
    PlayExample worst[PLAY_SHOWN_MAX]; /* the longest first */
    PlayExample wrong[PLAY_ENDS]
                     [PLAY_SHOWN_MAX]; /* some of the positions in `here`, and of those in cycles */
    size_t worsts, wrongs[PLAY_ENDS];
    PlayPlace place[PLAY_SHOWN_MAX]; /* the places that explain most failures first */
    size_t places;
    uint64_t place_count; /* number of all places */
    /* Games played: */
    uint64_t games, game_moves, game[PLAY_ENDS];
    uint64_t contradicted; /* number of games that were longer than proven or had another end */
    int game_longest;
} PlayReport;

typedef struct PlayQuery {
    const treb_tables
        *tables;      /* tables of the material; the numbers of moves needed come from DTC */
    const char *path; /* file of the strategy */
    size_t shown;     /* maximum number of examples of each kind, up to PLAY_SHOWN_MAX */
    uint64_t games,
        seed; /* number of games to play after the proof, and the seed of their random numbers */
    unsigned threads; /* 0: the number that OpenMP chooses */
    /* set to true to end early; the report is then meaningless; may be NULL */
    const atomic_bool *stop;
    FindProgress progress; /* may be NULL */
    void *context;
} PlayQuery;

/* Tests a strategy. Returns TREB_ERR_ARGUMENT if the file is wrong. Uses 18 bytes of memory for
 * each position of the table and 8 for each position that a plan may lead to, and for positions
 * from which the strategy fails 40 and 8 more. */
treb_status play_try(const PlayQuery *query, PlayReport *report, treb_error *error);

typedef struct PlayMove {
    Move move;
    int advice; /* the advice, for White's moves */
} PlayMove;

typedef struct PlayGame {
    PlayMove *move; /* owned */
    size_t moves, room;
    PlayEnd end;
} PlayGame;

/* Plays one game from a position with White or Black to move. Black plays the longest defence by
 * the DTC tables, or random moves if `random` is not NULL. Zero the game before its first use, and
 * free it with play_game_free. */
treb_status play_game(const PlayQuery *query, Strategy *strategy, const treb_position *pos,
                      uint64_t *random, PlayGame *game, treb_error *error);
void play_game_free(PlayGame *game);

#endif
