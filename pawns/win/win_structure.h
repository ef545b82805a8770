/* win_structure.h - the structures of a win search: what it knows of them, and the edges that lead
 * out of them.
 *
 * The board is turned so that the winner is White. A structure has no pieces, or White has one
 * queen. To keep the search small some moves are left out: promotions to less than a queen, a
 * second queen, pushes of White's pawns once there is a queen, and double pushes of White that can
 * be taken en passant. A promotion of Black counts as an escape unless White captures the new piece
 * at once. */
#ifndef TREB_PAWNS_WIN_WIN_STRUCTURE_H
#define TREB_PAWNS_WIN_WIN_STRUCTURE_H

#include "core/chess/conversion.h"
#include "pawns/win/win_search.h"

enum {
    WIN_NONE = -1,
    WIN_EDGES_MAX = 128, /* of one side in one structure */
    WIN_POTENTIALS = 256,
    WIN_BUCKET_BITS = 20,
    WIN_SETS = 8,       /* number of sets that solving a structure works in */
    WIN_QUEEN_COST = 40 /* what solving a structure with a queen costs, in structures without one */
};

/* A cell with the side to move. */
typedef struct WinPosition {
    uint8_t side, row, king[2];
} WinPosition;

/* A move of White's strategy, or an answer to it, that leaves a structure. */
typedef struct WinExit {
    int32_t to; /* number of the structure that it leads to */
    WinPosition position;
} WinExit;

/* A structure is guessed (it has no sets), unsolved, or solved. One that was solved from guesses,
 * or from values that were later found too high, claims too many wins rather than too few. That
 * does no harm unless the strategy reaches it. */
typedef struct WinStructure {
    CellsKey key;
    int32_t next; /* the next structure in its hash bucket, or WIN_NONE */
    /* Structures that the edges lead to, White's first, ended by WIN_NONE; NULL if guessed. */
    int32_t *child;
    int potential;     /* smaller in every child */
    bool unsolved;     /* it has sets, which mean nothing yet */
    bool wrong;        /* the strategy enters it in a cell that is not won */
    uint64_t *not_won; /* positions with White to move that are not won; NULL if guessed */
    uint64_t *lost;    /* positions with Black to move that are lost; NULL if guessed */
    /* Plies of positions with Black to move that are lost: without a queen, roughly to White's
     * promotion; with a queen, to mate or the next capture. NULL if guessed or left out for lack of
     * memory. With a queen there is an entry for each cell, without one for the cells in `lost`
     * only, in order; those of word w begin at `before[w]`. */
    uint8_t *plies;
    uint16_t *before;
    bool reached; /* by the strategy */
    /* Cells where the strategy enters, White to move, then Black; NULL if it never did. */
    uint64_t *entries;
    /* The exits by which the strategy leaves the structure again; NULL if they are not known. They
     * are valid for entries with this hash until the structure is solved again. */
    WinExit *exit;
    int32_t exits;
    uint64_t entries_hash;
} WinStructure;

/* Buffers of one thread, for solving and following a structure. */
typedef struct WinBuffers {
    uint64_t *sets, *work; /* for the largest structure */
    uint8_t *plies;
    WinPosition *position;    /* positions whose moves are still to be followed */
    WinExit *exit;            /* exits found so far */
    int32_t positions, exits; /* their capacities */
} WinBuffers;

/* An arena: memory for structures, taken in large chunks and kept until the search is freed. */
typedef struct WinArena {
    char **chunk;
    int32_t chunks, capacity;
    char *end;   /* of the last chunk */
    size_t left; /* bytes of it that are free */
} WinArena;

struct WinSearch {
    WinArena arena;
    WinBuffers *buffers; /* by thread */
    int threads;
    WinStructure **structure; /* by number */
    int32_t count, capacity;
    /* Hash table: number of the first structure, or WIN_NONE; 1 << WIN_BUCKET_BITS entries. */
    int32_t *bucket;
    int32_t *by_potential[WIN_POTENTIALS]; /* numbers of the structures of a potential */
    int32_t of_potential[WIN_POTENTIALS], capacity_of_potential[WIN_POTENTIALS];
    uint64_t bytes;
    uint64_t solved; /* cost of all solving so far, in structures without a queen */
    WinSearchLimits limits;
    bool turned; /* the winner is Black on the caller's board */
    bool listed; /* all structures without pieces have been listed, as far as there is memory */
    bool keeps_exits; /* of structures that are followed now: there is memory for it */
    bool failed;      /* for lack of memory */
};

/* A kind of move that leaves a structure. */
typedef struct WinEdge {
    ConversionKind kind;
    CellsKey to; /* the structure that it leads to; for a promotion of Black, the one after White
                    has captured the new piece */
} WinEdge;

/* The squares that must be empty for a pawn move. */
static inline uint64_t win_edge_path(const ConversionKind *kind)
{
    const uint64_t path = kind->victim == CONVERSION_NOBODY ? square_bit(kind->to) : 0;
    return kind->between >= 0 ? path | square_bit(kind->between) : path;
}

/* Lists the edges of one side; returns their number. */
int win_edges(const CellsKey *key, int side, WinEdge edge[WIN_EDGES_MAX]);

/* The number of a structure. With `add` a new structure is taken in as guessed. WIN_NONE if it is
 * not there, or without memory, in which case search->failed is set. */
int32_t win_structure_find(WinSearch *search, const CellsKey *key, bool add);

/* Gives a structure its sets and children. Children that are new are taken in as guessed. False
 * without memory. */
bool win_structure_expand(WinSearch *search, WinStructure *f);

/* Frees the exits of a structure. */
void win_structure_forget_exits(WinSearch *search, WinStructure *f);

/* Makes room for one more element of an array of `count` elements of `size` bytes. False without
 * memory. */
bool win_grow(void **list, int32_t count, int32_t *capacity, size_t size);

/* Takes zeroed memory from the arena. Not for several threads at a time. NULL if there is none. */
void *win_alloc(WinSearch *search, size_t bytes);
void win_arena_free(WinArena *arena);

/* The buffers of the calling thread. NULL without memory. */
WinBuffers *win_buffers(WinSearch *search);

/* ---- What is known or guessed ---------------------------------------------------------------- */

/* One row of the positions with Black to move that are lost; returns the row of the structure or
 * `room`. */
const uint64_t *win_lost_row(const WinStructure *f, size_t row, uint64_t room[CELLS_ROW]);

/* One word of such a row. */
uint64_t win_lost_word(const WinStructure *f, size_t row, int king);

/* One row of the positions with White to move that are not won; returns the row of the structure or
 * `room`. */
const uint64_t *win_not_won_row(const WinStructure *f, size_t row, uint64_t room[CELLS_ROW]);

/* Plies of a lost position with Black to move, in a structure without a queen. */
static inline int win_plies(const WinStructure *f, int white_king, int black_king)
{
    const uint64_t lower = f->lost[white_king] & (square_bit(black_king) - 1);
    return f->plies[f->before[white_king] + bit_count(lower)];
}

/* Those cells of `legal`, a word with the white king on `king`, in which Black can promote by an
 * edge. */
uint64_t win_promotes(const CellsKey *key, const WinEdge *edge, size_t row, int king,
                      uint64_t legal);

#endif
