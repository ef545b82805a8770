/* cells.h - sets of positions that share their pawns and pieces, as bits.
 *
 * A pawn structure ("structure" for short) is all positions with the same pawns on the same squares
 * and the same pieces anywhere. Each of its positions, without the side to move, has a cell: a
 * number made of the squares of the pieces, of the white king and of the black king, six bits each.
 * A set of positions is a bit for each cell:
 *
 *     row    the squares of the pieces: 64 rows with one piece, 4,096 with two, one row without pieces
 *     word   in a row: the square of the white king
 *     bit    in a word: the square of the black king
 *
 * With kings and pawns alone a set is 64 words of 64 bits. Going back or forth by a move of one man
 * then takes a few operations on whole rows, however many pawns there are: pawns are only squares
 * that nobody can enter.
 *
 * Cells in which two men share a square, or which are not positions for another reason, may hold
 * anything until they are masked with the legal ones. */
#ifndef TREB_PAWNS_CELLS_CELLS_H
#define TREB_PAWNS_CELLS_CELLS_H

#include <stddef.h>

#include "core/chess/position.h"

enum { CELLS_PIECES_MAX = 3, CELLS_ROW = 64 /* words */ };

/* For functions that work on whole rows: compiled once for any processor and once for AVX2; the
 * program chooses when it starts. Not under sanitizers, which are not ready at that time. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CELLS_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CELLS_WIDE
#endif

/* Up to this number of structures one thread works alone: waking others would cost more than it
 * saves. */
enum { CELLS_FEW = 16 };

/* A piece: neither king nor pawn. */
typedef struct CellsPiece {
    uint8_t color, type;
} CellsPiece;

/* The key of a structure: its pawns and pieces. Pieces are in order of colour and type, so that the
 * keys of equal structures are equal byte by byte. */
typedef struct CellsKey {
    uint64_t pawns[2];
    CellsPiece piece[CELLS_PIECES_MAX];
    uint8_t pieces; /* number of pieces */
    uint8_t zero;   /* padding, always 0 */
} CellsKey;

/* 64 * number of the word + square of the black king. */
typedef uint64_t Cell;

static inline size_t cells_rows(const CellsKey *key) { return (size_t)1 << 6 * key->pieces; }
static inline size_t cells_words(const CellsKey *key) { return cells_rows(key) * CELLS_ROW; }

/* The square of piece number `piece` in a row. */
static inline int cells_square(const CellsKey *key, size_t row, int piece)
{
    return (int)(row >> 6 * (key->pieces - 1 - piece) & 63);
}

/* The pawns of both colours. */
static inline uint64_t cells_pawns(const CellsKey *key) { return key->pawns[0] | key->pawns[1]; }

/* The potential of a structure: number of pieces, and for each pawn 8 and the steps to its last
 * rank. Every capture, promotion and pawn move makes it smaller, so structures of one potential
 * never lead to each other. */
int cells_potential(const CellsKey *key);

/* Sorts the pieces. */
void cells_sort(CellsKey *key);

/* The structure of a position and, unless NULL, its cell. False if it has more than
 * CELLS_PIECES_MAX pieces. */
bool cells_from_position(const treb_position *pos, CellsKey *key, Cell *cell);

/* The position of a cell; false if two men would share a square. It need not be legal. */
bool cells_to_position(const CellsKey *key, Cell cell, int turn, treb_position *pos);

/* Sets `legal` to the cells that are legal positions, by side to move, and `check`, unless NULL, to
 * those of them in which the side to move is in check. */
void cells_legal(const CellsKey *key, uint64_t *legal[2], uint64_t *check[2]);

/* Sets `out` to the legal positions of one row, `side` to move. */
void cells_legal_row(const CellsKey *key, int side, size_t row, uint64_t out[CELLS_ROW]);

/* One word of such a row: where the black king may stand. */
uint64_t cells_legal_word(const CellsKey *key, int side, size_t row, int white_king);

/* Whether one cell is a legal position, `side` to move. */
bool cells_legal_one(const CellsKey *key, int side, size_t row, int white_king, int black_king);

/* Sets of rows have a bit for each row. NULL stands for all rows. */
static inline size_t cells_row_words(const CellsKey *key) { return (cells_rows(key) + 63) / 64; }
static inline bool cells_row_in(const uint64_t *rows, size_t row)
{
    return rows == NULL || (rows[row >> 6] >> (row & 63) & 1);
}

/* The first row of a set, which is not NULL, at or after `row`; SIZE_MAX if there is none. */
static inline size_t cells_next_row(const CellsKey *key, const uint64_t *rows, size_t row)
{
    for (size_t word = row >> 6; word < cells_row_words(key); word++, row = word << 6) {
        uint64_t left = rows[word] & ~(square_bit((int)(row & 63)) - 1);
        if (left != 0) return word << 6 | (size_t)bit_first(left);
    }
    return SIZE_MAX;
}

/* Ors into `out` the cells from which a king or piece of `side` reaches a cell of `in` by a move
 * that takes nothing. Such moves can be made in both directions, so these are also the cells that
 * the moves lead to from `in`. Rows of `in` outside `in_rows` are not read, rows of `out` outside
 * `out_rows` are not written; NULL stands for all rows. */
void cells_quiet_moves(const CellsKey *key, int side, const uint64_t *in, const uint64_t *in_rows,
                       uint64_t *out, const uint64_t *out_rows);

/* Sets `out` to `rows` and the rows that quiet moves of `side` can reach from them. */
void cells_reached_rows(const CellsKey *key, int side, const uint64_t *rows, uint64_t *out);

/* Predecessors by one piece: `in` is row `from`, in which piece number `piece` has arrived. Ors
 * into `out`, a set of all rows, the cells from which the piece can have come. A man on the square
 * of arrival is captured. */
void cells_piece_predecessors(const CellsKey *key, int piece, size_t from,
                              const uint64_t in[CELLS_ROW], uint64_t *out);

/* Successors by one piece: ors into `out`, which is row `to`, the cells that piece number `piece`
 * reaches from `in`, a set of all rows, by a move to the square that it has in row `to`. */
void cells_piece_successors(const CellsKey *key, int piece, size_t to, const uint64_t *in,
                            uint64_t out[CELLS_ROW]);

bool cells_row_any(const uint64_t row[CELLS_ROW]);

#endif
