/* cells.h - sets of all positions that share their pawns and pieces.
 *
 * A family is all positions with the same pawns on the same squares and the same pieces anywhere.
 * The squares of the pieces number rows of 64 words; in a row the word says where the white king
 * stands and the bit where the black one does. With kings and pawns alone a family is one row:
 * 64 words of 64 bits. A move of one man made backwards is then a few operations on whole rows,
 * however many pawns stand about: they are only squares that nobody can enter.
 *
 * Cells in which two men share a square, or which are otherwise no positions, may hold anything
 * until they are masked with the legal ones. */
#ifndef TREB_BLOCKED_CELLS_H
#define TREB_BLOCKED_CELLS_H

#include <stddef.h>

#include "core/chess/position.h"

enum { CELLS_MEN_MAX = 3, CELLS_ROW = 64 };

/* Work on whole rows, which a processor with wider registers does in fewer steps: of such a function there are two, and
 * the one that suits is chosen when the program starts. Not under sanitizers, which are not ready by then. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CELLS_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CELLS_WIDE
#endif

/* So few families, or fewer, are not worth waking other threads for. */
enum { CELLS_FEW = 16 };

/* A piece: neither king nor pawn. */
typedef struct CellsMan {
    uint8_t color, type;
} CellsMan;

/* What a family has in common; pieces in order of colour and type, so that two of the same men are
 * equal byte by byte. */
typedef struct CellsKey {
    uint64_t pawns[2];
    CellsMan man[CELLS_MEN_MAX];
    uint8_t men;
    uint8_t zero;
} CellsKey;

/* A cell is 64 * word + the black king's square. */
typedef uint64_t Cell;

static inline size_t cells_rows(const CellsKey *key) { return (size_t)1 << 6 * key->men; }
static inline size_t cells_words(const CellsKey *key) { return cells_rows(key) * CELLS_ROW; }

/* The square of man `man` in a row. */
static inline int cells_square(const CellsKey *key, size_t row, int man)
{
    return (int)(row >> 6 * (key->men - 1 - man) & 63);
}

static inline uint64_t cells_pawns(const CellsKey *key) { return key->pawns[0] | key->pawns[1]; }

/* Grows with every pawn, piece and step that pawns have before them, so that it falls with every capture, promotion
 * and pawn move. */
int cells_potential(const CellsKey *key);

/* Brings the pieces into order. */
void cells_sort(CellsKey *key);

/* The family of a position and, unless NULL, its cell. False if it has too many pieces. */
bool cells_from_position(const treb_position *pos, CellsKey *key, Cell *cell);

/* The position of a cell; false if two men would share a square. It need not be legal. */
bool cells_to_position(const CellsKey *key, Cell cell, int turn, treb_position *pos);

/* Which cells are positions and, of them, in which the side to move is in check, by side to move.
 * `check` may be NULL. */
void cells_legal(const CellsKey *key, uint64_t *legal[2], uint64_t *check[2]);

/* Of one row the cells that are positions, `side` to move. */
void cells_legal_row(const CellsKey *key, int side, size_t row, uint64_t out[CELLS_ROW]);

/* One word of such a row: where the black king may stand. */
uint64_t cells_legal_word(const CellsKey *key, int side, size_t row, int white_king);

/* Whether one cell is a position, `side` to move. */
bool cells_legal_one(const CellsKey *key, int side, size_t row, int white_king, int black_king);

/* Rows can be told apart by sets of them, a bit for each. */
static inline size_t cells_row_words(const CellsKey *key) { return (cells_rows(key) + 63) / 64; }
static inline bool cells_row_in(const uint64_t *rows, size_t row)
{
    return rows == NULL || (rows[row >> 6] >> (row & 63) & 1);
}

/* The first row of such a set that is not before `row`; SIZE_MAX if there is none. */
static inline size_t cells_next_row(const CellsKey *key, const uint64_t *rows, size_t row)
{
    for (size_t word = row >> 6; word < cells_row_words(key); word++, row = word << 6) {
        uint64_t left = rows[word] & ~(square_bit((int)(row & 63)) - 1);
        if (left != 0) return word << 6 | (size_t)bit_first(left);
    }
    return SIZE_MAX;
}

/* Ors into `out` the cells from which a man of `side` reaches `in` by a move that takes nothing. As
 * such moves can be made either way, this is also where they lead to from `in`. Cells of `in`
 * outside `in_rows` are not looked at, rows of `out` outside `out_rows` not written; NULL stands
 * for all rows. */
void cells_unmove(const CellsKey *key, int side, const uint64_t *in, const uint64_t *in_rows,
                  uint64_t *out, const uint64_t *out_rows);

/* Sets `out` to the rows that such moves can reach from some, and those themselves. */
void cells_reach_rows(const CellsKey *key, int side, const uint64_t *rows, uint64_t *out);

/* Ors into `out` the cells from which man `man` reaches square `to`, arriving in the row `from`:
 * its row of cells is `in`. What stands on `to` is what it takes. */
void cells_unmove_from(const CellsKey *key, int man, size_t from, const uint64_t in[CELLS_ROW],
                       uint64_t *out);

/* The other way round: ors into the row `out` the cells of row `to` that man `man` reaches from
 * those of `in` by a move to the square it has in that row. */
void cells_move_to(const CellsKey *key, int man, size_t to, const uint64_t *in,
                   uint64_t out[CELLS_ROW]);

bool cells_row_any(const uint64_t row[CELLS_ROW]);

#endif
