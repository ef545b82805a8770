/* movegen.h - the legal moves of a position, and making them.
 *
 * All of it relies on positions that position_check accepts. Castling moves stand apart: no table
 * covers a position with castling rights, so what generates and probes tables never meets one. */
#ifndef TREB_CORE_MOVEGEN_H
#define TREB_CORE_MOVEGEN_H

#include "core/chess/position.h"

enum { MOVES_MAX = 256 };

/* From-square, to-square << 6, and << 12 the type promoted to (0 for none). 0 is no move. */
typedef uint16_t Move;

static inline int move_from(Move m) { return m & 63; }
static inline int move_to(Move m) { return m >> 6 & 63; }
static inline int move_promo(Move m) { return m >> 12; }
static inline Move move_make(int from, int to, int promo)
{
    return (Move)(from | to << 6 | promo << 12);
}

/* Writes all legal moves but castling, at most MOVES_MAX, and returns their number. */
int movegen_legal(const treb_position *pos, Move *out);

/* The legal castling moves, at most 2: the king's move of two squares. */
int movegen_castling(const treb_position *pos, Move *out);

/* Both together: what may be played on the board. */
static inline int movegen_all(const treb_position *pos, Move *out)
{
    int count = movegen_legal(pos, out);
    return pos->castling == 0 ? count : count + movegen_castling(pos, out + count);
}

/* The legal captures only, with promoting captures and en passant. Quick if there are none. */
int movegen_captures(const treb_position *pos, Move *out);

/* The legal captures, and promotions of the last pawn to a queen: those that complete distances to
 * mate which are bounds (core/format/table.h). As quick, unless that pawn is about to promote. */
int movegen_completing(const treb_position *pos, Move *out);

/* Whether a legal move is one of them. */
bool move_completes(const treb_position *pos, Move m);

/* Whether there is a legal move: without one the game is over. Who may castle has others, too. */
bool movegen_any(const treb_position *pos);

/* Makes a legal move that is not castling. The child's ep square is set only if an enemy pawn
 * stands ready to capture, pinned or not. `child` may be `pos`. */
void position_make(const treb_position *pos, Move m, treb_position *child);

/* The same for any legal move. */
void position_play(const treb_position *pos, Move m, treb_position *child);

/* Whether some en passant capture is legal. An ep square alone does not say so. */
bool position_ep_legal(const treb_position *pos);

static inline bool square_attacked(const treb_position *pos, int sq, int by_color)
{
    return square_attackers(pos, sq, by_color, position_occupied(pos)) != 0;
}

static inline bool position_in_check(const treb_position *pos)
{
    return square_attacked(pos, position_king(pos, pos->turn), pos->turn ^ 1);
}

/* The following take a legal move that has not been made yet. */
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

/* A capture or a pawn move, which no later move can take back. */
static inline bool move_is_zeroing(const treb_position *pos, Move m)
{
    return bit_test(pos->by_type[TREB_PAWN], move_from(m)) || move_is_capture(pos, m);
}

#endif
