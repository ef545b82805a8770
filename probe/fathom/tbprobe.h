/* tbprobe.h - Fathom's interface, answered from Trebuchet's tables.
 *
 * For programs that were written for Fathom: replace Fathom's files tbprobe.h and tbprobe.c with
 * these, and link with libtrebuchet (-ltrebuchet). Names, types and numbers are Fathom's.
 * docs/engines.md says how the answers differ. Both files are valid C99 and C++11.
 *
 * Squares are numbered a1 = 0 to h8 = 63; boards have a bit for each square. `tb_ep` is the square
 * behind a pawn that has just made a double step, else 0. `tb_turn` is true for White. `tb_rule50`
 * counts the plies since the last capture or pawn move. Any number of threads may call every
 * function at the same time.
 *
 * The names of parameters begin with tb_, because an engine may have macros of short names. */
#ifndef TBPROBE_H
#define TBPROBE_H

#include <stdbool.h>
#include <stdint.h>

/* An engine's own tbconfig.h may define the values below; nothing else in it is used. */
#if defined(__has_include)
#if __has_include("tbconfig.h")
#include "tbconfig.h"
#endif
#endif

/* Scores (tbScore): a pawn, a mate in 0, and others. */
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

/* tbprobe.c, which serves Pyrrhic's header as well, has them from these. */
#define TBPROBE_SCORE_PAWN TB_VALUE_PAWN
#define TBPROBE_SCORE_DRAW TB_VALUE_DRAW
#define TBPROBE_SCORE_MATE (TB_VALUE_MATE - TB_MAX_MATE_PLY - 1)

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers --------------------------------------------------------------------------------- */

#define TB_MAX_MOVES 193 /* entries of a list of results, including the one at its end */
#define TB_MAX_CAPTURES 64
#define TB_MAX_PLY 256

/* Castling rights: White's, then Black's. */
#define TB_CASTLING_K 1
#define TB_CASTLING_Q 2
#define TB_CASTLING_k 4
#define TB_CASTLING_q 8

/* Verdicts for the side to move. A blessed loss and a cursed win are draws by the 50-move rule. */
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

/* The bits of a result of tb_probe_root: verdict, move and DTZ. */
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

/* Results without a move: the game is over, or the tables do not know the position. */
#define TB_RESULT_CHECKMATE TB_SET_WDL(0, TB_WIN)
#define TB_RESULT_STALEMATE TB_SET_WDL(0, TB_DRAW)
#define TB_RESULT_FAILED 0xffffffffu

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The number of men of the largest material with a table of verdicts; 0 without tables. The other
 * two are in no header of Fathom's, but some programs declare them. */
extern unsigned TB_LARGEST;
extern int TB_MaxCardinality, TB_MaxCardinalityDTM;

/* Opens the tables of `tb_path`, a list of folders separated by colons, and closes those opened
 * before. If none of the folders has tables, it opens those of the environment variable
 * TREBUCHET_PATH. NULL, "" or "<empty>" means no tables. Returns true also if no table is found;
 * false if a folder cannot be read or memory is out. May be called while other threads probe. */
bool tb_init(const char *tb_path);

/* Closes all tables. */
void tb_free(void);

/* ---- Probes ---------------------------------------------------------------------------------- */

/* Used by the inline functions below and by old programs. */
unsigned tb_probe_wdl_impl(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings,
                           uint64_t tb_queens, uint64_t tb_rooks, uint64_t tb_bishops,
                           uint64_t tb_knights, uint64_t tb_pawns, unsigned tb_ep, bool tb_turn);
unsigned tb_probe_root_impl(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings,
                            uint64_t tb_queens, uint64_t tb_rooks, uint64_t tb_bishops,
                            uint64_t tb_knights, uint64_t tb_pawns, unsigned tb_rule50,
                            unsigned tb_ep, bool tb_turn, unsigned *tb_results);
bool tb_init_impl(const char *tb_path);

/* For the nodes of a search. Returns the verdict, or TB_RESULT_FAILED if it is not known. Always
 * fails with castling rights, as no table has such positions, and if `tb_rule50` is not 0, as the
 * verdict is that with a clock of 0. */
