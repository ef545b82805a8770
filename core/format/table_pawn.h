/* table_pawn.h - pawn files: what a solved pawn ending knows about the structures that can arise
 * from a position, in the container of tables. In names of files and metrics, JSON and options they
 * are called "solved".
 *
 * A structure is pawns on certain squares together with certain pieces on any squares. A file lists
 * many structures, each in the orientation of files: a structure, its left-right mirror image, and
 * both with the colours exchanged have the same cells. A cell is a byte that says who wins, under
 * the 50-move rule with a clock of 0, and an upper bound of the plies to the next capture or pawn
 * move that keeps the win. */
#ifndef TREB_CORE_FORMAT_TABLE_PAWN_H
#define TREB_CORE_FORMAT_TABLE_PAWN_H

#include "core/format/table.h"

/* What a cell says about the side to move. */
enum {
    PAWN_CELL_DRAW = 0,    /* nobody wins, or the cell is no position */
    PAWN_CELL_OPEN = 1,    /* nothing is known */
    PAWN_CELL_NO_LOSS = 2, /* it wins or draws */
    PAWN_CELL_NO_WIN = 3,  /* it loses or draws */
    PAWN_CELL_WIN = 4,     /* a win; add the plies, 1 to PAWN_PLIES_MAX */
    PAWN_PLIES_MAX = 100,  /* largest number of plies of a win or a loss */
    PAWN_CELL_LOSS = PAWN_CELL_WIN + PAWN_PLIES_MAX + 1, /* a loss; add the plies, 0 to
                                                            PAWN_PLIES_MAX */
    PAWN_CELLS = PAWN_CELL_LOSS + PAWN_PLIES_MAX + 1
};

static inline bool pawn_cell_wins(unsigned cell)
{
    return cell >= PAWN_CELL_WIN && cell < PAWN_CELL_LOSS;
}
static inline bool pawn_cell_loses(unsigned cell)
{
    return cell >= PAWN_CELL_LOSS && cell < PAWN_CELLS;
}

/* Whether the cell excludes that the side to move wins; or loses. */
static inline bool pawn_cell_no_win(unsigned cell)
{
    return cell == PAWN_CELL_DRAW || cell == PAWN_CELL_NO_WIN || pawn_cell_loses(cell);
}
static inline bool pawn_cell_no_loss(unsigned cell)
{
    return cell == PAWN_CELL_DRAW || cell == PAWN_CELL_NO_LOSS || pawn_cell_wins(cell);
}

/* The plies of a win or a loss. */
static inline unsigned pawn_cell_plies(unsigned cell)
{
    return cell < PAWN_CELL_LOSS ? cell - PAWN_CELL_WIN : cell - PAWN_CELL_LOSS;
}

/* Returns how many cells a structure has for each side to move. A cell's number is made of the
 * squares of its pieces, the first slowest, then 64 * the white king's square + the black
 * king's. */
static inline uint64_t structure_cells(const StructureKey *key)
{
    uint64_t cells = 4096;
    for (int i = 0; i < STRUCTURE_PIECES && key->piece[i] != 0; i++) cells <<= 6;
    return cells;
}

/* Brings a structure into the orientation of files. Returns the symmetry that does it: SYM_FILES
 * and, if the colours are exchanged too, SYM_RANKS. */
int structure_orient(StructureKey *key);

/* Returns a structure after such a symmetry. Some structures have several symmetries that give the
 * same result. */
StructureKey structure_transform(const StructureKey *key, int symmetry);

/* Finds the place of a position: its structure in the orientation of files, the side to move there,
 * and the cell within the structure. Returns false if it has more pieces than STRUCTURE_PIECES. The
 * right to capture en passant is ignored. */
typedef struct StructurePlace {
    StructureKey key;
    int turn;
    uint64_t cell;
} StructurePlace;
bool structure_place(const treb_position *pos, StructurePlace *out);

/* Finds a structure in an open file. NULL if it is not there. */
const TableStructure *table_find_structure(const TableHeader *header, const StructureKey *key);

/* Makes the header of a file with both sides and no counts yet. It takes over `list`, in which it
 * sets `first`; the number of cells follows from that. Returns false if there are too many
 * structures. */
bool table_pawn_header(const StructureKey *root, TableStructure *list, uint32_t count,
                       TableHeader *out);

/* Writes the name of a file: "Na2b3-Rc6.solved.treb", with the pieces of a side as letters before
 * its pawns. */
void table_pawn_name(const StructureKey *root, char out[TABLE_LONG_NAME_SIZE]);

/* Returns whether a name is one that table_pawn_name writes. Unless NULL, `root` gets the
 * structure. */
bool table_pawn_is_name(const char *name, StructureKey *root);

/* Returns the number of kings, pawns and pieces. */
int structure_men(const StructureKey *key);

#endif
