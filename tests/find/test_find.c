/* test_find.c - checks the positions that find finds against all positions of the full board,
 * evaluated with the plain solver and the rules alone. */
#define _DEFAULT_SOURCE
#include "find/rule.h"
#include "find/sample.h"
#include "find/strategy.h"

#include "core/format/index.h"
#include "tests/support/naive_set.h"
#include "tests/support/part.h"

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
    const FindListener listener = {.found = add, .context = list};
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
    const int endings = test_part() > 1 ? 1 : SOLVED;
    for (int number = 0; number < endings; number++) {
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

/* Texts that only look like wrong words are none. */
START_TEST(right_words)
{
    static const char *const right[] = {
        "local turn = 'w' return turn == 'w'",
        "-- verdict == 'won'\nverdict == 'win' or verdict ~= nil",
        "[[verdict == 'won']] ~= verdict",
        "wk == 'e' .. 4 or 'E' .. wk == 'Ee4' or wk ~= ('E4'):lower()",
        "(function(verdict) return verdict == 'won' end)('won')",
        "not (verdict == 'win') or fen == 'x' or wk == \"a1\" or moves[1].san == 'Kb1#'"};
    treb_error error = {.text = ""};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        ck_assert_msg(find_check_condition(right[i], NULL, &error) == TREB_OK, "%s: %s", right[i],
                      error.text);
    ck_assert(find_check_condition("wk == 3 +", "a.lua", &error) == TREB_ERR_ARGUMENT);
    ck_assert_msg(strncmp(error.text, "a.lua:", 6) == 0, "%s", error.text);
}
END_TEST

/* The distances of moves are those of the library. */
START_TEST(move_distances)
{
    static const char text[] =
        "if rank(bk) > 2 or file(wk) == 1 then return true end\n"
        "local best\n"
        "for _, m in ipairs(moves) do\n"
        "  assert(m.man == 'k' or m.man == 'q')\n"
        "  assert((m.dtm == nil) == (m.verdict == 'draw') and (m.dtz == nil) == (m.dtm == nil))\n"
        "  assert(m.dtm == nil or m.dtc <= m.dtm and m.mate == (m.dtm == 1))\n"
        "  if m.verdict == verdict and m.dtm then\n"
        "    if verdict == 'win' then best = math.min(best or 999, m.dtm)\n"
        "    else best = math.max(best or 0, m.dtm) end\n"
        "  end\n"
        "end\n"
        "return dtm == best or mate";
    List *list = find_all((FindQuery){.turn = FIND_EITHER, .condition = text}, "KQvK");
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
        {"turn.x.y == 3", "condition:1:"},
        {"dtm > 60", "dtm is nil in a draw: write 'dtm and dtm > 60'"},
        {"60 < dtz + 1", "dtz is nil in a draw"},
        {"rank(wp) == 2", "wp is nil: there is no white pawn"},
        {"verdict == 'won'", "condition:1: verdict is never \"won\", but \"win\", \"draw\" or"},
        {"turn == 'w'", "turn is never \"w\", but \"white\" or \"black\""},
        {"check and\n 'lose' ~= passed", "condition:2: passed is never \"lose\""},
        {"dtm == \"60\"", "condition:1: dtm is a number of plies"},
        {"wk == 'E4'", "wk is a square"},
        {"not verdict == 'win'", "write 'not (verdict == ...)'"},
        {"local m = moves[1] return m.man == 'queen'", "man is never \"queen\""},
        {"local m = moves[1] return m and m.dmt", "a move has no 'dmt'"}};
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

/* What the listener writes comes with each position, in the order of the table. */
static bool write_fen(void *context, const Found *found, FILE *out)
{
    char fen[TREB_FEN_SIZE];
    (void)context;
    treb_position_to_fen(&found->pos, fen);
    return fputs(fen, out) >= 0;
}

static bool compare_text(void *context, const Found *found)
{
    char fen[TREB_FEN_SIZE];
    treb_position_to_fen(&found->pos, fen);
    ck_assert_uint_eq(found->length, strlen(fen));
    ck_assert(memcmp(found->text, fen, found->length) == 0);
    ++*(uint64_t *)context;
    return true;
}

START_TEST(texts)
{
    treb_tables *tables = open_set(directory);
    uint64_t number = 0;
    const FindListener listener = {
        .found = compare_text, .context = &number, .describe = write_fen};
    FindQuery query = {.tables = tables, .turn = FIND_EITHER, .threads = 3};
    FindCounts counts = {0};
    treb_error error;
    ck_assert(find_material(&query, "KRvK", &listener, &counts, &error) == TREB_OK);
    ck_assert_uint_eq(number, counts.found);
    ck_assert_uint_gt(number, 40000);
    treb_tables_close(tables);
}
END_TEST

/* ---- Samples --------------------------------------------------------------------------------- */

static Sample draw_sample(SampleQuery query, const char *const *names, size_t count)
{
    treb_error error = {.text = ""};
    Sample sample;
    treb_tables *tables = open_set(directory);
    query.find.tables = tables;
    query.material = names;
    query.materials = count;
    treb_status status = sample_draw(&query, &sample, &error);
    treb_tables_close(tables);
    ck_assert_msg(status == TREB_OK, "%s", error.text);
    return sample;
}

/* Brings a position of a sample back to the colours of the table. */
static treb_position as_in_table(const treb_position *pos)
{
    treb_position out = *pos;
    if (bit_count(pos->by_color[TREB_WHITE]) < 2) position_swap_colors(pos, &out);
    return out;
}

/* One of 128 groups of positions, each of which has positions of many kinds. Symmetries of the board
 * do not change it. */
static int group_of(const treb_position *table)
{
    int king = position_king(table, TREB_BLACK);
    int other = position_king(table, TREB_WHITE);
    if (square_file(king) > 3) king ^= 7, other ^= 7;
    int place = 4 * square_rank(king) + square_file(king);
    return place + 32 * (square_rank(other) > 3) + 64 * table->turn;
}

enum { GROUPS = 128 };

/* Draws from KPvK, and compares how often each group comes with how often it is in the population. */
static void check_uniform(bool board, bool random, uint64_t size, const char *condition)
{
    static const char *const names[] = {"KPvK"};
    const SampleQuery query = {.find = {.turn = FIND_EITHER, .condition = condition},
                               .size = size,
                               .seed = 5 + size,
                               .board = board,
                               .random = random};
    List *list = find_all(query.find, "KPvK");
    double expected[GROUPS] = {0}, all = 0, sum = 0;
    uint64_t drawn[GROUPS] = {0};
    int groups = 0;
    for (size_t i = 0; i < list->count; i++) {
        const double times = board ? weight(&list->found[i].pos) : 1;
        expected[group_of(&list->found[i].pos)] += times;
        all += times;
    }
    Sample sample = draw_sample(query, names, 1);
    ck_assert_uint_eq(sample.count, size);
    ck_assert(!sample.all);
    for (size_t i = 0; i < sample.count; i++) {
        const treb_position pos = as_in_table(&sample.found[i].pos);
        ck_assert(position_check(&pos, NULL) == TREB_OK);
        drawn[group_of(&pos)]++;
    }
    /* Without replacement the variance is smaller. */
    const double share = (double)size / all, less = 1 - share;
    for (int g = 0; g < GROUPS; g++) {
        if (expected[g] == 0) {
            ck_assert_uint_eq(drawn[g], 0);
            continue;
        }
        const double off = (double)drawn[g] - share * expected[g];
        sum += off * off / (share * expected[g] * less);
        groups++;
    }
    ck_assert_int_gt(groups, 30);
    /* Five standard deviations. The seed is fixed, so that the result is always the same. */
    const double free_groups = groups - 1, off = sum - free_groups;
    ck_assert_msg(off * off < 25 * 2 * free_groups, "%d %d %d: chi square %g of %g groups", board,
                  random, (int)size, sum, free_groups);
    free(sample.found);
    free(list);
}

START_TEST(samples_are_uniform)
{
    for (int way = 0; way < 4; way++) {
        const bool board = way & 1, random = way & 2;
        check_uniform(board, random, 20000, NULL); /* by drawing */
        if (board != random) continue;
        check_uniform(board, random, board ? 200000 : 100000, NULL); /* by going through */
        check_uniform(board, random, 2000, "rank(wp) > 3 and turn == 'white'");
        check_uniform(board, random, 20000, "rank(wp) > 3 and turn == 'white'");
    }
}
END_TEST

static int compare_positions(const void *a, const void *b)
{
    const treb_position *x = &((const Found *)a)->pos, *y = &((const Found *)b)->pos;
    const int colors = memcmp(x->by_color, y->by_color, sizeof x->by_color);
    const int types = memcmp(x->by_type, y->by_type, sizeof x->by_type);
    return colors ? colors : types ? types : (int)x->turn - (int)y->turn;
}

static size_t count_different(Sample *sample)
{
    size_t different = sample->count > 0;
    qsort(sample->found, sample->count, sizeof *sample->found, compare_positions);
    for (size_t i = 1; i < sample->count; i++)
        different += compare_positions(&sample->found[i - 1], &sample->found[i]) != 0;
    return different;
}

/* A sample that is larger than the population is all of it, each position once: what find lists, or
 * all positions of the full board. */
START_TEST(samples_of_all)
{
    static const char *const two[] = {"KQvK", "KPvK"};
    uint64_t listed = 0;
    const uint64_t counted = count_all(0, anything) + count_all(1, anything);
    for (int i = 0; i < 2; i++) {
        List *list = find_all((FindQuery){.turn = FIND_EITHER}, two[i]);
        listed += list->count;
        free(list);
    }
    SampleQuery query = {.find = {.turn = FIND_EITHER}, .size = 1 << 20, .seed = 3};
    Sample sample = draw_sample(query, two, 2);
    ck_assert(sample.all);
    ck_assert_uint_eq(sample.count, listed);
    ck_assert_uint_eq(count_different(&sample), listed);
    free(sample.found);
    query.board = query.random = true;
    sample = draw_sample(query, two, 2);
    ck_assert(sample.all);
    ck_assert_uint_eq(sample.count, counted);
    ck_assert_uint_eq(count_different(&sample), counted);
    free(sample.found);
    /* All zugzwangs of KPvK, in random order. */
    query = (SampleQuery){.find = {.kinds = FIND_ZUGZWANG, .turn = FIND_EITHER}, .size = 1000};
    List *list = find_all(query.find, "KPvK");
    sample = draw_sample(query, two, 2);
    ck_assert_uint_eq(sample.count, list->count);
    free(sample.found);
    free(list);
}
END_TEST

/* A sample depends on the seed only, and not on the number of threads. */
START_TEST(samples_repeat)
{
    static const char *const names[] = {"KPvK", "KRvK"};
    static const char *const conditions[] = {NULL, "verdict == 'draw'", "zugzwang"};
    for (int i = 0; i < 6; i++) {
        SampleQuery query = {.find = {.turn = FIND_EITHER, .condition = conditions[i % 3]},
                             .size = i < 3 ? 40 : 50000,
                             .seed = 9,
                             .board = i % 2,
                             .random = i % 2};
        query.find.threads = 1;
        Sample one = draw_sample(query, names, 2);
        query.find.threads = 4;
        Sample four = draw_sample(query, names, 2);
        query.seed = 10;
        Sample other = draw_sample(query, names, 2);
        size_t equal = 0;
        ck_assert_uint_eq(one.count, four.count);
        ck_assert_uint_eq(one.looked, four.looked);
        for (size_t p = 0; p < one.count; p++) {
            ck_assert(position_equal(&one.found[p].pos, &four.found[p].pos));
            equal += position_equal(&one.found[p].pos, &other.found[p].pos);
        }
        ck_assert_uint_gt(one.count, 30);
        ck_assert_uint_lt(equal, one.count / 8);
        free(one.found);
        free(four.found);
        free(other.found);
    }
}
END_TEST

/* Turned and mirrored positions are what they were: the verdict and the only move keep their meaning. The
 * side to move is the one that is asked for, and either colour has the pawn. */
START_TEST(samples_are_turned)
{
    static const char *const names[] = {"KPvK", "KQvK"};
    treb_tables *tables = open_set(directory);
    for (int turn = FIND_EITHER; turn <= TREB_BLACK; turn++) {
        const SampleQuery query = {.find = {.kinds = FIND_ONLY_MOVE, .turn = turn},
                                   .size = 3000,
                                   .seed = 1,
                                   .random = true};
        Sample sample = draw_sample(query, names, 2);
        size_t white = 0, right = 0, moving = 0;
        ck_assert_uint_eq(sample.count, 3000);
        for (size_t i = 0; i < sample.count; i++) {
            const Found *found = &sample.found[i];
            treb_wdl wdl, after;
            treb_position child;
            Move moves[MOVES_MAX];
            bool legal = false;
            for (int m = 0, count = movegen_legal(&found->pos, moves); m < count; m++)
                legal = legal || moves[m] == found->move;
            ck_assert(legal);
            ck_assert(turn == FIND_EITHER || found->pos.turn == turn);
            ck_assert(treb_probe_wdl(tables, &found->pos, &wdl, NULL) == TREB_OK);
            position_make(&found->pos, found->move, &child);
            ck_assert(treb_probe_wdl(tables, &child, &after, NULL) == TREB_OK);
            ck_assert_int_eq(found->wdl, wdl);
            ck_assert_int_eq(TREB_WIN - after, wdl);
            white += bit_count(found->pos.by_color[TREB_WHITE]) > 1;
            right += square_file(position_king(&found->pos, TREB_WHITE)) > 3;
            moving += found->pos.turn == TREB_WHITE;
        }
        ck_assert(white > 1000 && white < 2000 && right > 1200 && right < 1800);
        ck_assert(turn != FIND_EITHER || (moving > 1200 && moving < 1800));
        free(sample.found);
    }
    treb_tables_close(tables);
}
END_TEST

/* What was drawn before it was told to stop is the sample. */
START_TEST(samples_stop)
{
    static const char *const names[] = {"KPvK"};
    atomic_bool stop = true;
    const SampleQuery query = {.find = {.turn = FIND_EITHER, .stop = &stop}, .size = 90000};
    Sample sample = draw_sample(query, names, 1);
    ck_assert_uint_lt(sample.count, 90000);
    ck_assert(!sample.all);
    free(sample.found);
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
    tcase_add_test(tests, right_words);
    tcase_add_test(tests, move_distances);
    tcase_add_test(tests, texts);
    tcase_add_test(tests, samples_are_uniform);
    tcase_add_test(tests, samples_of_all);
    tcase_add_test(tests, samples_repeat);
    tcase_add_test(tests, samples_are_turned);
    tcase_add_test(tests, samples_stop);
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
