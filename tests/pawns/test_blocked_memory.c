/* test_blocked_memory.c - solving without memory, and with tables that cannot be read: each call
 * returns an error or the right result, and the right result when it is repeated. */
#define _DEFAULT_SOURCE
#include "core/system/hash.h"
#include "pawns/blocked/blocked_file.h"
#include "pawns/check/audit.h"
#include "pawns/check/blocked_file_check.h"
#include "pawns/solve/saved_search.h"
#include "pawns/solve/solve.h"
#include "tests/support/failing_alloc.h"
#include "tests/support/part.h"
#include "tests/support/three_men.h"

enum { LINE = 60, NO_DIGEST = 0 };

/* The results of a run, as digests; NO_DIGEST after an error. */
typedef struct Said {
    uint64_t solution, moves, line, read, audit;
    treb_status solved, saved, found, checked;
    uint64_t faults;
    int names;
} Said;

typedef struct Outcome {
    BlockedRequest request;
    Said is, wanted;
    treb_error error;
    PawnMove list[MOVES_MAX];
    char path[PATH_SIZE];
    uint8_t *good; /* the bytes of the blocked-pawn table */
    size_t good_size;
} Outcome;

/* ---- Digests --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * HASH_FACTOR;
    return hash ^ hash >> 29;
}

static uint64_t digest_value(uint64_t hash, const PawnValue *v)
{
    hash = mix(hash, (uint64_t)v->verdict << 32 | (uint32_t)v->plies);
    return mix(hash, (uint64_t)(2 * v->can[0] + v->can[1]));
}

/* The placements, and what captures lead to if that is known. */
static uint64_t digest_solution(const Blocked *b)
{
    uint64_t hash = 1 + b->upper_bounds + 2 * b->captures_known;
    for (int i = 0; i < 2 * 4096; i++) {
        int side = i >> 12, white = i >> 6 & 63, black = i & 63;
        if (!blocked_is_legal(b, side, white, black)) continue;
        PawnValue value = blocked_value(b, side, white, black);
        hash = digest_value(hash, &value);
    }
    for (int i = 0; i < 256 && b->captures_known; i++) {
        hash = mix(hash, b->captures[i >> 7].won[i >> 6 & 1][i & 63]);
        hash = mix(hash, b->captures[i >> 7].open[i >> 6 & 1][i & 63]);
    }
    return hash;
}