static inline unsigned tb_probe_wdl(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings,
                                    uint64_t tb_queens, uint64_t tb_rooks, uint64_t tb_bishops,
                                    uint64_t tb_knights, uint64_t tb_pawns, unsigned tb_rule50,
                                    unsigned tb_castling, unsigned tb_ep, bool tb_turn)
{
    return tb_castling == 0 && tb_rule50 == 0
               ? tb_probe_wdl_impl(tb_white, tb_black, tb_kings, tb_queens, tb_rooks, tb_bishops,
                                   tb_knights, tb_pawns, tb_ep, tb_turn)
               : TB_RESULT_FAILED;
}

/* For the root of a search. Returns the best move with its verdict under the 50-move rule and its
 * DTZ, or TB_RESULT_CHECKMATE, TB_RESULT_STALEMATE or TB_RESULT_FAILED. `tb_results` may be NULL.
 * Else it has TB_MAX_MOVES entries and gets such a result for each legal move, best first, and
 * TB_RESULT_FAILED after the last. */
static inline unsigned tb_probe_root(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings,
                                     uint64_t tb_queens, uint64_t tb_rooks, uint64_t tb_bishops,
                                     uint64_t tb_knights, uint64_t tb_pawns, unsigned tb_rule50,
                                     unsigned tb_castling, unsigned tb_ep, bool tb_turn,
                                     unsigned *tb_results)
{
    return tb_castling == 0
               ? tb_probe_root_impl(tb_white, tb_black, tb_kings, tb_queens, tb_rooks, tb_bishops,
                                    tb_knights, tb_pawns, tb_rule50, tb_ep, tb_turn, tb_results)
               : TB_RESULT_FAILED;
}

/* A move: `to` in the low 6 bits, then `from`, then TB_PROMOTES_. */
typedef uint16_t TbMove;

#define TB_MOVE_TO(move) ((move)&63)
#define TB_MOVE_FROM(move) ((move) >> 6 & 63)
#define TB_MOVE_PROMOTES(move) ((move) >> 12 & 7)

struct TbRootMove {
    TbMove move;
    TbMove pv[TB_MAX_PLY]; /* `move`; for the best move, also the best play after it */
    unsigned pvSize;       /* number of moves in `pv` */
    int32_t tbScore;       /* a score to show to the user */
    int32_t tbRank;        /* the higher the better: 1000 is a sure win, -1000 a sure loss */
};

struct TbRootMoves {
    unsigned size;
    struct TbRootMove moves[TB_MAX_MOVES];
};

/* Lists all legal moves with ranks and scores, best first: by DTZ, or by verdicts alone. With
 * `tb_has_repeated` (positions have been repeated) sure wins have ranks by their DTZ.
 * `tb_use_rule50`: whether the 50-move rule applies. Returns 0 if a table is missing, else another
 * number. */
int tb_probe_root_dtz(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings, uint64_t tb_queens,
                      uint64_t tb_rooks, uint64_t tb_bishops, uint64_t tb_knights,
                      uint64_t tb_pawns, unsigned tb_rule50, unsigned tb_castling, unsigned tb_ep,
                      bool tb_turn, bool tb_has_repeated, bool tb_use_rule50,
                      struct TbRootMoves *tb_results);
int tb_probe_root_wdl(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings, uint64_t tb_queens,
                      uint64_t tb_rooks, uint64_t tb_bishops, uint64_t tb_knights,
                      uint64_t tb_pawns, unsigned tb_rule50, unsigned tb_castling, unsigned tb_ep,
                      bool tb_turn, bool tb_use_rule50, struct TbRootMoves *tb_results);

/* ---- Helpers --------------------------------------------------------------------------------- */

unsigned tb_pop_count(uint64_t tb_set);
unsigned tb_lsb(uint64_t tb_set);     /* the lowest square of a set; 64 if it is empty */
uint64_t tb_pop_lsb(uint64_t tb_set); /* the set without its lowest square */
uint64_t tb_king_attacks(unsigned tb_square);
uint64_t tb_queen_attacks(unsigned tb_square, uint64_t tb_occupied);
uint64_t tb_rook_attacks(unsigned tb_square, uint64_t tb_occupied);
uint64_t tb_bishop_attacks(unsigned tb_square, uint64_t tb_occupied);
uint64_t tb_knight_attacks(unsigned tb_square);
uint64_t tb_pawn_attacks(unsigned tb_square, bool tb_is_white);

#ifdef __cplusplus
}
#endif
#endif
