/* tables.h - all calls of libtrebuchet. Start reading here. */
#ifndef UCI_TABLES_H
#define UCI_TABLES_H

#include <stdatomic.h>
#include <stdio.h>
#include <trebuchet.h>

#include "board.h"

typedef struct Tables {
    treb_tables *set; /* NULL if no tables are open */
    int men;          /* of the largest table */
    int limit;        /* maximum number of men to probe */
    bool patient;     /* wait for the disk; only for searches without a clock */
    uint64_t hits;    /* probes of this search that were answered */
    uint64_t lacked;  /* probes of this search that would have had to wait for a disk */
    FILE *trace;      /* NULL, or a file for all probes of the search */
} Tables;

/* Opens the folders of `path`, "DIR:DIR", and closes the present ones. An empty path only closes. On
 * failure, returns false, changes nothing, and sets *error. */
bool tables_open(Tables *t, const char *path, unsigned memory_mib, treb_error *error);
void tables_close(Tables *t);

/* Reads up to `mib` MiB of WDL files into the system's memory, the smallest first. Waits for the disk. */
void tables_warm(Tables *t, unsigned mib);

/* Reads and checks a FEN by the library. On failure, returns false and sets *error. */
bool tables_read_fen(const char *fen, Board *out, treb_error *error);

/* Writes the FEN of a position. */
void tables_write_fen(const Board *b, char out[TREB_FEN_SIZE]);

/* Returns the maximum number of men of a position that may be probed. */
int tables_men(const Tables *t);

/* Whether the tables have a position. Never reads a disk. */
bool tables_know(const Tables *t, const Board *b);

/* The moves at the root. Before tables_root: legal moves; after it: those that keep the result. */
typedef struct TablesRoot {
    Move moves[MOVES_MAX];
    int count;
    bool decided; /* one move is left, and no search is needed */
    int score;    /* if decided */
} TablesRoot;

/* Returns how often a position has been in the game. */
typedef int TablesSeen(const void *game, const Board *b);

/* Probes the root. Returns false and changes nothing if the tables do not have the position, or if data
 * from a disk does not arrive within `seconds` or before *stop is set. */
bool tables_root(Tables *t, const Board *b, TablesSeen *seen, const void *game, double seconds,
                 const atomic_bool *stop, TablesRoot *root);

/* Writes the best line from a position, as far as it is known and at most `capacity` moves. Returns its
 * length. */
int tables_line(const Tables *t, const Board *b, Move *out, int capacity);

/* Probes a node of the search. Returns true if the tables answer; *score is then exact, or a bound
 * outside of the window. */
bool tables_probe(Tables *t, const Board *b, int ply, int alpha, int beta, int *score);

#endif
