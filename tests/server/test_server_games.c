/* test_server_games.c - games judged by the tables, as JSON and as PGN. */

#include "tests/support/gen_run.h"
#include "json/annotate.h"
#include "json/answer.h"
#include "json/judge.h"

static treb_tables *set;

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static json_t *ask(const char *text, treb_error *error)
{
    AnswerContext context = {.tables = set};
    json_t *object = answer_games(&context, text, strlen(text), error);
    if (object == NULL) return NULL;
    char *dumped = json_dumps(object, JSON_COMPACT);
    ck_assert_ptr_nonnull(dumped);
    free(dumped);
    return object;
}

static const json_t *game_of(const json_t *object, size_t number)
{
    return json_array_get(json_object_get(object, "games"), number);
}

static const json_t *move_of(const json_t *game, size_t number)
{
    return json_array_get(json_object_get(game, "moves"), number);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Kd3 wins the pawn ending; each other king move draws. Then Black's Kd8 loses, as Kf8 would not. */
static const char pawn_game[] =
    "[White \"M\xfcller\"]\n[FEN \"4k3/8/3K4/4P3/8/8/8/8 w - - 0 1\"]\n\n"
    "1. e6 {fine} Kd8 2. e7+ Ke8 3. Kc6?? *\n";

START_TEST(judged)
{
    treb_error error = {0};
    json_t *object = ask(pawn_game, &error);
    ck_assert_msg(object != NULL, "%s", error.text);
    const json_t *game = game_of(object, 0), *one;
    ck_assert_uint_eq(json_array_size(json_object_get(object, "games")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(object, "positions")), 6);
    ck_assert(json_is_false(json_object_get(object, "cut")));
    ck_assert_str_eq(text_of(json_object_get(game, "tags"), "White"), "M\u00fcller");
    ck_assert_str_eq(text_of(game, "start"), "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1");
    ck_assert_str_eq(text_of(game, "verdict"), "win");
    ck_assert_str_eq(text_of(game, "result"), "*");
    ck_assert(json_is_null(json_object_get(game, "error")));
    ck_assert_uint_eq(json_array_size(json_object_get(game, "moves")), 5);

    one = move_of(game, 0); /* Ke6 would have won */
    ck_assert_str_eq(text_of(one, "uci"), "e5e6");
    ck_assert_str_eq(text_of(one, "fen"), "4k3/8/3KP3/8/8/8/8/8 b - - 0 1");
    ck_assert_str_eq(text_of(one, "verdict_before"), "win");
    ck_assert_str_eq(text_of(one, "verdict_after"), "draw");
    ck_assert_str_eq(text_of(one, "judgement"), "blunder");
    ck_assert_str_eq(text_of(json_object_get(one, "best"), "verdict"), "win");
    ck_assert_str_eq(text_of(json_object_get(one, "best"), "san"), "Ke6");
    ck_assert_str_eq(text_of(one, "notes"), "{fine}");
    ck_assert(json_is_null(json_object_get(one, "dtm_plies")));

    one = move_of(game, 1); /* draws */
    ck_assert_str_eq(text_of(one, "verdict_before"), "draw");
    ck_assert_str_eq(text_of(one, "verdict_after"), "draw");
    ck_assert(json_is_null(json_object_get(one, "judgement")));

    one = move_of(game, 4); /* Kd6 as well only draws: stalemate */
    ck_assert_str_eq(text_of(one, "verdict_after"), "draw");
    ck_assert(json_is_null(json_object_get(one, "judgement")));
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(one, "nags"), 0)), 4);
    json_decref(object);
}
END_TEST

/* Unknown values are null; errors are reported, and the rest is answered. */
START_TEST(beyond)
{
    treb_error error;
    json_t *object =
        ask("1. e4 e5 2. Ke3\n\n[FEN \"8/8/8/8/8/2k5/7q/1K6 b - - 0 1\"]\n\n1... Qb2#", &error);
    const json_t *game = game_of(object, 0), *why = json_object_get(game, "error");
    ck_assert_uint_eq(json_array_size(json_object_get(object, "games")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(game, "moves")), 2);
    ck_assert(json_is_null(json_object_get(move_of(game, 1), "verdict_after")));
    ck_assert(json_is_null(json_object_get(move_of(game, 1), "judgement")));
    ck_assert_str_eq(text_of(why, "code"), "bad_move");
    ck_assert_int_eq(json_integer_value(json_object_get(why, "line")), 1);
    ck_assert_ptr_nonnull(strstr(text_of(why, "message"), "line 1, move 2. Ke3"));
    game = game_of(object, 1);
    ck_assert_int_eq(json_integer_value(json_object_get(game, "line")), 3);
    ck_assert_str_eq(text_of(move_of(game, 0), "san"), "Qb2#");
    ck_assert_str_eq(text_of(move_of(game, 0), "verdict_after"), "win");
    json_decref(object);

    object = ask(
        "7k/8/8/8/8/8/4P3/K7 w - - id \"a\";\nx\n\nhttps://lichess.org/editor/7k/8/8/8/8/8/4P3/K7_b_-_-\n",
        &error);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "games")), 3);
    ck_assert_str_eq(text_of(json_object_get(game_of(object, 0), "tags"), "Event"), "a");
    ck_assert_ptr_nonnull(text_of(game_of(object, 0), "verdict"));
    ck_assert_str_eq(text_of(json_object_get(game_of(object, 1), "error"), "code"), "bad_fen");
    ck_assert(json_is_null(json_object_get(game_of(object, 1), "start")));
    ck_assert_str_eq(text_of(game_of(object, 2), "start"), "7k/8/8/8/8/8/4P3/K7 b - - 0 1");
    ck_assert_int_eq(json_integer_value(json_object_get(game_of(object, 2), "line")), 4);
    json_decref(object);

    static const char *const nothing[] = {"", "\n\n", "# only\n", "{a comment}", NULL};
    for (size_t i = 0; nothing[i] != NULL; i++) {
        error.status = TREB_OK;
        ck_assert_ptr_null(ask(nothing[i], &error));
        ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
    }
}
END_TEST

