/* test_find.c - checks the positions that find finds against all positions of the full board,
 * evaluated with the plain solver and the rules alone. */
#define _DEFAULT_SOURCE
#include "find/rule.h"
#include "find/strategy.h"

#include "core/format/index.h"
#include "tests/support/naive_set.h"

static void make_set(void)
{
    static const NaiveLayout layout = {.per_byte = 3, .block_bits = 12};
    solve_and_write(&layout);
}

/* ---- What find finds ------------------------------------------------------------------------- */

enum { MOST = 1 << 18 };

typedef struct List {
    Found found[MOST];
    size_t count, most;
    FindCounts counts;
} List;

static bool add(void *context, const Found *found)
{
    List *list = context;
    ck_assert_uint_lt(list->count, MOST);
    list->found[list->count++] = *found;
    return list->count < list->most;
}

static treb_status find(FindQuery query, const char *material, List *list, treb_error *error)
{
    treb_tables *tables = open_set(directory);
    const FindListener listener = {add, NULL, list};
    query.tables = tables;
    list->count = 0;
    if (list->most == 0) list->most = MOST;
    memset(&list->counts, 0, sizeof list->counts);
    treb_status status = find_material(&query, material, &listener, &list->counts, error);
    treb_tables_close(tables);
    return status;
}

static List *find_all(FindQuery query, const char *material)
{
    treb_error error;
    List *list = calloc(1, sizeof *list);
    ck_assert_ptr_nonnull(list);
    treb_status status = find(query, material, list, &error);
    ck_assert_msg(status == TREB_OK, "%s", error.text);
    return list;
}

/* Returns the number of positions on the full board that a symmetry maps to this one. */
static unsigned weight(const treb_position *pos)
{
    treb_position seen[8];
    unsigned count = 0;
    bool pawns = pos->by_type[TREB_PAWN] != 0;
    for (int symmetry = 0; symmetry < (pawns ? 2 : 8); symmetry++) {
        treb_position turned = *pos;
        for (int c = 0; c < 2; c++)
            turned.by_color[c] = index_symmetry_board(symmetry, pos->by_color[c]);
        for (int t = 0; t < TREB_TYPES; t++)
            turned.by_type[t] = index_symmetry_board(symmetry, pos->by_type[t]);
        bool known = false;
        for (unsigned i = 0; i < count; i++) known = known || position_equal(&seen[i], &turned);
        if (!known) seen[count++] = turned;
    }
    return count;
}

static uint64_t weights(const List *list)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < list->count; i++) sum += weight(&list->found[i].pos);
    return sum;
}

/* ---- What there is to find ------------------------------------------------------------------- */

static int sign(const NaiveValue *value)
{
    return value->verdict > TREB_DRAW ? 1 : value->verdict < TREB_DRAW ? -1 : 0;
}

/* Returns the result of a child for the side to move in it. Materials other than the ending are
 * solved before, or are draws. */
static int child_sign(int number, const treb_position *child)
{
    const uint64_t *type = child->by_type;
    if (bit_count(position_occupied(child)) < 3) return 0;
    if (number == 0 && type[TREB_QUEEN]) return sign(naive_value(solved[1], child));
    if (number == 0 && type[TREB_ROOK]) return sign(naive_value(solved[2], child));
    if (number == 0 && !type[TREB_PAWN]) return 0;
    return sign(naive_value(solved[number], child));
}

typedef bool (*Kind)(int number, const treb_position *pos);

static bool zugzwang(int number, const treb_position *pos)
{
    treb_position other = *pos;
    other.turn ^= 1;
    if (pos->turn != TREB_WHITE || position_check(&other, NULL) != TREB_OK) return false;
    return sign(naive_value(solved[number], pos)) < -sign(naive_value(solved[number], &other));
}

/* Counts the moves that keep a result, and those of them that promote to less than a queen. */
static void keeping(int number, const treb_position *pos, int *moves, int *keep, int *lesser)
{
    Move list[MOVES_MAX];
    *moves = movegen_legal(pos, list);
    *keep = *lesser = 0;
    for (int i = 0; i < *moves; i++) {
        treb_position child;
        position_make(pos, list[i], &child);
        if (-child_sign(number, &child) != sign(naive_value(solved[number], pos))) continue;
        ++*keep;
        *lesser += move_promo(list[i]) != 0 && move_promo(list[i]) != TREB_QUEEN;
    }
}

