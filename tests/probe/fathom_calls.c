/* fathom_calls.c - an engine's calls to Fathom or Pyrrhic, in C and C++. fathom_source.sh builds it
 * with one after the other, and all must print the same.
 *
 *     calls DIR COUNT       COUNT random positions of three men; DIR has their tables
 *     calls -b DIR COUNT    only what both interfaces have: no scores
 *     calls -l DIR          with tables in memory, as Pyrrhic's newer interface has it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tbprobe.h>

/* These types compile only if the header's functions have the types of Fathom's or Pyrrhic's. */
#ifdef PYRRHIC_WHITE
typedef unsigned Wdl(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                     unsigned, bool);
typedef unsigned Best(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                      uint64_t, unsigned, unsigned, bool, unsigned *);
#ifdef PYRRHIC_VALUE_MATE
typedef int RankDtz(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                    unsigned, unsigned, bool, bool, bool, struct TbRootMoves *);
#else
typedef int RankDtz(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                    unsigned, unsigned, bool, bool, struct TbRootMoves *);
#endif
typedef int RankWdl(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                    unsigned, unsigned, bool, bool, struct TbRootMoves *);
static int *const largest = &TB_LARGEST;
#else
typedef unsigned Wdl(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                     unsigned, unsigned, unsigned, bool);
typedef unsigned Best(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                      uint64_t, unsigned, unsigned, unsigned, bool, unsigned *);
typedef int RankDtz(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                    unsigned, unsigned, unsigned, bool, bool, bool, struct TbRootMoves *);
typedef int RankWdl(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                    unsigned, unsigned, unsigned, bool, bool, struct TbRootMoves *);
static unsigned *const largest = &TB_LARGEST;
#endif
static Wdl *const probe_wdl = tb_probe_wdl;
static Best *const probe_root = tb_probe_root;
static RankDtz *const rank_by_dtz = tb_probe_root_dtz;
static RankWdl *const rank_by_wdl = tb_probe_root_wdl;

typedef struct Board {
    uint64_t white, black, kings, queens, rooks, pawns;
    unsigned rule50;
    bool turn;
} Board;

static bool both; /* print only what both interfaces have */

#define BOARDS(b) (b)->white, (b)->black, (b)->kings, (b)->queens, (b)->rooks, 0, 0, (b)->pawns

/* ---- Where the interfaces differ ------------------------------------------------------------- */

#ifdef PYRRHIC_WHITE

/* Pyrrhic has no attacks: these are enough for three men. */
static uint64_t tb_attacks(unsigned man, uint64_t occupied, int type)
{
    static const int steps[3][9] = {{-9, -8, -7, -1, 1, 7, 8, 9, 0}, {-8, -1, 1, 8, 0}, {7, 9, 0}};
    uint64_t reached = 0;
    for (const int *step = steps[type]; *step != 0; step++) {
        for (int at = (int)man, file = at % 8; at + *step >= 0 && at + *step < 64; file = at % 8) {
            at += *step;
            if (at % 8 - file > 1 || file - at % 8 > 1) break;
            reached |= UINT64_C(1) << at;
            if (type == 2 || (occupied >> at & 1) != 0) break;
        }
    }
    return reached;
}

static unsigned verdict(const Board *b)
{
    return b->rule50 == 0 ? probe_wdl(BOARDS(b), 0, b->turn) : TB_RESULT_FAILED;
}
static unsigned root(const Board *b, unsigned *results)
{
    return probe_root(BOARDS(b), b->rule50, 0, b->turn, results);
}
static int ranked_by_dtz(const Board *b, bool repeated, struct TbRootMoves *moves)
{
#ifdef PYRRHIC_VALUE_MATE
    return rank_by_dtz(BOARDS(b), b->rule50, 0, b->turn, repeated, true, moves);
#else
    return rank_by_dtz(BOARDS(b), b->rule50, 0, b->turn, repeated, moves);
#endif
}
static int ranked_by_wdl(const Board *b, struct TbRootMoves *moves)
{
    return rank_by_wdl(BOARDS(b), b->rule50, 0, b->turn, true, moves);
}

