/* fathom_calls.c - an engine's calls to Fathom, in C and C++. fathom_source.sh builds it with one
 * Fathom after the other, and all must print the same.
 *
 *     calls DIR COUNT     COUNT random positions of three men; DIR has their tables */
#include <stdio.h>
#include <stdlib.h>
#include <tbprobe.h>

/* These types compile only if the header's functions have the types of Fathom's header. */
typedef unsigned Wdl(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                     unsigned, unsigned, unsigned, bool);
typedef unsigned Best(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                      uint64_t, unsigned, unsigned, unsigned, bool, unsigned *);
typedef int RankDtz(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                    unsigned, unsigned, unsigned, bool, bool, bool, struct TbRootMoves *);
typedef int RankWdl(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                    unsigned, unsigned, unsigned, bool, bool, struct TbRootMoves *);
static Wdl *const probe_wdl = tb_probe_wdl;
static Best *const probe_root = tb_probe_root;
static RankDtz *const rank_by_dtz = tb_probe_root_dtz;
static RankWdl *const rank_by_wdl = tb_probe_root_wdl;

typedef struct Board {
    uint64_t white, black, kings, queens, rooks, pawns;
    unsigned rule50;
    bool turn;
} Board;

#define BOARDS(b) (b)->white, (b)->black, (b)->kings, (b)->queens, (b)->rooks, 0, 0, (b)->pawns

/* ---- Random positions ------------------------------------------------------------------------ */

static uint64_t state = 1;

static unsigned below(unsigned count)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % count;
}

static uint64_t bit(unsigned square) { return UINT64_C(1) << square; }