static bool only_move(int number, const treb_position *pos)
{
    int moves, keep, lesser;
    keeping(number, pos, &moves, &keep, &lesser);
    return sign(naive_value(solved[number], pos)) >= 0 && keep == 1 && moves > 1;
}

static bool underpromotion(int number, const treb_position *pos)
{
    int moves, keep, lesser;
    keeping(number, pos, &moves, &keep, &lesser);
    return sign(naive_value(solved[number], pos)) >= 0 && lesser > 0 && keep == lesser;
}

static bool stalemates(int number, const treb_position *pos)
{
    Move list[MOVES_MAX];
    if (sign(naive_value(solved[number], pos)) != 1) return false;
    for (int i = 0, count = movegen_legal(pos, list); i < count; i++) {
        treb_position child;
        position_make(pos, list[i], &child);
        if (!movegen_any(&child) && !position_in_check(&child)) return true;
    }
    return false;
}

static bool anything(int number, const treb_position *pos)
{
    (void)number, (void)pos;
    return true;
}

/* Counts the positions on the full board. */
static uint64_t count_all(int number, Kind kind)
{
    uint64_t count = 0;
    treb_position pos;
    for (uint32_t i = 0; i < 64 * 64 * 128; i++)
        count += three_men(solved[number], i, &pos) && kind(number, &pos);
    return count;
}

static const char *const material[SOLVED] = {"KPvK", "KQvK", "KRvK"};

/* Every position that was found is of the kind, no two are equal, and together they stand for all
 * positions of the kind. */
static void check_kind(unsigned kinds, Kind kind, const char *condition)
{
    for (int number = 0; number < SOLVED; number++) {
        FindQuery query = {.kinds = kinds, .turn = FIND_EITHER, .condition = condition};
        List *list = find_all(query, material[number]);
        for (size_t i = 0; i < list->count; i++)
            if (!kind(number, &list->found[i].pos)) ck_abort_msg("%s", material[number]);
        ck_assert_uint_eq(weights(list), count_all(number, kind));
        ck_assert_uint_eq(list->counts.found, list->count);
        ck_assert_uint_ge(list->counts.looked, list->count);
        free(list);
    }
}

START_TEST(everything) { check_kind(0, anything, NULL); }
END_TEST

START_TEST(zugzwangs) { check_kind(FIND_ZUGZWANG, zugzwang, NULL); }
END_TEST

START_TEST(only_moves) { check_kind(FIND_ONLY_MOVE, only_move, NULL); }
END_TEST

START_TEST(underpromotions) { check_kind(FIND_UNDERPROMOTION, underpromotion, NULL); }
END_TEST

START_TEST(stalemate_traps) { check_kind(FIND_STALEMATE, stalemates, NULL); }
END_TEST

/* In KPvK the side with the pawn wins if the other side is to move. Only that can be a zugzwang. */
START_TEST(zugzwang_sides)
{
    List *list = find_all((FindQuery){.kinds = FIND_ZUGZWANG, .turn = FIND_EITHER}, "KPvK");
    List *black = find_all((FindQuery){.kinds = FIND_ZUGZWANG, .turn = TREB_BLACK}, "KPvK");
    ck_assert_uint_gt(list->count, 0);
    ck_assert_uint_eq(list->count, black->count);
    ck_assert_uint_eq(list->counts.half[TREB_BLACK], list->count);
    ck_assert_uint_eq(list->counts.half[TREB_WHITE] + list->counts.full, 0);
    for (size_t i = 0; i < list->count; i++) {
        ck_assert_int_eq(list->found[i].loser, TREB_BLACK);
        ck_assert_int_eq(list->found[i].pos.turn, TREB_WHITE);
        ck_assert_int_eq(black->found[i].pos.turn, TREB_BLACK);
        ck_assert_int_eq(black->found[i].wdl, TREB_LOSS);
    }
    free(list);
    free(black);
}
END_TEST