/* A rank as Fathom has it, whose sure win is 1000. */
static int rank_of(const struct TbRootMove *m)
{
    const int more = 0x40000 - 1000;
    return m->tbRank > 0 ? m->tbRank - more : m->tbRank < 0 ? m->tbRank + more : 0;
}
#define MOVE_TO(move) PYRRHIC_MOVE_TO(move)
#define MOVE_FROM(move) PYRRHIC_MOVE_FROM(move)
#define MOVE_PROMOTES(move) (PYRRHIC_MOVE_FLAGS(move) & PYRRHIC_MASK_PROMO_FLAGS)

#else

static uint64_t tb_attacks(unsigned man, uint64_t occupied, int type)
{
    return type == 0   ? tb_queen_attacks(man, occupied)
           : type == 1 ? tb_rook_attacks(man, occupied)
                       : tb_pawn_attacks(man, true);
}
static unsigned verdict(const Board *b) { return probe_wdl(BOARDS(b), b->rule50, 0, 0, b->turn); }
static unsigned root(const Board *b, unsigned *results)
{
    return probe_root(BOARDS(b), b->rule50, 0, 0, b->turn, results);
}
static int ranked_by_dtz(const Board *b, bool repeated, struct TbRootMoves *moves)
{
    return rank_by_dtz(BOARDS(b), b->rule50, 0, 0, b->turn, repeated, true, moves);
}
static int ranked_by_wdl(const Board *b, struct TbRootMoves *moves)
{
    return rank_by_wdl(BOARDS(b), b->rule50, 0, 0, b->turn, true, moves);
}
static int rank_of(const struct TbRootMove *m) { return m->tbRank; }
#define MOVE_TO(move) TB_MOVE_TO(move)
#define MOVE_FROM(move) TB_MOVE_FROM(move)
#define MOVE_PROMOTES(move) TB_MOVE_PROMOTES(move)

#endif

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
    uint64_t attacks = tb_attacks(man, occupied, (int)type);
    b->white = bit(king) | bit(man);
    b->black = bit(enemy);
    b->kings = bit(king) | bit(enemy);
    b->queens = type == 0 ? bit(man) : 0;
    b->rooks = type == 1 ? bit(man) : 0;
    b->pawns = type == 2 ? bit(man) : 0;
    b->turn = below(2) == 0;
    b->rule50 = below(3) == 0 ? below(110) : 0;
    int files = (int)(king % 8) - (int)(enemy % 8), ranks = (int)(king / 8) - (int)(enemy / 8);
    bool apart = files * files > 1 || ranks * ranks > 1;
    return king != man && enemy != man && apart && (type != 2 || (man > 7 && man < 56)) &&
           !(b->turn && (attacks & b->black) != 0);
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
    unsigned best = root(b, results);
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
        printf(" %u-%u%c %d", (unsigned)MOVE_FROM(m->move), (unsigned)MOVE_TO(m->move),
               " qrbn"[MOVE_PROMOTES(m->move)], rank_of(m));
#if !defined(PYRRHIC_WHITE) || defined(PYRRHIC_VALUE_MATE)
        if (!both) printf(" %d", (int)m->tbScore);
#endif
    }
    printf("\n");
}

static void print_position(const Board *b)
{
    static struct TbRootMoves moves;
    printf("%016llx %016llx %d %u: %x", (unsigned long long)b->white, (unsigned long long)b->black,
           b->turn, b->rule50, verdict(b));
    print_root(b);
    print_ranks(ranked_by_dtz(b, below(2) == 0, &moves), &moves);
    print_ranks(ranked_by_wdl(b, &moves), &moves);
}

/* Prints the numbers that both headers have, so that a change to any of them is seen. */
static void print_common_numbers(void)
{
    printf("%d %d, %d %d %d %d %d\n", TB_MAX_CAPTURES, TB_MAX_PLY, TB_LOSS, TB_BLESSED_LOSS,
           TB_DRAW, TB_CURSED_WIN, TB_WIN);
    printf("%x %x %x %x %x %x, %x %x %x\n", TB_RESULT_WDL_MASK, TB_RESULT_TO_MASK,
           TB_RESULT_FROM_MASK, TB_RESULT_PROMOTES_MASK, TB_RESULT_EP_MASK, TB_RESULT_DTZ_MASK,
           TB_RESULT_CHECKMATE, TB_RESULT_STALEMATE, TB_RESULT_FAILED);
    printf("%x %x %x %x %x %x\n", TB_SET_WDL(0xffffffffu, 1), TB_SET_TO(0u, 77), TB_SET_FROM(0u, 9),
           TB_SET_PROMOTES(0u, 3), TB_SET_EP(0u, 1), TB_SET_DTZ(0xffu, 4095u));
}

