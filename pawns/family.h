/* family.h - families of positions and how captures, pawn moves and promotions join them.
 *
 * What is known of a family are sets of won positions for each winner and side to move, at three
 * levels: SURE, those that are won whatever is not known yet, MAYBE, those that might be, and GUESS
 * between them, by a guess at what is not known, which tells where to look first. Where SURE and
 * MAYBE agree the position is decided. A family in which they agree everywhere for one winner keeps
 * one set of its wins for all levels; if they do for both the family is decided. Where only the sure wins of one winner
 * are looked for nothing else is known: all else may be, and is not guessed. */
#ifndef TREB_BLOCKED_FAMILY_H
#define TREB_BLOCKED_FAMILY_H

#include "pawns/cells.h"
#include "pawns/guess.h"
#include "core/chess/conversion.h"

typedef struct Family Family;

enum { SURE, MAYBE, GUESS, LEVELS };

enum { EDGE_NEW = -1 }; /* Edge.place of a promoted piece */

/* What an edge leads to. A family with more pieces than CELLS_MEN_MAX has no place in memory. */
typedef struct EdgeChild {
    CellsKey key;
    bool beyond;    /* too many pieces */
    Family *family; /* NULL as long as it is unknown */
} EdgeChild;

/* A kind of move that leaves the family: one man from or to certain squares. */
typedef struct Edge {
    int8_t mover;                /* a piece, CONVERSION_KING or CONVERSION_PAWN */
    int8_t victim;               /* a piece, CONVERSION_PAWN or CONVERSION_NOBODY */
    int8_t from;                 /* of a pawn */
    int8_t to;                   /* of a pawn or a captured pawn */
    int8_t between;              /* the square that a double push passes, or -1 */
    int8_t place[CELLS_MEN_MAX]; /* which of the family's pieces is the child's, or EDGE_NEW */
    uint8_t captures;            /* ways to answer a double push en passant */
    bool promotes;
    EdgeChild child;
    /* What these lead to; after a promotion, what taking the new piece at once does. Few edges have any. */
    EdgeChild *answer;
} Edge;

/* Answers for single positions what a family is worth: above 0 if the side to move wins, below if it
 * loses, 0 for a draw; 2 and -2 if the 50-move rule spoils nothing, from a clock of 0 on. False if it cannot, and then keeps the reason. Several
 * threads ask at once. */
typedef struct FamilyOracle {
    void *context;
    bool (*value)(void *context, const treb_position *pos, int *out);
    /* Plies to the next capture, promotion or mate of a position that is no draw. False if it does not know; may be
     * NULL. */
    bool (*distance)(void *context, const treb_position *pos, int *out);
} FamilyOracle;

struct Family {
    CellsKey key;
    int men;       /* on the board */
    int potential; /* falls with every edge */
    Edge *edge[2]; /* by who moves; the answers behind them */
    int edges[2];
    uint32_t edge_bytes; /* of both */
    uint64_t *legal[2];
    uint64_t *stuck[2];          /* without a legal move, en passant left out */
    uint64_t *won[LEVELS][2][2]; /* by level, winner and side to move; once decided one for all */
    int8_t only; /* the winner whose sure wins alone are looked for, or FAMILY_BOTH */
    const FamilyOracle *oracle; /* whoever answers for it, or NULL */
    uint64_t *filled[2];        /* cells that the oracle was asked for */
    bool asking;                /* somebody asks the oracle */
    /* Of all families of a lattice: an oracle could not answer, or there was no memory to solve one. The sets mean nothing
     * then. */
    bool *failed;
    bool solved, decided, changed;
    bool stale;             /* something below it has changed since it was solved */
    unsigned met;           /* the last round of the search that came by */
    uint64_t *wanted[2][2]; /* while looking for what is missing, by winner and side to move: cells
                               of which it matters whether they are won */
    Family *next;           /* in its bucket */
};

enum { FAMILY_BOTH = -1 };

/* A family with its edges but no sets. NULL without memory. */
Family *family_new(const CellsKey *key);
void family_free(Family *family);

/* Visits what the edges of a family lead to, and then the answers to each. */
void family_each_child(Family *family, void (*visit)(void *context, EdgeChild *child),
                       void *context);

/* Notes that SURE is all there is to know of a winner. */
void family_settle(Family *family, int winner);

static inline bool family_settled(const Family *family, int winner)
{
    return family->won[SURE][winner][0] == family->won[MAYBE][winner][0];
}

/* Bytes that a family takes: at most, but for its edges, and now, with these. */
uint64_t family_bytes(const CellsKey *key);
uint64_t family_bytes_now(const Family *family);

static inline bool family_failed(const Family *family)
{
    return __atomic_load_n(family->failed, __ATOMIC_RELAXED);
}

static inline void family_fail(Family *family)
{
    __atomic_store_n(family->failed, true, __ATOMIC_RELAXED);
}

/* Gives it sets, all empty but `legal`; if only sure wins of a winner are looked for but those. It then has one piece at
 * most, and no oracle. False without memory. */
bool family_allocate(Family *family);

/* What the other side might win where that is known: all but this. */
void family_note_others(Family *family);

/* Gives a family in which only sure wins of one winner were looked for all its sets, which are to be found. False
 * without memory. */
bool family_widen(Family *family);

/* Asks the oracle, if there is one, for the values of some cells of a word. Several threads may do so at once. */
void family_fill(Family *family, int side, size_t word, uint64_t cells);

/* A word of a set of a family that an oracle answers for, of which others may note other cells meanwhile. */
static inline uint64_t word_get(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* A set of cells of a child: those of `all`; or its positions, `side` to move, found by `legal`; or what is guessed to
 * be won then, positions or not; or all there are. `all` is a set of `family`, whose cells are asked for first, unless that
 * is NULL. */
typedef struct CellSource {
    const uint64_t *all;
    Family *family;
    int side;
    const CellsKey *legal;
    const Guess *guess;
} CellSource;

/* Ors into `out` the cells of the family from which `side` reaches the source by the edge. */
void edge_pull(const Family *family, int side, const Edge *edge, CellSource source, uint64_t *out);

/* The other way: ors into `out` the cells of the child that the edge leads to from `in`. */
void edge_push(const Family *family, int side, const Edge *edge, const uint64_t *in, uint64_t *out);

/* Ors into `out` the cells that answers en passant lead to from `in`, cells of the edge's child. */
void edge_push_en_passant(const Edge *edge, const uint64_t *in, uint64_t *out);

/* Ors into `out` the cells of the edge's child, after a double push, from which an answer en
 * passant reaches the source, a set of that answer's family. */
void edge_pull_en_passant(const Edge *edge, CellSource source, uint64_t *out);

/* Of kings and pawns alone: which placements of the kings `winner` surely wins, and of which that is open, by side to
 * move and white king, the black king a bit. Of one that was not solved all is open. */
void family_placements(const Family *family, int winner, uint64_t won[2][64], uint64_t open[2][64]);

static inline bool cell_in(const uint64_t *set, Cell cell)
{
    return set[cell >> 6] >> (cell & 63) & 1;
}

/* Of a word, the cells of which it is not decided whether `winner` wins. */
static inline uint64_t word_open(const Family *f, int winner, int side, size_t word)
{
    return f->won[SURE][winner][side][word] ^ f->won[MAYBE][winner][side][word];
}

#endif