/* A unique line consists of only moves. Each line is checked from its end. */
START_TEST(unique_lines)
{
    List *list = find_all((FindQuery){.kinds = FIND_UNIQUE_LINE, .turn = FIND_EITHER}, "KQvK");
    treb_tables *tables = open_set(directory);
    uint64_t mates = 0;
    for (size_t i = 0; i < list->count; i++) {
        treb_position pos = list->found[i].pos;
        treb_move moves[TREB_MOVES_MAX];
        size_t count;
        ck_assert(treb_probe_moves(tables, &pos, TREB_DTM, TREB_RULE_NONE, moves, TREB_MOVES_MAX,
                                   &count, NULL) == TREB_OK);
        ck_assert(moves[0].value.wdl == TREB_WIN);
        ck_assert(count == 1 || moves[1].value.wdl != TREB_WIN);
        mates += moves[0].flags & TREB_MOVE_MATE ? 1 : 0;
    }
    treb_tables_close(tables);
    /* With a queen there is nearly always another way to win. All that remain are mates in one. */
    ck_assert_uint_eq(mates, list->count);
    free(list);
}
END_TEST

/* ---- Conditions ------------------------------------------------------------------------------ */

static bool king_beside(int number, const treb_position *pos)
{
    int white = position_king(pos, TREB_WHITE), black = position_king(pos, TREB_BLACK);
    return sign(naive_value(solved[number], pos)) == 1 &&
           abs(square_file(white) - square_file(black)) <= 2 &&
           abs(square_rank(white) - square_rank(black)) <= 2;
}

static bool ten_moves(int number, const treb_position *pos)
{
    Move list[MOVES_MAX];
    (void)number;
    return movegen_legal(pos, list) >= 10 && !position_in_check(pos);
}

START_TEST(conditions)
{
    check_kind(0, king_beside, "verdict == \"win\" and distance(wk, bk) <= 2");
    check_kind(0, ten_moves,
               "local n = 0\nfor _, m in ipairs(moves) do n = n + 1 end\n"
               "return n >= 10 and not check");
    check_kind(0, zugzwang, "turn == 'white' and zugzwang ~= nil");
    check_kind(0, stalemates,
               "(function() for _, m in ipairs(moves) do if m.stalemate and verdict == 'win' then "
               "return true end end end)()");
    check_kind(FIND_ZUGZWANG, zugzwang, "verdict ~= passed");
}
END_TEST

/* All names that a condition can use. */
START_TEST(names)
{
    static const char text[] =
        "local m = moves[1]\n"
        "assert(turn == 'white' or turn == 'black')\n"
        "assert(verdict == 'win' or verdict == 'draw' or verdict == 'loss')\n"
        "assert((dtm == nil) == (verdict == 'draw') and (dtz == nil) == (dtc == nil))\n"
        "assert(cursed == false and (not check or passed == nil))\n"
        "assert(file(wk) >= 1 and rank(bk) <= 8 and light('h1') and not light('a1'))\n"
        "assert(squares('wp')[1] == wp and #squares('bq') == 0 and bq == nil)\n"
        "assert(check == attacked(turn == 'white' and wk or bk, turn == 'white' and 'black' or "
        "'white'))\n"
        "assert(string.match(fen, ' [wb] '))\n"
        "assert(room('black', 'q') == 63 and room('white') <= 63)\n"
        "assert(turn == 'white' or (room('black') == 1) == (#moves == 0))\n"
        "return m == nil or (m.uci:sub(1, 2) == m.from and m.san ~= '' and m.verdict ~= nil and "
        "m.capture ~= nil and m.mate ~= nil)";
    List *list = find_all((FindQuery){.turn = FIND_EITHER, .condition = text}, "KPvK");
    ck_assert_uint_eq(list->count, list->counts.looked);
    free(list);
}
END_TEST

/* A strategy in memory, and the limit on the positions that it may examine. */
START_TEST(strategy_bounds)
{
    static const RuleText list[] = {
        {"queen", "return {material = 'KQvK', rules = {{'mate'}}, advice = {mate = {better = "
                  "function() return mate end, depth = 3}}}"},
        {NULL, NULL}};
    Strategy *strategy;
    Plan plan = {.advice = -1};
    treb_position pos;
    treb_error error;
    ck_assert_int_eq(strategy_open_text(list, "rook", &strategy, &error), TREB_ERR_ARGUMENT);
    ck_assert_int_eq(strategy_open_text(list, "queen", &strategy, &error), TREB_OK);
    ck_assert_int_eq(position_from_fen("8/8/8/8/8/1K6/7Q/1k6 w", &pos, NULL), TREB_OK);
    ck_assert_int_eq(strategy_plan(strategy, &pos, NULL, &plan, &error), TREB_OK);
    ck_assert_int_eq(plan.advice, 0);
    ck_assert_int_eq(position_from_fen("8/8/4k3/8/8/1K6/7Q/8 w", &pos, NULL), TREB_OK);
    strategy_limit(strategy, 40);
    ck_assert_int_eq(strategy_plan(strategy, &pos, NULL, &plan, &error), TREB_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "more than 40 positions"));
    strategy_limit(strategy, 0);
    ck_assert_int_eq(strategy_plan(strategy, &pos, NULL, &plan, &error), TREB_OK);
    ck_assert_int_eq(plan.advice, -1);
    plan_free(&plan);
    strategy_free(strategy);
}
END_TEST