/* Draws a position. Returns false if it is illegal. */
static bool draw(Board *b)
{
    unsigned king = below(64), enemy = below(64), man = below(64), type = below(3);
    uint64_t occupied = bit(king) | bit(enemy) | bit(man);
    uint64_t attacks = type == 0   ? tb_queen_attacks(man, occupied)
                       : type == 1 ? tb_rook_attacks(man, occupied)
                                   : tb_pawn_attacks(man, true);
    b->white = bit(king) | bit(man);
    b->black = bit(enemy);
    b->kings = bit(king) | bit(enemy);
    b->queens = type == 0 ? bit(man) : 0;
    b->rooks = type == 1 ? bit(man) : 0;
    b->pawns = type == 2 ? bit(man) : 0;
    b->turn = below(2) == 0;
    b->rule50 = below(3) == 0 ? below(110) : 0;
    return tb_pop_count(occupied) == 3 && (tb_king_attacks(king) & b->black) == 0 &&
           (type != 2 || (man > 7 && man < 56)) && !(b->turn && (attacks & b->black) != 0);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static int by_move(const void *a, const void *b)
{
    return (int)((const struct TbRootMove *)a)->move - (int)((const struct TbRootMove *)b)->move;
}

/* Prints the moves in an order that does not depend on the library. */
static void print_root(const Board *b)
{
    unsigned results[TB_MAX_MOVES], count = 0;
    unsigned best = probe_root(BOARDS(b), b->rule50, 0, 0, b->turn, results);
    if (best == TB_RESULT_FAILED || best == TB_RESULT_CHECKMATE || best == TB_RESULT_STALEMATE) {
        printf(" %x\n", best);
        return;
    }
    while (results[count] != TB_RESULT_FAILED) count++;
    qsort(results, count, sizeof *results, by_value);
    printf(" best %u in %u\n", TB_GET_WDL(best), TB_GET_DTZ(best));
    for (unsigned i = 0; i < count; i++)
        printf(" %u-%u%c %u in %u%s", TB_GET_FROM(results[i]), TB_GET_TO(results[i]),
               " qrbn"[TB_GET_PROMOTES(results[i])], TB_GET_WDL(results[i]), TB_GET_DTZ(results[i]),
               TB_GET_EP(results[i]) ? " ep" : "");
    printf("\n");
}

static void print_ranks(int known, struct TbRootMoves *moves)
{
    if (known == 0) return;
    qsort(moves->moves, moves->size, sizeof *moves->moves, by_move);
    for (unsigned i = 0; i < moves->size; i++) {
        const struct TbRootMove *m = &moves->moves[i];
        printf(" %u-%u%c %d %d", (unsigned)TB_MOVE_FROM(m->move), (unsigned)TB_MOVE_TO(m->move),
               " qrbn"[TB_MOVE_PROMOTES(m->move)], (int)m -> tbRank, (int)m -> tbScore);
    }
    printf("\n");
}

static void print_position(const Board *b)
{
    static struct TbRootMoves moves;
    printf("%016llx %016llx %d %u: %x", (unsigned long long)b->white, (unsigned long long)b->black,
           b->turn, b->rule50, probe_wdl(BOARDS(b), b->rule50, 0, 0, b->turn));
    print_root(b);
    print_ranks(rank_by_dtz(BOARDS(b), b->rule50, 0, 0, b->turn, below(2) == 0, true, &moves),
                &moves);
    print_ranks(rank_by_wdl(BOARDS(b), b->rule50, 0, 0, b->turn, true, &moves), &moves);
}

/* Prints all numbers of the header, so that a change to any of them is seen. */
static void print_numbers(void)
{
    printf("%d %d %d, %d %d %d %d, %d %d %d %d %d, %d %d %d %d %d\n", TB_MAX_MOVES, TB_MAX_CAPTURES,
           TB_MAX_PLY, TB_CASTLING_K, TB_CASTLING_Q, TB_CASTLING_k, TB_CASTLING_q, TB_LOSS,
           TB_BLESSED_LOSS, TB_DRAW, TB_CURSED_WIN, TB_WIN, TB_PROMOTES_NONE, TB_PROMOTES_QUEEN,
           TB_PROMOTES_ROOK, TB_PROMOTES_BISHOP, TB_PROMOTES_KNIGHT);
    printf("%x %x %x %x %x %x, %x %x %x\n", TB_RESULT_WDL_MASK, TB_RESULT_TO_MASK,
           TB_RESULT_FROM_MASK, TB_RESULT_PROMOTES_MASK, TB_RESULT_EP_MASK, TB_RESULT_DTZ_MASK,
           TB_RESULT_CHECKMATE, TB_RESULT_STALEMATE, TB_RESULT_FAILED);
    printf("%x %x %x %x %x %x\n", TB_SET_WDL(0xffffffffu, 1), TB_SET_TO(0u, 77), TB_SET_FROM(0u, 9),
           TB_SET_PROMOTES(0u, 3), TB_SET_EP(0u, 1), TB_SET_DTZ(0xffu, 4095u));
    printf("%d %d %d %d %d, %d %d %d\n", TB_VALUE_PAWN, TB_VALUE_MATE, TB_VALUE_INFINITE,
           TB_VALUE_DRAW, TB_MAX_MATE_PLY, (int)sizeof(TbMove), (int)sizeof(struct TbRootMove),
           (int)sizeof(struct TbRootMoves));
    for (unsigned square = 0; square < 64; square++)
        printf("%llx %llx %llx %llx %llx %u\n", (unsigned long long)tb_king_attacks(square),
               (unsigned long long)tb_knight_attacks(square),
               (unsigned long long)tb_bishop_attacks(square, UINT64_C(0x0042001818004200)),
               (unsigned long long)tb_pawn_attacks(square, false),
               (unsigned long long)tb_pop_lsb(UINT64_C(0x8000000000008100) << square % 8),
               tb_lsb(bit(square)));
}

int main(int argc, char **argv)
{
    Board board;
    if (argc != 3 || !tb_init(argv[1]) || TB_LARGEST < 3) return 1;
    print_numbers();
    for (int left = atoi(argv[2]); left > 0;) {
        if (!draw(&board)) continue;
        print_position(&board);
        left--;
    }
    printf("%x\n", probe_wdl(BOARDS(&board), 0, 1, 0, true));
    return 0; /* without tb_free, which fails in Debian's library */
}
