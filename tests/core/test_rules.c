/* test_rules.c - the rules of chess: boards, FEN, moves, notation. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/movegen.h"
#include "core/chess/position.h"
#include "core/chess/san.h"
#include "core/system/hash.h"
#include "tests/support/part.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

static treb_position position_of(const char *fen)
{
    treb_position pos;
    const char *why = NULL;
    treb_status status = position_from_fen(fen, &pos, &why);
    ck_assert_msg(status == TREB_OK, "%s: %s", fen, why);
    return pos;
}

/* ---- Boards ---------------------------------------------------------------------------------- */

/* The squares along one direction up to and including the first man. */
static uint64_t walk(int sq, int file_step, int rank_step, uint64_t occ, int steps)
{
    uint64_t seen = 0;
    int file = square_file(sq) + file_step, rank = square_rank(sq) + rank_step;
    while (steps-- > 0 && file >= 0 && file < 8 && rank >= 0 && rank < 8) {
        uint64_t bit = square_bit(square_at(file, rank));
        seen |= bit;
        if (occ & bit) break;
        file += file_step;
        rank += rank_step;
    }
    return seen;
}

static uint64_t walk_all(int sq, uint64_t occ, bool diagonal, int steps)
{
    int d = diagonal ? 1 : 0;
    return walk(sq, 1, d, occ, steps) | walk(sq, -1, -d, occ, steps) | walk(sq, -d, 1, occ, steps) |
           walk(sq, d, -1, occ, steps);
}

START_TEST(sliders_match_walk)
{
    uint64_t seed = HASH_FACTOR;
    for (int sq = 0; sq < 64; sq++) {
        for (int round = 0; round < 2000; round++) {
            uint64_t occ = next_random(&seed);
            for (int thin = 0; thin < round % 4; thin++) occ &= next_random(&seed);
            if (round == 0) occ = 0;
            if (round == 1) occ = UINT64_MAX;
            uint64_t bishop = walk_all(sq, occ, true, 7), rook = walk_all(sq, occ, false, 7);
            ck_assert_uint_eq(bishop_attacks(sq, occ), bishop);
            ck_assert_uint_eq(rook_attacks(sq, occ), rook);
            ck_assert_uint_eq(queen_attacks(sq, occ), bishop | rook);
            ck_assert_uint_eq(piece_attacks(TREB_QUEEN, sq, occ), bishop | rook);
        }
    }
}
END_TEST

START_TEST(leapers_match_walk)
{
    for (int sq = 0; sq < 64; sq++) {
        uint64_t knight = walk(sq, 1, 2, 0, 1) | walk(sq, 2, 1, 0, 1) | walk(sq, -1, 2, 0, 1) |
                          walk(sq, -2, 1, 0, 1) | walk(sq, 1, -2, 0, 1) | walk(sq, 2, -1, 0, 1) |
                          walk(sq, -1, -2, 0, 1) | walk(sq, -2, -1, 0, 1);
        ck_assert_uint_eq(knight_attacks(sq), knight);
        ck_assert_uint_eq(king_attacks(sq), walk_all(sq, 0, false, 1) | walk_all(sq, 0, true, 1));
        ck_assert_uint_eq(pawn_attacks(TREB_WHITE, sq),
                          walk(sq, 1, 1, 0, 1) | walk(sq, -1, 1, 0, 1));
        ck_assert_uint_eq(pawn_attacks(TREB_BLACK, sq),
                          walk(sq, 1, -1, 0, 1) | walk(sq, -1, -1, 0, 1));
    }
}
END_TEST

START_TEST(lines_match_walk)
{
    for (int a = 0; a < 64; a++) {
        for (int b = 0; b < 64; b++) {
            uint64_t between = 0, line = 0;
            for (int d = 0; d < 8; d++) {
                static const int step[8] = {1, 1, 0, -1, -1, -1, 0, 1};
                int f = step[d], r = step[(d + 6) % 8];
                uint64_t ray = walk(a, f, r, square_bit(b), 7);
                if (!bit_test(ray, b)) continue;
                between = ray & ~square_bit(b);
                line = walk(a, f, r, 0, 7) | walk(a, -f, -r, 0, 7);
            }
            ck_assert_uint_eq(squares_between(a, b), between);
            ck_assert_uint_eq(line_through(a, b), line);
        }
    }
}
END_TEST

START_TEST(flips_move_squares)
{
    uint64_t seed = 88172645463325252;
    for (int sq = 0; sq < 64; sq++) {
        int file = square_file(sq), rank = square_rank(sq);
        ck_assert_uint_eq(flip_ranks(square_bit(sq)), square_bit(square_at(file, 7 - rank)));
        ck_assert_uint_eq(flip_files(square_bit(sq)), square_bit(square_at(7 - file, rank)));
        ck_assert_uint_eq(flip_diagonal(square_bit(sq)), square_bit(square_at(rank, file)));
    }
    for (int round = 0; round < 1000; round++) {
        uint64_t set = next_random(&seed), rest = set;
        int count = 0;
        ck_assert_uint_eq(flip_ranks(flip_ranks(set)), set);
        ck_assert_uint_eq(flip_files(flip_files(set)), set);
        ck_assert_uint_eq(flip_diagonal(flip_diagonal(set)), set);
        while (rest != 0) {
            ck_assert(bit_test(set, bit_pop(&rest)));
            count++;
        }
        ck_assert_int_eq(count, bit_count(set));
    }
}
END_TEST

