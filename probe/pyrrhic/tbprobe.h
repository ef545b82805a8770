/* tbprobe.h - Pyrrhic's interface, answered from Trebuchet's tables.
 *
 * For programs that were written for Pyrrhic: put this file and tbprobe.c in the place of
 * Pyrrhic's, and link with libtrebuchet (-ltrebuchet). tbprobe.c is the one that replaces Fathom's
 * as well. Of Pyrrhic's other files only the engine's own tbconfig.h is used. Names, types and
 * numbers are Pyrrhic's. docs/engines.md says how the answers differ. Both files are valid C99 and
 * C++11.
 *
 * Pyrrhic has two interfaces. In the older one, moves at the root have scores and lines, and the
 * tbconfig.h defines values for scores, such as PYRRHIC_VALUE_MATE. The newer one, with a file
 * api.h, has neither, but counts the tables. This file has the one for which the tbconfig.h was
 * written; an engine may also choose by defining TBPROBE_PYRRHIC_OLD as 1 or 0. They differ in
 * nothing that a search needs.
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
#include <stddef.h>
#include <stdint.h>

/* The engine's own tbconfig.h. Its bits and attacks are not used. */
#if defined(__has_include)
#if __has_include("tbconfig.h")
#include "tbconfig.h"
#endif
#endif

/* Says to tbprobe.c which interface it is to have. */
#define TBPROBE_PYRRHIC 1
#ifndef TBPROBE_PYRRHIC_OLD
#ifdef PYRRHIC_VALUE_MATE
#define TBPROBE_PYRRHIC_OLD 1
#else
#define TBPROBE_PYRRHIC_OLD 0
#endif
#endif

/* Scores of the older interface: a pawn, a mate in 0, and others. */
#if TBPROBE_PYRRHIC_OLD
#ifndef PYRRHIC_VALUE_PAWN
#define PYRRHIC_VALUE_PAWN 100
#endif
#ifndef PYRRHIC_VALUE_MATE
#define PYRRHIC_VALUE_MATE 32000
#endif
#ifndef PYRRHIC_VALUE_DRAW
#define PYRRHIC_VALUE_DRAW 0
#endif
#ifndef PYRRHIC_MAX_MATE_PLY
#define PYRRHIC_MAX_MATE_PLY 255
#endif
#define TBPROBE_SCORE_PAWN PYRRHIC_VALUE_PAWN
#define TBPROBE_SCORE_DRAW PYRRHIC_VALUE_DRAW
#define TBPROBE_SCORE_MATE (PYRRHIC_VALUE_MATE - PYRRHIC_MAX_MATE_PLY - 1)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers --------------------------------------------------------------------------------- */

#define PYRRHIC_BLACK 0
#define PYRRHIC_WHITE 1

#define TB_MAX_MOVES 256 /* entries of a list of results, including the one at its end */
#define TB_MAX_CAPTURES 64
#define TB_MAX_PLY 256

/* Verdicts for the side to move. A blessed loss and a cursed win are draws by the 50-move rule. */
#define TB_LOSS 0
#define TB_BLESSED_LOSS 1
#define TB_DRAW 2
#define TB_CURSED_WIN 3
#define TB_WIN 4

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
#define TB_RESULT_WDL(word) TB_GET_WDL(word)
#define TB_RESULT_DTZ(word) TB_GET_DTZ(word)
#define TB_RESULT_TO(word) TB_GET_TO(word)
#define TB_RESULT_FROM(word) TB_GET_FROM(word)
#define TB_RESULT_IS_ENPASS(word) TB_GET_EP(word)
#define TB_RESULT_IS_QPROMO(word) (TB_GET_PROMOTES(word) == PYRRHIC_FLAG_QPROMO)
#define TB_RESULT_IS_RPROMO(word) (TB_GET_PROMOTES(word) == PYRRHIC_FLAG_RPROMO)
#define TB_RESULT_IS_BPROMO(word) (TB_GET_PROMOTES(word) == PYRRHIC_FLAG_BPROMO)
#define TB_RESULT_IS_NPROMO(word) (TB_GET_PROMOTES(word) == PYRRHIC_FLAG_NPROMO)

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

/* A move: `to` in the low 6 bits, then `from`, then a flag. */
typedef uint16_t PyrrhicMove;

#define PYRRHIC_FLAG_NONE 0x0
#define PYRRHIC_FLAG_QPROMO 0x1
#define PYRRHIC_FLAG_RPROMO 0x2
#define PYRRHIC_FLAG_BPROMO 0x3
#define PYRRHIC_FLAG_NPROMO 0x4
#define PYRRHIC_FLAG_ENPASS 0x8

#define PYRRHIC_SHIFT_TO 0
#define PYRRHIC_SHIFT_FROM 6
#define PYRRHIC_SHIFT_FLAGS 12
#define PYRRHIC_MASK_TO 0x3f
#define PYRRHIC_MASK_FROM 0x3f
#define PYRRHIC_MASK_FLAGS 0x0f
#define PYRRHIC_MASK_PROMO_FLAGS 0x07