/* Of tags with one name the first counts. A null move is told, and not judged. */
START_TEST(odd_games)
{
    static const char text[] =
        "[Gr\xf6\xdf\x65 \"1\"]\n[White \"a\"]\n[White \"b\"]\n[FEN \"4k3/8/3K4/4P3/8/8/8/8 w - - 0 1\"]\n\n"
        "1. Ke6N Kd8 2. -- Kc7 $300 1 - 0 ff\n\n[Variant \"Chess960\"]\n[FEN \"1k6/8/8/8/8/8/8/RK6 w A -\"]\n\n1. O-O-O *";
    treb_error error = {0};
    json_t *object = ask(text, &error);
    ck_assert_msg(object != NULL, "%s", error.text);
    const json_t *game = game_of(object, 0), *null = move_of(game, 2);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "games")), 2);
    ck_assert(json_is_null(json_object_get(game, "error")));
    ck_assert_str_eq(text_of(json_object_get(game, "tags"), "White"), "a");
    ck_assert_str_eq(text_of(json_object_get(game, "tags"), "Gr\u00f6\u00dfe"), "1");
    ck_assert_str_eq(text_of(game, "result"), "1-0");
    ck_assert_int_eq(
        json_integer_value(json_array_get(json_object_get(move_of(game, 0), "nags"), 0)), 146);
    ck_assert_str_eq(text_of(null, "uci"), "0000");
    ck_assert_str_eq(text_of(null, "san"), "--");
    ck_assert_str_eq(text_of(null, "fen"), "3k4/8/4K3/4P3/8/8/8/8 b - - 3 2");
    ck_assert_ptr_nonnull(text_of(null, "verdict_after"));
    ck_assert(json_is_null(json_object_get(null, "judgement")));
    ck_assert_int_eq(
        json_integer_value(json_array_get(json_object_get(move_of(game, 3), "nags"), 0)), 300);
    ck_assert_str_eq(text_of(move_of(game, 3), "notes"), "{ff}");
    const json_t *why = json_object_get(game_of(object, 1), "error");
    ck_assert_str_eq(text_of(why, "code"), "castling");
    ck_assert_ptr_nonnull(strstr(text_of(why, "message"), "Chess960"));
    json_decref(object);
}
END_TEST

START_TEST(bounded)
{
    treb_error error;
    char *text = malloc(200000), *to = text;
    for (int i = 0; i < 400; i++) to = stpcpy(to, "Nf3 Nf6 Ng1 Ng8 ");
    stpcpy(to, "*\n[Event \"next\"]\n\n1. e4 *");
    json_t *object = ask(text, &error);
    ck_assert(json_is_true(json_object_get(object, "cut")));
    ck_assert_int_eq(json_integer_value(json_object_get(object, "positions")), ANSWER_GAMES_MAX);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "games")), 1);
    ck_assert_uint_eq(json_array_size(json_object_get(game_of(object, 0), "moves")),
                      ANSWER_GAMES_MAX - 1);
    json_decref(object);
    /* Lines that are not positions count as well. */
    to = text;
    for (int i = 0; i < 3000; i++) to = stpcpy(to, "what\n");
    object = ask(text, &error);
    ck_assert(json_is_true(json_object_get(object, "cut")));
    ck_assert_uint_eq(json_array_size(json_object_get(object, "games")), ANSWER_GAMES_MAX);
    json_decref(object);
    AnswerContext context = {.tables = set, .deadline = 1};
    ck_assert_ptr_null(answer_games(&context, text, strlen(text), &error));
    ck_assert_uint_eq(context.flags, ANSWER_STOPPED);
    ck_assert_int_eq(error.status, TREB_ERR_IO);
    free(text);
}
END_TEST

