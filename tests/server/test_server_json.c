/* test_server_json.c - reads the JSON of answers back and compares it with the library. */
#include <strings.h>

#include "json/answer.h"
#include "json/words.h"
#include "tests/support/gen_run.h"
#include "tests/support/random.h"

static treb_tables *set, *bare; /* all tables; no tables */

/* Random legal positions of a few materials. */
static uint64_t noise = 88172645463325252u;

static unsigned draw(unsigned below)
{
    return (unsigned)(next_random(&noise) >> 33) % below;
}

static treb_position random_position(void)
{
    static const char *const materials[] = {"KPk", "Kkp", "KQk", "KRkn", "KPk", "KRk"};
    for (;;) {
        treb_position pos = {.fullmove = 1, .turn = (uint8_t)draw(2)};
        for (const char *c = materials[draw(6)]; *c; c++) {
            static const char letters[] = "pnbrqk";
            uint64_t bit = UINT64_C(1) << draw(64);
            pos.by_type[strchr(letters, *c | 32) - letters] |= bit;
            pos.by_color[*c & 32 ? TREB_BLACK : TREB_WHITE] |= bit;
        }
        pos.halfmove = (uint16_t)(draw(3) ? 0 : draw(99));
        if (treb_position_check(&pos, NULL) == TREB_OK) return pos;
    }
}

/* Dumps and reads back: what a client sees. */
static json_t *sent(json_t *object)
{
    ck_assert_ptr_nonnull(object);
    char *text = json_dumps(object, JSON_COMPACT);
    json_t *again = json_loads(text, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    ck_assert_ptr_nonnull(again);
    free(text);
    json_decref(object);
    return again;
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* A number, or -1000 for null. */
static int number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (json_is_null(value)) return -1000;
    if (!json_is_integer(value)) ck_abort_msg("%s is no number", name);
    return (int)json_integer_value(value);
}

static int plies_of(const treb_value *value, int metric)
{
    return value->wdl == TREB_DRAW ? -1000 : value->plies[metric];
}

static int mate50_of(const treb_value *value)
{
    const bool decided = value->rule == TREB_WIN || value->rule == TREB_LOSS;
    return decided && value->dtm50_status == TREB_OK ? value->dtm50 : -1000;
}

#define require(condition, ...)                                                                    \
    if (!(condition)) ck_abort_msg(__VA_ARGS__)

/* ---- Trebuchet's dialect --------------------------------------------------------------------- */

static const char *const plies_names[TREB_METRICS] = {NULL, "dtz_plies", "dtc_plies", "dtm_plies"};

static void compare_moves(const json_t *object, const treb_position *pos, treb_metric metric,
                          const char *fen)
{
    treb_move moves[TREB_MOVES_MAX];
    size_t count;
    treb_probe_moves(set, pos, metric, TREB_RULE_50, moves, TREB_MOVES_MAX, &count, NULL);
    const json_t *list = json_object_get(object, "moves");
    require(json_array_size(list) == count, "%s: %zu moves", fen, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, i);
        const treb_value *value = &moves[i].value;
        require(strcmp(text_of(one, "uci"), moves[i].uci) == 0, "%s by %s: move %zu is %s, not %s",
                fen, treb_metric_text(metric), i, text_of(one, "uci"), moves[i].uci);
        require(strcmp(text_of(one, "verdict"), answer_verdict(value->rule)) == 0, "%s", fen);
        require(strcmp(text_of(one, "verdict_clock_zero"), answer_verdict(value->wdl)) == 0, "%s",
                fen);
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            require(number_of(one, plies_names[m]) == plies_of(value, m), "%s: %s", fen,
                    moves[i].uci);
        require(number_of(one, "dtm50_plies") == mate50_of(value), "%s: %s", fen, moves[i].uci);
        require(json_is_true(json_object_get(one, "checkmate")) ==
                    !!(moves[i].flags & TREB_MOVE_MATE),
                "%s", fen);
    }
    const char *best = text_of(json_object_get(object, "best"), treb_metric_text(metric));
    require((best == NULL) == (count == 0) && (count == 0 || strcmp(best, moves[0].uci) == 0),
            "%s: best by %s", fen, treb_metric_text(metric));
}

