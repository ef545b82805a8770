/* board.h - the chess board of the engine: positions, moves, and the rules.
 *
 * Positions are bitboards, a1 = 0 to h8 = 63. A move makes a copy of the position, so no move is taken
 * back. Types and squares have the numbers of trebuchet.h, so a position needs no conversion. */
#ifndef UCI_BOARD_H
#define UCI_BOARD_H

#include <stdbool.h>
#include <stdint.h>

enum { WHITE, BLACK };
enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, TYPES };
enum { CASTLE_K = 1, CASTLE_Q = 2, CASTLE_k = 4, CASTLE_q = 8 };
enum { MOVES_MAX = 384 /* more than any position has */, MOVE_TEXT = 6 };

typedef struct Board {
    uint64_t men[2][TYPES];
    uint64_t all[2];
    uint64_t key; /* for repetitions and the transposition table */
    uint8_t turn;
    uint8_t ep;       /* square behind a pawn that can be captured en passant, or 0 */
    uint8_t castling; /* CASTLE_ bits */
    int halfmove;     /* plies since the last capture or pawn move */
    int fullmove;
} Board;

/* From, to, promoted type: 6, 6 and 4 bits. No move has the value 0. */
typedef uint16_t Move;

static inline int move_from(Move m) { return m & 63; }
static inline int move_to(Move m) { return m >> 6 & 63; }
static inline int move_promotion(Move m) { return m >> 12; }
static inline Move move_make(int from, int to, int promotion)
{
    return (Move)(from | to << 6 | promotion << 12);
}

static inline int bit_count(uint64_t b) { return __builtin_popcountll(b); }
static inline int bit_first(uint64_t b) { return __builtin_ctzll(b); }
static inline int bit_pop(uint64_t *b)
{
    int sq = bit_first(*b);
    *b &= *b - 1;
    return sq;
}

/* Fills the tables of board.c. Call it once, before any other function. */
void board_init(void);

void board_clear(Board *b);
void board_put(Board *b, int color, int type, int sq);

/* Completes a position whose men, turn and rights are set: removes castling rights and an en passant
 * square that no move can use, and computes the key. */
void board_finish(Board *b);

/* Returns the type of the man on a square, or -1. */
int board_type_at(const Board *b, int sq);

bool board_attacked(const Board *b, int sq, int by);
bool board_in_check(const Board *b);

/* Writes all moves, or only captures and promotions (`forcing`). They may leave the own king attacked.
 * Returns their number. */
int board_moves(const Board *b, bool forcing, Move *out);

/* Makes a move of board_moves. Returns false if it is not legal because it leaves the king attacked. */
bool board_make(const Board *b, Move m, Board *out);

/* Whether there is a legal move. */
bool board_can_move(const Board *b);

bool board_is_capture(const Board *b, Move m);

void board_move_text(Move m, char out[MOVE_TEXT]);

/* Returns the legal move with this text ("e7e8q"), or 0. */
Move board_parse_move(const Board *b, const char *text);

/* Returns the number of legal lines of `depth` plies. */
uint64_t board_perft(const Board *b, int depth);

#endif
