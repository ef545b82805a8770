/* position.h - setting up, reading, writing and checking positions. */
#ifndef TREB_CORE_POSITION_H
#define TREB_CORE_POSITION_H

#include "core/chess/bitboard.h"

/* The 50-move rule, in plies: after so many without a capture or pawn move the game may be claimed a
 * draw. A mate by the last of them counts. */
enum { RULE_PLIES = 100 };

/* Bits of treb_position.castling. */
enum { CASTLING_K = 1, CASTLING_Q = 2, CASTLING_k = 4, CASTLING_q = 8 };

/* Reads a FEN of two (board and side to move) to six fields and checks the position. Returns
 * TREB_ERR_FEN if the text is at fault, TREB_ERR_POSITION if no such position can arise; `out` is
 * written only on success. `why` may be NULL; else it gets a static text that says what is wrong,
 * empty on success. The castling field may name rights, which the tables do not cover. */
treb_status position_from_fen(const char *fen, treb_position *out, const char **why);

/* The same, but overlooks what others do, above all lila-tablebase: castling rights and en passant
 * squares that cannot be are dropped, rights may be named by files of rooks and more than once,
 * White is to move if nobody is, digits may stand side by side, counters that are too large count
 * as the largest. */
treb_status position_from_fen_leniently(const char *fen, treb_position *out, const char **why);

/* Writes all six fields. */
void position_to_fen(const treb_position *pos, char out[TREB_FEN_SIZE]);

/* Whether the position could arise, as far as can be told from the position alone: TREB_OK or
 * TREB_ERR_POSITION. Everything else in core/ that takes a position relies on it. */
treb_status position_check(const treb_position *pos, const char **why);

/* The same for assertions, which say at the doors of modules what they rely on. */
static inline bool position_ok(const treb_position *pos)
{
    return position_check(pos, NULL) == TREB_OK;
}

/* Exchanges the colours: the board is turned by its ranks. `out` may be `pos`. */
void position_swap_colors(const treb_position *pos, treb_position *out);

/* Mirrors left and right. Castling rights have no mirror image and are dropped. `out` may be
 * `pos`. */
void position_flip_files(const treb_position *pos, treb_position *out);

/* Field by field: structs may differ in their padding. */
bool position_equal(const treb_position *a, const treb_position *b);

static inline uint64_t position_occupied(const treb_position *pos)
{
    return pos->by_color[TREB_WHITE] | pos->by_color[TREB_BLACK];
}

static inline uint64_t position_men_of(const treb_position *pos, int color, int type)
{
    return pos->by_color[color] & pos->by_type[type];
}

/* All but kings and pawns. */
static inline uint64_t position_pieces(const treb_position *pos)
{
    return position_occupied(pos) & ~(pos->by_type[TREB_KING] | pos->by_type[TREB_PAWN]);
}

/* The square of a colour's king, which must exist. */
static inline int position_king(const treb_position *pos, int color)
{
    return bit_first(position_men_of(pos, color, TREB_KING));
}

/* The type of the man on a square, or -1 if it is empty. `color` may be NULL; it is written only
 * if there is a man. */
static inline int position_piece_at(const treb_position *pos, int sq, int *color)
{
    if (!bit_test(position_occupied(pos), sq)) return -1;
    if (color != NULL) *color = bit_test(pos->by_color[TREB_BLACK], sq) ? TREB_BLACK : TREB_WHITE;
    for (int type = TREB_PAWN; type < TREB_TYPES; type++) {
        if (bit_test(pos->by_type[type], sq)) return type;
    }
    return -1;
}

/* Puts a man on an empty square. */
static inline void position_put(treb_position *pos, int color, int type, int sq)
{
    pos->by_color[color] |= square_bit(sq);
    pos->by_type[type] |= square_bit(sq);
}

/* Empties a square. */
static inline void position_remove(treb_position *pos, int sq)
{
    uint64_t others = ~square_bit(sq);
    pos->by_color[TREB_WHITE] &= others;
    pos->by_color[TREB_BLACK] &= others;
    for (int type = TREB_PAWN; type < TREB_TYPES; type++) pos->by_type[type] &= others;
}

/* The men of a colour that attack a square if `occ` is what stands in the way. Men that are not in
 * `occ` do not count, so a caller can take one off the board. */
static inline uint64_t square_attackers(const treb_position *pos, int sq, int color, uint64_t occ)
{
    uint64_t queens = pos->by_type[TREB_QUEEN];
    uint64_t men = (pawn_attacks(color ^ 1, sq) & pos->by_type[TREB_PAWN]) |
                   (knight_attacks(sq) & pos->by_type[TREB_KNIGHT]) |
                   (king_attacks(sq) & pos->by_type[TREB_KING]);
    uint64_t theirs = pos->by_color[color] & occ;
    uint64_t diagonal = theirs & (pos->by_type[TREB_BISHOP] | queens);
    uint64_t straight = theirs & (pos->by_type[TREB_ROOK] | queens);
    if (diagonal != 0) men |= bishop_attacks(sq, occ) & diagonal;
    if (straight != 0) men |= rook_attacks(sq, occ) & straight;
    return men & theirs;
}

#endif