START_TEST(probes)
{
    for (int n = 0; n < 3000; n++) {
        treb_position pos = random_position();
        treb_value value;
        treb_error error;
        char fen[TREB_FEN_SIZE];
        AnswerContext context = {.tables = set};
        AnswerProbe options = {(treb_metric)(TREB_DTZ + n % 3), true};
        treb_position_to_fen(&pos, fen);
        require(treb_probe_root(set, &pos, &value, NULL) == TREB_OK, "%s", fen);
        json_t *object = sent(answer_probe(&context, &pos, &options, &error));
        require(strcmp(text_of(object, "fen"), fen) == 0, "%s", fen);
        require(strcmp(text_of(object, "verdict"), answer_verdict(value.rule)) == 0, "%s", fen);
        require(context.flags == 0 && json_array_size(json_object_get(object, "unknown")) == 0,
                "%s: something is lacking", fen);
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            require(number_of(object, plies_names[m]) == plies_of(&value, m), "%s", fen);
        require(number_of(object, "dtm50_plies") == mate50_of(&value), "%s", fen);
        compare_moves(object, &pos, options.metric, fen);
        json_decref(object);
    }
}
END_TEST

START_TEST(lines)
{
    for (int n = 0; n < 300; n++) {
        treb_position pos = random_position(), at = pos;
        treb_error error;
        char fen[TREB_FEN_SIZE];
        AnswerContext context = {.tables = set};
        treb_metric metric = (treb_metric)(TREB_DTZ + n % 3);
        treb_rule rule = n % 2 == 0 ? TREB_RULE_50 : TREB_RULE_NONE;
        json_t *object = sent(answer_line(&context, &pos, metric, rule, &error));
        const json_t *moves = json_object_get(object, "moves");
        require((int)json_array_size(moves) == number_of(object, "plies"), "plies");
        for (size_t i = 0; i < json_array_size(moves); i++) {
            const json_t *one = json_array_get(moves, i);
            require(treb_position_play(&at, text_of(one, "uci"), &at, NULL) == TREB_OK, "illegal");
            treb_position_to_fen(&at, fen);
            require(strcmp(text_of(one, "fen"), fen) == 0, "%s", fen);
        }
        bool drawn = strcmp(text_of(object, "end"), "mate") != 0;
        treb_value value;
        treb_probe_root(set, &pos, &value, NULL);
        require(drawn == (value.wdl == TREB_DRAW), "%s", text_of(object, "fen"));
        bool won = rule == TREB_RULE_50 ? value.rule == TREB_WIN || value.rule == TREB_LOSS
                                        : value.wdl != TREB_DRAW;
        require(strcmp(text_of(object, "rule"), rule == TREB_RULE_50 ? "50" : "none") == 0, "rule");
        if (rule == TREB_RULE_NONE && metric == TREB_DTM)
            require(number_of(object, "plies") == value.plies[TREB_DTM], "plies and DTM");
        require(won == json_is_string(json_object_get(object, "winner")), "winner");
        const char *pgn = text_of(object, "pgn");
        const char *result = !won                                              ? "1/2-1/2"
                             : strcmp(text_of(object, "winner"), "white") == 0 ? "1-0"
                                                                               : "0-1";
        require(strstr(pgn, result) != NULL, "%s", pgn);
        json_decref(object);
    }
}
END_TEST

/* ---- lila-tablebase's dialect ---------------------------------------------------------------- */

static int expected_distance(const treb_value *value, int metric, bool mated)
{
    int plies = value->plies[metric];
    if (mated) return metric == TREB_DTM ? -1000 : -1; /* 0 is for draws */
    if (metric == TREB_DTC) plies = (plies + 1) / 2;
    return value->wdl == TREB_DRAW ? 0 : value->wdl < TREB_DRAW ? -plies : plies;
}

static void compare_standard(const json_t *object, const treb_position *pos, const char *fen)
{
    static const char *const names[TREB_METRICS] = {NULL, "dtz", "dtc", "dtm"};
    treb_value value;
    require(treb_probe_root(set, pos, &value, NULL) == TREB_OK, "%s", fen);
    bool mated = json_is_true(json_object_get(object, "checkmate"));
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        require(number_of(object, names[m]) == expected_distance(&value, m, mated), "%s: %s is %d",
                fen, names[m], number_of(object, names[m]));
    require(number_of(object, "precise_dtz") == number_of(object, "dtz"), "%s", fen);
    require(json_is_null(json_object_get(object, "dtw")), "%s", fen);
}

/* Checks that numbers fall within a category, quick wins first and long resistance last: DTM, then DTC in
 * moves, then DTZ. Conversions and zeroing moves are neighbours. */