#ifndef PYRRHIC_WHITE
/* Prints all other numbers of Fathom's header. */
static void print_numbers(void)
{
    printf("%d, %d %d %d %d, %d %d %d %d %d\n", TB_MAX_MOVES, TB_CASTLING_K, TB_CASTLING_Q,
           TB_CASTLING_k, TB_CASTLING_q, TB_PROMOTES_NONE, TB_PROMOTES_QUEEN, TB_PROMOTES_ROOK,
           TB_PROMOTES_BISHOP, TB_PROMOTES_KNIGHT);
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
#else
static void print_numbers(void)
{
    printf("%d %d, %x %x\n", (int)sizeof(struct TbRootMove), (int)sizeof(struct TbRootMoves),
           PYRRHIC_MOVE_TO(0x8fffu), PYRRHIC_MOVE_IS_ENPASS(0x8fffu));
}
#endif

#if defined(PYRRHIC_WHITE) && !defined(PYRRHIC_VALUE_MATE)

/* The tables of a folder in memory, for tb_set_loader. */
static const char *loaded;
static unsigned char *kept[200];
static unsigned keeping;

static bool load(const char *name, const char *suffix, pyrrhic_tb_blob *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", loaded, name, suffix);
    FILE *file = fopen(path, "rb");
    if (file == NULL || keeping == sizeof kept / sizeof *kept) return false;
    fseek(file, 0, SEEK_END);
    out->size = (size_t)ftell(file);
    rewind(file);
    kept[keeping] = (unsigned char *)malloc(out->size);
    out->data = kept[keeping];
    bool whole = out->data != NULL && fread(kept[keeping++], 1, out->size, file) == out->size;
    fclose(file);
    return whole;
}

/* With tables in memory the answers are those of the folder. Returns what is wrong. */
static const char *check_loader(const char *folder)
{
    enum { ASKED = 300 };
    static Board board[ASKED];
    static unsigned answer[ASKED][2];
    if (!tb_init(folder) || TB_LARGEST < 3) return "no tables";
    const int men = TB_LARGEST, wdl = TB_NUM_WDL, dtz = TB_NUM_DTZ, dtm = TB_NUM_DTM;
    for (int i = 0; i < ASKED; i++) {
        while (!draw(&board[i])) continue;
        answer[i][0] = verdict(&board[i]);
        answer[i][1] = root(&board[i], NULL);
    }
    if (!tb_init("<embedded>") || TB_LARGEST != 0) return "tables without a loader";
    loaded = folder;
    tb_set_loader(load);
    if (!tb_init("<embedded>") || TB_LARGEST != men) return "another number of men";
    if (TB_NUM_WDL != wdl || TB_NUM_DTZ != dtz || TB_NUM_DTM != dtm)
        return "other numbers of tables";
    for (int i = 0; i < ASKED; i++)
        if (verdict(&board[i]) != answer[i][0] || root(&board[i], NULL) != answer[i][1])
            return "other answers";
    tb_set_loader(NULL);
    tb_free();
    while (keeping > 0) free(kept[--keeping]);
    return NULL;
}

#endif

int main(int argc, char **argv)
{
    Board board;
#if defined(PYRRHIC_WHITE) && !defined(PYRRHIC_VALUE_MATE)
    if (argc == 3 && strcmp(argv[1], "-l") == 0) {
        const char *wrong = check_loader(argv[2]);
        if (wrong != NULL) printf("%s\n", wrong);
        return wrong != NULL;
    }
#endif
    both = argc == 4 && strcmp(argv[1], "-b") == 0;
    char **argument = argv + argc - 2;
    if (argc != 3 + both || !tb_init(argument[0]) || *largest < 3) return 1;
    print_common_numbers();
    if (!both) print_numbers();
    for (int left = atoi(argument[1]); left > 0;) {
        if (!draw(&board)) continue;
        print_position(&board);
        left--;
    }
#ifndef PYRRHIC_WHITE
    if (!both) printf("%x\n", probe_wdl(BOARDS(&board), 0, 1, 0, true));
#endif
    return 0; /* without tb_free, which fails in Debian's library */
}
