/* table_solved.h - solved pawn endings: all that is known of the structures below a position, in the
 * container of the tables.
 *
 * A structure is pawns on certain squares with the same pieces anywhere. A file lists many, each in the
 * orientation of files: a structure, its mirror image left-right, and both with the colours exchanged
 * share cells. A cell is a byte that says who wins, under the 50-move rule with a clock of 0, and in how
 * many plies at most the next capture or pawn move by which that is kept. */
#ifndef TREB_CORE_TABLE_SOLVED_H
#define TREB_CORE_TABLE_SOLVED_H

#include "core/format/table.h"

/* What a cell says for the side to move. */
enum {
    SOLVED_DRAW = 0,                             /* nobody wins; also what is no position */
    SOLVED_OPEN = 1,                             /* nothing is known */
    SOLVED_NO_LOSS = 2,                          /* it wins, or it is a draw */
    SOLVED_NO_WIN = 3,                           /* it loses, or it is a draw */
    SOLVED_WIN = 4,                              /* and the plies, from 1 on */
    SOLVED_PLIES = 100,                          /* of a win or a loss, at most */
    SOLVED_LOSS = SOLVED_WIN + SOLVED_PLIES + 1, /* and the plies, from 0 on */
    SOLVED_CELLS = SOLVED_LOSS + SOLVED_PLIES + 1
};

static inline bool solved_wins(unsigned cell) { return cell >= SOLVED_WIN && cell < SOLVED_LOSS; }
static inline bool solved_loses(unsigned cell)
{
    return cell >= SOLVED_LOSS && cell < SOLVED_CELLS;
}

/* Whether it is shut out that the side to move wins, or loses. */
static inline bool solved_no_win(unsigned cell)
{
    return cell == SOLVED_DRAW || cell == SOLVED_NO_WIN || solved_loses(cell);
}
static inline bool solved_no_loss(unsigned cell)
{
    return cell == SOLVED_DRAW || cell == SOLVED_NO_LOSS || solved_wins(cell);
}

/* Of a win or a loss. */
static inline unsigned solved_plies(unsigned cell)
{
    return cell < SOLVED_LOSS ? cell - SOLVED_WIN : cell - SOLVED_LOSS;
}

/* A structure has so many cells for each side to move: by the squares of its pieces, the first
 * slowest, then 64 * the white king's + the black king's. */
static inline uint64_t solved_cells(const SolvedKey *key)
{
    uint64_t cells = 4096;
    for (int i = 0; i < SOLVED_PIECES && key->piece[i] != 0; i++) cells <<= 6;
    return cells;
}

/* Brings a structure into the orientation of files and returns the symmetry that does it: SYM_FILES
 * and, where the colours are exchanged too, SYM_RANKS. */
int solved_orient(SolvedKey *key);

/* A structure after such a symmetry: of a few it is the same. */
SolvedKey solved_transform(const SolvedKey *key, int symmetry);

/* Where a position is: its structure as files have it, the side to move there, the cell within it. False
 * if it has more pieces than any. The right to take en passant is left out. */
typedef struct SolvedPlace {
    SolvedKey key;
    int turn;
    uint64_t cell;
} SolvedPlace;
bool solved_place(const treb_position *pos, SolvedPlace *out);

/* The structure in an open file; NULL if it is not there. */
const SolvedStructure *solved_find(const TableHeader *header, const SolvedKey *key);

/* Makes the header of a file, with both sides and nothing counted yet. It takes the list over, in which
 * `first` is set; cells follow from it. False if there are too many. */
bool table_solved_header(const SolvedKey *root, SolvedStructure *list, uint32_t count,
                         TableHeader *out);

/* "Na2b3-Rc6.solved.treb": pieces as letters before the pawns of their side. */
void table_solved_name(const SolvedKey *root, char out[RANKS_NAME_SIZE]);

/* Whether a file has such a name; `root`, unless NULL, gets the structure. */
bool table_solved_is_name(const char *name, SolvedKey *root);

/* Kings, pawns and pieces. */
int solved_men(const SolvedKey *key);

#endif