static void compare_order(const json_t *before, const json_t *after, const char *fen)
{
    static const char *const first[] = {"stalemate", "insufficient_material", "checkmate"};
    if (strcmp(text_of(before, "category"), text_of(after, "category")) != 0) return;
    for (int i = 0; i < 3; i++)
        if (json_is_true(json_object_get(before, first[i]))) return;
    static const char *const numbers[] = {"dtm", "dtc", "dtz"};
    static const char *const turns[] = {NULL, "conversion", "zeroing"};
    bool won = strstr(text_of(before, "category"), "win") != NULL;
    for (int i = 0; i < 3; i++) {
        int x = number_of(before, numbers[i]), y = number_of(after, numbers[i]);
        bool turn = turns[i] != NULL && json_is_true(json_object_get(before, turns[i]));
        bool then = turns[i] != NULL && json_is_true(json_object_get(after, turns[i]));
        bool right = turn == then ? x >= y : turn != won;
        require(right, "%s: %s before %s", fen, text_of(before, "uci"), text_of(after, "uci"));
        if (turn != then || x != y) return;
    }
}

static int rank_of(const char *category)
{
    static const char *const order[] = {"loss", "blessed-loss", "draw", "cursed-win", "win"};
    for (int i = 0; i < 5; i++)
        if (strcmp(category, order[i]) == 0) return i;
    ck_abort_msg("category %s", category);
}

/* Checks that the fields of a move are those of the position after it. The category of the first move,
 * whose clock counts from before the move, is that of the root for the other side, and categories never
 * get better down the list. */
static void compare_children(const json_t *object, const treb_position *pos, const char *fen)
{
    const json_t *moves = json_object_get(object, "moves");
    int before = -1;
    for (size_t i = 0; i < json_array_size(moves); i++) {
        const json_t *one = json_array_get(moves, i);
        treb_position child;
        require(treb_position_play(pos, text_of(one, "uci"), &child, NULL) == TREB_OK, "%s", fen);
        compare_standard(one, &child, fen);
        int rank = rank_of(text_of(one, "category"));
        require(i > 0 || 4 - rank == rank_of(text_of(object, "category")), "%s: root", fen);
        require(rank >= before, "%s: order at %s", fen, text_of(one, "uci"));
        if (i > 0) compare_order(json_array_get(moves, i - 1), one, fen);
        before = rank;
    }
}

START_TEST(standard)
{
    for (int n = 0; n < 3000; n++) {
        treb_position pos = random_position();
        treb_error error;
        char fen[TREB_FEN_SIZE];
        AnswerContext context = {.tables = set};
        treb_position_to_fen(&pos, fen);
        json_t *object = sent(answer_standard(&context, &pos, &error));
        require(error.status == TREB_OK && context.flags == 0, "%s", fen);
        compare_standard(object, &pos, fen);
        compare_children(object, &pos, fen);
        json_decref(object);
    }
}
END_TEST

START_TEST(mainlines)
{
    for (int n = 0; n < 300; n++) {
        treb_position pos = random_position(), at = pos;
        treb_error error;
        treb_value value;
        AnswerContext context = {.tables = set};
        json_t *object = sent(answer_mainline(&context, &pos, &error));
        const json_t *moves = json_object_get(object, "mainline");
        const char *winner = text_of(object, "winner"), *san = "";
        for (size_t i = 0; i < json_array_size(moves); i++) {
            const json_t *one = json_array_get(moves, i);
            require(at.halfmove < 100, "played on after a draw");
            san = text_of(one, "san");
            require(treb_position_play(&at, text_of(one, "uci"), &at, NULL) == TREB_OK, "illegal");
            treb_probe_root(set, &at, &value, NULL);
            require(number_of(one, "dtz") ==
                        expected_distance(&value, TREB_DTZ, strchr(san, '#') != NULL),
                    "dtz");
        }
        require(strchr(san, '#') == NULL || winner != NULL, "mate, but no winner");
        treb_probe_root(set, &pos, &value, NULL);
        bool won = value.rule == TREB_WIN || value.rule == TREB_LOSS;
        bool white = won && (value.rule == TREB_WIN) == (pos.turn == TREB_WHITE);
        require(won == (winner != NULL), "winner");
        require(!won || strcmp(winner, white ? "w" : "b") == 0, "the wrong winner");
        json_decref(object);
    }
}
END_TEST

/* ---- What is missing or refused -------------------------------------------------------------- */

static void read_fen(const char *fen, treb_position *pos)
{
    ck_assert_int_eq(treb_position_from_fen(fen, pos, NULL), TREB_OK);
}

