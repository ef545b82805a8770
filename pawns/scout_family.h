/* scout_family.h - the scout's families: what one game knows of them, and the ways out of them.
 *
 * The board is turned so that the winner is White. A family has no pieces, or White has a queen; hers are not pushed
 * then, and Black's promotions help him unless the new piece is taken at once. */
#ifndef TREB_BLOCKED_SCOUT_FAMILY_H
#define TREB_BLOCKED_SCOUT_FAMILY_H

#include "pawns/scout.h"
#include "core/chess/conversion.h"

enum {
    SCOUT_NONE = -1,
    SCOUT_WAYS_MAX = 128,
    SCOUT_POTENTIALS = 256,
    SCOUT_BUCKET_BITS = 20,
    SCOUT_SETS = 8,         /* that a family is solved with */
    SCOUT_QUEEN_SOLVES = 40 /* what one with a queen costs, counted in those without */
};

/* A cell with whoever is to move. */
typedef struct ScoutPlace {
    uint8_t side, row, king[2];
} ScoutPlace;

/* A step of White's way out of a family. */
typedef struct ScoutStep {
    int32_t to;
    ScoutPlace place;
} ScoutStep;

/* What is solved from guesses, or from what was solved before these were found wrong, has too many wins rather than too
 * few. That does no harm as long as a way to win does not come by. */
typedef struct ScoutFamily {
    CellsKey key;
    int32_t next; /* in its bucket */
    int32_t *
        to; /* where its ways lead, in the order of scout_ways; NULL as long as it is only guessed */
    int potential; /* falls with every way */
    bool unsolved; /* it has sets, which mean nothing yet */
    bool wrong;    /* of the cells that the last way came by some are not won */
    uint64_t *unwon,
        *lost; /* positions in which White to move does not win, Black to move loses; NULL if guessed */
    /* Where Black to move loses: to White's promotion, roughly, and with a queen to mate or the next capture. NULL if
     * guessed, or where there was no room. Without a queen of the cells in `lost` alone, one after the other, those of a
     * word from `before` on. */
    uint8_t *plies;
    uint16_t *before;
    bool met; /* White's way to win comes by */
    /* Where it comes in, cells with White to move, then with Black; NULL if it never did. */
    uint64_t *trail;
    /* The steps that lead out of it again, as long as it is not solved anew and the way comes in where it did: `entry` is
     * a hash of the trail. NULL if it is to be followed. */
    ScoutStep *step;
    int32_t steps;
    uint64_t entry;
} ScoutFamily;

/* What a thread works in while it solves or follows a family. */
typedef struct ScoutRoom {
    uint64_t *sets, *game; /* the largest family's */
    uint8_t *plies;
    ScoutPlace *place;     /* whose moves are still to be looked at */
    ScoutStep *step;       /* out of the family */
    int32_t places, steps; /* that there is room for */
} ScoutRoom;

/* Memory of families, which stays until the scout goes: large pieces, one after the other. */
typedef struct ScoutMemory {
    char **piece;
    int32_t pieces, capacity;
    char *end; /* of the last one, of which `left` bytes are free */
    size_t left;
} ScoutMemory;

struct Scout {
    ScoutMemory memory;
    ScoutRoom *room; /* by thread */
    int threads;
    ScoutFamily **family;
    int32_t count, capacity;
    int32_t *bucket; /* 1 << SCOUT_BUCKET_BITS of them */
    int32_t *by_potential[SCOUT_POTENTIALS];
    int32_t of_potential[SCOUT_POTENTIALS], room_for_potential[SCOUT_POTENTIALS];
    uint64_t bytes;
    uint64_t solved; /* families so far, as often as they were */
    ScoutLimits limits;
    bool turned;      /* the winner is Black on the board as it is */
    bool listed;      /* all families without pieces are there, and solved */
    bool keeps_steps; /* of families that are followed now: there is memory */
    bool failed;      /* for want of memory */
};

/* A kind of move that leaves a family. */
typedef struct ScoutWay {
    ConversionKind kind;
    CellsKey
        to; /* the family it leads to; of Black's promotion the one after the new piece is taken */
} ScoutWay;

/* The squares that must be empty for a pawn's move. */
static inline uint64_t scout_path(const ConversionKind *kind)
{
    const uint64_t path = kind->victim == CONVERSION_NOBODY ? square_bit(kind->to) : 0;
    return kind->between >= 0 ? path | square_bit(kind->between) : path;
}

/* The ways out of a family for one side; returns their number. */
int scout_ways(const CellsKey *key, int side, ScoutWay way[SCOUT_WAYS_MAX]);

/* The number of a family, which is taken in as a guess if it is new and `add` says so; else SCOUT_NONE. */
int32_t scout_family(Scout *scout, const CellsKey *key, bool add);

/* Room for one more of a list. False without memory. */
bool scout_grow(void **list, int32_t count, int32_t *capacity, size_t size);

/* Memory of a scout's, all zero, until scout_free; not for several threads at once. NULL if there is none. */
void *scout_take(Scout *scout, size_t bytes);
void scout_memory_free(ScoutMemory *memory);

/* What the calling thread works in. NULL without memory. */
ScoutRoom *scout_room(Scout *scout);

/* Gives a family sets and its ways; those that it leads to are taken in as guesses. False without memory. */
bool scout_expand(Scout *scout, ScoutFamily *f);

/* A row of a family's cells in which Black is to move and loses, read where it is or made in `room`. */
const uint64_t *scout_lost_row(const ScoutFamily *f, size_t row, uint64_t room[CELLS_ROW]);

/* One word of such a row. */
uint64_t scout_lost_word(const ScoutFamily *f, size_t row, int king);

/* A row of its positions in which White is to move and does not win, likewise. */
const uint64_t *scout_unwon_row(const ScoutFamily *f, size_t row, uint64_t room[CELLS_ROW]);

/* Without a queen: the plies of a cell in which Black to move loses. */
static inline int scout_plies(const ScoutFamily *f, int white_king, int black_king)
{
    const uint64_t lower = f->lost[white_king] & (square_bit(black_king) - 1);
    return f->plies[f->before[white_king] + bit_count(lower)];
}

/* Solves a family, with its plies if it has room for them, or into `plies` unless NULL. Its steps are forgotten. False
 * without memory. */
bool scout_solve(Scout *scout, ScoutFamily *f, uint8_t *plies);

/* The way begins with a cell of a family without pieces. False without memory. */
bool scout_start(Scout *scout, ScoutFamily *f, Cell cell, int side);

/* Marks where White's way to win comes into other families from the cells of a family's trail. The family is wrong if
 * there is none from one of them. False without memory. */
bool scout_follow(Scout *scout, ScoutFamily *f);

/* Forgets the steps out of a family. */
void scout_forget_steps(Scout *scout, ScoutFamily *f);

/* Where Black may promote by a way: cells of a row with one white king. */
uint64_t scout_promotes(const CellsKey *key, const ScoutWay *way, size_t row, int king,
                        uint64_t legal);

#endif