/* ---- Judgements ------------------------------------------------------------------------------ */

static Judgement last_judgement;

static bool see(void *to, const JudgeStep *step)
{
    (void)to;
    last_judgement = step->judgement;
    return true;
}

/* A win that needs some 20 plies to its next pawn move, with the clock near its end. */
START_TEST(halfmove_clock)
{
    static const struct {
        const char *game;
        Judgement judgement;
    } rows[] = {
        /* The queen mates in 1 at a clock of 99, but not later. */
        {"[FEN \"8/8/8/8/8/2k5/7q/K7 b - - 98 80\"]\n80... Qb2#", JUDGE_NOTHING},
        {"[FEN \"8/8/8/8/8/2k5/7q/K7 b - - 98 80\"]\n80... Qh1+", JUDGE_CURSED},
        {"[FEN \"8/8/8/8/8/2k5/7q/K7 b - - 98 80\"]\n80... Qc2", JUDGE_BLUNDER}, /* stalemate */
        {"[FEN \"8/8/8/8/8/2k5/7q/K7 b - - 110 80\"]\n80... Qh1+", JUDGE_NOTHING},
        {"[FEN \"8/8/8/8/8/2k5/7q/K7 b - - 110 80\"]\n80... Qb2#", JUDGE_NOTHING},
        /* The win came too late by the rule, and is now given away. */
        {"[FEN \"8/8/8/8/8/3k4/7q/K7 b - - 110 80\"]\n80... Qc2", JUDGE_DUBIOUS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static TextReader source;
        TextInMemory text = {rows[i].game, strlen(rows[i].game)};
        PgnGame game = {0};
        bool found;
        AnswerContext context = {.tables = set};
        text_reader_begin(&source, text_in_memory_read, &text);
        ck_assert_int_eq(pgn_next(&source, &game, &found, NULL), TREB_OK);
        ck_assert_msg(game.moves == 1, "%s: %s", rows[i].game, game.error.text);
        judge_game(&context, &game, TREB_WDL, 1, see, NULL);
        ck_assert_msg(last_judgement == rows[i].judgement, "%s: %d", rows[i].game, last_judgement);
        pgn_free(&game);
    }
}
END_TEST

/* ---- PGN ------------------------------------------------------------------------------------- */

static char *annotated(const char *text)
{
    static TextReader source;
    TextInMemory from = {text, strlen(text)};
    PgnGame game = {0};
    bool found;
    treb_error error = {0};
    AnswerContext context = {.tables = set};
    text_reader_begin(&source, text_in_memory_read, &from);
    ck_assert_int_eq(pgn_next(&source, &game, &found, NULL), TREB_OK);
    ck_assert(found);
    char *out = annotate_game(&context, &game, &error);
    ck_assert_msg(out != NULL, "%s", error.text);
    pgn_free(&game);
    return out;
}

START_TEST(annotations)
{
    char *out = annotated(pawn_game), *again = annotated(out);
    ck_assert_str_eq(
        out, "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n"
             "[White \"M\xfcller\"]\n[Black \"?\"]\n[Result \"*\"]\n[SetUp \"1\"]\n"
             "[FEN \"4k3/8/3K4/4P3/8/8/8/8 w - - 0 1\"]\n[Annotator \"Trebuchet\"]\n\n"
             "{White wins, mate in 13} 1. e6 $4 {Draw; fine} (1. Ke6 {White wins, mate in 13})\n"
             "1... Kd8 {Draw} 2. e7+ {Draw} 2... Ke8 {Draw} 3. Kc6 $4 {Draw} *\n\n");
    /* An annotated game does not get the annotations twice. */
    ck_assert_str_eq(again, out);
    free(out);
    free(again);
    out = annotated("1. e4 e5 (1... c5) 2. Kd3 {why} 2... d6 1-0");
    ck_assert_ptr_nonnull(
        strstr(out, "\n\n1. e4 e5 (1... c5) { Trebuchet: line 1, move 2. Kd3: no such"));
    ck_assert_ptr_nonnull(strstr(out, "not read: Kd3 (why) 2... d6 } 1-0\n"));
    free(out);
}
END_TEST

/* ---- The tests ------------------------------------------------------------------------------- */

static void set_up(void)
{
    const char *directory = work;
    make_work();
    make_tables_apart("KPvK", EVERY);
    set = treb_tables_open(&directory, 1, NULL);
    ck_assert_ptr_nonnull(set);
}

static void tear_down(void)
{
    treb_tables_close(set);
    remove_work();
}

int main(void)
{
    Suite *suite = suite_create("server_games");
    TCase *tests = tcase_create("games");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 60);
    tcase_add_unchecked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, judged);
    tcase_add_test(tests, beyond);
    tcase_add_test(tests, odd_games);
    tcase_add_test(tests, bounded);
    tcase_add_test(tests, halfmove_clock);
    tcase_add_test(tests, annotations);
    return run_suite(suite);
}
