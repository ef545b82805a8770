/* test_keep.c - a search that goes on from a file: the same sets, the same proofs; no damage goes unnoticed. */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pawns/audit.h"
#include "pawns/keep.h"
#include "pawns/solve.h"
#include "tests/support/part.h"
#include "tests/support/suite.h"

/* Won, drawn, and won with a piece beside the pawns. */
static const char *const fens[] = {"8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
                                   "8/8/p3k3/1p6/1P6/P3K3/8/8 w - - 0 1",
                                   "8/8/8/1p3k1p/1P5P/5KP1/8/8 w - - 0 1"};

static char folder[64], path[96];

static void make_folder(void)
{
    strcpy(folder, "/tmp/test-keep-XXXXXX");
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/saved", folder);
}

/* Nothing else may be left there. */
static void remove_folder(void)
{
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static treb_position read_fen(const char *fen)
{
    treb_position pos;
    ck_assert_int_eq(position_from_fen(fen, &pos, NULL), TREB_OK);
    return pos;
}

/* Stops after a while. */
static bool count_down(void *context, uint64_t families, uint64_t bytes)
{
    long *left = context;
    (void)families;
    (void)bytes;
    return (*left)-- <= 0;
}

static Solve *begin_with(const treb_position *pos, uint64_t memory,
                         bool (*stop)(void *context, uint64_t families, uint64_t bytes),
                         void *context)
{
    const LatticeLimits limits = {
        .memory = memory, .men = 2, .unscouted = true, .stop = stop, .stop_context = context};
    treb_error error;
    Solve *s = solve_new(pos, &limits, &error);
    ck_assert_msg(s != NULL, "%s", error.text);
    return s;
}

static Solve *begin(const treb_position *pos, long *steps, uint64_t memory)
{
    return begin_with(pos, memory, count_down, steps);
}

static void run(Solve *s)
{
    treb_error error;
    ck_assert_msg(solve_run(s, &error) == TREB_OK, "%s", error.text);
}

static treb_status load(Solve *s, bool *found, treb_error *error)
{
    return keep_read(s->lattice, &s->pos, path, found, error);
}

static void assert_same_family(const Family *a, const Family *b)
{
    const size_t bytes = cells_words(&a->key) * sizeof(uint64_t);
    ck_assert_int_eq(a->solved, b->solved);
    ck_assert_int_eq(a->decided, b->decided);
    for (int side = 0; side < 2 && a->solved && a->oracle == NULL; side++)
        ck_assert_int_eq(memcmp(a->stuck[side], b->stuck[side], bytes), 0);
    for (int i = 0; i < 8 && a->solved; i++) {
        const int level = i & 4 ? MAYBE : SURE, winner = i >> 1 & 1, side = i & 1;
        ck_assert_int_eq(memcmp(a->won[level][winner][side], b->won[level][winner][side], bytes),
                         0);
    }
}

/* All that is known must come back as it was. */
static void assert_same(const Lattice *a, const Lattice *b)
{
    ck_assert_uint_eq(a->families, b->families);
    ck_assert_uint_eq(a->bytes, b->bytes);
    for (int p = 0; p < LATTICE_POTENTIALS; p++)
        for (int i = 0; i < a->count[p]; i++) {
            const Family *other = lattice_find(b, &a->by_potential[p][i]->key);
            ck_assert(other != NULL);
            assert_same_family(a->by_potential[p][i], other);
        }
}

/* What is proven is the same, and no distance is better than what it is. */
static void assert_same_answer(const Solve *whole, const Solve *s)
{
    ck_assert_int_eq(whole->value.verdict, s->value.verdict);
    ck_assert_int_eq(whole->moves, s->moves);
    for (int i = 0; i < s->moves; i++)
        for (int j = 0; j < s->moves; j++)
            if (s->move[i].move == whole->move[j].move)
                ck_assert_int_eq(s->move[i].value.verdict, whole->move[j].value.verdict);
}

/* Stopped again and again, each time by another run that goes on from the file. */
START_TEST(goes_on)
{
    const treb_position pos = read_fen(fens[_i]);
    const uint64_t memory = UINT64_C(256) << 20;
    long forever = LONG_MAX;
    treb_error error;
    bool found;
    Solve *whole = begin(&pos, &forever, memory);
    run(whole);
    ck_assert(solve_complete(whole));
    make_folder();
    int runs = 0;
    for (bool complete = false; !complete; runs++) {
        long steps = 40L << (test_part() > 1 ? 3 * runs : runs);
        ck_assert_int_lt(runs, 25);
        Solve *s = begin(&pos, &steps, memory);
        ck_assert_msg(load(s, &found, &error) == TREB_OK, "%s", error.text);
        ck_assert_int_eq(found, runs > 0);
        run(s);
        complete = solve_complete(s);
        ck_assert(complete || s->lattice->stopped);
        ck_assert_msg(keep_write(s->lattice, &pos, path, &error) == TREB_OK, "%s", error.text);
        Solve *again = begin(&pos, &steps, memory);
        ck_assert_msg(load(again, &found, &error) == TREB_OK, "%s", error.text);
        assert_same(s->lattice, again->lattice);
        if (complete) assert_same_answer(whole, s);
        solve_free(again);
        if (complete && _i == 2) {
            const AuditOptions options = {0};
            AuditReport report;
            ck_assert(solve_audit(s, &options, &report));
            ck_assert_uint_eq(report.faults, 0);
        }
        solve_free(s);
    }
    ck_assert_int_gt(runs, 2);
    remove_folder();
    solve_free(whole);
}
END_TEST

/* Looks at all there is while it is asked whether to stop, saves it now and then, and goes on from that file. */
typedef struct Onlooker {
    Solve *solve;
    const Solve *whole;
    uint64_t calls;
} Onlooker;

static bool look(void *context, uint64_t families, uint64_t bytes)
{
    Onlooker *o = context;
    SolveState state;
    treb_error error;
    long forever = LONG_MAX;
    bool found;
    (void)families;
    (void)bytes;
    const treb_position pos = o->solve->pos;
    o->calls++;
    if (o->calls < 64 || o->calls % 64 == 0) solve_state(o->solve, &state);
    if ((o->calls & (o->calls - 1)) != 0 || o->calls % 3 == 1) return false; /* 2, 8, 32, ... */
    ck_assert_msg(keep_write(o->solve->lattice, &pos, path, &error) == TREB_OK, "%s", error.text);
    Solve *later = begin(&pos, &forever, UINT64_C(256) << 20);
    ck_assert_msg(load(later, &found, &error) == TREB_OK, "%s", error.text);
    assert_same(o->solve->lattice, later->lattice);
    run(later);
    assert_same_answer(o->whole, later);
    solve_free(later);
    return false;
}

/* Whoever looks in changes nothing, also where a pawn can be taken en passant after the first move. */
START_TEST(looked_at_meanwhile)
{
    static const char *const at[] = {
        "8/8/8/3k4/1p6/8/P2K4/8 w - - 0 1", "8/8/2k5/8/1p6/4K3/P1P5/8 w - - 0 1",
        "8/2p5/8/KP5k/8/8/8/8 b - - 0 1", "8/1kp5/8/1P1P4/8/1K6/8/8 b - - 0 1"};
    const treb_position pos = read_fen(at[_i]);
    const uint64_t memory = UINT64_C(256) << 20;
    long forever = LONG_MAX;
    Solve *whole = begin(&pos, &forever, memory);
    run(whole);
    ck_assert(whole->value.verdict != BLOCKED_OPEN);
    make_folder();
    Onlooker onlooker = {.whole = whole};
    Solve *s = onlooker.solve = begin_with(&pos, memory, look, &onlooker);
    run(s);
    ck_assert_uint_gt(onlooker.calls, 10);
    assert_same_answer(whole, s);
    remove_folder();
    solve_free(s);
    solve_free(whole);
}
END_TEST

static uint8_t *read_file(size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert(file != NULL);
    uint8_t *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    ck_assert_uint_lt(*size, 1 << 22);
    fclose(file);
    return bytes;
}

static void write_file(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert(file != NULL);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static treb_status try_load(const treb_position *pos, uint64_t memory, treb_error *error)
{
    long steps = 0;
    bool found;
    Solve *s = begin(pos, &steps, memory);
    treb_status status = load(s, &found, error);
    ck_assert(found);
    solve_free(s);
    return status;
}

static void save_some(const treb_position *pos)
{
    long steps = 400;
    treb_error error;
    Solve *s = begin(pos, &steps, UINT64_C(256) << 20);
    run(s);
    ck_assert_msg(keep_write(s->lattice, pos, path, &error) == TREB_OK, "%s", error.text);
    solve_free(s);
}

/* Cut at any place, longer than it is, or with a bit that has changed. */
START_TEST(damage_is_noticed)
{
    const treb_position pos = read_fen(fens[0]);
    const uint64_t memory = UINT64_C(256) << 20;
    treb_error error;
    size_t size;
    make_folder();
    save_some(&pos);
    uint8_t *bytes = read_file(&size);
    ck_assert_int_eq(try_load(&pos, memory, &error), TREB_OK);
    for (size_t cut = 0; cut < size; cut += 1 + size / 61) {
        write_file(bytes, cut);
        ck_assert_msg(try_load(&pos, memory, &error) == TREB_ERR_DAMAGED, "cut at %zu", cut);
    }
    write_file(bytes, size - 1);
    ck_assert_int_eq(try_load(&pos, memory, &error), TREB_ERR_DAMAGED);
    for (size_t at = 0; at < size; at += at < 160 ? 1 : 1 + size / 199) {
        bytes[at] ^= 1 << at % 8;
        write_file(bytes, size);
        ck_assert_msg(try_load(&pos, memory, &error) == TREB_ERR_DAMAGED, "at %zu", at);
        bytes[at] ^= 1 << at % 8;
    }
    bytes[size] = 0;
    write_file(bytes, size + 1);
    ck_assert_int_eq(try_load(&pos, memory, &error), TREB_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(error.text, "damaged"));
    free(bytes);
    remove_folder();
}
END_TEST

START_TEST(other_circumstances)
{
    const treb_position pos = read_fen(fens[0]);
    treb_position other = pos;
    treb_error error;
    make_folder();
    save_some(&pos);
    other.halfmove = 7; /* does not matter */
    ck_assert_int_eq(try_load(&other, UINT64_C(256) << 20, &error), TREB_OK);
    other.turn ^= 1;
    ck_assert_int_eq(try_load(&other, UINT64_C(256) << 20, &error), TREB_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "of another position: 8/k7/3p4"));
    ck_assert_int_eq(try_load(&pos, 300000, &error), TREB_ERR_MEMORY);
    ck_assert_ptr_nonnull(strstr(error.text, "--memory"));
    remove_folder();
}
END_TEST

static bool covers_kings(void *context, const CellsKey *key)
{
    (void)context;
    return key->men == 0 && cells_pawns(key) == 0;
}

static bool kings_draw(void *context, const treb_position *pos, int *out)
{
    (void)context;
    (void)pos;
    *out = 0;
    return true;
}

/* A king, a pawn and a queen against king and pawn, and what is left without the pawns; the queen's families all of them,
 * or only what `only` surely wins there. */
static Lattice *lattice_of_queens(int only)
{
    const uint64_t white = square_bit(12), black = square_bit(53);
    const CellsMan queen = {TREB_WHITE, TREB_QUEEN};
    const CellsKey keys[] = {{.men = 0},
                             {.pawns = {white, 0}},
                             {.pawns = {0, black}},
                             {.man = {queen}, .men = 1},
                             {.pawns = {white, 0}, .man = {queen}, .men = 1},
                             {.pawns = {0, black}, .man = {queen}, .men = 1},
                             {.pawns = {white, black}, .man = {queen}, .men = 1}};
    const LatticeLimits limits = {.memory = UINT64_C(100) << 20, .men = 1, .unscouted = true};
    Lattice *lattice = lattice_new(&limits);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ck_assert(lattice_add(lattice, &keys[i], true, keys[i].men > 0 ? only : FAMILY_BOTH) !=
                  NULL);
    ck_assert(lattice_update(lattice, true));
    return lattice;
}

/* What is looked for alone is what it is among all, comes back from a file, and can be made all of it. */
START_TEST(one_winner_alone)
{
    const treb_position pos = read_fen("8/5p2/8/2k5/8/8/4P3/4K2Q w - - 0 1");
    treb_error error;
    bool found;
    Lattice *all = lattice_of_queens(FAMILY_BOTH);
    make_folder();
    for (int winner = 0; winner < 2; winner++) {
        Lattice *one = lattice_of_queens(winner), *read = lattice_new(&one->limits);
        uint64_t wins = 0;
        ck_assert_uint_lt(one->bytes, all->bytes);
        ck_assert_int_eq(keep_write(one, &pos, path, &error), TREB_OK);
        ck_assert_int_eq(keep_read(read, &pos, path, &found, &error), TREB_OK);
        assert_same(one, read);
        for (int p = 0; p < LATTICE_POTENTIALS; p++)
            for (int i = 0; i < one->count[p]; i++) {
                Family *f = one->by_potential[p][i];
                const Family *whole = lattice_find(all, &f->key);
                ck_assert_int_eq(lattice_find(read, &f->key)->only, f->only);
                if (f->only == FAMILY_BOTH) continue;
                for (size_t w = 0; w < 2 * cells_words(&f->key); w++) {
                    const int side = w & 1;
                    const uint64_t sure = f->won[SURE][winner][side][w >> 1];
                    ck_assert_uint_eq(sure, whole->won[SURE][winner][side][w >> 1]);
                    wins += sure != 0;
                }
                ck_assert(lattice_widen(one, f));
            }
        if (winner == TREB_WHITE) ck_assert_uint_gt(wins, 10000);
        ck_assert(lattice_update(one, true));
        assert_same(all, one);
        lattice_free(one);
        lattice_free(read);
    }
    lattice_free(all);
    remove_folder();
}
END_TEST

/* Proofs that rest on tables need these again. */
START_TEST(tables_are_needed_again)
{
    const treb_position pos = read_fen("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1");
    LatticeLimits limits = {.memory = 100 << 20, .men = 1, .covers = covers_kings};
    treb_error error;
    bool found;
    limits.oracle.value = kings_draw;
    make_folder();
    Solve *s = solve_position(&pos, &limits, &error);
    ck_assert(s != NULL);
    const CellsKey kings = {.men = 0};
    ck_assert(lattice_find(s->lattice, &kings) != NULL ||
              lattice_add(s->lattice, &kings, true, FAMILY_BOTH) != NULL);
    ck_assert_int_eq(keep_write(s->lattice, &pos, path, &error), TREB_OK);
    solve_free(s);
    s = solve_new(&pos, &limits, &error);
    ck_assert_int_eq(load(s, &found, &error), TREB_OK);
    solve_free(s);
    ck_assert_int_eq(try_load(&pos, 100 << 20, &error), TREB_ERR_NO_TABLE);
    ck_assert_ptr_nonnull(strstr(error.text, "--tables"));
    remove_folder();
}
END_TEST

/* The old file stays if the new one cannot be written; what a killed process has left goes. */
START_TEST(one_file)
{
    const treb_position pos = read_fen(fens[0]);
    char left[128], alive[128];
    treb_error error;
    make_folder();
    snprintf(left, sizeof left, "%s/.saved.tmp-999999999", folder);
    snprintf(alive, sizeof alive, "%s/.saved.tmp-1", folder);
    fclose(fopen(left, "w"));
    fclose(fopen(alive, "w"));
    save_some(&pos);
    ck_assert_int_eq(access(left, F_OK), -1);
    ck_assert_int_eq(access(alive, F_OK), 0);
    ck_assert_int_eq(unlink(alive), 0);
    long steps = 0;
    Solve *s = begin(&pos, &steps, 100 << 20);
    ck_assert_int_eq(keep_write(s->lattice, &pos, "/nowhere/saved", &error), TREB_ERR_IO);
    solve_free(s);
    remove_folder();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("keep");
    TCase *keep = tcase_create("keep");
    tcase_set_timeout(keep, 300);
    tcase_add_loop_test(keep, goes_on, 0, sizeof fens / sizeof *fens);
    tcase_add_loop_test(keep, looked_at_meanwhile, 0, test_part() > 1 ? 1 : 4);
    tcase_add_test(keep, damage_is_noticed);
    tcase_add_test(keep, other_circumstances);
    tcase_add_test(keep, one_winner_alone);
    tcase_add_test(keep, tables_are_needed_again);
    tcase_add_test(keep, one_file);
    suite_add_tcase(suite, keep);
    return run_suite(suite);
}