START_TEST(bad_conditions)
{
    static const char *const bad[][2] = {
        {"verdict = 3", "condition:1:"},
        {"foo == 3", "there is no name 'foo'"},
        {"rank('z9')", "a square such as \"e4\" is expected"},
        {"squares('white')", "men such as"},
        {"local t = {}\nwhile true do t[#t + 1] = ('x'):rep(1000) .. #t end return true", "memory"},
        {"os.exit(1)", "no name 'os'"},
        {"io.open('/etc/passwd')", "no name 'io'"},
        {"load('return 1')()", "no name 'load'"},
        {"require('os')", "no name 'require'"},
        {"string.dump(file)", "nil value"},
        {"string.rep('x', 1e9) == ''", "more than 64 MiB"},
        {"math.random() < 2", "nil value"},
        {"local a = 1 wp = 'a3' return true", "'wp' is not local"},
        {"(function() n = 1 return true end)()", "'n' is not local"},
        {"rawset({}, 1, 2)", "no name 'rawset'"},
        {"turn.x.y == 3", "condition:1:"}};
    List *list = calloc(1, sizeof *list);
    ck_assert_ptr_nonnull(list);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        treb_error error = {.text = ""};
        FindQuery query = {.turn = FIND_EITHER, .condition = bad[i][0]};
        treb_status status = find(query, "KQvK", list, &error);
        ck_assert_msg(status != TREB_OK && strstr(error.text, bad[i][1]) != NULL, "%s: %s",
                      bad[i][0], error.text);
        ck_assert_uint_eq(list->count, 0);
    }
    free(list);
}
END_TEST

/* ---- Rules ----------------------------------------------------------------------------------- */

static char rules[PATH_SIZE];