/* ---- FEN ------------------------------------------------------------------------------------- */

static const char *const round_trips[] = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 34",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 65535",
    "8/8/8/4k3/8/8/8/4K2R w K - 65535 1",
};

START_TEST(fen_round_trip)
{
    treb_position pos = position_of(round_trips[_i]), again;
    char fen[TREB_FEN_SIZE];
    position_to_fen(&pos, fen);
    ck_assert_str_eq(fen, round_trips[_i]);
    again = position_of(fen);
    ck_assert(position_equal(&pos, &again));
}
END_TEST

START_TEST(fen_fields_may_be_missing)
{
    static const char *const texts[] = {
        "4k3/8/8/8/8/8/8/4K3 b",         "4k3/8/8/8/8/8/8/4K3 b -",
        "4k3/8/8/8/8/8/8/4K3 b - -",     "4k3/8/8/8/8/8/8/4K3 b - - 0",
        "4k3/8/8/8/8/8/8/4K3 b - - 0 0", "  4k3/8/8/8/8/8/8/4K3   b - -\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        treb_position pos = position_of(texts[i]);
        char fen[TREB_FEN_SIZE];
        position_to_fen(&pos, fen);
        ck_assert_str_eq(fen, "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    }
}
END_TEST

/* Faults that lila-tablebase tolerates, and how it reads them. */
static const struct {
    const char *fen, *read;
} lenient[] = {
    {"4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"},
    {"4k3/44/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"},
    {"4k3/8/8/8/8/8/8/R3K2R w KQkq -", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"},
    {"4k3/8/8/8/8/8/8/R3K2R w KKHAbgh -", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"},
    {"r3k2r/8/8/8/8/8/8/R2K3R w KQah -", "r3k2r/8/8/8/8/8/8/R2K3R w kq - 0 1"},
    {"4k3/8/8/8/8/8/8/R3K1R1 w KQ -", "4k3/8/8/8/8/8/8/R3K1R1 w Q - 0 1"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d6", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - e6", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d3", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - a1", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 70000 4294967296", "4k3/8/8/8/8/8/8/4K3 w - - 65535 65535"},
    {"4k3/8/8/8/8/1b3n2/4r3/3K4 w - -", "4k3/8/8/8/8/1b3n2/4r3/3K4 w - - 0 1"},
};

START_TEST(fen_leniently)
{
    treb_position pos;
    const char *why = NULL;
    char fen[TREB_FEN_SIZE];
    ck_assert_msg(position_from_fen_leniently(lenient[_i].fen, &pos, &why) == TREB_OK, "%s", why);
    position_to_fen(&pos, fen);
    ck_assert_str_eq(fen, lenient[_i].read);
}
END_TEST

/* Some faults are refused even by the lenient reader. */
START_TEST(fen_leniently_refused)
{
    static const struct {
        const char *fen;
        treb_status status;
    } cases[] = {{"", TREB_ERR_FEN},
                 {"4k3/8/8/8/8/8/4K3 w - -", TREB_ERR_FEN},
                 {"4k3/54/8/8/8/8/8/4K3 w - -", TREB_ERR_FEN},
                 {"4k3/8/8/8/8/8/8/4K3 x - -", TREB_ERR_FEN},
                 {"4k3/8/8/8/8/8/8/4K3 w i -", TREB_ERR_FEN},
                 {"4k3/8/8/8/8/8/8/4K3 w - a9", TREB_ERR_FEN},
                 {"4k3/8/8/8/8/8/8/4K3 w - - -1", TREB_ERR_FEN},
                 {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", TREB_ERR_FEN},
                 {"8/8/8/8/8/8/8/8", TREB_ERR_POSITION},
                 {"4k3/8/8/8/8/8/8/4K2P w - -", TREB_ERR_POSITION},
                 {"8/8/8/8/8/8/3k4/4K3 w KQkq e6", TREB_ERR_POSITION},
                 {"4k3/8/8/8/8/8/8/K3R3 w - -", TREB_ERR_POSITION}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        treb_position pos = {.fullmove = 7};
        const char *why = NULL;
        ck_assert_int_eq(position_from_fen_leniently(cases[i].fen, &pos, &why), cases[i].status);
        ck_assert_int_gt((int)strlen(why), 5);
        ck_assert_int_eq(pos.fullmove, 7);
    }
}
END_TEST

typedef struct FenFault {
    const char *fen, *why;
} FenFault;

static const FenFault malformed[] = {
    {"", "the FEN is empty"},
    {" \t ", "the FEN is empty"},
    {"4k3/8/8/8/8/8/8/4K3", "the side to move is missing"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 1", "the FEN has more than 6 fields"},
    {"4k3/8/8/8/8/8/4K3 w - -", "the board has fewer than 8 ranks"},
    {"4k3/8/8/8/8/8/8/8/4K3 w - -", "the board has 9 ranks"},
    {"4k3/8/8/8/8/8/8/8/8/4K3 w - -", "the board has more than 9 ranks"},
    {"4k4/8/8/8/8/8/8/4K3 w - -", "a rank of the board has more than 8 squares"},
    {"4k2/8/8/8/8/8/8/4K3 w - -", "a rank of the board has fewer than 8 squares"},
    {"4k3//8/8/8/8/8/4K3 w - -", "a rank of the board has fewer than 8 squares"},
    {"4k3/44/8/8/8/8/8/4K3 w - -", "two digits stand side by side in a rank"},
    {"4k3/9/8/8/8/8/8/4K3 w - -", "the board has a character that is neither a man nor 1 to 8"},
    {"4k3/7x/8/8/8/8/8/4K3 w - -", "the board has a character that is neither a man nor 1 to 8"},
    {"4k3/8/8/8/8/8/8/4K3 W - -", "the side to move is neither w nor b"},
    {"4k3/8/8/8/8/8/8/4K3 wb - -", "the side to move is neither w nor b"},
    {"4k2r/8/8/8/8/8/8/4K2R w KX -", "the castling field is neither - nor letters of KQkq"},
    {"4k2r/8/8/8/8/8/8/4K2R w K- -", "the castling field is neither - nor letters of KQkq"},
    {"4k2r/8/8/8/8/8/8/4K2R w KK -", "a castling right is named twice"},
    {"4k3/8/8/8/8/8/8/4K3 w - e", "the en passant field is neither - nor a square"},
    {"4k3/8/8/8/8/8/8/4K3 w - i6", "the en passant field is neither - nor a square"},
    {"4k3/8/8/8/8/8/8/4K3 w - e66", "the en passant field is neither - nor a square"},
    {"4k3/8/8/8/8/8/8/4K3 w - a1", "the en passant square is on neither rank 3 nor rank 6"},
    {"4k3/8/8/8/8/8/8/4K3 w - - x", "the halfmove clock is not a number from 0 to 65535"},
    {"4k3/8/8/8/8/8/8/4K3 w - - -1", "the halfmove clock is not a number from 0 to 65535"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 99999999999999999999",
     "the halfmove clock is not a number from 0 to 65535"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 65536", "the move number is not a number from 0 to 65535"},
};

static const FenFault impossible[] = {
    {"8/8/8/8/8/8/8/4K3 w - -", "Black has no king"},
    {"4k3/8/8/8/8/8/8/8 w - -", "White has no king"},
    {"4k3/8/8/8/8/8/8/K3K3 w - -", "White has more than one king"},
    {"4k2k/8/8/8/8/8/8/4K3 w - -", "Black has more than one king"},
    {"QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/k7/8/K7 w - -", "White has more than 16 men"},
    {"4k3/pppppppp/p7/8/8/8/8/4K3 w - -", "Black has more than 8 pawns"},
    {"4k3/8/8/8/8/8/PPPPPPP1/4KQQQ w - -", "White has more promoted men than pawns are missing"},
    {"4k3/8/8/8/8/nnnnnnnn/pp6/nnn1K3 w - -", "Black has more promoted men than pawns are missing"},
    {"4k3/8/8/8/8/8/PPPPPPPP/B1B1K3 w - -", "White has more promoted men than pawns are missing"},
    {"4k2P/8/8/8/8/8/8/4K3 w - -", "a pawn stands on rank 1 or 8"},
    {"4k3/8/8/8/8/8/8/p3K3 w - -", "a pawn stands on rank 1 or 8"},
    {"8/8/8/8/8/8/3k4/4K3 w - -", "the kings stand side by side"},
    {"4k3/8/8/8/8/8/8/K3R3 w - -", "the side not to move is in check"},
    {"4k3/8/8/8/8/5n2/8/4K3 b - -", "the side not to move is in check"},
    {"4k3/8/8/4p3/8/8/8/4K3 b - e6",
     "the en passant square is on the wrong rank for the side to move"},
    {"4k3/8/8/8/8/8/8/4K3 w - e6", "no pawn stands in front of the en passant square"},
    {"4k3/8/8/4P3/8/8/8/4K3 w - e6", "no pawn stands in front of the en passant square"},
    {"4k3/8/4n3/4p3/8/8/8/4K3 w - e6", "the en passant square is not empty"},
    {"4k3/4n3/8/4p3/8/8/8/4K3 w - e6", "the square the en passant pawn came from is not empty"},
    {"4k3/8/8/8/8/8/8/3K4 w K -", "a castling right is given, but the king is not at home"},
    {"4k3/8/8/8/8/8/8/4K3 w Q -", "a castling right is given, but the rook is not at home"},
    {"4k2R/7K/8/8/8/8/8/8 b k -", "a castling right is given, but the rook is not at home"},
};

/* Rights in the letters of X-FEN and of Shredder. */
static const char *const chess960[] = {
    "4k3/8/8/8/8/8/8/3K3R w K -", "4k3/8/8/8/8/8/8/3K3R w H -", "r1k5/8/8/8/8/8/8/4K3 w q -",
    "4k3/8/8/8/8/8/8/4K1R1 w K -", "4k3/8/8/8/8/8/8/1R2K3 w B -",
    "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1",
    "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1"};

static void refused(const FenFault *fault, treb_status expected)
{
    treb_position pos = {.fullmove = 7};
    const char *why = NULL;
    ck_assert_msg(position_from_fen(fault->fen, &pos, &why) == expected, "%s: %s", fault->fen, why);
    ck_assert_str_eq(why, fault->why);
    ck_assert_int_eq(position_from_fen(fault->fen, &pos, NULL), expected);
    ck_assert_int_eq(pos.fullmove, 7);
}

START_TEST(fen_malformed) { refused(&malformed[_i], TREB_ERR_FEN); }
END_TEST

START_TEST(fen_impossible) { refused(&impossible[_i], TREB_ERR_POSITION); }
END_TEST

START_TEST(fen_chess960)
{
    treb_position pos;
    const char *why;
    ck_assert_int_eq(position_from_fen(chess960[_i], &pos, &why), TREB_ERR_CASTLING);
    ck_assert_ptr_nonnull(strstr(why, "Chess960"));
    ck_assert_int_eq(position_from_fen_leniently(chess960[_i], &pos, &why), TREB_OK);
}
END_TEST

/* The files of rooks name the rights of chess, too. Rights that board editors leave are dropped. */
START_TEST(fen_castling_letters)
{
    static const char *const rows[][2] = {
        {"r3k2r/8/8/8/8/8/8/R3K2R w HAha -", "KQkq"}, {"r3k2r/8/8/8/8/8/8/R3K2R w Hq -", "Kq"},
        {"r3k3/8/8/8/8/8/8/1R2K2R w KQkq -", "Kq"}, {"4k3/8/8/8/8/8/8/1K5R w KQkq -", "-"},
        {"4k3/8/8/8/8/8/8/4K2R w GH -", "K"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char fen[TREB_FEN_SIZE];
        treb_position pos;
        ck_assert_int_eq(position_from_fen(rows[i][0], &pos, NULL) == TREB_OK, i < 2 ? 1 : 0);
        ck_assert_msg(position_from_fen_leniently(rows[i][0], &pos, NULL) == TREB_OK, "%s", rows[i][0]);
        position_to_fen(&pos, fen);
        ck_assert_msg(strstr(fen, rows[i][1]) != NULL, "%s", fen);
    }
}
END_TEST

START_TEST(check_finds_broken_boards)
{
    const treb_position good = position_of("4k3/8/8/8/8/8/8/4K3 w - -");
    treb_position pos = good;
    ck_assert_int_eq(position_check(&pos, NULL), TREB_OK);
    pos.by_color[TREB_BLACK] |= square_bit(4);
    ck_assert_int_eq(position_check(&pos, NULL), TREB_ERR_POSITION);
    pos = good;
    pos.by_type[TREB_ROOK] |= square_bit(4);
    ck_assert_int_eq(position_check(&pos, NULL), TREB_ERR_POSITION);
    pos = good;
    pos.by_type[TREB_ROOK] |= square_bit(20);
    ck_assert_int_eq(position_check(&pos, NULL), TREB_ERR_POSITION);
    pos = good;
    pos.by_color[TREB_WHITE] |= square_bit(20);
    ck_assert_int_eq(position_check(&pos, NULL), TREB_ERR_POSITION);
    pos = good;
    pos.turn = 2;
    ck_assert_int_eq(position_check(&pos, NULL), TREB_ERR_POSITION);
    pos = good;
    pos.ep = 200;
    ck_assert_int_eq(position_check(&pos, NULL), TREB_ERR_POSITION);
    pos = good;
    pos.castling = 16;
    ck_assert_int_eq(position_check(&pos, NULL), TREB_ERR_POSITION);
}
END_TEST

START_TEST(transforms_undo_themselves)
{
    treb_position pos = position_of(round_trips[_i]), out;
    position_swap_colors(&pos, &out);
    ck_assert_int_eq(position_check(&out, NULL), TREB_OK);
    ck_assert(!position_equal(&pos, &out));
    position_swap_colors(&out, &out);
    ck_assert(position_equal(&pos, &out));

    pos.castling = 0;
    position_flip_files(&pos, &out);
    ck_assert_int_eq(position_check(&out, NULL), TREB_OK);
    position_flip_files(&out, &out);
    ck_assert(position_equal(&pos, &out));
}
END_TEST

START_TEST(swap_colors_by_example)
{
    treb_position pos = position_of("r3k3/8/8/3pP3/8/8/8/4K2R w Kq d6 0 9");
    char fen[TREB_FEN_SIZE];
    position_swap_colors(&pos, &pos);
    position_to_fen(&pos, fen);
    ck_assert_str_eq(fen, "4k2r/8/8/8/3Pp3/8/8/R3K3 b Qk d3 0 9");
}
END_TEST

START_TEST(put_and_remove)
{
    treb_position pos = position_of("4k3/8/8/8/8/8/8/4K3 w - -");
    int color = -1;
    ck_assert_int_eq(position_piece_at(&pos, 20, &color), -1);
    ck_assert_int_eq(color, -1);
    position_put(&pos, TREB_BLACK, TREB_ROOK, 20);
    ck_assert_int_eq(position_piece_at(&pos, 20, &color), TREB_ROOK);
    ck_assert_int_eq(color, TREB_BLACK);
    position_remove(&pos, 20);
    ck_assert_int_eq(position_piece_at(&pos, 20, NULL), -1);
}
END_TEST

/* ---- Moves ----------------------------------------------------------------------------------- */

static uint64_t perft(const treb_position *pos, int depth)
{
    Move moves[MOVES_MAX];
    int count = movegen_all(pos, moves);
    if (depth == 1) return (uint64_t)count;
    uint64_t nodes = 0;
    for (int i = 0; i < count; i++) {
        treb_position child;
        position_play(pos, moves[i], &child);
        nodes += perft(&child, depth - 1);
    }
    return nodes;
}

typedef struct Perft {
    const char *fen;
    uint64_t nodes[7]; /* at depth 1, 2, ...; 0 ends */
} Perft;

/* Public counts, of positions with and without castling. */
static const Perft perfts[] = {
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", {20, 400, 8902, 197281}},
    {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", {48, 2039, 97862}},
    {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", {26, 568, 13744, 314346}},
    {"r3k2r/8/8/8/8/8/8/1R2K2R w Kkq - 0 1", {25, 567, 14095, 328965}},
    {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", {6, 264, 9467, 422333}},
    {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", {44, 1486, 62379}},
    {"r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
     {26, 1141, 27826, 1274206}}, /* rights end by captures */
    {"r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
     {44, 1494, 50509, 1720476}}, /* castling prevented */
    {"5k2/8/8/8/8/8/8/4K2R w K - 0 1",
     {15, 66, 1198, 6399, 120330, 661072}}, /* castling gives check */
    {"3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", {16, 71, 1286, 7418, 141077, 803711}},
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", {20, 400, 8902, 197281}},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", {14, 191, 2812, 43238, 674624}},
    {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", {24, 496, 9483, 182838}},
    {"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", {46, 2079, 89890}},
    /* En passant that exposes the king, en passant that ends a check, stalemate by one's own move
     * and so on. */
    {"3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", {18, 92, 1670, 10138, 185429, 1134888}},
    {"8/8/4k3/8/2p5/8/B2P2K1/8 w - - 0 1", {13, 102, 1266, 10276, 135655, 1015133}},
    {"8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", {15, 126, 1928, 13931, 206379, 1440467}},
    {"2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", {11, 133, 1442, 19174, 266199}},
    {"8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", {29, 165, 5160, 31961, 1004658}},
    {"4k3/1P6/8/8/8/8/K7/8 w - - 0 1", {9, 40, 472, 2661, 38983}},
    {"8/P1k5/K7/8/8/8/8/8 w - - 0 1", {6, 27, 273, 1329, 18135}},
    {"K1k5/8/P7/8/8/8/8/8 w - - 0 1", {2, 6, 13, 63, 382}},
    {"8/k1P5/8/1K6/8/8/8/8 w - - 0 1", {10, 25, 268, 926, 10857}},
    {"8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", {37, 183, 6559, 23527}},
};

START_TEST(perft_counts)
{
    treb_position pos = position_of(perfts[_i].fen), swapped;
    position_swap_colors(&pos, &swapped);
    for (int depth = 1; perfts[_i].nodes[depth - 1] != 0; depth++) {
        uint64_t nodes = perft(&pos, depth);
        ck_assert_uint_eq(nodes, perfts[_i].nodes[depth - 1]);
        if (depth < 5) ck_assert_uint_eq(perft(&swapped, depth), nodes);
    }
}
END_TEST

/* In random games: functions that compute the same thing in different ways must agree. */
START_TEST(random_games_agree)
{
    uint64_t seed = 0x2545f4914f6cdd1d + (uint64_t)_i;
    for (int game = 0; game < 20 / test_part(); game++) {
        treb_position pos = position_of(perfts[_i].fen);
        for (int ply = 0; ply < 150; ply++) {
            Move moves[MOVES_MAX], captures[MOVES_MAX], completing[MOVES_MAX];
            int count = movegen_all(&pos, moves), some = movegen_captures(&pos, captures);
            int found = 0, listed = 0, all = movegen_completing(&pos, completing);
            bool ep = false;
            ck_assert(movegen_any(&pos) == (count > 0));
            for (int i = 0; i < count; i++) {
                char san[SAN_SIZE], uci[UCI_SIZE];
                Move again = 0;
                bool same = !move_is_capture(&pos, moves[i]) || captures[found++] == moves[i];
                bool queen = move_promo(moves[i]) == TREB_QUEEN &&
                             bit_count(position_men_of(&pos, pos.turn, TREB_PAWN)) == 1;
                if (queen || move_is_capture(&pos, moves[i]))
                    same = same && completing[listed++] == moves[i];
                ep = ep || move_is_ep(&pos, moves[i]);
                move_to_san(&pos, moves[i], san);
                same = same && move_from_san(&pos, san, &again) == TREB_OK && again == moves[i];
                move_to_uci(moves[i], uci);
                same = same && move_from_uci(&pos, uci, &again) == TREB_OK && again == moves[i];
                /* Check writes every assertion to a file: here it gets only those that fail. */
                if (!same) ck_abort_msg("%s: %s, %s", perfts[_i].fen, san, uci);
            }
            ck_assert_int_eq(found, some);
            ck_assert_int_eq(listed, all);
            ck_assert(ep == position_ep_legal(&pos));
            if (count == 0) break;
            position_play(&pos, moves[next_random(&seed) % (uint64_t)count], &pos);
            ck_assert_int_eq(position_check(&pos, NULL), TREB_OK);
        }
    }
}
END_TEST

typedef struct EpCase {
    const char *fen;
    bool legal;
} EpCase;

static const EpCase ep_cases[] = {
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d6", true},
    {"8/8/8/8/k2Pp2Q/8/8/3K4 b - d3", false},  /* both pawns leave the rank of the king */
    {"8/8/8/K2pP2r/8/8/8/7k w - d6", false},   /* both pawns leave the rank of White's king */
    {"8/8/8/K1PpP2r/8/8/8/7k w - d6", true},   /* a third pawn stays */
    {"4r2k/8/8/3pP3/8/8/8/4K3 w - d6", false}, /* pinned on the file */
    {"6bk/8/8/3pP3/8/8/K7/8 w - d6", false},   /* the captured pawn protects the king on the
                                                  diagonal */
    {"7k/6b1/8/3pP3/3K4/8/8/8 w - d6", false}, /* pinned across the capture */
    {"7k/2b5/8/3pP3/5K2/8/8/8 w - d6", true},  /* pinned along it */
    {"7k/8/8/3pP3/4K3/8/8/8 w - d6", true},    /* takes the pawn that gives check */
    {"7k/8/8/3pP3/8/8/8/r3K3 w - d6", false},  /* another check remains */
    {"4k3/8/8/3p4/8/8/8/4K3 w - d6", false},   /* no pawn can capture */
};

START_TEST(ep_legality)
{
    treb_position pos = position_of(ep_cases[_i].fen), out;
    ck_assert(position_ep_legal(&pos) == ep_cases[_i].legal);
    position_swap_colors(&pos, &out);
    ck_assert(position_ep_legal(&out) == ep_cases[_i].legal);
    position_flip_files(&pos, &out);
    ck_assert(position_ep_legal(&out) == ep_cases[_i].legal);
}
END_TEST

typedef struct MakeCase {
    const char *before, *uci, *after;
} MakeCase;

static const MakeCase make_cases[] = {
    {"4k3/8/8/8/3p4/8/4P3/4K3 w - - 5 1", "e2e4", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"},
    {"4k3/8/8/8/8/8/4P3/4K3 w - - 5 1", "e2e4", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"},
    {"4k3/8/8/8/p7/8/7P/4K3 w - - 5 1", "h2h4", "4k3/8/8/8/p6P/8/8/4K3 b - - 0 1"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "4k3/8/3P4/8/8/8/8/4K3 b - - 0 1"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e1e2", "4k3/8/8/3pP3/8/8/4K3/8 b - - 1 1"},
    {"3rk3/4P3/8/8/8/8/8/4K3 w - - 9 4", "e7d8n", "3Nk3/8/8/8/8/8/8/4K3 b - - 0 4"},
    {"4k2r/8/8/8/8/8/8/R3K2R w KQk - 0 4", "h1h8", "4k2R/8/8/8/8/8/8/R3K3 b Q - 0 4"},
    {"4k2r/8/8/8/8/8/8/R3K2R b KQk - 0 4", "e8e7", "7r/4k3/8/8/8/8/8/R3K2R w KQ - 1 5"},
    {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "e1g1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 4"},
    {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "e1c1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 4 4"},
    {"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 4", "e8g8", "r4rk1/8/8/8/8/8/8/R3K2R w KQ - 4 5"},
    {"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 4", "e8c8", "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 4 5"},
    {"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 4", "a8a1", "4k2r/8/8/8/8/8/8/r3K2R w Kk - 0 5"},
    {"4k3/8/8/8/8/8/8/4K3 b - - 65535 65535", "e8e7", "8/4k3/8/8/8/8/8/4K3 w - - 65535 65535"},
};

typedef struct CastlingCase {
    const char *fen, *moves;
} CastlingCase;

static const CastlingCase castling_cases[] = {
    {"4k3/8/8/8/8/8/8/R3K2R w KQ -", "O-O O-O-O"},
    {"4k3/8/8/8/8/8/8/R3K2R w Q -", "O-O-O"},
    {"4k3/8/8/8/8/8/8/R3K2R w - -", ""},
    {"4k3/8/8/8/8/8/8/RN2KB1R w KQ -", ""},
    {"4k3/8/8/8/8/8/8/R2NK1nR w KQ -", ""},
    {"4k3/4q3/8/8/8/8/8/R3K2R w KQ -", ""},
    {"4k3/5q2/8/8/8/8/8/R3K2R w KQ -", "O-O-O"},
    {"4k3/6q1/8/8/8/8/8/R3K2R w KQ -", "O-O-O"},
    {"4k3/7q/8/8/8/8/8/R3K2R w KQ -", "O-O O-O-O"},
    {"4k3/3q4/8/8/8/8/8/R3K2R w KQ -", "O-O"},
    {"4k3/2q5/8/8/8/8/8/R3K2R w KQ -", "O-O"},
    {"4k3/1q6/8/8/8/8/8/R3K2R w KQ -", "O-O O-O-O"},
    {"4k3/8/8/8/8/8/6p1/R3K2R w KQ -", "O-O-O"},
    {"5k2/8/8/8/8/8/8/R3K2R w KQ -", "O-O+ O-O-O"},
};

/* All castling moves of a position, short ones first; and with colours exchanged. */
START_TEST(castling)
{
    treb_position pos = position_of(castling_cases[_i].fen);
    for (int color = 0; color < 2; color++) {
        Move moves[2], all[MOVES_MAX];
        char text[2 * SAN_SIZE + 1] = "";
        int count = movegen_castling(&pos, moves), legal = movegen_legal(&pos, all);
        for (int i = 0; i < count; i++) {
            char san[SAN_SIZE];
            move_to_san(&pos, moves[i], san);
            if (i > 0) strcat(text, " ");
            strcat(text, san);
            ck_assert(move_is_castling(&pos, moves[i]) && !move_is_zeroing(&pos, moves[i]));
        }
        ck_assert_str_eq(text, castling_cases[_i].moves);
        for (int i = 0; i < legal; i++) ck_assert(!move_is_castling(&pos, all[i]));
        ck_assert_int_eq(movegen_all(&pos, all), legal + count);
        position_swap_colors(&pos, &pos);
    }
}
END_TEST

#ifndef NDEBUG
/* Debug builds abort at an impossible position, before it leads to wrong moves. */
START_TEST(no_position_is_noticed)
{
    treb_position pos;
    Move moves[MOVES_MAX];
    ck_assert_int_eq(position_from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1", &pos, NULL), TREB_OK);
    pos.by_type[TREB_PAWN] |= 2;
    ck_assert(!position_ok(&pos));
    movegen_legal(&pos, moves);
}
END_TEST
#endif

START_TEST(make_move)
{
    treb_position pos = position_of(make_cases[_i].before);
    char fen[TREB_FEN_SIZE];
    Move m = 0;
    ck_assert_int_eq(move_from_uci(&pos, make_cases[_i].uci, &m), TREB_OK);
    position_play(&pos, m, &pos);
    position_to_fen(&pos, fen);
    ck_assert_str_eq(fen, make_cases[_i].after);
}
END_TEST

/* ---- Notation -------------------------------------------------------------------------------- */

typedef struct SanCase {
    const char *fen, *uci, *san;
} SanCase;

static const SanCase san_cases[] = {
    {"4k3/8/8/8/8/8/8/R4K1R w - -", "a1d1", "Rd1"}, /* the king stands between the rooks */
    {"4k3/8/8/8/8/8/5K2/R6R w - -", "a1d1", "Rad1"},
    {"R6k/8/8/8/8/8/6K1/R7 b - -", "h8h7", "Kh7"},
    {"7k/R7/8/8/8/8/6K1/R7 w - -", "a1a4", "R1a4"},
    {"6k1/8/8/8/4Q2Q/K7/8/7Q w - -", "h4e1", "Qh4e1"},
    {"1k6/8/8/8/4N3/8/2N3K1/8 w - -", "c2d4", "Nd4"},
    {"1k2r3/8/8/8/4N3/8/2N5/4K3 w - -", "c2e3", "Ne3"},
    {"4r2k/8/8/8/8/4N3/8/N3K3 w - -", "a1c2", "Nc2"}, /* the other knight is pinned */
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", "exd6"},
    {"4k3/8/8/8/8/8/4P3/4K3 w - -", "e2e4", "e4"},
    {"r3k3/8/8/8/8/8/8/4K3 b q -", "e8c8", "O-O-O"},
    {"5k2/8/8/8/8/8/8/4K2R w K -", "e1g1", "O-O+"},
    {"3rk3/4P3/8/8/8/8/8/4K3 w - -", "e7d8q", "exd8=Q+"},
    {"3rk3/2P5/8/8/8/8/8/4K3 w - -", "c7d8n", "cxd8=N"},
    {"7k/P7/8/8/8/8/8/4K3 w - -", "a7a8b", "a8=B"},
    {"6k1/5ppp/8/8/8/8/8/R5K1 w - -", "a1a8", "Ra8#"},
    {"7k/P7/6K1/8/8/8/8/8 w - -", "a7a8q", "a8=Q#"},
    {"7k/8/5KQ1/8/8/8/8/8 w - -", "g6g7", "Qg7#"},
    {"7k/8/8/8/8/8/5q2/7K b - -", "f2f1", "Qf1+"},
    {"8/8/8/8/8/5k2/4r3/4K3 w - -", "e1f1", "Kf1"},
    {"8/8/8/8/8/8/4r3/4K2k w - -", "e1e2", "Kxe2"},
};

START_TEST(san_cases_both_ways)
{
    const SanCase *c = &san_cases[_i];
    treb_position pos = position_of(c->fen);
    Move m = 0, again = 0;
    char san[SAN_SIZE], uci[UCI_SIZE];
    ck_assert_int_eq(move_from_uci(&pos, c->uci, &m), TREB_OK);
    move_to_san(&pos, m, san);
    ck_assert_str_eq(san, c->san);
    ck_assert_int_eq(move_from_san(&pos, c->san, &again), TREB_OK);
    move_to_uci(again, uci);
    ck_assert_str_eq(uci, c->uci);
}
END_TEST

START_TEST(san_is_tolerant)
{
    static const char *const same[] = {"exd8=Q+", "exd8=Q",  "exd8Q", "exd8=Q#", "exd8=Q+!?",
                                       "ed8=Q",   "e7xd8=Q", "e7d8Q", "e7-d8=Q"};
    static const char *const wrong[] = {"",       "e",   "d8",      "exd8",   "exd8=K", "exf8=Q",
                                        "e8=Q",   "Q",   "=Q",      "fxd8=Q", "Kxd7",   "exd8=Qx",
                                        "Pexd8Q", "O-O", "e6xd8=Q", "+#",     "Ke9",    "eexd8=Q"};
    treb_position pos = position_of("3rk3/4P3/8/8/8/8/8/4K3 w - -");
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        Move m = 0;
        ck_assert_msg(move_from_san(&pos, same[i], &m) == TREB_OK, "%s", same[i]);
        ck_assert_uint_eq(m, move_make(52, 59, TREB_QUEEN));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Move m = 0;
        ck_assert_msg(move_from_san(&pos, wrong[i], &m) == TREB_ERR_ARGUMENT, "%s", wrong[i]);
        ck_assert_int_eq(move_from_uci(&pos, wrong[i], &m), TREB_ERR_ARGUMENT);
        ck_assert_uint_eq(m, 0);
    }
    static const char *const castling[] = {"O-O-O", "0-0-0", "O-O-O+!?", "e1c1"};
    static const char *const none[] = {"O-O", "O-O-O-O", "O", "O-", "O-O-Ox", "o-o-o", "e1a1"};
    pos = position_of("4k3/5q2/8/8/8/8/8/R3K2R w KQ -");
    for (size_t i = 0; i < sizeof castling / sizeof castling[0]; i++) {
        Move m = 0;
        if (move_from_uci(&pos, castling[i], &m) != TREB_OK)
            ck_assert_int_eq(move_from_san(&pos, castling[i], &m), TREB_OK);
        ck_assert_uint_eq(m, move_make(4, 2, 0));
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        Move m = 0;
        ck_assert_int_eq(move_from_uci(&pos, none[i], &m), TREB_ERR_ARGUMENT);
        ck_assert_int_eq(move_from_san(&pos, none[i], &m), TREB_ERR_ARGUMENT);
    }
    Move m;
    pos = position_of("4k3/8/8/8/8/8/5K2/R6R w - -");
    ck_assert_int_eq(move_from_san(&pos, "Rd1", &m), TREB_ERR_ARGUMENT); /* which one? */
}
END_TEST

Suite *rules_suite(void);

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

Suite *rules_suite(void)
{
    Suite *suite = suite_create("rules");
    TCase *boards = tcase_create("boards"), *fen = tcase_create("fen");
    TCase *moves = tcase_create("moves"), *notation = tcase_create("notation");
    tcase_add_test(boards, sliders_match_walk);
    tcase_add_test(boards, leapers_match_walk);
    tcase_add_test(boards, lines_match_walk);
    tcase_add_test(boards, flips_move_squares);
    tcase_add_loop_test(fen, fen_round_trip, 0, COUNT(round_trips));
    tcase_add_test(fen, fen_fields_may_be_missing);
    tcase_add_loop_test(fen, fen_malformed, 0, COUNT(malformed));
    tcase_add_loop_test(fen, fen_impossible, 0, COUNT(impossible));
    tcase_add_loop_test(fen, fen_chess960, 0, COUNT(chess960));
    tcase_add_test(fen, fen_castling_letters);
    tcase_add_loop_test(fen, fen_leniently, 0, COUNT(lenient));
    tcase_add_test(fen, fen_leniently_refused);
    tcase_add_test(fen, check_finds_broken_boards);
    tcase_add_loop_test(fen, transforms_undo_themselves, 0, COUNT(round_trips));
    tcase_add_test(fen, swap_colors_by_example);
    tcase_add_test(fen, put_and_remove);
    tcase_add_loop_test(moves, perft_counts, 0, COUNT(perfts));
    tcase_add_loop_test(moves, random_games_agree, 0, COUNT(perfts));
    tcase_add_loop_test(moves, castling, 0, COUNT(castling_cases));
    tcase_add_loop_test(moves, ep_legality, 0, COUNT(ep_cases));
#ifndef NDEBUG
    tcase_add_test_raise_signal(moves, no_position_is_noticed, SIGABRT);
#endif
    tcase_add_loop_test(moves, make_move, 0, COUNT(make_cases));
    tcase_add_loop_test(notation, san_cases_both_ways, 0, COUNT(san_cases));
    tcase_add_test(notation, san_is_tolerant);
    tcase_set_timeout(boards, 60);
    tcase_set_timeout(moves, 60);
    suite_add_tcase(suite, boards);
    suite_add_tcase(suite, fen);
    suite_add_tcase(suite, moves);
    suite_add_tcase(suite, notation);
    return suite;
}

int main(void) { return run_suite(rules_suite()); }
