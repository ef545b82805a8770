/* structure.h - a pawn structure in the proof graph: its edges to other structures, and what is
 * known of its positions.
 *
 * Known are sets of won positions, for each winner and side to move, at three levels of certainty:
 *
 *     SURE    won, whatever is still unknown
 *     MAYBE   might be won: a position outside this set is proven not to be won
 *     GUESS   between the two: won if a guess at the unknown is right; tells the search where to look first
 *
 * A position is decided where SURE and MAYBE agree. A structure is decided for one winner if they
 * agree in all cells; then one set serves for all three levels. It is decided if it is decided for
 * both winners.
 *
 * In some structures only the sure wins of one winner are looked for (`only_winner`). Nothing else
 * is known of them then: what is not excluded by those wins may be won, and nothing is guessed. */
#ifndef TREB_PAWNS_SOLVE_STRUCTURE_H
#define TREB_PAWNS_SOLVE_STRUCTURE_H

#include "core/chess/conversion.h"
#include "pawns/cells/cells.h"

typedef struct Structure Structure;

enum { SURE, MAYBE, GUESS, LEVELS };

enum { EDGE_NEW = -1 }; /* Edge.place of a promoted piece */

/* The structure that an edge leads to. With more pieces than CELLS_PIECES_MAX it cannot be
 * represented. */
typedef struct EdgeChild {
    CellsKey key;
    bool beyond;          /* too many pieces; the key has no pieces then */
    Structure *structure; /* NULL as long as it is unknown */
} EdgeChild;

/* An edge: a kind of move that leaves the structure, by one man from or to certain squares. */
typedef struct Edge {
    int8_t mover;   /* number of a piece, CONVERSION_KING or CONVERSION_PAWN */
    int8_t victim;  /* number of a piece, CONVERSION_PAWN or CONVERSION_NOBODY */
    int8_t from;    /* of a pawn */
    int8_t to;      /* of a pawn or a captured pawn */
    int8_t between; /* the square that a double push passes, or -1 */
    int8_t place
        [CELLS_PIECES_MAX]; /* by piece of the child: its number in this structure, or EDGE_NEW */
    uint8_t captures;       /* number of ways to answer a double push en passant */
    /* A promotion, and `answer` is the structure after the new piece is captured at once. */
    bool promotes;
    EdgeChild child;
    EdgeChild *answer; /* what these answers lead to; NULL if there are none */
} Edge;

/* Answers for single positions, from tables for example. Several threads may call it at a time. */
typedef struct PositionOracle {
    void *context;
    /* Sets `out` to the value for the side to move: above 0 for a win, below 0 for a loss, 0 for a
     * draw; 2 and -2 if the 50-move rule does not spoil the win, from a clock of 0. False if it
     * cannot answer. */
    bool (*value)(void *context, const treb_position *pos, int *out);
    /* Sets `out` to the plies to the next capture, promotion or mate of a position that is not a
     * draw. False if it cannot answer. May be NULL. */
    bool (*distance)(void *context, const treb_position *pos, int *out);
} PositionOracle;

struct Structure {
    CellsKey key;
    int men;       /* on the board, kings and pawns included */
    int potential; /* cells_potential(); smaller in every child */
    Edge *edge[2]; /* by side that moves; one allocation with their answers */
    int edges[2];
    uint32_t edge_bytes;         /* of the edges of both sides */
    uint64_t *legal[2];          /* by side to move: the cells that are legal positions */
    uint64_t *stuck[2];          /* positions without a legal move, captures en passant left out */
    uint64_t *won[LEVELS][2][2]; /* by level, winner and side to move */
    int8_t only_winner; /* the winner whose sure wins alone are looked for, or BOTH_WINNERS */
    const PositionOracle *oracle; /* answers for this structure; NULL if it is solved */
    uint64_t *asked[2];           /* cells that the oracle has been asked for, by side to move */
    bool asking;                  /* a lock: a thread is asking the oracle */
    /* Shared by all structures of a graph: an oracle could not answer, or there was no memory to
     * solve a structure. The sets mean nothing then. */
    bool *failed;
    bool solved, decided;
    bool changed;        /* its values changed since its parents were last updated */
    bool stale;          /* the values of a child changed since it was solved */
    unsigned last_round; /* the last round of the search that reached it */
    uint64_t *wanted
        [2]
        [2]; /* by winner and side to move: cells of which the search wants to know whether they are won
                               (wanted.h); NULL if there are none */
    Structure *next; /* in its hash bucket */
};

enum { BOTH_WINNERS = -1 };

/* Creates a structure with its edges but without sets. NULL without memory. */
Structure *structure_new(const CellsKey *key);
void structure_free(Structure *structure);

/* Calls `visit` for the child of every edge, each followed by the answers of that edge. */
void structure_each_child(Structure *structure, void (*visit)(void *context, EdgeChild *child),
                          void *context);

/* Notes that a structure is decided for a winner: SURE serves for all levels from now on. */
void structure_decide_for(Structure *structure, int winner);

static inline bool structure_decided_for(const Structure *structure, int winner)
{
    return structure->won[SURE][winner][0] == structure->won[MAYBE][winner][0];
}

/* Number of bytes that a structure takes at most, without its edges, and that it takes now, with
 * its edges. */
uint64_t structure_bytes_most(const CellsKey *key);
uint64_t structure_bytes(const Structure *structure);

static inline bool structure_failed(const Structure *structure)
{
    return __atomic_load_n(structure->failed, __ATOMIC_RELAXED);
}

static inline void structure_fail(Structure *structure)
{
    __atomic_store_n(structure->failed, true, __ATOMIC_RELAXED);
}

/* Allocates the sets. All are empty except `legal`. With `only_winner`, only the sets for that
 * winner are allocated; the structure must then have at most one piece and no oracle. False without
 * memory. */
bool structure_allocate(Structure *structure);

/* With `only_winner`: notes that the other side may win only where this winner does not surely
 * win. */
void structure_note_not_won(Structure *structure);

/* Gives a structure with `only_winner` all its sets and marks it stale: everything is looked for
 * from now on. False without memory. */
bool structure_widen(Structure *structure);

/* Asks the oracle, if the structure has one, for the values of some cells of a word. Several
 * threads may call it at a time. */
void structure_ask_oracle(Structure *structure, int side, size_t word, uint64_t cells);

/* A word of a set of a structure with an oracle. Other threads may add cells to it at the same
 * time. */
static inline uint64_t word_get(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* For a structure of kings and pawns: the placements of the kings that `winner` surely wins, and
 * those where this is open, by side to move and white king, the black king a bit. In an unsolved
 * structure all are open. */
void structure_placements(const Structure *structure, int winner, uint64_t won[2][64],
                          uint64_t open[2][64]);

static inline bool cell_in(const uint64_t *set, Cell cell)
{
    return set[cell >> 6] >> (cell & 63) & 1;
}

/* The cells of a word for which it is not decided whether `winner` wins. */
static inline uint64_t word_open(const Structure *f, int winner, int side, size_t word)
{
    return f->won[SURE][winner][side][word] ^ f->won[MAYBE][winner][side][word];
}

#endif