static void write_rule(const char *name, const char *text)
{
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", rules, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* A rule in memory uses another one, and can read no files. */
START_TEST(rule_opinions)
{
    static const RuleText book[] = {
        {"base", "return { mover = function() return turn end }"},
        {"queen",
         "local base = use('base')\n"
         "return function() if base.mover() == 'white' then return 'win', 'a queen' end end"},
        {"outside", "local other = use('../queen')\nreturn function() end"},
        {"lost", "return use('nowhere')"},
        {"slip", "return function()\n  return wx\nend"},
        {NULL, NULL}};
    static const char *const bad[][2] = {{"outside", "in the same folder"},
                                         {"lost", "there is no rule 'nowhere'"},
                                         {"slip", "slip.lua:2: there is no name 'wx'"},
                                         {"base", "returns no function"},
                                         {"none", "there is no rule 'none'"}};
    treb_tables *tables = open_set(directory);
    treb_position pos;
    treb_error error;
    RuleOpinion opinion;
    ck_assert_int_eq(treb_position_from_fen("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", &pos, NULL), TREB_OK);
    ck_assert_int_eq(rule_say(tables, book, "queen", &pos, NULL, &opinion, &error), TREB_OK);
    ck_assert_int_eq(opinion.claim, RULE_WIN);
    ck_assert_str_eq(opinion.ground, "a queen");
    ck_assert_int_eq(opinion.result, 2);
    pos.turn = TREB_BLACK;
    ck_assert_int_eq(rule_say(tables, book, "queen", &pos, NULL, &opinion, &error), TREB_OK);
    ck_assert_int_eq(opinion.claim, RULE_NOTHING);
    ck_assert_int_eq(opinion.result, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(rule_say(tables, book, bad[i][0], &pos, NULL, &opinion, &error),
                         TREB_ERR_ARGUMENT);
        ck_assert_msg(strstr(error.text, bad[i][1]) != NULL, "%s", error.text);
    }
    treb_tables_close(tables);
}
END_TEST

static treb_status try_rule(const char *name, const char *ending, unsigned threads,
                            RuleReport *report, treb_error *error)
{
    char path[2 * PATH_SIZE];
    treb_tables *tables = open_set(directory);
    snprintf(path, sizeof path, "%s/%s", rules, name);
    memset(report, 0, sizeof *report);
    const RuleQuery query = {
        .tables = tables, .path = path, .turn = FIND_EITHER, .shown = 5, .threads = threads};
    treb_status status = rule_try(&query, ending, report, error);
    treb_tables_close(tables);
    return status;
}

/* What a rule claims of KQvK with either side to move, against counts by the plain solver. */
START_TEST(rule_counts)
{
    static RuleReport report;
    treb_error error;
    make_directory(rules);
    write_rule("base.lua", "return { mover = function() return turn end }");
    write_rule("queen.lua", "local base = use('base')\n"
                            "return function()\n"
                            "  if base.mover() == 'white' then return 'win', 'a queen' end\n"
                            "  if check then return 'not win' end\n"
                            "end");
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        treb_status status = try_rule("queen.lua", "KQvK", threads, &report, &error);
        ck_assert_msg(status == TREB_OK, "%s", error.text);
        List *all = find_all((FindQuery){.turn = FIND_EITHER}, "KQvK");
        List *won =
            find_all((FindQuery){.turn = TREB_WHITE, .condition = "verdict == 'win'"}, "KQvK");
        List *white = find_all((FindQuery){.turn = TREB_WHITE}, "KQvK");
        List *checks = find_all((FindQuery){.turn = TREB_BLACK, .condition = "check"}, "KQvK");
        ck_assert_uint_eq(report.sayings, 2);
        for (int i = 0; i < 2; i++) {
            const RuleSaying *s = &report.saying[i];
            uint64_t sum = s->of[0] + s->of[1] + s->of[2];
            if (s->claim == RULE_WIN) {
                ck_assert_str_eq(s->ground, "a queen");
                ck_assert_uint_eq(sum, white->count);
                ck_assert_uint_eq(s->of[2], won->count);
                /* A side with a queen to move always wins, so there are no wrong examples. */
                ck_assert_uint_eq(s->shown, sum == s->of[2] ? 0 : 5);
            } else {
                ck_assert_int_eq(s->claim, RULE_NOT_WIN);
                ck_assert_str_eq(s->ground, "");
                ck_assert_uint_eq(sum, checks->count);
                ck_assert_uint_eq(s->of[2] + s->shown, 0);
            }
        }
        ck_assert_uint_eq(report.looked, all->count);
        ck_assert_uint_eq(report.silent, all->count - white->count - checks->count);
        free(all);
        free(won);
        free(white);
        free(checks);
        rule_report_free(&report);
    }
    remove_directory(rules);
}
END_TEST

/* A rule that is wrong on purpose: for each claim the first errors are kept, with any number of
 * threads. */
START_TEST(rule_errors)
{
    static RuleReport one, many;
    treb_error error;
    make_directory(rules);
    write_rule("wrong.lua", "return function()\n"
                            "  if verdict == 'win' then return 'draw', 'a win' end\n"
                            "  if verdict == 'draw' then return 'not loss', 'a draw' end\n"
                            "  return 'not loss', 'a loss'\n"
                            "end");
    ck_assert(try_rule("wrong.lua", "KPvK", 1, &one, &error) == TREB_OK);
    ck_assert(try_rule("wrong.lua", "KPvK", 3, &many, &error) == TREB_OK);
    ck_assert_uint_eq(one.sayings, 3);
    ck_assert_uint_eq(many.sayings, 3);
    for (size_t i = 0; i < 3; i++) {
        const RuleSaying *s = &one.saying[i], *m = &many.saying[i];
        bool right = strcmp(s->ground, "a draw") == 0;
        ck_assert_str_eq(s->ground, m->ground);
        ck_assert_uint_eq(s->shown, right ? 0 : 5);
        ck_assert_uint_eq(m->shown, s->shown);
        for (int r = 0; r < RULE_RESULTS; r++) ck_assert_uint_eq(s->of[r], m->of[r]);
        for (size_t e = 0; e < s->shown; e++) {
            ck_assert(position_equal(&s->wrong[e].pos, &m->wrong[e].pos));
            ck_assert_int_eq(s->wrong[e].result, s->claim == RULE_DRAW ? 2 : 0);
        }
    }
    rule_report_free(&one);
    rule_report_free(&many);
    remove_directory(rules);
}
END_TEST

