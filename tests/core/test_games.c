/* test_games.c - reads positions and games as people write them, and checks the messages for
 * faults. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pgn/input.h"
#include "core/pgn/move_text.h"
#include "core/pgn/pgn_read.h"
#include "tests/support/suite.h"

/* ---- Positions ------------------------------------------------------------------------------- */

static void check_position(const char *text, const char *fen, const char *id)
{
    PositionText read;
    treb_error error = {0};
    char out[TREB_FEN_SIZE];
    ck_assert_msg(position_text_read(text, &read, &error) == TREB_OK, "%s: %s", text, error.text);
    position_to_fen(&read.pos, out);
    ck_assert_msg(strcmp(out, fen) == 0, "%s: %s, not %s", text, out, fen);
    ck_assert_msg(strcmp(read.id, id) == 0, "%s: id %s, not %s", text, read.id, id);
}

static const char reti[] = "7K/8/k1P5/7p/8/8/8/8 w - - 0 1";

START_TEST(positions)
{
    static const char *const same[] = {
        "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
        "  7K/8/k1P5/7p/8/8/8/8   w\t-  - 0 1 \r",
        "7K/8/k1P5/7p/8/8/8/8 w",
        "7K/8/k1P5/7p/8/8/8/8_w_-_-_0_1",
        "7K/8/k1P5/7p/8/8/8/8_w",
        "\"7K/8/k1P5/7p/8/8/8/8 w - - 0 1\"",
        "'7K/8/k1P5/7p/8/8/8/8 w - - 0 1',",
        "\u201c7K/8/k1P5/7p/8/8/8/8 w - - 0 1\u201d",
        "[FEN \"7K/8/k1P5/7p/8/8/8/8 w - - 0 1\"]",
        "[fen  \"7K/8/k1P5/7p/8/8/8/8 w - -\"]",
        "FEN: 7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
        "fen=7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
        "position fen 7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
        "7K/8/k1P5/7p/8/8/8/8 w - - 0 1 moves",
        "7K/8/k1P5/7p/8/8/8/8/ w - - 0 1",
        "7K/8/k1P5/7p/8/8/8/8 w  - 0 1",
        "7K/8/k1P5/7p/8/8/8/8 w 0 1",
        "\ufeff7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
        "7K/8/k1P5/7p/8/8/8/8\u00a0w\u00a0-\u00a0- 0\u20091\u200b",
        "7K/8/k1P5/7p/8/8/8/8\xa0w",
        "7K/8/k1P5/7p/8/8/8/8 w - -;",
        "7K/8/k1P5/7p/8/8/8/8 w - - # a remark",
        "7K/8/k1P5/7p/8/8/8/8 w - - bm Kg7;",
        "7K/8/k1P5/7p/8/8/8/8 w - - bm Kg7",
        "7K/8/k1P5/7p/8/8/8/8 w - - 0 1 bm Kg7; c0 \"a; b\";",
        "7K/8/k1P5/7p/8/8/8/8 w - - 0 1 ;D1 4 ;D2 20",
        "https://lichess.org/analysis/standard/7K/8/k1P5/7p/8/8/8/8_w_-_-_0_1",
        "https://lichess.org/analysis/7K/8/k1P5/7p/8/8/8/8_w_-_-_0_1?color=black#3",
        "https://lichess.org/analysis/fromPosition/7K/8/k1P5/7p/8/8/8/8_w_-_-",
        "https://lichess.org/editor/7K/8/k1P5/7p/8/8/8/8_w_-_-_0_1?color=white",
        "lichess.org/editor/7K/8/k1P5/7p/8/8/8/8_w_-_-_0_1",
        "https://lichess.org/editor?fen=7K%2F8%2Fk1P5%2F7p%2F8%2F8%2F8%2F8+w+-+-+0+1&color=white",
        "https://syzygy-tables.info/?fen=7K/8/k1P5/7p/8/8/8/8_w_-_-_0_1",
        "http://127.0.0.1:8080/?fen=7K/8/k1P5/7p/8/8/8/8_w_-_-_0_1#moves",
        "/?fen=7K/8/k1P5/7p/8/8/8/8_w_-_-_0_1",
        "?fen=7K%2f8/k1P5/7p/8/8/8/8%20w%20-%20-%200%201",
        "https://a.example/x?y=1&FEN=7K/8/k1P5/7p/8/8/8/8 w - - 0 1"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) check_position(same[i], reti, "");
    check_position("7K/8/k1P5/7p/8/8/8/8 w - - hmvc 7; fmvn 41; id \"R\u00e9ti, 1921; a study\";",
                   "7K/8/k1P5/7p/8/8/8/8 w - - 7 41", "R\u00e9ti, 1921; a study");
    check_position("\"7K/8/k1P5/7p/8/8/8/8 w - - id \"x\";\"", reti, "x");
    check_position("7K/8/k1P5/7p/8/8/8/8 w - - hmvc 70000; fmvn 0; id Reti;", reti, "Reti");
    check_position("4k3/8/8/8/8/8/8/4K2R w K - 3 9", "4k3/8/8/8/8/8/8/4K2R w K - 3 9", "");
    check_position("4k3/8/8/8/8/8/8/4K2R w K 3 9", "4k3/8/8/8/8/8/8/4K2R w K - 3 9", "");
    check_position("4k3/8/8/3pP3/8/8/8/4K3 w d6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "");
    check_position("1Q~5q~/8/8/8/8/8/k7/2K5 b - - 0 1", "1Q5q/8/8/8/8/8/k7/2K5 b - - 0 1", "");
    check_position("position startpos moves e2e4 e7e5",
                   "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "");
    check_position("startpos", POSITION_START, "");
    check_position("fen 7K/8/2P5/1k5p/8/8/8/8 b - - 0 1 moves b5a6 Kg7", "8/6K1/k1P5/7p/8/8/8/8 b - - 2 2", "");
    /* The files of rooks name the rights of chess. */
    check_position("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "");
    /* Board editors keep castling rights that are impossible. */
    check_position("https://lichess.org/editor/4k3/8/8/8/8/8/8/4K2R_w_KQkq_-_0_1",
                   "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "");
}
END_TEST

START_TEST(bad_positions)
{
    static const struct {
        const char *text;
        treb_status status;
        const char *says;
    } bad[] = {{"", TREB_ERR_FEN, "empty"},
               {"   ", TREB_ERR_FEN, "empty"},
               {"hello", TREB_ERR_FEN, "side to move"},
               {"\"", TREB_ERR_FEN, "empty"},
               {"[", TREB_ERR_FEN, "empty"},
               {"~", TREB_ERR_FEN, "empty"},
               {"~ w - -", TREB_ERR_FEN, "fewer than 8 ranks"},
               {"7K/8/k1P5/7p/8/8/8/8 x", TREB_ERR_FEN, "side to move"},
               {"7K/8/k1P5/7p/8/8/8/8 w - - 0 1 2", TREB_ERR_FEN, "more than 6"},
               {"7K/8/k1P5/7p/8/8/8/8 w - - 0 1 and more", TREB_ERR_FEN, "more than 6"},
               {"7K/8/k1P5/7p/8/8/8/8 w KQkq - 0 1", TREB_ERR_POSITION, "king is not at home"},
               {"8/8/8/8/8/8/8/Kk6 w", TREB_ERR_POSITION, "side by side"},
               {"https://lichess.org/abcdefgh", TREB_ERR_FEN, "no FEN in it"},
               {"https://lichess.org/analysis/atomic/7K/8/k1P5/7p/8/8/8/8_w_-_-_0_1", TREB_ERR_FEN,
                "atomic"},
               {"https://syzygy-tables.info/?variant=antichess&fen=7K/8/k1P5/7p/8/8/8/8_w",
                TREB_ERR_FEN, "antichess"},
               {"rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1", TREB_ERR_CASTLING, "Chess960"},
               {"rk2r3/8/8/8/8/8/8/RK2R3 w KQkq - 0 1", TREB_ERR_CASTLING, "Chess960"},
               {"r3kr2/8/8/8/8/8/8/R3KR2 w KQkq - 0 1", TREB_ERR_CASTLING, "Chess960"},
               {"https://lichess.org/analysis/chess960/rk2r3/8/8/8/8/8/8/RK2R3_w_KQkq_-_0_1",
                TREB_ERR_CASTLING, "Chess960"},
               {"4k3/8/8/8/8/8/8/4K2R w G - 0 1", TREB_ERR_FEN, "without a rook"},
               {"position startpos moves e2e4 e2e4", TREB_ERR_FEN, "no such move: 'e2e4'"},
               {"/?fen=", TREB_ERR_FEN, "empty"},
               {"/?fen=%2", TREB_ERR_FEN, "side to move"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        PositionText read;
        treb_error error = {0};
        treb_status status = position_text_read(bad[i].text, &read, &error);
        ck_assert_msg(status == bad[i].status && error.status == status, "%s: %d", bad[i].text,
                      status);
        ck_assert_msg(strstr(error.text, bad[i].says) != NULL, "%s: %s", bad[i].text, error.text);
    }
    char *text = malloc(POSITION_TEXT_MAX + 1);
    memset(text, '/', POSITION_TEXT_MAX);
    text[POSITION_TEXT_MAX] = '\0';
    PositionText read;
    ck_assert_int_eq(position_text_read(text, &read, NULL), TREB_ERR_FEN);
    text[POSITION_TEXT_MAX - 1] = '\0';
    ck_assert_int_eq(position_text_read(text, &read, NULL), TREB_ERR_FEN);
    free(text);
}
END_TEST

/* ---- Moves ----------------------------------------------------------------------------------- */

START_TEST(moves)
{
    static const struct {
        const char *fen, *text, *uci; /* NULL: no move */
    } rows[] = {{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6e.p.", "e5d6"},
                {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5d6"},
                {"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5:d6ep", "e5d6"},
                {"3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8Q", "e7d8q"},
                {"3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8=Q+", "e7d8q"},
                {"3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7xd8q", "e7d8q"},
                {"3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8(R)+", "e7d8r"},
                {"3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8/N", "e7d8n"},
                {"3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8b", "e7d8b"},
                {"3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8", NULL},
                {"3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8=K", NULL},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", "e1g1"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0+", "e1g1"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "o-o-o", "e1c1"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O\u2013O\u2013O!", "e1c1"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Ke1-g1", "e1g1"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "e1g1"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", "e1g1"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", "e1c1"},
                {"4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "e1a1", NULL},
                {"2k5/8/8/8/8/8/8/4R2K w - - 0 1", "e1h1", NULL},
                {"4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "O-O", NULL},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "\u2656\ufe0fa1a8\u2020", "a1a8"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Ke1-h1", NULL},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "\u2656a1-a8#", "a1a8"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Ra8++", "a1a8"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "ra8", "a1a8"},
                {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Ra1a8", "a1a8"},
                {"4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "Rf1", "h1f1"},
                {"4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "Rd2", NULL},
                {"4k3/8/8/8/8/8/R6R/4K3 w - - 0 1", "Rd2", NULL},
                {"4k3/8/8/8/8/8/R6R/4K3 w - - 0 1", "Rad2", "a2d2"},
                {"4k3/8/8/8/8/8/R6R/4K3 w - - 0 1", "Ra2-d2!?", "a2d2"},
                {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "Pe4", "e2e4"},
                {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2-e4", "e2e4"},
                {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "E2E4", "e2e4"},
                {"4k3/8/8/1b6/P7/8/8/4K3 w - - 0 1", "b5", NULL},
                {"4k3/8/8/1b6/P7/8/8/4K3 w - - 0 1", "ab5", "a4b5"},
                {"4k3/8/8/1b6/P7/8/8/4K3 w - - 0 1", "Pxb5", "a4b5"},
                {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "", NULL},
                {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "--", NULL},
                {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "P", NULL},
                {"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "Kd2Kd2Kd2Kd2Kd2Kd2Kd2Kd2Kd2Kd2Kd2Kd2", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        treb_position pos;
        Move move;
        char uci[UCI_SIZE] = "";
        ck_assert_int_eq(position_from_fen(rows[i].fen, &pos, NULL), TREB_OK);
        if (move_text_read(&pos, rows[i].text, &move) == TREB_OK) move_to_uci(move, uci);
        ck_assert_msg(strcmp(uci, rows[i].uci != NULL ? rows[i].uci : "") == 0, "%s: '%s'",
                      rows[i].text, uci);
    }
}
END_TEST

/* ---- Games ----------------------------------------------------------------------------------- */

/* A text delivered in pieces of one size. */
typedef struct Pieces {
    TextInMemory text;
    size_t size;
} Pieces;

static size_t read_piece(void *from, char *to, size_t room)
{
    Pieces *pieces = from;
    return text_in_memory_read(&pieces->text, to, room < pieces->size ? room : pieces->size);
}

static TextReader source;
static Pieces pieces;
static PgnGame game;

static void begin(const char *text, size_t piece)
{
    pieces = (Pieces){{text, strlen(text)}, piece};
    text_reader_begin(&source, read_piece, &pieces);
}

static bool next(void)
{
    bool found = false;
    treb_error error;
    ck_assert_int_eq(pgn_next(&source, &game, &found, &error), TREB_OK);
    return found;
}

/* The moves as "e2e4 e7e5". */
static const char *moves_of(const PgnGame *g)
{
    static char text[4096];
    text[0] = '\0';
    for (size_t i = 0; i < g->moves; i++) {
        char uci[UCI_SIZE];
        move_to_uci(g->move[i].move, uci);
        if (i > 0) strcat(text, " ");
        strcat(text, uci);
    }
    return text;
}

static void check_moves(const char *moves, const char *result)
{
    ck_assert_msg(game.error.status == TREB_OK, "%s", game.error.text);
    ck_assert_str_eq(moves_of(&game), moves);
    ck_assert_str_eq(game.result, result);
}

static const char *notes_after(size_t ply)
{
    return pgn_text(&game, ply == 0 ? game.notes.text : game.move[ply - 1].notes.text);
}

static const char two_games[] =
    "\xef\xbb\xbf% for other programs\n"
    "[Event \"A \\\"test\\\" \\\\ game\"]\n[White \"O\"Neil\"]\r\n[Result \"1-0\"]\n\n"
    "{before} 1. e4! {[%clk 0:01]\n  king's pawn} e5 $2 (1... c5 {Sicilian; (good)} 2. Nf3 (2. c3 $1))\n"
    "2.Nf3 ; a remark {with} braces\nNc6 3. Bb5 a6 4.O-O?! $10 1-0 {resigns}\n"
    "\n"
    "[FEN \"4k3/8/8/3p4/4P3/8/8/4K3 b - - 3 40\"]\n[SetUp \"1\"]\n\n"
    "40... dxe4 41. Kd2 41...e3+ 42 Ke1\n";

START_TEST(games)
{
    static const size_t sizes[] = {1, 2, 7, 64, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        begin(two_games, sizes[i]);
        ck_assert(next());
        check_moves("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1", "1-0");
        ck_assert_uint_eq(game.line, 2);
        ck_assert_uint_eq(game.tags, 3);
        ck_assert_str_eq(pgn_tag(&game, "event"), "A \"test\" \\ game");
        ck_assert_str_eq(pgn_tag(&game, "White"), "O\"Neil");
        ck_assert_ptr_null(pgn_tag(&game, "Black"));
        ck_assert_str_eq(notes_after(0), "{before}");
        ck_assert_str_eq(notes_after(1), "{[%clk 0:01] king's pawn}");
        ck_assert_str_eq(notes_after(2), "(1... c5 {Sicilian; (good)} 2. Nf3 (2. c3 $1))");
        ck_assert_str_eq(notes_after(3), "{ a remark (with) braces}");
        ck_assert_str_eq(notes_after(7), "{resigns}");
        ck_assert_uint_eq(game.move[0].notes.nag[0], 1);
        ck_assert_uint_eq(game.move[1].notes.nag[0], 2);
        ck_assert_uint_eq(game.move[6].notes.nags, 2);
        ck_assert_uint_eq(game.move[6].notes.nag[0], 6);
        ck_assert_uint_eq(game.move[6].notes.nag[1], 10);
        ck_assert_uint_eq(game.move[0].line, 6);
        ck_assert_uint_eq(game.move[3].line, 9);
        ck_assert(next());
        check_moves("d5e4 e1d2 e4e3 d2e1", "*");
        ck_assert_uint_eq(game.line, 11);
        ck_assert_uint_eq(game.start.halfmove, 3);
        ck_assert(!next());
        ck_assert(!next());
    }
}
END_TEST

START_TEST(loose_games)
{
    begin("1.e4e5 2.Nf3", 100);
    ck_assert(next());
    ck_assert_int_eq(game.error.status, TREB_ERR_ARGUMENT);
    begin("e4 e5 Nf3 1/2", 100);
    ck_assert(next());
    check_moves("e2e4 e7e5 g1f3", "1/2-1/2");
    begin("1 e2-e4 e7e5 2. Ng1xf3 *", 100);
    ck_assert(next());
    ck_assert_msg(strstr(game.error.text, "line 1, move 2. Ng1xf3: ") == game.error.text, "%s",
                  game.error.text);
    begin("1.d4 1\u2026 d5 2. c4 +- e.p. dxc4 \u00bd-\u00bd 1. c4 *", 3);
    ck_assert(next());
    check_moves("d2d4 d7d5 c2c4 d5c4", "1/2-1/2");
    ck_assert_uint_eq(game.move[2].notes.nag[0], 18);
    ck_assert(next());
    check_moves("c2c4", "*");
    ck_assert(!next());
    /* A promotion in parentheses is not a variation. */
    begin("[FEN \"8/4P2k/8/8/8/8/8/K7 w - - 0 1\"]\n1. e8(Q) (1. e8=N) Kg7 0-1", 100);
    ck_assert(next());
    check_moves("e7e8q h7g7", "0-1");
    ck_assert_str_eq(notes_after(1), "(1. e8=N)");
    /* Tags on one line, tags alone, the result in a tag. */
    begin("[Event \"a\"] [Result \"0-1\"] 1. f3 e5 [Event \"b\"]\n[Event \"c\"]\n\n\n", 5);
    ck_assert(next());
    check_moves("f2f3 e7e5", "0-1");
    ck_assert(next());
    check_moves("", "*");
    ck_assert_str_eq(pgn_tag(&game, "Event"), "b");
    ck_assert(next());
    ck_assert_str_eq(pgn_tag(&game, "Event"), "c");
    ck_assert(!next());
    /* A list of FENs in tags: each is a game. */
    begin("[FEN \"8/4P2k/8/8/8/8/8/K7 w - - 0 1\"]\n[FEN \"8/4P2k/8/8/8/8/8/K7 b - - 0 1\"]", 9);
    ck_assert(next() && game.started && game.start.turn == TREB_WHITE);
    ck_assert(next() && game.started && game.start.turn == TREB_BLACK);
    ck_assert(!next());
    begin("\n\n{nothing} ; at all\n*\n", 4);
    ck_assert(!next());
    begin("", 4);
    ck_assert(!next());
}
END_TEST

/* Reads a text of one game without faults. */
static void one_game(const char *text, const char *moves, const char *result)
{
    static const size_t sizes[] = {1, 5, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        begin(text, sizes[i]);
        ck_assert(next());
        check_moves(moves, result);
        if (next()) ck_abort_msg("another game: %s", text);
        begin(text, sizes[i]);
        ck_assert(next());
    }
}

#define ROOK_FEN "[FEN \"8/8/8/8/8/2k5/8/K1R5 b - - 0 1\"]\n"

/* Tags that PGN does not know, and names twice, do not tear a game in two. */
START_TEST(odd_tags)
{
    static const char *const tags[] = {
        "[White ACPL \"252\"]", "[Black: \"program\"]", "[BlackType: \"p\"]", "[Time-Control \"60\"]",
        "[Annotator \"A\"]\n[Annotator \"B\"]", "[1st \"x\"]", "[Gr\u00f6\u00dfe \"x\"]", "[]", "[x y]",
        "[\"x\"]", ROOK_FEN "[SetUp \"1\"]", "[White \"a\"]\n[White \"b\"]", "[Site \"C:\\dir\\\"]",
        "[Site \"a \"quoted\" word\"]", "[Site \"one\ntwo\"]", "[Event \"again\"]", "{a comment}", "; one",
        "\ufeff", "% escaped", ""};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        char text[400];
        snprintf(text, sizeof text, "[Event \"e\"]\n[White \"w\"]\n" ROOK_FEN "%s\n[Black \"b\"]\n\n1... Kb3 *",
                 tags[i]);
        one_game(text, "c3b3", "*");
        ck_assert_str_eq(pgn_tag(&game, "Event"), "e");
        ck_assert_str_eq(pgn_tag(&game, "White"), "w");
        ck_assert_str_eq(pgn_tag(&game, "Black"), "b");
    }
    one_game("[Event \"e\"]\n[White ACPL \"252\"]\n[Black: \"p\"]\n[Site \"C:\\dir\\\"]\n[Round \"one\ntwo\"]\n*",
             "", "*");
    ck_assert_uint_eq(game.tags, 5);
    ck_assert_str_eq(pgn_tag(&game, "White ACPL"), "252");
    ck_assert_str_eq(pgn_tag(&game, "Black:"), "p");
    ck_assert_str_eq(pgn_tag(&game, "Site"), "C:\\dir\\");
    ck_assert_str_eq(pgn_tag(&game, "Round"), "one two");
    /* Games without moves are told apart by an empty line. */
    begin("[White \"a\"]\n[Black \"b\"]\n\n[White \"c\"]\n\n[Event \"d\"]\n", 3);
    for (int i = 0; i < 3; i++) ck_assert(next());
    ck_assert(!next());
    /* Of two FENs the first counts, and different ones are told. */
    one_game("[Event \"e\"]\n" ROOK_FEN ROOK_FEN "\n1... Kb3 *", "c3b3", "*");
    ck_assert(!game.fens);
    one_game("[Event \"e\"]\n" ROOK_FEN "[FEN \"8/8/8/8/8/2k5/8/K1R5 w - - 0 1\"]\n\n1... Kb3 *", "c3b3", "*");
    ck_assert(game.fens);
    one_game("[FEN \"\"]\n\n1. e4 *", "e2e4", "*");
    one_game("[SetUp \"0\"]\n[FEN \"?\"]\n\n1. e4 *", "e2e4", "*");
}
END_TEST

START_TEST(results)
{
    static const char *const rows[][2] = {
        {"1-0", "1-0"}, {"1:0", "1-0"}, {"1 - 0", "1-0"}, {"1 -0", "1-0"}, {"1- 0", "1-0"},
        {"1\u20130", "1-0"}, {"1\n-\n0", "1-0"}, {"0-1", "0-1"}, {"0 : 1", "0-1"}, {"1/2", "1/2-1/2"},
        {"1/2-1/2", "1/2-1/2"}, {"1/2\u20131/2", "1/2-1/2"}, {"1/2 - 1/2", "1/2-1/2"}, {"\xbd", "1/2-1/2"},
        {"\u00bd\u2212\u00bd", "1/2-1/2"}, {"0.5-0.5", "1/2-1/2"}, {"0,5:0,5", "1/2-1/2"}, {"*", "*"}, {"", "*"}};
    char text[200];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "1. e4 e5 %s", rows[i][0]);
        one_game(text, "e2e4 e7e5", rows[i][1]);
        ck_assert_str_eq(notes_after(2), "");
        snprintf(text, sizeof text, "[Event \"x\"]\n\n1. e4 %s ff, on time {yes}", rows[i][0]);
        if (*rows[i][0] == '\0') continue;
        one_game(text, "e2e4", rows[i][1]);
        ck_assert_str_eq(notes_after(1), "{ff, on time} {yes}");
        snprintf(text, sizeof text, "[Result \"%s\"]\n\n1. e4", rows[i][0]);
        if (strchr(rows[i][0], ' ') == NULL && strchr(rows[i][0], '\n') == NULL) one_game(text, "e2e4", rows[i][1]);
    }
    /* Moves that resemble results, and scores that are none. */
    one_game("1 e4 e5 2 Nf3 Nf6 3 Bc4 Bc5 4 0-0 0-0 *", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8", "*");
    one_game("[Result \"1-0\"]\n\n1. e4 *", "e2e4", "1-0");
    one_game("1. e4 1/2-0", "e2e4", "*");
    ck_assert_str_eq(notes_after(1), "{1/2-0}");
}
END_TEST

START_TEST(glyphs)
{
    static const struct {
        const char *text;
        unsigned nag;
    } rows[] = {{"!", 1}, {"?!", 6}, {"\u2049", 5}, {"+-", 18}, {"+\u2212", 18}, {"-+", 19}, {"\u00b1", 16},
                {"\xb1", 16}, {"+/-", 16}, {"=", 10}, {"+=", 14}, {"+/=", 14}, {"\u2a72", 14}, {"\u221e", 13},
                {"\u25a1", 7}, {"N", 146}, {"TN", 146}, {"\u2020", 0}, {"+", 0}, {"", 0}};
    char text[200];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int apart = 0; apart < 2; apart++) {
            snprintf(text, sizeof text, ROOK_FEN "1... Kb3%s%s 2. Rd1 *", apart ? " " : "", rows[i].text);
            one_game(text, "c3b3 c1d1", "*");
            ck_assert_uint_eq(game.move[0].notes.nags, rows[i].nag > 0);
            if (rows[i].nag > 0) ck_assert_uint_eq(game.move[0].notes.nag[0], rows[i].nag);
            ck_assert_str_eq(notes_after(1), "");
        }
    }
    one_game("1. e4 +0.30/12 e5 -0.2 2. Nf3 Nc6 3. Bc4 Bc5 4. 0\u20130 *",
             "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1", "*");
    ck_assert_str_eq(notes_after(1), "{+0.30/12}");
    one_game("1. e4!?+- $300 \u2603 e5", "e2e4 e7e5", "*");
    ck_assert_uint_eq(game.move[0].notes.nags, 3);
    ck_assert_uint_eq(game.move[0].notes.nag[2], 300);
    ck_assert_str_eq(notes_after(1), "{\u2603}");
    /* A promotion to a knight is no novelty. */
    one_game("[FEN \"8/4P2k/8/8/8/8/8/K7 w - - 0 1\"]\n1. e8N! Kh6N", "e7e8n h7h6", "*");
    ck_assert_uint_eq(game.move[0].notes.nags, 1);
    ck_assert_uint_eq(game.move[1].notes.nag[0], 146);
}
END_TEST

/* A null move passes the turn, and a capture en passant is over. */
START_TEST(null_moves)
{
    static const char *const nulls[] = {"--", "Z0", "0000", "@@@@", "null", "pass"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
        char text[100], uci[UCI_SIZE], san[SAN_SIZE];
        snprintf(text, sizeof text, "1. e4 a6 2. e5 d5 3. %s Nf6 4. exf6", nulls[i]);
        begin(text, 7);
        ck_assert(next() && game.error.status == TREB_OK && game.moves == 7);
        treb_position pos = game.start;
        for (int ply = 0; ply < 5; ply++) pgn_play(&pos, game.move[ply].move, &pos);
        ck_assert(pos.turn == TREB_BLACK && pos.ep == 0 && pos.halfmove == 1);
        pgn_write_move(&pos, game.move[4].move, uci, san);
        ck_assert_str_eq(uci, "0000");
        ck_assert_str_eq(san, "--");
    }
}
END_TEST

/* Texts of other systems: line ends, marks, blanks, UTF-16. */
START_TEST(encodings)
{
    static const char lines[] = "[Event \"J\u00e1n\"]\n" ROOK_FEN "\n% escaped\n1... Kb3 ; remark\n{a\nb} 2. Rd1 *\n";
    static const char *const ends[] = {"\n", "\r\n", "\r", "\n\ufeff", "\u00a0\n"};
    char text[800];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char *to = text;
        for (const char *c = lines; *c != '\0'; c++)
            if (*c == '\n')
                to = stpcpy(to, ends[i]);
            else
                *to++ = *c;
        *to = '\0';
        one_game(text, "c3b3 c1d1", "*");
        ck_assert_str_eq(pgn_tag(&game, "Event"), "J\u00e1n");
        ck_assert_msg(strncmp(notes_after(1), "{ remark", 8) == 0, "%s", notes_after(1));
    }
    for (int mark = 0; mark < 2; mark++) {
        for (int big = 0; big < 2; big++) {
            /* The text is ASCII and one letter of Latin-1. */
            char wide[800];
            size_t size = 0;
            const char *c = lines;
            if (mark) wide[size++] = big ? '\xfe' : '\xff', wide[size++] = big ? '\xff' : '\xfe';
            for (; *c != '\0'; c++) {
                char low = *c == '\xc3' ? (char)(0x40 | *++c) : *c;
                wide[size++] = big ? '\0' : low;
                wide[size++] = big ? low : '\0';
            }
            for (size_t piece = 2; piece < 8; piece++) {
                pieces = (Pieces){{wide, size}, piece};
                text_reader_begin(&source, read_piece, &pieces);
                ck_assert_int_eq(input_kind(&source), INPUT_PGN);
                ck_assert(next());
                check_moves("c3b3 c1d1", "*");
                ck_assert_str_eq(pgn_tag(&game, "Event"), "J\u00e1n");
                ck_assert_str_eq(notes_after(1), "{ remark} {a b}");
                ck_assert(!next());
            }
        }
    }
    static const char pair[] = "\xff\xfe*\0 \0{\0\x3d\xd8\x00\xde\x3d\xd8}\0";
    pieces = (Pieces){{pair, sizeof pair - 1}, 3};
    text_reader_begin(&source, read_piece, &pieces);
    char line[20];
    bool cut;
    ck_assert(text_reader_line(&source, line, sizeof line, &cut));
    ck_assert_str_eq(line, "* {\U0001f600?}");
}
END_TEST

/* Only a brace ends a comment. */
START_TEST(comments)
{
    one_game("1. e4 { see [Event \"x\"]\n\n1. d4 (or) ; \"} e5 *", "e2e4 e7e5", "*");
    ck_assert_str_eq(notes_after(1), "{ see [Event \"x\"] 1. d4 (or) ; \"}");
    begin("1. e4 {no end\n1... e5 2. d4\n\n[Event \"x\"]", 9);
    ck_assert(next());
    ck_assert_str_eq(moves_of(&game), "e2e4");
    ck_assert_msg(strstr(game.error.text, "line 1: the comment that begins here") != NULL, "%s", game.error.text);
    ck_assert(!next());
    /* Comments before and among the tags belong to the game. */
    one_game("{a} ; b\n[Event \"x\"]\n{c}\n[Site \"y\"]\n\n{d} 1. e4 *", "e2e4", "*");
    ck_assert_str_eq(notes_after(0), "{a} { b} {c} {d}");
}
END_TEST

/* A fault is reported with its line, and ends its own game only. */
START_TEST(faults)
{
    static const struct {
        const char *text, *moves, *says, *unread;
    } rows[] = {
        {"1. e4 e5\n2. Ke3 {no} Nc6 (2... a6) 3. Nf3 1-0", "e2e4 e7e5",
         "line 2, move 2. Ke3: no such move", "Ke3 {no} Nc6 (2... a6) 3. Nf3"},
        {"1. e4\n\n e4 *", "e2e4", "line 3, move 1... e4: no such move", "e4"},
        {"1. e4 f5 2. Qh5+ -- 3. d4", "e2e4 f7f5 d1h5", "line 1, move 2... --: a side in check",
         "-- 3. d4"},
        {"1. e4 e5 2. N f3", "e2e4 e7e5", "move 2. N: no such move", "N f3"},
        {"1. e4 e5 2.N f3", "e2e4 e7e5", "move 2. N: no such move", "2.N f3"},
        {"1. e4 Sf6 2. d4", "e2e4", "line 1, move 1... Sf6: no such move: only K, Q", "Sf6 2. d4"},
        {"1. Nf3 Nf6 2. Nd5 *", "g1f3 g8f6", "move 2. Nd5: ", "Nd5"},
        {"1. e4\n(1. d4 (1. c4)\n1... e5", "e2e4", "line 2: the variation that begins here", ""},
        {"[FEN \"8/8/8/8/8/8/8/Kk6 w\"]\n1. Ka2 *", "", "line 1, tag FEN: the kings stand",
         "1. Ka2"},
        {"[FEN \"x\"]\n\n1. Ka2 *", "", "line 1, tag FEN: the side to move", "1. Ka2"},
        {"[Variant \"Atomic\"]\n\n1. e4 *", "", "line 1: the game is atomic", "1. e4"},
        {"[Variant \"Fischerandom\"]\n\n1. e4 *", "", "line 1: the game is Chess960", "1. e4"},
        {"[Event foo\n1. e4 [foo e5", "e2e4", "line 2, move 1... [foo: no such", "{[foo} e5"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s\n[Event \"next\"]\n\n1. d4 *", rows[i].text);
        begin(text, 1 + i);
        ck_assert(next());
        ck_assert_str_eq(moves_of(&game), rows[i].moves);
        ck_assert_msg(strstr(game.error.text, rows[i].says) != NULL, "%s", game.error.text);
        ck_assert_str_eq(pgn_text(&game, game.unread), rows[i].unread);
        ck_assert_msg(next(), "%s", rows[i].text);
        check_moves("d2d4", "*");
        ck_assert(!next());
    }
}
END_TEST

/* Limits: a game of any length is read in bounded memory, and the next game is read. */
START_TEST(bounds)
{
    enum { SIZE = 3 << 20 };
    char *text = malloc(SIZE + 200);
    strcpy(text, "1. e4 {");
    memset(text + 7, 'x', SIZE);
    strcpy(text + 7 + SIZE, "} e5 1-0 1. d4 *");
    begin(text, 4096);
    ck_assert(next());
    ck_assert_str_eq(moves_of(&game), "e2e4");
    ck_assert_msg(strstr(game.error.text, "1 MiB") != NULL, "%s", game.error.text);
    ck_assert_uint_lt(game.text_size, PGN_TEXT_MAX + 4096);
    ck_assert_str_eq(game.result, "1-0");
    ck_assert(next());
    check_moves("d2d4", "*");
    /* Knights move back and forth. */
    char *to = text;
    for (int i = 0; i < 13000 / 4; i++) to = stpcpy(to, "Nf3 Nf6 Ng1 Ng8 ");
    begin(text, 4096);
    ck_assert(next());
    ck_assert_uint_eq(game.moves, PGN_MOVES_MAX);
    ck_assert_msg(strstr(game.error.text, "12,000") != NULL, "%s", game.error.text);
    free(text);
    pgn_free(&game);
}
END_TEST

START_TEST(of_position)
{
    PositionText read;
    treb_error error;
    ck_assert_int_eq(position_text_read("7K/8/k1P5/7p/8/8/8/8 w - - id \"x\";", &read, &error),
                     TREB_OK);
    ck_assert_int_eq(pgn_of_position(&read, &game, &error), TREB_OK);
    check_moves("", "*");
    ck_assert_str_eq(pgn_tag(&game, "FEN"), reti);
    ck_assert_str_eq(pgn_tag(&game, "Event"), "x");
    ck_assert(game.started && position_equal(&game.start, &read.pos));
    pgn_free(&game);
}
END_TEST

/* ---- Kinds ----------------------------------------------------------------------------------- */

START_TEST(kinds)
{
    static const char *const lines[] = {"7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
                                        "\n# positions\n\n\"7K/8/k1P5/7p/8/8/8/8 w\"\n",
                                        "https://lichess.org/editor/8/8",
                                        "hello",
                                        "",
                                        "7K/8/k1P5/7p/8/8/8 w",
                                        NULL};
    static const char *const pgn[] = {"[Event \"x\"]",
                                      "\n\n1. e4",
                                      "1.e4 e5",
                                      "e4 e5",
                                      "{a comment}",
                                      "% x\n",
                                      "[FEN \"7K/8/k1P5/7p/8/8/8/8 w\"]",
                                      "*",
                                      NULL};
    for (size_t i = 0; lines[i] != NULL; i++) {
        begin(lines[i], 3);
        ck_assert_msg(input_kind(&source) == INPUT_LINES, "%s", lines[i]);
    }
    for (size_t i = 0; pgn[i] != NULL; i++) {
        begin(pgn[i], 3);
        ck_assert_msg(input_kind(&source) == INPUT_PGN, "%s", pgn[i]);
        ck_assert_int_eq(text_reader_peek(&source, 0), pgn[i][0]);
    }
}
END_TEST

START_TEST(source_lines)
{
    char line[8];
    bool cut;
    begin("ab\r\n\n0123456789\nlast", 2);
    ck_assert(text_reader_line(&source, line, sizeof line, &cut) && !cut);
    ck_assert_str_eq(line, "ab");
    ck_assert(text_reader_line(&source, line, sizeof line, &cut) && !cut && line[0] == '\0');
    ck_assert(text_reader_line(&source, line, sizeof line, &cut) && cut);
    ck_assert_str_eq(line, "0123456");
    ck_assert_uint_eq(source.line, 4);
    ck_assert(text_reader_line(&source, line, sizeof line, &cut) && !cut);
    ck_assert_str_eq(line, "last");
    ck_assert(!text_reader_line(&source, line, sizeof line, &cut));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("games");
    TCase *tests = tcase_create("games");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, positions);
    tcase_add_test(tests, bad_positions);
    tcase_add_test(tests, moves);
    tcase_add_test(tests, games);
    tcase_add_test(tests, loose_games);
    tcase_add_test(tests, odd_tags);
    tcase_add_test(tests, results);
    tcase_add_test(tests, glyphs);
    tcase_add_test(tests, null_moves);
    tcase_add_test(tests, encodings);
    tcase_add_test(tests, comments);
    tcase_add_test(tests, faults);
    tcase_add_test(tests, bounds);
    tcase_add_test(tests, of_position);
    tcase_add_test(tests, kinds);
    tcase_add_test(tests, source_lines);
    return run_suite(suite);
}