static uint64_t digest_moves(const PawnMove *move, int count)
{
    uint64_t hash = 1 + (uint64_t)count;
    for (int i = 0; i < count; i++) {
        hash = mix(hash, move[i].move);
        hash = digest_value(hash, &move[i].value);
    }
    return hash;
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* Repeats a call that fails. */
static void ask_moves(Outcome *o, Blocked *b)
{
    LineEnd end;
    treb_position last;
    int count = blocked_moves(b, o->list);
    if (count < 0) count = blocked_moves(b, o->list);
    o->is.moves = count < 0 ? NO_DIGEST : digest_moves(o->list, count);
    count = blocked_line(b, o->list, LINE, &end, &last);
    if (count < 0) count = blocked_line(b, o->list, LINE, &end, &last);
    o->is.line = count < 0 ? NO_DIGEST : mix(digest_moves(o->list, count), end);
}

static void solve_and_save(Outcome *o)
{
    Blocked *b = blocked_solve(&o->request, &o->error);
    o->is.solved = b != NULL ? TREB_OK : o->error.status;
    if (b == NULL) return;
    ask_moves(o, b);
    if (blocked_evaluate_captures(b) || blocked_evaluate_captures(b)) {
        o->is.solution = digest_solution(b);
        o->is.saved = blocked_file_write(b, directory, &o->error);
    } else {
        o->is.saved = TREB_ERR_MEMORY;
    }
    blocked_free(b);
}

static void read_back(Outcome *o)
{
    const char *dirs[] = {directory};
    FileNames names;
    FileCheck check = {.value = NULL};
    Blocked *b = blocked_file_find(dirs, 1, &o->request, &o->error);
    o->is.found = b != NULL ? TREB_OK : o->error.status;
    if (b != NULL) o->is.read = digest_solution(b);
    blocked_free(b);
    o->is.checked = blocked_file_check(o->path, &check);
    o->is.names = blocked_file_names(dirs, 1, &names) ? (int)names.count : -1;
    file_names_free(&names);
}

static void run(void *context)
{
    Outcome *o = context;
    o->is = (Said){.saved = TREB_ERR_MEMORY, .names = -1};
    solve_and_save(o);
    read_back(o);
}

static void check_digest(uint64_t is, uint64_t wanted, bool failed, const char *what)
{
    if (is == NO_DIGEST && failed) return;
    ck_assert_msg(is == wanted, "another %s", what);
}

static void check(void *context, bool failed)
{
    Outcome *o = context;
    const Said *is = &o->is, *wanted = &o->wanted;
    ck_assert(is->solved == TREB_OK || (failed && is->solved == TREB_ERR_MEMORY));
    ck_assert(is->saved == TREB_OK || (failed && is->saved == TREB_ERR_MEMORY));
    treb_status missing = is->saved == TREB_OK ? TREB_OK : TREB_ERR_NO_TABLE;
    ck_assert(is->found == missing || (failed && is->found == TREB_ERR_MEMORY));
    ck_assert(is->checked == missing || (failed && is->checked == TREB_ERR_MEMORY));
    check_digest(is->moves, wanted->moves, failed, "list of moves");
    check_digest(is->line, wanted->line, failed, "line");
    check_digest(is->solution, wanted->solution, failed, "solution");
    check_digest(is->read, wanted->read, failed || missing, "solution in the file");
    ck_assert(is->names == (missing == TREB_OK) || (failed && is->names == -1));
    ck_assert_int_eq(count_files(), is->saved == TREB_OK);
    if (is->saved != TREB_OK) return;
    size_t size;
    uint8_t *bytes = load(o->path, &size);
    ck_assert_uint_eq(size, o->good_size);
    ck_assert_mem_eq(bytes, o->good, size);
    free(bytes);
    ck_assert_int_eq(unlink(o->path), 0);
}

/* ---- Tables that cannot be read ------------------------------------------------------------- */

/* An oracle for up to three pieces that fails at some calls. */
typedef struct Oracle {
    uint64_t calls, first, last; /* calls number `first` to `last` fail */
} Oracle;

static bool covers_three(void *context, const CellsKey *key)
{
    (void)context;
    return key->pieces + bit_count(cells_pawns(key)) <= 1;
}

static bool three_men_value(void *context, const treb_position *pos, int *out)
{
    Oracle *oracle = context;
    uint64_t call = __atomic_fetch_add(&oracle->calls, 1, __ATOMIC_RELAXED);
    if (call >= oracle->first && call <= oracle->last) return false;
    treb_position own = *pos;
    Material m = material_of_position(pos);
    *out = 0;
    if (material_canonical(&m)) position_swap_colors(pos, &own);
    for (int t = 0; t < MATERIALS; t++) {
        if (!material_equal(&truth[t].index.material, &m)) continue;
        int verdict = truth[t].verdict[own.turn][index_of_position(&truth[t].index, &own)];
        *out = verdict == TREB_WIN ? 1 : verdict == TREB_LOSS ? -1 : 0;
    }
    return true;
}

/* ---- The tests ------------------------------------------------------------------------------- */

static Outcome *start(const char *fen, TableGoal goal, int pieces)
{
    Outcome *o = calloc(1, sizeof *o);
    char name[TABLE_LONG_NAME_SIZE];
    ck_assert_ptr_nonnull(o);
    o->request = (BlockedRequest){.goal = goal,
                                  .all = true,
                                  .region = {UINT64_MAX, UINT64_MAX},
                                  .limits = {.memory = UINT64_C(100) << 20, .pieces = pieces}};
    ck_assert_int_eq(position_from_fen(fen, &o->request.pos, NULL), TREB_OK);
    blocked_file_name(&o->request, name);
    path_of(name, o->path);
    return o;
}

/* Number of runs with a failure in each mode: fewer under sanitizers, where tests are many times
 * slower. */
static uint64_t fewer(uint64_t most) { return test_part() > 1 ? most / 4 : most; }

static void sweep(const char *fen, TableGoal goal, int pieces, uint64_t most)
{
    Outcome *o = start(fen, goal, pieces);
    run(o);
    o->wanted = o->is;
    ck_assert(o->is.solved == TREB_OK && o->is.saved == TREB_OK && o->is.checked == TREB_OK);
    ck_assert(o->is.moves != NO_DIGEST && o->is.line != NO_DIGEST);
    o->good = load(o->path, &o->good_size);
    AllocTest test = {.work = run, .check = check, .context = o, .most = fewer(most)};
    ck_assert_uint_gt(alloc_sweep(&test), 50);
    free(o->good);
    free(o);
}

START_TEST(goals) { sweep("8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1", GOAL_TAKE, 0, 0); }
END_TEST

START_TEST(kings_and_pawns) { sweep("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", GOAL_EXACT, 0, 200); }
END_TEST

/* A double push can be answered en passant. */
START_TEST(en_passant) { sweep("k7/8/8/8/1p6/pP6/P7/6K1 w - - 0 1", GOAL_EXACT, 0, 200); }
END_TEST

START_TEST(with_a_piece) { sweep("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", GOAL_EXACT, 1, 60); }
END_TEST

/* One answer of the tables fails, or all from one on. */
START_TEST(tables_that_fail)
{
    Outcome *o = start("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", GOAL_EXACT, 1);
    Oracle oracle = {.first = UINT64_MAX, .last = UINT64_MAX};
    o->request.limits.covers = covers_three;
    o->request.limits.oracle = (PositionOracle){&oracle, three_men_value, NULL};
    run(o);
    o->wanted = o->is;
    o->good = load(o->path, &o->good_size);
    check(o, false);
    uint64_t calls = oracle.calls;
    ck_assert_uint_gt(calls, 100);
    for (uint64_t i = 0; i < 2 * calls; i++) {
        oracle = (Oracle){.first = i / 2, .last = i % 2 ? UINT64_MAX : i / 2};
        run(o);
        check(o, true);
    }
    free(o->good);
    free(o);
}
END_TEST

/* An audit checks everything and finds no fault, or it says that it failed. */
static void audit_it(void *context)
{
    Outcome *o = context;
    AuditOptions options = {0};
    AuditReport report = {0};
    o->is = (Said){.solved = TREB_ERR_MEMORY};
    Blocked *b = blocked_solve(&o->request, &o->error);
    if (b != NULL && blocked_audit(b, &options, &report)) {
        o->is.solved = TREB_OK;
        o->is.audit = mix(report.positions, report.structures);
        o->is.faults = report.faults;
    }
    blocked_free(b);
}

static void check_audit(void *context, bool failed)
{
    const Outcome *o = context;
    ck_assert(o->is.solved == TREB_OK || failed);
    if (o->is.solved == TREB_OK) ck_assert_uint_eq(o->is.audit, o->wanted.audit);
    ck_assert_uint_eq(o->is.faults, 0);
}

START_TEST(audits)
{
    Outcome *o = start("k7/8/8/8/1p6/pP6/P7/6K1 w - - 0 1", GOAL_EXACT, 0);
    audit_it(o);
    o->wanted = o->is;
    AllocTest test = {.work = audit_it, .check = check_audit, .context = o, .most = 40};
    ck_assert_uint_gt(alloc_sweep(&test), 50);
    free(o);
}
END_TEST

/* Any position: the answer, the line, and the saved search. */
static void solve_it(void *context)
{
    Outcome *o = context;
    LineEnd end;
    treb_position last;
    bool found = false;
    o->is = (Said){.solved = TREB_ERR_MEMORY, .saved = TREB_ERR_MEMORY, .found = TREB_ERR_MEMORY};
    Solve *s = solve_position(&o->request.pos, &o->request.limits, &o->error);
    if (s != NULL) {
        o->is.solved = TREB_OK;
        o->is.solution = mix(mix(1, (uint64_t)s->rule.plies), (uint64_t)s->rule.first);
        o->is.solution = digest_value(o->is.solution, &s->value);
        o->is.moves = digest_moves(s->move, s->moves);
        int count = solve_line(s, o->list, LINE, &end, &last);
        o->is.line = count < 0 ? NO_DIGEST : mix(digest_moves(o->list, count), end);
        o->is.saved = saved_search_write(s->graph, &s->pos, o->path, &o->error);
    }
    solve_free(s);
    s = o->is.saved == TREB_OK ? solve_new(&o->request.pos, &o->request.limits, &o->error) : NULL;
    if (s != NULL) o->is.found = saved_search_read(s->graph, &s->pos, o->path, &found, &o->error);
    if (o->is.found == TREB_OK) o->is.read = mix(found, s->graph->structures);
    solve_free(s);
}

static void check_solved(void *context, bool failed)
{
    const Outcome *o = context;
    const Said *is = &o->is, *wanted = &o->wanted;
    const treb_status all[] = {is->solved, is->saved, is->found};
    for (int i = 0; i < 3; i++)
        ck_assert(all[i] == TREB_OK || (failed && all[i] == TREB_ERR_MEMORY));
    check_digest(is->solution, wanted->solution, failed, "solution");
    check_digest(is->moves, wanted->moves, failed, "list of moves");
    check_digest(is->line, wanted->line, failed, "line");
    check_digest(is->read, wanted->read, failed, "graph in the file");
    ck_assert_int_eq(count_files(), is->saved == TREB_OK);
    if (is->saved == TREB_OK) ck_assert_int_eq(unlink(o->path), 0);
}

START_TEST(any_position)
{
    Outcome *o = start("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", GOAL_EXACT, 1);
    solve_it(o);
    o->wanted = o->is;
    check_solved(o, false);
    AllocTest test = {.work = solve_it, .check = check_solved, .context = o, .most = fewer(150)};
    ck_assert_uint_gt(alloc_sweep(&test), 200);
    free(o);
}
END_TEST

int main(void)
{
    solve_all();
    Suite *suite = suite_create("blocked positions without memory");
    TCase *tests = add_case(suite, "sweeps", make_directory, remove_directory);
    tcase_add_test(tests, goals);
    tcase_add_test(tests, kings_and_pawns);
    tcase_add_test(tests, en_passant);
    tcase_add_test(tests, with_a_piece);
    tcase_add_test(tests, tables_that_fail);
    tcase_add_test(tests, audits);
    tcase_add_test(tests, any_position);
    return run_suite(suite);
}