/* A statement is wrong where it is false, whatever the result of the position is. */
START_TEST(rule_statements)
{
    static RuleReport report;
    treb_error error;
    make_directory(rules);
    write_rule("edge.lua", "return function()\n"
                           "  if not mate then return end\n"
                           "  local f, r = file(bk), rank(bk)\n"
                           "  local corner = (f == 1 or f == 8) and (r == 1 or r == 8)\n"
                           "  return corner, corner and 'corner' or 'edge'\n"
                           "end");
    List *mates = find_all((FindQuery){.turn = TREB_BLACK, .condition = "mate"}, "KQvK");
    List *corners =
        find_all((FindQuery){.turn = TREB_BLACK,
                             .condition = "mate and file(bk) % 7 == 1 and rank(bk) % 7 == 1"},
                 "KQvK");
    ck_assert_uint_gt(corners->count, 0);
    ck_assert_uint_lt(corners->count, mates->count);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        ck_assert(try_rule("edge.lua", "KQvK", threads, &report, &error) == TREB_OK);
        ck_assert_uint_eq(report.sayings, 2);
        ck_assert_uint_eq(report.looked - report.silent, mates->count);
        for (int i = 0; i < 2; i++) {
            const RuleSaying *s = &report.saying[i];
            const bool truth = s->claim == RULE_TRUE;
            ck_assert(rule_claim_states(s->claim));
            ck_assert_str_eq(s->ground, truth ? "corner" : "edge");
            ck_assert_uint_eq(rule_saying_all(s),
                              truth ? corners->count : mates->count - corners->count);
            ck_assert_uint_eq(rule_saying_wrong(s), truth ? 0 : rule_saying_all(s));
            ck_assert_uint_eq(s->of[0], rule_saying_all(s));
            ck_assert_uint_eq(s->shown, truth ? 0 : 5);
        }
        rule_report_free(&report);
    }
    free(mates);
    free(corners);
    remove_directory(rules);
}
END_TEST

