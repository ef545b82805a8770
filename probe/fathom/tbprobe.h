/* tbprobe.h - Fathom's interface, answered from Trebuchet's tables.
 *
 * For programs that were written for Fathom: put this file and tbprobe.c where Fathom's of these
 * names are, and link with libtrebuchet (-ltrebuchet). Names, types and numbers are Fathom's; how
 * the answers differ stands in docs/engines.md. Both files are valid C99 and C++11.
 *
 * Squares are numbered a1 = 0 to h8 = 63; boards have a bit for each square. `ep` is the square
 * behind a pawn that has just made a double step, else 0; `turn` is true for White; `rule50` counts
 * the plies since the last capture or pawn move. Every function may be called from any number of
 * threads at once. */
#ifndef TBPROBE_H
#define TBPROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Of an engine's own tbconfig.h the next values are used, and nothing else. */
#if defined(__has_include)
#if __has_include("tbconfig.h")
#include "tbconfig.h"
#endif
#endif

/* What tbScore is made of: a pawn, and a mate at once. */
#ifndef TB_VALUE_PAWN
#define TB_VALUE_PAWN 100
#endif
#ifndef TB_VALUE_MATE
#define TB_VALUE_MATE 32000
#endif
#ifndef TB_VALUE_INFINITE
#define TB_VALUE_INFINITE 32767
#endif
#ifndef TB_VALUE_DRAW
#define TB_VALUE_DRAW 0
#endif
#ifndef TB_MAX_MATE_PLY
#define TB_MAX_MATE_PLY 255
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers --------------------------------------------------------------------------------- */

#define TB_MAX_MOVES 193 /* room of a list of results, its end included */
#define TB_MAX_CAPTURES 64
#define TB_MAX_PLY 256

/* Castling rights: White's, then Black's. */
#define TB_CASTLING_K 1
#define TB_CASTLING_Q 2
#define TB_CASTLING_k 4
#define TB_CASTLING_q 8

/* Verdicts for the side to move. The 50-move rule makes draws of the second and the fourth. */
#define TB_LOSS 0
#define TB_BLESSED_LOSS 1
#define TB_DRAW 2
#define TB_CURSED_WIN 3
#define TB_WIN 4

#define TB_PROMOTES_NONE 0
#define TB_PROMOTES_QUEEN 1
#define TB_PROMOTES_ROOK 2
#define TB_PROMOTES_BISHOP 3
#define TB_PROMOTES_KNIGHT 4

/* A result of tb_probe_root: verdict, move and DTZ, each in some bits of a word. */
#define TB_RESULT_WDL_SHIFT 0
#define TB_RESULT_TO_SHIFT 4
#define TB_RESULT_FROM_SHIFT 10
#define TB_RESULT_PROMOTES_SHIFT 16
#define TB_RESULT_EP_SHIFT 19
#define TB_RESULT_DTZ_SHIFT 20
#define TB_RESULT_WDL_MASK 0xf
#define TB_RESULT_TO_MASK 0x3f0
#define TB_RESULT_FROM_MASK 0xfc00
#define TB_RESULT_PROMOTES_MASK 0x70000
#define TB_RESULT_EP_MASK 0x80000
#define TB_RESULT_DTZ_MASK 0xfff00000

#define TB_READ_FIELD(word, field) (((word)&TB_RESULT_##field##_MASK) >> TB_RESULT_##field##_SHIFT)
#define TB_GET_WDL(word) TB_READ_FIELD(word, WDL)
#define TB_GET_TO(word) TB_READ_FIELD(word, TO)
#define TB_GET_FROM(word) TB_READ_FIELD(word, FROM)
#define TB_GET_PROMOTES(word) TB_READ_FIELD(word, PROMOTES)
#define TB_GET_EP(word) TB_READ_FIELD(word, EP)
#define TB_GET_DTZ(word) TB_READ_FIELD(word, DTZ)

