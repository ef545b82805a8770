/* position.h - setting up, reading, writing and checking positions. */
#ifndef TREB_CORE_CHESS_POSITION_H
#define TREB_CORE_CHESS_POSITION_H

#include "core/chess/bitboard.h"

/* The 50-move rule in plies: after this many without a capture or pawn move either side may claim a
 * draw. A mate by the last of them counts. */
enum { RULE_PLIES = 100 };

#define POSITION_START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

/* Bits of treb_position.castling. */
enum { CASTLING_K = 1, CASTLING_Q = 2, CASTLING_k = 4, CASTLING_q = 8 };

/* Reads a FEN of two (board and side to move) to six fields and checks the position. Returns
 * TREB_ERR_FEN if the text is not a FEN, TREB_ERR_POSITION if the position is impossible,
 * TREB_ERR_CASTLING if it has castling rights that are all possible in Chess960; `out` is written only on success. `why`
 * may be NULL; otherwise it gets a static text that says what is wrong, empty on success. Castling
 * rights are read, although no table covers them; the files of rooks ("HAha") may name them. */
treb_status position_from_fen(const char *fen, treb_position *out, const char **why);

/* Reads a FEN like position_from_fen, and accepts what other programs do, above all lila-tablebase:
 * impossible castling rights and en passant squares are dropped, rights may be named more than once,
 * a missing side to move means White, digits may stand next to each other, counters that are too
 * large become the largest. */
treb_status position_from_fen_leniently(const char *fen, treb_position *out, const char **why);

/* Writes a FEN with all six fields. */
void position_to_fen(const treb_position *pos, char out[TREB_FEN_SIZE]);

/* Returns TREB_ERR_POSITION, with the reason in *why, if the position by itself shows that no game
 * can lead to it. All other functions of core/ that take a position require that it passes this
 * check. */
treb_status position_check(const treb_position *pos, const char **why);

/* Returns whether position_check accepts a position, for the assertions in which functions state
 * what they require. */
static inline bool position_ok(const treb_position *pos)
{
    return position_check(pos, NULL) == TREB_OK;
}

/* Exchanges the colours and turns the board upside down. `out` may be `pos`. */
void position_swap_colors(const treb_position *pos, treb_position *out);

/* Mirrors left and right. Castling rights have no mirror image and are dropped. `out` may be
 * `pos`. */
void position_flip_files(const treb_position *pos, treb_position *out);

/* Compares field by field, since the padding of structs may differ. */
bool position_equal(const treb_position *a, const treb_position *b);

static inline uint64_t position_occupied(const treb_position *pos)
{
    return pos->by_color[TREB_WHITE] | pos->by_color[TREB_BLACK];
}

static inline uint64_t position_men_of(const treb_position *pos, int color, int type)
{
    return pos->by_color[color] & pos->by_type[type];
}

/* All men but kings and pawns. */
static inline uint64_t position_pieces(const treb_position *pos)
{
    return position_occupied(pos) & ~(pos->by_type[TREB_KING] | pos->by_type[TREB_PAWN]);
}

/* Returns the square of a colour's king, which must exist. */
static inline int position_king(const treb_position *pos, int color)
{
    return bit_first(position_men_of(pos, color, TREB_KING));
}

/* Returns the type of the man on a square, or -1 if it is empty. `color` may be NULL; it is written
 * only if there is a man. */
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

/* Returns the men of a colour that attack a square, with `occ` as the occupied squares. Men that
 * are not in `occ` do not count, so that a caller can leave out a man. */
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