START_TEST(rule_claims)
{
    static const int right[RULE_CLAIMS][RULE_RESULTS] = {
        {1, 1, 1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    for (int claim = RULE_NOTHING; claim < RULE_CLAIMS; claim++)
        for (int result = 0; result < RULE_RESULTS; result++)
            ck_assert_int_eq(rule_claim_right((RuleClaim)claim, result), right[claim][result]);
}
END_TEST

START_TEST(bad_rules)
{
    static const char *const bad[][2] = {
        {"return 3", "returns no function"},
        {"return function() return 'perhaps' end", "not perhaps"},
        {"return function() return 7 end", "not number"},
        {"return function() return {} end", "not table"},
        {"return function()\n return nothere\nend", "bad.lua:2: there is no name 'nothere'"},
        {"return function( end", "bad.lua:1:"},
        {"local t = turn return function() end", "no position yet"},
        {"local t = squares('wp') return function() end", "no position yet"},
        {"local t = attacked('a1', 'white') return function() end", "no position yet"},
        {"local t = {} pcall(function() while true do t = {t} end end) "
         "return function() return 12345.678901 end",
         "bad.lua|64 MiB|not number"},
        {"return function() return 'win', wp or bq or wq .. turn .. wk .. bk end", "64 grounds"},
        {"local n = 0 return function() n = n + 1 return 'win', 'ground ' .. n end", "64 grounds"},
        {"use('../etc/passwd') return function() end", "the name of a rule in the same folder"},
        {"use('missing') return function() end", "missing.lua"},
        {"io.open('x') return function() end", "no name 'io'"}};
    static RuleReport report;
    make_directory(rules);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        treb_error error = {.text = ""};
        write_rule("bad.lua", bad[i][0]);
        treb_status status = try_rule("bad.lua", "KQvK", 2, &report, &error);
        bool told = strchr(bad[i][1], '|') != NULL || strstr(error.text, bad[i][1]) != NULL;
        ck_assert_msg(status != TREB_OK && told, "%s: %s", bad[i][0], error.text);
        rule_report_free(&report);
    }
    treb_error error;
    ck_assert(try_rule("none.lua", "KQvK", 1, &report, &error) != TREB_OK);
    ck_assert_ptr_nonnull(strstr(error.text, "none.lua"));
    remove_directory(rules);
}
END_TEST

/* ---- Order, ends, threads -------------------------------------------------------------------- */

START_TEST(same_with_threads)
{
    FindQuery query = {.kinds = FIND_ONLY_MOVE, .turn = FIND_EITHER, .threads = 1};
    List *one = find_all(query, "KPvK");
    query.threads = 4;
    List *four = find_all(query, "KPvK");
    ck_assert_uint_eq(one->count, four->count);
    for (size_t i = 0; i < one->count; i++) {
        ck_assert(position_equal(&one->found[i].pos, &four->found[i].pos));
        ck_assert_uint_eq(one->found[i].move, four->found[i].move);
        ck_assert_uint_ne(one->found[i].move, 0);
    }
    free(one);
    free(four);
}
END_TEST

START_TEST(ends_when_told)
{
    atomic_bool stop = true;
    List *list = calloc(1, sizeof *list);
    ck_assert_ptr_nonnull(list);
    list->most = 7;
    ck_assert(find((FindQuery){.turn = FIND_EITHER}, "KQvK", list, NULL) == TREB_OK);
    ck_assert_uint_eq(list->count, 7);
    list->most = MOST;
    ck_assert(find((FindQuery){.turn = FIND_EITHER, .stop = &stop}, "KPvK", list, NULL) == TREB_OK);
    ck_assert_uint_lt(list->count, 100000);
    treb_error error;
    ck_assert(find((FindQuery){.turn = FIND_EITHER}, "KBNvK", list, &error) == TREB_ERR_NO_TABLE);
    ck_assert(find((FindQuery){.turn = FIND_EITHER}, "xyz", list, &error) == TREB_ERR_ARGUMENT);
    free(list);
}
END_TEST

/* ---- The library's own ----------------------------------------------------------------------- */

static int count_visits(void *context, const treb_position *pos)
{
    uint64_t *count = context;
    ck_assert(pos->turn <= TREB_BLACK);
    return ++*count < 1000000;
}

START_TEST(parts)
{
    treb_tables *tables = open_set(directory);
    treb_error error;
    uint64_t whole = 0;
    ck_assert(treb_each_position(tables, "KPvK", 0, 1, count_visits, &whole, &error) == TREB_OK);
    for (uint64_t of = 2; of < 40; of += 13) {
        uint64_t sum = 0;
        for (uint64_t part = 0; part < of; part++)
            ck_assert(treb_each_position(tables, "KvKP", part, of, count_visits, &sum, &error) ==
                      TREB_OK);
        ck_assert_uint_eq(sum, whole);
    }
    ck_assert(treb_each_position(tables, "KPvK", 1, 1, count_visits, &whole, &error) ==
              TREB_ERR_ARGUMENT);
    ck_assert(treb_each_position(tables, "KPvX", 0, 1, count_visits, &whole, &error) ==
              TREB_ERR_ARGUMENT);
    ck_assert(treb_each_position(tables, "KQQQQvKQQQ", 0, 1, count_visits, &whole, &error) !=
              TREB_OK);
    treb_tables_close(tables);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("find");
    TCase *tests = add_case(suite, "find");
    tcase_add_unchecked_fixture(tests, make_set, forget_all);
    tcase_add_test(tests, everything);
    tcase_add_test(tests, zugzwangs);
    tcase_add_test(tests, only_moves);
    tcase_add_test(tests, underpromotions);
    tcase_add_test(tests, stalemate_traps);
    tcase_add_test(tests, zugzwang_sides);
    tcase_add_test(tests, unique_lines);
    tcase_add_test(tests, conditions);
    tcase_add_test(tests, names);
    tcase_add_test(tests, strategy_bounds);
    tcase_add_test(tests, bad_conditions);
    tcase_add_test(tests, rule_opinions);
    tcase_add_test(tests, rule_counts);
    tcase_add_test(tests, rule_errors);
    tcase_add_test(tests, rule_statements);
    tcase_add_test(tests, rule_claims);
    tcase_add_test(tests, bad_rules);
    tcase_add_test(tests, same_with_threads);
    tcase_add_test(tests, ends_when_told);
    tcase_add_test(tests, parts);
    return run_suite(suite);
}
