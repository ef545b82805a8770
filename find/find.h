/* find.h - finds the positions of an ending that are of some kind.
 *
 * All legal positions are examined in the order of the table (treb_each_position). Positions that a
 * symmetry of the board maps to each other are examined once. Results are those of play without the
 * 50-move rule, in which a cursed win is a win, unless the query says otherwise. */
#ifndef TREB_FIND_FIND_H
#define TREB_FIND_FIND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "trebuchet.h"

/* The kinds of positions. If a query has several, a position must be of all of them. */
enum {
    FIND_ZUGZWANG = 1,       /* mutual zugzwang: each side does worse if it is to move */
    FIND_ONLY_MOVE = 2,      /* there are several moves, and only one keeps the win or draw */
    FIND_UNDERPROMOTION = 4, /* only promotions to less than a queen keep the win or draw */
    FIND_UNIQUE_LINE =
        /* a win in which the winner has only one winning move at each turn until mate, against
         * the longest defence */
    8,
    FIND_STALEMATE = 16, /* a win, and some move stalemates */
    FIND_RULE_50 = 32,   /* won or lost, but a draw under the 50-move rule */
    FIND_LONGEST = 64    /* no win of the ending takes longer */
};

enum { FIND_EITHER = -1 };

typedef struct FindQuery {
    const treb_tables *tables;
    unsigned kinds;
    const char *condition;   /* a condition in Lua (script.h), or NULL */
    const char *name;        /* of the condition, in errors; NULL: "condition" */
    int turn;                /* side to move, or FIND_EITHER */
    bool rule50;             /* cursed wins and blessed losses are draws */
    treb_metric metric;      /* metric for FIND_LONGEST, `plies` and `floor` */
    bool plies;              /* sets Found.plies */
    uint64_t first;          /* no more positions than that are needed; 0: all are */
    /* Only positions with more plies than this are found; -1: all. May be raised during the search.
     * NULL: all. Kinds and condition come after it. */
    const atomic_int *floor;
    unsigned threads;        /* 0: the number that OpenMP chooses */
    const atomic_bool *stop; /* set to true to end the search early; may be NULL */
} FindQuery;

/* Kinds of zugzwang, by what it costs to be the side to move. */
typedef enum FindZugzwang {
    FIND_NO_ZUGZWANG,
    FIND_HALF_POINT, /* one side loses if it is to move; otherwise it is a draw */
    FIND_FULL_POINT  /* the side to move loses, whichever it is: a trébuchet */
} FindZugzwang;

typedef struct Found {
    treb_position pos;
    treb_wdl wdl;
    FindZugzwang zugzwang; /* if the query asks for it */
    int loser; /* the side that loses if it is to move; with FIND_FULL_POINT that holds for both */
    uint16_t move; /* the only move (core/chess/movegen.h), if the query asks for it; otherwise 0 */
    int plies;     /* if the query asks for them, by its metric; 0 for a draw */
    const char *text; /* what the listener wrote about it, during FindSink; NULL: nothing */
    size_t length;    /* of the text, in bytes */
} Found;

typedef struct FindCounts {
    uint64_t looked, found;
    uint64_t full; /* zugzwangs in which the side to move loses, whichever it is */
    /* zugzwangs in which only this side loses if it is to move, and the other draws */
    uint64_t half[2];
} FindCounts;

/* Called for each position that was found, in the order of the table. Returns false to end the
 * search. */
typedef bool (*FindSink)(void *context, const Found *found);

/* Called now and then. */
typedef void (*FindProgress)(void *context, uint64_t done, uint64_t total);

typedef struct FindListener {
    FindSink found;
    FindProgress progress; /* may be NULL */
    void *context;
    /* Writes the text of a position. Called by the thread that found it, of several threads at the
     * same time; `found` then gets the text. Returns false if out of memory. May be NULL. */
    bool (*describe)(void *context, const Found *found, FILE *out);
} FindListener;

/* Searches a material. Adds to `counts`, also if the search ends early. Returns the errors of the
 * library, TREB_ERR_ARGUMENT if the condition is wrong (the message then contains the line), and TREB_ERR_UNSUPPORTED if
 * a Syzygy file does not say what the query asks for. */
treb_status find_material(const FindQuery *query, const char *material,
                          const FindListener *listener, FindCounts *counts, treb_error *error);

/* Returns a number of plies such that at least `first` positions that a query without kinds and
 * condition finds have more: the headers tell how many have each distance. Returns -1 if that is not
 * known. */
int find_floor(const FindQuery *query, const char *material, uint64_t first);

/* Checks that a condition can be read. `name` is its name in errors; NULL: "condition". Returns
 * TREB_ERR_ARGUMENT if it cannot, TREB_ERR_MEMORY if out of memory. */
treb_status find_check_condition(const char *condition, const char *name, treb_error *error);

#endif
