/* movegen.h - the legal moves of a position, and making them.
 *
 * All functions rely on positions that position_check accepts. Castling moves have functions of
 * their own: no table covers a position with castling rights, so that generating and probing tables
 * never needs them. */
#ifndef TREB_CORE_CHESS_MOVEGEN_H
#define TREB_CORE_CHESS_MOVEGEN_H

#include "core/chess/position.h"

enum { MOVES_MAX = 256 };

/* The from-square, the to-square << 6, and the type promoted to << 12 (0 for none). 0 is no
 * move. */
typedef uint16_t Move;

static inline int move_from(Move m) { return m & 63; }
static inline int move_to(Move m) { return m >> 6 & 63; }
static inline int move_promo(Move m) { return m >> 12; }
static inline Move move_make(int from, int to, int promo)
{
    return (Move)(from | to << 6 | promo << 12);
}

/* Writes all legal moves except castling, at most MOVES_MAX, and returns their number. */
int movegen_legal(const treb_position *pos, Move *out);

/* Writes the legal castling moves, at most 2, as the king's move of two squares. Returns their
 * number. */
int movegen_castling(const treb_position *pos, Move *out);

/* Writes all legal moves, castling included. */
static inline int movegen_all(const treb_position *pos, Move *out)
{
    int count = movegen_legal(pos, out);
    return pos->castling == 0 ? count : count + movegen_castling(pos, out + count);
}

/* Writes the legal captures, including promoting captures and en passant. Fast if there are
 * none. */
int movegen_captures(const treb_position *pos, Move *out);

/* Writes the legal captures, and promotions of the last pawn to a queen: the moves that complete a
 * table whose cells are bounds (core/format/table.h). As fast as movegen_captures unless
 * last_pawn_promotes. */
int movegen_completing(const treb_position *pos, Move *out);

/* Whether the side to move has one pawn, which stands before its promotion. */
static inline bool last_pawn_promotes(const treb_position *pos)
{
    uint64_t pawns = position_men_of(pos, pos->turn, TREB_PAWN);
    return (pawns & (pawns - 1)) == 0 && (pawns & rank_bits(pos->turn == TREB_WHITE ? 6 : 1)) != 0;
}

/* Returns whether movegen_completing lists a legal move. */
bool move_completes(const treb_position *pos, Move m);

/* Returns whether there is a legal move; without one the game is over. Castling needs no look: a
 * side that may castle has other moves, too. */
bool movegen_any(const treb_position *pos);

/* Makes a legal move that is not castling. Sets the child's en passant square only if an enemy pawn
 * stands ready to capture, even if it is pinned. `child` may be `pos`. */
void position_make(const treb_position *pos, Move m, treb_position *child);

/* Makes any legal move, otherwise like position_make. */
void position_play(const treb_position *pos, Move m, treb_position *child);

/* Returns whether an en passant capture is legal. The en passant square alone does not show
 * that. */
bool position_ep_legal(const treb_position *pos);

static inline bool square_attacked(const treb_position *pos, int sq, int by_color)
{
    return square_attackers(pos, sq, by_color, position_occupied(pos)) != 0;
}

static inline bool position_in_check(const treb_position *pos)
{
    return square_attacked(pos, position_king(pos, pos->turn), pos->turn ^ 1);
}

/* The following functions take a legal move that has not been made yet. */
static inline bool move_is_ep(const treb_position *pos, Move m)
{
    return pos->ep != 0 && move_to(m) == pos->ep && bit_test(pos->by_type[TREB_PAWN], move_from(m));
}

static inline bool move_is_capture(const treb_position *pos, Move m)
{
    return bit_test(pos->by_color[pos->turn ^ 1], move_to(m)) || move_is_ep(pos, m);
}

static inline bool move_is_castling(const treb_position *pos, Move m)
{
    int step = move_to(m) - move_from(m);
    return (step == 2 || step == -2) && bit_test(pos->by_type[TREB_KING], move_from(m));
}

/* Whether the move is a capture or a pawn move, which no later move can undo. */
static inline bool move_is_zeroing(const treb_position *pos, Move m)
{
    return bit_test(pos->by_type[TREB_PAWN], move_from(m)) || move_is_capture(pos, m);
}

#endif
