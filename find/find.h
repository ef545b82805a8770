/* find.h - which positions of an ending are of some kind.
 *
 * All legal positions are looked at, those that a symmetry of the board makes the same once, in the order
 * of the table (treb_each_position). Results are those of play without the 50-move rule, unless a query says
 * otherwise: a cursed win is a win. */
#ifndef TREB_FIND_FIND_H
#define TREB_FIND_FIND_H

#include <stdatomic.h>
#include <stdbool.h>

#include "trebuchet.h"

/* What is asked for; of several all must hold. */
enum {
    FIND_ZUGZWANG = 1,       /* whoever is to move would rather not be: mutual zugzwang */
    FIND_ONLY_MOVE = 2,      /* of several moves one alone keeps a win or draw */
    FIND_UNDERPROMOTION = 4, /* nothing but promotions to less than a queen keeps it */
    FIND_UNIQUE_LINE = 8, /* won, by one move at each turn, to mate, against the longest defence */
    FIND_STALEMATE = 16,  /* won, and some move stalemates */
    FIND_RULE_50 = 32,    /* won or lost, but not under the 50-move rule */
    FIND_LONGEST = 64     /* no win of the ending takes longer */
};

enum { FIND_EITHER = -1 };

typedef struct FindQuery {
    const treb_tables *tables;
    unsigned kinds;
    const char *condition;   /* in Lua (script.h), or NULL */
    int turn;                /* who is to move, or FIND_EITHER */
    bool rule50;             /* cursed wins and blessed losses are draws */
    treb_metric metric;      /* of FIND_LONGEST */
    unsigned threads;        /* 0: as OpenMP likes */
    const atomic_bool *stop; /* when true it ends early; NULL allowed */
} FindQuery;

/* A zugzwang by what it costs to be the one to move. */
typedef enum FindZugzwang {
    FIND_NO_ZUGZWANG,
    FIND_HALF_POINT, /* one side loses if it is to move, else it is a draw */
    FIND_FULL_POINT  /* whoever is to move loses: a trébuchet */
} FindZugzwang;

typedef struct Found {
    treb_position pos;
    treb_wdl wdl;
    FindZugzwang zugzwang; /* if asked for, */
    int loser;     /* and which side loses if it is to move: of FIND_FULL_POINT either does */
    uint16_t move; /* the only one, if asked for (core/chess/movegen.h); else 0 */
} Found;

typedef struct FindCounts {
    uint64_t looked, found;
    uint64_t full;    /* of zugzwangs: whoever is to move loses, */
    uint64_t half[2]; /* or only this side does: the other then draws */
} FindCounts;

/* Takes what was found, in the order of the table, one by one. False ends the search. */
typedef bool (*FindSink)(void *context, const Found *found);

/* Told now and then. */
typedef void (*FindProgress)(void *context, uint64_t done, uint64_t total);

typedef struct FindListener {
    FindSink found;
    FindProgress progress; /* NULL allowed */
    void *context;
} FindListener;

/* Goes through a material. `counts` are added to, also if it ends early. The library's errors;
 * TREB_ERR_ARGUMENT if the condition is wrong, with its line. */
treb_status find_material(const FindQuery *query, const char *material,
                          const FindListener *listener, FindCounts *counts, treb_error *error);

/* Whether a condition can be read. TREB_ERR_ARGUMENT, TREB_ERR_MEMORY. */
treb_status find_check_condition(const char *condition, treb_error *error);

#endif
