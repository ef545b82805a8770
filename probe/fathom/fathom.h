/* fathom.h - the interface of Debian's libfathom1, as far as its header tbprobe.h declares it.
 *
 * The names, types and numbers are those of that header, which programs are compiled against: here
 * stands only what the drop-in needs to keep to it. Squares are numbered a1 = 0 to h8 = 63; `ep` is
 * 0 where there is no en passant square, and `turn` is true for White. */
#ifndef TREB_PROBE_FATHOM_H
#define TREB_PROBE_FATHOM_H

#include <stdbool.h>
#include <stdint.h>

#define FATHOM_API __attribute__((visibility("default")))

enum {
    FATHOM_MOVES_MAX = 193, /* room of a list of results, its end included */
    FATHOM_PLY_MAX = 256,
    FATHOM_MATE_SCORE = 32000 - 255 - 1 /* of a win; scores are hundredths of a pawn */
};

/* A result: verdict, move and DTZ in one word. */
enum {
    FATHOM_WDL_SHIFT = 0,
    FATHOM_TO_SHIFT = 4,
    FATHOM_FROM_SHIFT = 10,
    FATHOM_PROMOTES_SHIFT = 16,
    FATHOM_EP_SHIFT = 19,
    FATHOM_DTZ_SHIFT = 20
};

/* The first two stand for the verdicts "win" and "draw" without a move. */
#define FATHOM_CHECKMATE 4u
#define FATHOM_STALEMATE 2u
#define FATHOM_FAILED 0xffffffffu

/* `to` in the low 6 bits, then `from`, then the promotion: 1 queen, 2 rook, 3 bishop, 4 knight. */
typedef uint16_t TbMove;

struct TbRootMove {
    TbMove move;
    TbMove pv[FATHOM_PLY_MAX];
    unsigned pvSize;
    int32_t tbScore, tbRank;
};

struct TbRootMoves {
    unsigned size;
    struct TbRootMove moves[FATHOM_MOVES_MAX];
};

/* The most men of a material with verdicts and DTZ. The two that follow are not in the header, but
 * Debian's library has them. */
extern FATHOM_API unsigned TB_LARGEST;
extern FATHOM_API int TB_MaxCardinality, TB_MaxCardinalityDTM;

FATHOM_API bool tb_init(const char *path);
FATHOM_API bool tb_init_impl(const char *path);
FATHOM_API void tb_free(void);

FATHOM_API unsigned tb_probe_wdl_impl(uint64_t white, uint64_t black, uint64_t kings,
                                      uint64_t queens, uint64_t rooks, uint64_t bishops,
                                      uint64_t knights, uint64_t pawns, unsigned ep, bool turn);
FATHOM_API unsigned tb_probe_root_impl(uint64_t white, uint64_t black, uint64_t kings,
                                       uint64_t queens, uint64_t rooks, uint64_t bishops,
                                       uint64_t knights, uint64_t pawns, unsigned rule50,
                                       unsigned ep, bool turn, unsigned *results);
FATHOM_API int tb_probe_root_dtz(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                                 uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                                 unsigned rule50, unsigned castling, unsigned ep, bool turn,
                                 bool has_repeated, bool use_rule50, struct TbRootMoves *results);
FATHOM_API int tb_probe_root_wdl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens,
                                 uint64_t rooks, uint64_t bishops, uint64_t knights, uint64_t pawns,
                                 unsigned rule50, unsigned castling, unsigned ep, bool turn,
                                 bool use_rule50, struct TbRootMoves *results);

FATHOM_API unsigned tb_pop_count(uint64_t set);
FATHOM_API unsigned tb_lsb(uint64_t set);
FATHOM_API uint64_t tb_pop_lsb(uint64_t set);
FATHOM_API uint64_t tb_king_attacks(unsigned square);
FATHOM_API uint64_t tb_queen_attacks(unsigned square, uint64_t occupied);
FATHOM_API uint64_t tb_rook_attacks(unsigned square, uint64_t occupied);
FATHOM_API uint64_t tb_bishop_attacks(unsigned square, uint64_t occupied);
FATHOM_API uint64_t tb_knight_attacks(unsigned square);
FATHOM_API uint64_t tb_pawn_attacks(unsigned square, bool white);

#endif