#define TB_WRITE_FIELD(word, field, value)                                                         \
    (((word) & ~TB_RESULT_##field##_MASK) |                                                        \
     ((value) << TB_RESULT_##field##_SHIFT & TB_RESULT_##field##_MASK))
#define TB_SET_WDL(word, value) TB_WRITE_FIELD(word, WDL, value)
#define TB_SET_TO(word, value) TB_WRITE_FIELD(word, TO, value)
#define TB_SET_FROM(word, value) TB_WRITE_FIELD(word, FROM, value)
#define TB_SET_PROMOTES(word, value) TB_WRITE_FIELD(word, PROMOTES, value)
#define TB_SET_EP(word, value) TB_WRITE_FIELD(word, EP, value)
#define TB_SET_DTZ(word, value) TB_WRITE_FIELD(word, DTZ, value)

/* Results without a move: the game is over, or nothing is known. */
#define TB_RESULT_CHECKMATE TB_SET_WDL(0, TB_WIN)
#define TB_RESULT_STALEMATE TB_SET_WDL(0, TB_DRAW)
#define TB_RESULT_FAILED 0xffffffffu

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The most men of any material with verdicts and DTZ; 0 without tables. The two others stand in no
 * header of Fathom, but programs are known that declare them. */
extern unsigned TB_LARGEST;
extern int TB_MaxCardinality, TB_MaxCardinalityDTM;

/* Takes the tables of `path`, folders with colons between, in place of those before; if none of the
 * folders has any, those of TREBUCHET_PATH. NULL, "" or "<empty>" means no tables. False if the
 * system fails; that no table is found is no failure. May be called while others probe. */
bool tb_init(const char *path);
void tb_free(void);

/* ---- Probes ---------------------------------------------------------------------------------- */

unsigned tb_probe_wdl_impl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                           uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                           unsigned ep, bool turn);
unsigned tb_probe_root_impl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                            uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                            unsigned rule50, unsigned ep, bool turn, unsigned *results);
bool tb_init_impl(const char *path);

/* For the nodes of a search: the verdict, or TB_RESULT_FAILED. That is all that is said of positions
 * with castling rights, of which there are no tables, and of those with a clock, where a verdict
 * does not tell enough. */
static inline unsigned tb_probe_wdl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                                    uint64_t rooks, uint64_t bishops, uint64_t knights,
                                    uint64_t pawns, unsigned rule50, unsigned castling, unsigned ep,
                                    bool turn)
{
    return castling == 0 && rule50 == 0 ? tb_probe_wdl_impl(white, black, kings, queens, rooks,
                                                            bishops, knights, pawns, ep, turn)
                                        : TB_RESULT_FAILED;
}

/* For the root: the best move with its verdict under the clock and its DTZ, TB_RESULT_CHECKMATE,
 * TB_RESULT_STALEMATE or TB_RESULT_FAILED. `results` may be NULL; else it has room for TB_MAX_MOVES
 * and gets a word for each legal move, best first, then TB_RESULT_FAILED. */
static inline unsigned tb_probe_root(uint64_t white, uint64_t black, uint64_t kings,
                                     uint64_t queens, uint64_t rooks, uint64_t bishops,
                                     uint64_t knights, uint64_t pawns, unsigned rule50,
                                     unsigned castling, unsigned ep, bool turn, unsigned *results)
{
    return castling == 0 ? tb_probe_root_impl(white, black, kings, queens, rooks, bishops, knights,
                                              pawns, rule50, ep, turn, results)
                         : TB_RESULT_FAILED;
}

/* A move: `to` in the low 6 bits, then `from`, then TB_PROMOTES_. */
typedef uint16_t TbMove;

#define TB_MOVE_TO(move) ((move)&63)
#define TB_MOVE_FROM(move) ((move) >> 6 & 63)
#define TB_MOVE_PROMOTES(move) ((move) >> 12 & 7)

struct TbRootMove {
    TbMove move;
    TbMove pv[TB_MAX_PLY]; /* `move`, and of the best move how it goes on */
    unsigned pvSize;
    int32_t tbScore; /* for a user to see */
    int32_t tbRank;  /* 1000 wins and -1000 loses for sure; the more the better */
};

struct TbRootMoves {
    unsigned size;
    struct TbRootMove moves[TB_MAX_MOVES];
};

/* All legal moves with what they are worth, best first, by DTZ or by verdicts alone. After a
 * repetition (`has_repeated`) wins are told apart by their length. Not 0 if all is known. */
int tb_probe_root_dtz(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                      uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                      unsigned rule50, unsigned castling, unsigned ep, bool turn, bool has_repeated,
                      bool use_rule50, struct TbRootMoves *results);
int tb_probe_root_wdl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                      uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                      unsigned rule50, unsigned castling, unsigned ep, bool turn, bool use_rule50,
                      struct TbRootMoves *results);

/* ---- Helpers --------------------------------------------------------------------------------- */

unsigned tb_pop_count(uint64_t set);
unsigned tb_lsb(uint64_t set); /* 64 of the empty set */
uint64_t tb_pop_lsb(uint64_t set);
uint64_t tb_king_attacks(unsigned square);
uint64_t tb_queen_attacks(unsigned square, uint64_t occupied);
uint64_t tb_rook_attacks(unsigned square, uint64_t occupied);
uint64_t tb_bishop_attacks(unsigned square, uint64_t occupied);
uint64_t tb_knight_attacks(unsigned square);
uint64_t tb_pawn_attacks(unsigned square, bool white);

#ifdef __cplusplus
}
#endif
#endif