#define PYRRHIC_MOVE_TO(move) ((move) >> PYRRHIC_SHIFT_TO & PYRRHIC_MASK_TO)
#define PYRRHIC_MOVE_FROM(move) ((move) >> PYRRHIC_SHIFT_FROM & PYRRHIC_MASK_FROM)
#define PYRRHIC_MOVE_FLAGS(move) ((move) >> PYRRHIC_SHIFT_FLAGS & PYRRHIC_MASK_FLAGS)
#define PYRRHIC_MOVE_IS_ENPASS(move) (PYRRHIC_MOVE_FLAGS(move) == PYRRHIC_FLAG_ENPASS)
#define PYRRHIC_MOVE_IS_QPROMO(move) (PYRRHIC_MOVE_FLAGS(move) == PYRRHIC_FLAG_QPROMO)
#define PYRRHIC_MOVE_IS_RPROMO(move) (PYRRHIC_MOVE_FLAGS(move) == PYRRHIC_FLAG_RPROMO)
#define PYRRHIC_MOVE_IS_BPROMO(move) (PYRRHIC_MOVE_FLAGS(move) == PYRRHIC_FLAG_BPROMO)
#define PYRRHIC_MOVE_IS_NPROMO(move) (PYRRHIC_MOVE_FLAGS(move) == PYRRHIC_FLAG_NPROMO)

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The number of men of the largest material with a table of verdicts; 0 without tables. */
extern int TB_LARGEST;

#if !TBPROBE_PYRRHIC_OLD
/* How many materials have verdicts, DTZ, and DTM. */
extern int TB_NUM_WDL, TB_NUM_DTZ, TB_NUM_DTM;
#endif

/* Opens the tables of `tb_path`, a list of folders separated by colons, and closes those opened
 * before. If none of the folders has tables, it opens those of the environment variable
 * TREBUCHET_PATH. NULL, "" or "<empty>" means no tables. Returns true also if no table is found;
 * false if a folder cannot be read or memory is out. May be called while other threads probe. */
bool tb_init(const char *tb_path);

/* Closes all tables. */
void tb_free(void);

#if !TBPROBE_PYRRHIC_OLD
/* A table in the program's memory. */
typedef struct {
    const unsigned char *data;
    size_t size;
} pyrrhic_tb_blob;

/* Writes the table of a material such as "KRPvKR" whose name ends in `tb_suffix`; false if there is
 * none. The bytes stay where they are until tb_free or the next tb_init. */
typedef bool (*tb_loader_fn)(const char *tb_name, const char *tb_suffix, pyrrhic_tb_blob *tb_out);

/* From its next call on, tb_init asks a function for every table of 3 to 8 men, in addition to the
 * folders, which come first; with the path "<embedded>" it opens no folder. It asks for Trebuchet's
 * files: the suffixes are ".wdl.treb", ".dtz.treb", ".dtc.treb" and ".dtm.treb". NULL: ask no
 * function. */
void tb_set_loader(tb_loader_fn tb_function);
#endif

/* ---- Probes ---------------------------------------------------------------------------------- */

/* For the nodes of a search. Returns the verdict with a clock of 0, or TB_RESULT_FAILED if it is
 * not known. The caller does not probe positions with castling rights. */
unsigned tb_probe_wdl(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings, uint64_t tb_queens,
                      uint64_t tb_rooks, uint64_t tb_bishops, uint64_t tb_knights,
                      uint64_t tb_pawns, unsigned tb_ep, bool tb_turn);

/* For the root of a search. Returns the best move with its verdict under the 50-move rule and its
 * DTZ, or TB_RESULT_CHECKMATE, TB_RESULT_STALEMATE or TB_RESULT_FAILED. `tb_results` may be NULL.
 * Else it has TB_MAX_MOVES entries and gets such a result for each legal move, best first, and
 * TB_RESULT_FAILED after the last. */
unsigned tb_probe_root(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings, uint64_t tb_queens,
                       uint64_t tb_rooks, uint64_t tb_bishops, uint64_t tb_knights,
                       uint64_t tb_pawns, unsigned tb_rule50, unsigned tb_ep, bool tb_turn,
                       unsigned *tb_results);

struct TbRootMove {
    PyrrhicMove move;
#if TBPROBE_PYRRHIC_OLD
    PyrrhicMove pv[TB_MAX_PLY]; /* `move`; for the best move, also the best play after it */
    unsigned pvSize;            /* number of moves in `pv` */
    int32_t tbScore;            /* a score to show to the user */
#endif
    int32_t tbRank; /* the higher the better: 262144 is a sure win, -262144 a sure loss */
};

struct TbRootMoves {
    unsigned size;
    struct TbRootMove moves[TB_MAX_MOVES];
};

/* Lists all legal moves with ranks, best first: by DTZ, or by verdicts alone. With
 * `tb_has_repeated` (positions have been repeated) sure wins have ranks by their DTZ.
 * `tb_use_rule50`: whether the 50-move rule applies. Returns 0 if a table is missing, else another
 * number. */
int tb_probe_root_dtz(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings, uint64_t tb_queens,
                      uint64_t tb_rooks, uint64_t tb_bishops, uint64_t tb_knights,
                      uint64_t tb_pawns, unsigned tb_rule50, unsigned tb_ep, bool tb_turn,
                      bool tb_has_repeated,
#if TBPROBE_PYRRHIC_OLD
                      bool tb_use_rule50,
#endif
                      struct TbRootMoves *tb_results);
int tb_probe_root_wdl(uint64_t tb_white, uint64_t tb_black, uint64_t tb_kings, uint64_t tb_queens,
                      uint64_t tb_rooks, uint64_t tb_bishops, uint64_t tb_knights,
                      uint64_t tb_pawns, unsigned tb_rule50, unsigned tb_ep, bool tb_turn,
                      bool tb_use_rule50, struct TbRootMoves *tb_results);

#ifdef __cplusplus
}
#endif
#endif
