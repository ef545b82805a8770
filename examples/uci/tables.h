/* tables.h - everything that this engine asks of libtrebuchet. Start reading here. */
#ifndef UCI_TABLES_H
#define UCI_TABLES_H

#include <stdatomic.h>
#include <stdio.h>
#include <trebuchet.h>

#include "board.h"

typedef struct Tables {
    treb_tables *set; /* NULL: none */
    int men;          /* of the largest table */
    int limit;        /* ask about no more men than this */
    bool patient;     /* wait for the disk: only a search without a clock can afford that */
    uint64_t hits;    /* probes that were answered since the search began, */
    uint64_t lacked;  /* and those that were not, as a disk would have to be read first */
    FILE *trace;      /* NULL, or where to write what the search asks */
} Tables;

/* Opens the folders of `path`, "DIR:DIR", in place of those open now; an empty path just closes.
 * False: all is as before, and `error` says why. */
bool tables_open(Tables *t, const char *path, unsigned memory_mib, treb_error *error);
void tables_close(Tables *t);

/* Has the system read verdicts into its memory, the smallest tables first, up to so many MiB. Takes
 * as long as the disk takes. */
void tables_warm(Tables *t, unsigned mib);

/* The library reads and checks FENs for us. False: `error` says why. */
bool tables_read_fen(const char *fen, Board *out, treb_error *error);

/* The other way round. */
void tables_write_fen(const Board *b, char out[TREB_FEN_SIZE]);

/* How many men a position may have for the tables to be asked about it. */
int tables_men(const Tables *t);

/* Whether the tables have a position; looks at no disk. */
bool tables_know(const Tables *t, const Board *b);

/* At the root. `moves` holds legal moves on entry and those worth playing on return. */
typedef struct TablesRoot {
    Move moves[MOVES_MAX];
    int count;
    bool decided; /* one move is left: there is nothing to search for */
    int score;    /* if decided */
} TablesRoot;

/* How often a position has been in the game. */
typedef int TablesSeen(const void *game, const Board *b);

/* False, and nothing is written, if the tables do not cover the position, or if what a disk must be
 * read for is not there within so many seconds, or at *stop. */
bool tables_root(Tables *t, const Board *b, TablesSeen *seen, const void *game, double seconds,
                 const atomic_bool *stop, TablesRoot *root);

/* The best line from a position, at most `capacity` moves of it, as far as it is known. Returns its
 * length. */
int tables_line(const Tables *t, const Board *b, Move *out, int capacity);

/* At a node of the search. True: *score is exact, or a bound that is outside of the window. */
bool tables_probe(Tables *t, const Board *b, int ply, int alpha, int beta, int *score);

#endif