START_TEST(missing_tables)
{
    treb_position pos;
    treb_error error;
    AnswerContext context = {.tables = bare};
    AnswerProbe options = {TREB_WDL, true};
    read_fen("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", &pos);
    json_t *object = sent(answer_probe(&context, &pos, &options, &error));
    const json_t *why = json_array_get(json_object_get(object, "unknown"), 0);
    ck_assert_str_eq(text_of(why, "metric"), "wdl");
    ck_assert_str_eq(text_of(why, "code"), "no_table");
    ck_assert_ptr_nonnull(strstr(text_of(why, "message"), "KPvK.wdl.treb"));
    ck_assert(json_is_null(json_object_get(object, "verdict")));
    ck_assert(json_is_null(json_object_get(object, "verdict_clock_zero")));
    ck_assert_uint_eq(json_array_size(json_object_get(object, "moves")), 6);
    ck_assert_uint_eq(context.flags, ANSWER_PARTIAL);
    json_decref(object);
    object = sent(answer_standard(&context, &pos, &error));
    ck_assert_int_eq(error.status, TREB_ERR_NO_TABLE);
    ck_assert_str_eq(text_of(object, "category"), "unknown");
    ck_assert_int_eq(number_of(object, "dtz"), -1000);
    const json_t *move = json_array_get(json_object_get(object, "moves"), 0);
    ck_assert_str_eq(text_of(move, "category"), "unknown");
    ck_assert_int_eq(number_of(move, "dtm"), -1000);
    json_decref(object);
    ck_assert_ptr_null(answer_line(&context, &pos, TREB_WDL, TREB_RULE_50, &error));
    ck_assert_ptr_null(answer_mainline(&context, &pos, &error));
    ck_assert_ptr_null(answer_stats(&context, "KPvK", &error));
    ck_assert_int_eq(error.status, TREB_ERR_NO_TABLE);
}
END_TEST

/* A position without a table is won if a move mates, also in lila-tablebase's dialect. */
START_TEST(mate_without_a_table)
{
    treb_position pos;
    treb_error error;
    AnswerContext context = {.tables = bare};
    read_fen("8/8/8/8/8/2K5/7Q/k7 w - - 0 1", &pos);
    json_t *object = sent(answer_standard(&context, &pos, &error));
    ck_assert_str_eq(text_of(object, "category"), "win");
    const json_t *first = json_array_get(json_object_get(object, "moves"), 0);
    ck_assert(json_is_true(json_object_get(first, "checkmate")));
    ck_assert_int_eq(number_of(first, "dtz"), -1);
    const json_t *second = json_array_get(json_object_get(object, "moves"), 2);
    ck_assert_str_eq(text_of(second, "category"), "unknown");
    json_decref(object);
}
END_TEST

/* The moves of every legal position are listed. */
START_TEST(any_position)
{
    static const struct {
        const char *fen, *code; /* NULL: its moves decide it */
        size_t moves, known;
    } cases[] = {
        {"rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1", "too_many_men", 50, 0},
        {"rnbqk2r/pppp1ppp/5n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 6 4", "too_many_men", 33,
         0},
        {"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "castling", 26, 0},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", NULL, 15, 15},  /* each move leads into KRvK */
        {"4k3/8/8/8/8/8/4p3/4K2R w K - 0 1", NULL, 12, 1}, /* Kxe2 wins, which decides it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        treb_position pos;
        treb_error error;
        AnswerContext context = {.tables = set};
        AnswerProbe options = {TREB_WDL, true};
        size_t known = 0, n;
        const json_t *move;
        read_fen(cases[i].fen, &pos);
        json_t *object = sent(answer_probe(&context, &pos, &options, &error));
        const json_t *moves = json_object_get(object, "moves");
        json_array_foreach(moves, n, move) known += text_of(move, "verdict") != NULL;
        require(json_array_size(moves) == cases[i].moves, "%s: %zu moves", cases[i].fen,
                json_array_size(moves));
        require(known == cases[i].known, "%s: %zu known", cases[i].fen, known);
        const json_t *why = json_array_get(json_object_get(object, "unknown"), 0);
        if (cases[i].code == NULL) {
            ck_assert_str_eq(text_of(object, "verdict"), "win");
            int best = number_of(json_array_get(moves, 0), "dtm_plies");
            ck_assert_int_eq(number_of(object, "dtm_plies"),
                             cases[i].known == cases[i].moves ? best : -1000);
        } else {
            ck_assert(json_is_null(json_object_get(object, "verdict")));
            ck_assert_str_eq(text_of(why, "code"), cases[i].code);
            ck_assert_ptr_null(answer_line(&context, &pos, TREB_DTM, TREB_RULE_50, &error));
        }
        ck_assert_ptr_null(answer_mainline(&context, &pos, &error));
        json_decref(object);
    }
}
END_TEST

/* Two moves deep: a winning reply, or replies that are all known, give the value of a move to a position
 * without a table. */
START_TEST(moves_looked_at_further)
{
    treb_position pos;
    treb_error error;
    AnswerContext context = {.tables = set};
    AnswerProbe options = {TREB_WDL, true};
    size_t n;
    const json_t *move;
    unsigned lost = 0;
    read_fen("1r5k/8/8/8/8/8/8/R6K w - - 0 1", &pos); /* KRvKR has no table here */
    json_t *object = sent(answer_probe(&context, &pos, &options, &error));
    json_array_foreach(json_object_get(object, "moves"), n, move)
    {
        const char *uci = text_of(move, "uci"), *verdict = text_of(move, "verdict");
        bool hangs = strcmp(uci, "a1b1") == 0 || strcmp(uci, "a1a8") == 0;
        if (!hangs) continue;
        require(verdict != NULL && strcmp(verdict, "loss") == 0, "%s is no loss", uci);
        ck_assert_int_eq(number_of(move, "dtz_plies"), 2);
        ck_assert_int_eq(number_of(move, "dtc_plies"), 2);
        lost++;
    }
    ck_assert_uint_eq(lost, 2);
    ck_assert(json_is_null(json_object_get(object, "verdict")));
    json_decref(object);
}
END_TEST

/* Random positions belong to the ending, the game is not over, and they match the request. */
START_TEST(by_chance)
{
    static const struct {
        const char *material;
        int turn, verdict;
        treb_metric metric;
        int plies;
        bool found;
    } cases[] = {
        {"KRvKN", -1, -1, TREB_WDL, 0, true},
        {"KRvKN", TREB_BLACK, TREB_LOSS, TREB_WDL, 0, true},
        {"KPvK", TREB_WHITE, -1, TREB_DTM, 1, true},
        {"KPvK", -1, TREB_LOSS, TREB_DTM, 54, true},
        {"KPvK", -1, -1, TREB_DTM, 0, false},
        {"KRvKN", -1, -1, TREB_DTM, 0, false},
        {"KRvKN", -1, -1, TREB_DTM, 999, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            treb_error error;
            treb_position pos;
            treb_distance distance;
            AnswerContext context = {.tables = set};
            AnswerRandom wish = {cases[i].material, cases[i].turn,  cases[i].verdict,
                                 cases[i].metric,   cases[i].plies, seed};
            json_t *object = answer_random(&context, &wish, &error);
            require((object != NULL) == cases[i].found, "case %zu", i);
            if (object == NULL) {
                ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
                break;
            }
            const char *fen = text_of(object, "fen");
            read_fen(fen, &pos);
            int men = __builtin_popcountll(pos.by_color[0] | pos.by_color[1]);
            require(men == (int)strlen(cases[i].material) - 1, "%s: %d men", fen, men);
            ck_assert_int_eq(treb_probe_distance(set, &pos, TREB_DTM, &distance, NULL), TREB_OK);
            require(cases[i].turn < 0 || pos.turn == cases[i].turn, "%s", fen);
            require(cases[i].verdict < 0 || (int)distance.wdl == cases[i].verdict, "%s", fen);
            require(cases[i].metric == TREB_WDL || distance.plies == cases[i].plies, "%s", fen);
            json_decref(object);
        }
}
END_TEST

/* A position without a table is won if a move wins at its clock; if all its moves are known, it has the
 * distances that follow from them. */
START_TEST(settled_by_moves)
{
    static const struct {
        const char *fen, *verdict, *fresh;
        int dtz;
    } cases[] = {
        {"4k3/8/8/8/8/8/4p3/4K2R w K - 10 9", "win", "win", 1}, /* Kxe2; the other moves are unknown */
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "win", "win", 0},    /* 0: from the best move */
        {"4k3/8/8/8/8/8/8/4K2R w K - 99 90", "cursed_win", "win", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        treb_position pos;
        treb_error error;
        AnswerContext context = {.tables = set};
        AnswerProbe options = {TREB_DTZ, true};
        read_fen(cases[i].fen, &pos);
        json_t *object = sent(answer_probe(&context, &pos, &options, &error));
        const json_t *first = json_array_get(json_object_get(object, "moves"), 0);
        ck_assert_pstr_eq(text_of(object, "verdict"), cases[i].verdict);
        ck_assert_pstr_eq(text_of(object, "verdict_clock_zero"), cases[i].fresh);
        int dtz = cases[i].dtz == 0 ? number_of(first, "dtz_plies") : cases[i].dtz;
        ck_assert_int_eq(number_of(object, "dtz_plies"), dtz);
        json_decref(object);
    }
}
END_TEST

/* A position that no table can cover is unknown, but positions after its moves may be known. */
START_TEST(beyond_tables)
{
    static const struct {
        const char *fen, *category;
        size_t moves, known;
        const char *first; /* the best move if known */
    } cases[] = {
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "unknown", 20, 0, NULL},
        {"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "win", 15, 15, NULL}, /* every move gives up castling */
        {"r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", "unknown", 15, 0, NULL},
        {"4k2n/8/8/8/8/8/8/4K2R w K - 0 1", "win", 15, 15, "Rxh8+"},
        {"4k2n/8/8/8/8/8/P7/4K2R w K - 0 1", "unknown", 17, 0, NULL},
        {"rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "win", 30, 1, "Qh4#"},
        {"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "loss", 0, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        treb_position pos;
        treb_error error;
        AnswerContext context = {.tables = set};
        size_t known = 0;
        read_fen(cases[i].fen, &pos);
        json_t *object = sent(answer_standard(&context, &pos, &error));
        const json_t *moves = json_object_get(object, "moves"), *one;
        ck_assert_str_eq(text_of(object, "category"), cases[i].category);
        ck_assert(json_is_null(json_object_get(object, "dtz")));
        ck_assert_uint_eq(json_array_size(moves), cases[i].moves);
        for (size_t k = 0; (one = json_array_get(moves, k)) != NULL; k++) {
            treb_position child;
            ck_assert_int_eq(treb_position_play(&pos, text_of(one, "uci"), &child, NULL), TREB_OK);
            bool unknown = strcmp(text_of(one, "category"), "unknown") == 0;
            ck_assert(!unknown || number_of(one, "dtz") == -1000);
            known += !unknown;
            if (treb_probe_dtz(set, &child, &(treb_distance){0}, NULL) == TREB_OK)
                compare_standard(one, &child, cases[i].fen);
        }
        ck_assert_uint_eq(known, cases[i].known);
        if (cases[i].first != NULL)
            ck_assert_str_eq(text_of(json_array_get(moves, 0), "san"), cases[i].first);
        json_decref(object);
    }
}
END_TEST

START_TEST(castling_moves_are_told)
{
    treb_position pos;
    treb_error error;
    AnswerContext context = {.tables = set};
    const json_t *one;
    size_t i, found = 0;
    read_fen("4k3/8/8/8/8/8/8/4K2R w K - 7 30", &pos);
    json_t *object = sent(answer_standard(&context, &pos, &error));
    ck_assert_uint_eq(context.flags, 0);
    json_array_foreach(json_object_get(object, "moves"), i, one)
    {
        if (strcmp(text_of(one, "san"), "O-O") != 0) continue;
        found++;
        ck_assert_str_eq(text_of(one, "uci"), "e1g1");
        ck_assert(!json_is_true(json_object_get(one, "zeroing")));
        ck_assert(!json_is_true(json_object_get(one, "conversion")));
        ck_assert_str_eq(text_of(one, "category"), "loss");
    }
    ck_assert_uint_eq(found, 1);
    json_decref(object);
    treb_position by_uci, by_san;
    char fen[TREB_FEN_SIZE], again[TREB_FEN_SIZE];
    ck_assert_int_eq(treb_position_play(&pos, "e1g1", &by_uci, NULL), TREB_OK);
    ck_assert_int_eq(treb_position_play(&pos, "O-O", &by_san, NULL), TREB_OK);
    treb_position_to_fen(&by_uci, fen);
    treb_position_to_fen(&by_san, again);
    ck_assert_str_eq(fen, "4k3/8/8/8/8/8/8/5RK1 b - - 8 30");
    ck_assert_str_eq(again, fen);
}
END_TEST

/* Categories with a halfmove clock, which counts from before the move that led to a position. */
START_TEST(halfmove_clock)
{
    static const struct {
        const char *fen, *root, *best;
    } cases[] = {
        {"8/8/8/8/8/2K5/7R/k7 w - - 0 1", "win", "loss"},
        {"8/8/8/8/8/2K5/7R/k7 w - - 98 90", "cursed-win", "blessed-loss"},
        {"8/8/8/8/8/1K6/7R/k7 w - - 99 90", "win", "loss"}, /* it mates in time */
        {"8/8/8/8/8/1K6/7R/k7 w - - 100 90", "cursed-win", "blessed-loss"},
        {"7R/8/8/8/8/1K6/8/k7 w - - 65535 90", "cursed-win", "blessed-loss"},
        {"8/5P1k/8/7K/8/8/8/8 w - - 99 90", "win", "loss"}, /* it promotes in time */
        {"8/5P1k/8/7K/8/8/8/8 w - - 100 90", "cursed-win", "blessed-loss"},
        {"k6R/8/1K6/8/8/8/8/8 b - - 100 90", "loss", NULL}, /* mated in time, or not */
        {"k6R/8/1K6/8/8/8/8/8 b - - 101 90", "blessed-loss", NULL},
        {"k7/2R5/1K6/8/8/8/8/8 w - - 100 90", "cursed-win", "blessed-loss"},
        {"k7/2Q5/1K6/8/8/8/8/8 b - - 101 90", "draw", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        treb_position pos;
        treb_error error;
        AnswerContext context = {.tables = set};
        read_fen(cases[i].fen, &pos);
        json_t *object = sent(answer_standard(&context, &pos, &error));
        const json_t *best = json_array_get(json_object_get(object, "moves"), 0);
        require(strcmp(text_of(object, "category"), cases[i].root) == 0, "%s: %s", cases[i].fen,
                text_of(object, "category"));
        ck_assert((best == NULL) == (cases[i].best == NULL));
        if (best != NULL) ck_assert_str_eq(text_of(best, "category"), cases[i].best);
        json_decref(object);
    }
}
END_TEST

START_TEST(error_texts)
{
    json_t *object = sent(answer_error("bad_fen", "quote \" and \xff\xfe bytes"));
    ck_assert_str_eq(text_of(object, "message"), "quote \" and ?? bytes");
    json_decref(object);
}
END_TEST

/* ---- Batches, tables, statistics ------------------------------------------------------------- */

static json_t *ask_batch(const char *body, treb_error *error)
{
    AnswerContext context = {.tables = set};
    return answer_batch(&context, body, strlen(body), error);
}

START_TEST(batches)
{
    treb_error error;
    json_t *object = sent(ask_batch("{\"fens\":[\"8/8/8/4k3/8/8/4P3/4K3_w\",\"x\",null,"
                                    "\"4k3/8/8/8/8/8/8/4K2R w K - 0 1\",\"a\\u0000b\","
                                    "\"https://lichess.org/editor/8/8/8/4k3/8/8/4P3/4K3_w\"],"
                                    "\"metric\":\"DTZ\",\"else\":1}",
                                    &error));
    static const char *const codes[] = {NULL, "bad_fen", "bad_fen", NULL, "bad_fen", NULL};
    const json_t *answers = json_object_get(object, "answers");
    ck_assert_uint_eq(json_array_size(answers), 6);
    for (size_t i = 0; i < 6; i++) {
        const json_t *one = json_array_get(answers, i);
        ck_assert_pstr_eq(text_of(json_object_get(one, "error"), "code"), codes[i]);
        ck_assert(json_object_get(one, "fen") != NULL);
    }
    ck_assert_str_eq(text_of(json_array_get(answers, 0), "metric"), "dtz");
    json_decref(object);
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "1",
                                      "{}",
                                      "{\"fens\":{}}",
                                      "{\"fens\":[],\"moves\":null}",
                                      "{\"fens\":[],\"metric\":\"wdl\"}",
                                      "{\"fens\":[],\"metric\":1}",
                                      "{\"fens\":[\"\xff\"]}",
                                      NULL};
    for (int i = 0; bad[i] != NULL; i++) {
        error.status = TREB_OK;
        ck_assert_ptr_null(ask_batch(bad[i], &error));
        ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
    }
}
END_TEST

/* Long work ends soon after its deadline, or when another thread cancels it; the partial answer is
 * dropped. */
START_TEST(work_is_stopped)
{
    enum { SECOND = 1000000000, POSITIONS = 1000 };
    treb_error error;
    json_t *fens = json_array(), *body = json_object();
    for (int n = 0; n < POSITIONS; n++) {
        char fen[TREB_FEN_SIZE];
        treb_position pos = random_position();
        treb_position_to_fen(&pos, fen);
        json_array_append_new(fens, json_string(fen));
    }
    json_object_set_new(body, "fens", fens);
    char *text = json_dumps(body, 0);
    AnswerContext context = {.tables = set};
    uint64_t start = clock_nanoseconds();
    json_decref(sent(answer_batch(&context, text, strlen(text), &error)));
    uint64_t whole = clock_nanoseconds() - start;
    /* If the machine was busy before, a part of that time may now be enough for all of it. */
    for (uint64_t part = 10;; part *= 2) {
        start = clock_nanoseconds();
        context.deadline = start + whole / part;
        json_t *reply = answer_batch(&context, text, strlen(text), &error);
        if (reply == NULL) break;
        json_decref(sent(reply));
    }
    require(clock_nanoseconds() - start < whole / 2 + SECOND / 20, "stopped too late");
    ck_assert_uint_eq(context.flags, ANSWER_STOPPED);
    ck_assert_int_eq(error.status, TREB_ERR_IO);
    free(text);
    json_decref(body);
}
END_TEST

START_TEST(inventory)
{
    treb_error error;
    treb_table_info info;
    const char *directory = work;
    AnswerContext context = {.tables = set, .directories = &directory, .directory_count = 1};
    uint64_t bytes = 0;
    size_t files = 0, mates = 0;
    json_t *object = sent(answer_tables(&context, &error)), *one, *file;
    size_t i;
    const char *metric;
    json_array_foreach(json_object_get(object, "tables"), i, one)
    {
        json_object_foreach(json_object_get(one, "metrics"), metric, file)
        {
            const bool mate50 = strcmp(metric, "dtm50") == 0;
            const json_t *stored = json_object_get(file, "stored");
            files++;
            mates += mate50;
            bytes += (uint64_t)number_of(file, "bytes");
            ck_assert_str_eq(text_of(file, "status"), "ok");
            if (mate50) /* the side of its cells, not of their digits */
                ck_assert(json_is_true(json_object_get(stored, "white")) !=
                          json_is_true(json_object_get(stored, "black")));
        }
        treb_tables_find(set, text_of(one, "material"), TREB_WDL, &info, NULL);
        const json_t *white = json_object_get(json_object_get(one, "counts"), "white");
        ck_assert_int_eq(number_of(white, "win"), (int)info.count[0][TREB_WIN]);
        ck_assert_int_eq(number_of(white, "loss"), (int)info.count[0][TREB_LOSS]);
    }
    ck_assert_uint_eq(files, treb_tables_count(set));
    ck_assert_uint_eq(mates * 5, files);
    ck_assert_int_eq(number_of(object, "bytes"), (int)bytes);
    json_decref(object);
}
END_TEST

START_TEST(statistics)
{
    treb_error error;
    AnswerContext context = {.tables = set};
    json_t *object = sent(answer_stats(&context, "KPvK", &error)), *pair;
    size_t i;
    json_int_t sum = 0, longest = 0;
    const json_t *histograms = json_object_get(object, "histograms"), *one;
    const json_t *wins =
        json_object_get(json_object_get(json_object_get(histograms, "dtm"), "white"), "win");
    json_array_foreach(wins, i, pair)
    {
        longest = json_integer_value(json_array_get(pair, 0));
        sum += json_integer_value(json_array_get(pair, 1));
    }
    ck_assert_int_eq(sum, 124960);
    ck_assert_int_eq(longest, 55);
    /* With all 100 plies left, the 50-move rule delays no mate here. */
    ck_assert(json_equal(json_object_get(histograms, "dtm50"), json_object_get(histograms, "dtm")));
    json_int_t mates = 0, mates50 = 0;
    json_array_foreach(json_object_get(object, "longest"), i, one)
    {
        mates += strcmp(text_of(one, "metric"), "dtm") == 0;
        mates50 += strcmp(text_of(one, "metric"), "dtm50") == 0;
    }
    ck_assert_int_eq(mates50, mates);
    json_decref(object);
    ck_assert_ptr_null(answer_stats(&context, "KXvK", &error));
    ck_assert_int_eq(error.status, TREB_ERR_ARGUMENT);
}
END_TEST

static void set_up(void)
{
    treb_error error;
    const char *directory = work;
    make_work();
    make_tables_apart("KPvK KRvKN", EVERY | 1 << TREB_DTM50);
    set = treb_tables_open(&directory, 1, &error);
    bare = treb_tables_open(NULL, 0, &error);
    ck_assert(set != NULL && bare != NULL);
}

static void tear_down(void)
{
    treb_tables_close(set);
    treb_tables_close(bare);
    remove_work();
}

int main(void)
{
    Suite *suite = suite_create("server_json");
    TCase *tests = tcase_create("json");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 120);
    tcase_add_unchecked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, probes);
    tcase_add_test(tests, lines);
    tcase_add_test(tests, standard);
    tcase_add_test(tests, mainlines);
    tcase_add_test(tests, missing_tables);
    tcase_add_test(tests, mate_without_a_table);
    tcase_add_test(tests, any_position);
    tcase_add_test(tests, moves_looked_at_further);
    tcase_add_test(tests, settled_by_moves);
    tcase_add_test(tests, by_chance);
    tcase_add_test(tests, beyond_tables);
    tcase_add_test(tests, castling_moves_are_told);
    tcase_add_test(tests, halfmove_clock);
    tcase_add_test(tests, error_texts);
    tcase_add_test(tests, batches);
    tcase_add_test(tests, work_is_stopped);
    tcase_add_test(tests, inventory);
    tcase_add_test(tests, statistics);
    return run_suite(suite);
}
