/* test_saved_search.c - a search that goes on from a file has the same sets and proofs; all damage
 * is noticed. */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pawns/check/audit.h"
#include "pawns/solve/saved_search.h"
#include "pawns/solve/solve.h"
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

/* Removes the folder, which must be empty. */
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
static bool count_down(void *context, uint64_t structures, uint64_t bytes)
{
    long *left = context;
    (void)structures;
    (void)bytes;
    return (*left)-- <= 0;
}

static Solve *begin_with(const treb_position *pos, uint64_t memory,
                         bool (*stop)(void *context, uint64_t structures, uint64_t bytes),
                         void *context)
{
    const ProofGraphLimits limits = {.memory = memory,
                                     .pieces = 2,
                                     .no_win_search = true,
                                     .stop = stop,
                                     .stop_context = context};
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
    return saved_search_read(s->graph, &s->pos, path, found, error);
}

static void assert_same_structure(const Structure *a, const Structure *b)
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

/* All that is known must be the same. */
static void assert_same(const ProofGraph *a, const ProofGraph *b)
{
    ck_assert_uint_eq(a->structures, b->structures);
    ck_assert_uint_eq(a->bytes, b->bytes);
    for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
        for (int i = 0; i < a->count[p]; i++) {
            const Structure *other = proof_graph_find(b, &a->by_potential[p][i]->key);
            ck_assert(other != NULL);
            assert_same_structure(a->by_potential[p][i], other);
        }
}

/* The proven values must be the same, and no distance smaller than the true one. */
static void assert_same_answer(const Solve *whole, const Solve *s)
{
    ck_assert_int_eq(whole->value.verdict, s->value.verdict);
    ck_assert_int_eq(whole->moves, s->moves);
    for (int i = 0; i < s->moves; i++)
        for (int j = 0; j < s->moves; j++)
            if (s->move[i].move == whole->move[j].move)
                ck_assert_int_eq(s->move[i].value.verdict, whole->move[j].value.verdict);
}

/* A search that is stopped again and again, and goes on from its file each time. */
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
        ck_assert(complete || s->graph->stopped);
        ck_assert_msg(saved_search_write(s->graph, &pos, path, &error) == TREB_OK, "%s",
                      error.text);
        Solve *again = begin(&pos, &steps, memory);
        ck_assert_msg(load(again, &found, &error) == TREB_OK, "%s", error.text);
        assert_same(s->graph, again->graph);
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

/* A stop callback that reads the whole graph, saves it at times, and reads the file. */
typedef struct Onlooker {
    Solve *solve;
    const Solve *whole;
    uint64_t calls;
} Onlooker;

static bool look(void *context, uint64_t structures, uint64_t bytes)
{
    Onlooker *o = context;
    SolveState state;
    treb_error error;
    long forever = LONG_MAX;
    bool found;
    (void)structures;
    (void)bytes;
    const treb_position pos = o->solve->pos;
    o->calls++;
    if (o->calls < 64 || o->calls % 64 == 0) solve_state(o->solve, &state);
    if ((o->calls & (o->calls - 1)) != 0 || o->calls % 3 == 1) return false; /* 2, 8, 32, ... */
    ck_assert_msg(saved_search_write(o->solve->graph, &pos, path, &error) == TREB_OK, "%s",
                  error.text);
    Solve *later = begin(&pos, &forever, UINT64_C(256) << 20);
    ck_assert_msg(load(later, &found, &error) == TREB_OK, "%s", error.text);
    assert_same(o->solve->graph, later->graph);
    run(later);
    assert_same_answer(o->whole, later);
    solve_free(later);
    return false;
}

/* Reading the graph in the callback changes nothing, not even if a pawn can be captured en passant
 * after the first move. */
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
    ck_assert(whole->value.verdict != VERDICT_OPEN);
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
    ck_assert_msg(saved_search_write(s->graph, pos, path, &error) == TREB_OK, "%s", error.text);
    solve_free(s);
}

/* Files that are cut at any place, too long, or have a changed bit. */
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
    return key->pieces == 0 && cells_pawns(key) == 0;
}

static bool kings_draw(void *context, const treb_position *pos, int *out)
{
    (void)context;
    (void)pos;
    *out = 0;
    return true;
}

/* A graph with king, pawn and queen against king and pawn, and the structures without the pawns. In
 * structures with the queen only the sure wins of `only` are looked for, or everything. */
static ProofGraph *graph_of_queens(int only)
{
    const uint64_t white = square_bit(12), black = square_bit(53);
    const CellsPiece queen = {TREB_WHITE, TREB_QUEEN};
    const CellsKey keys[] = {{.pieces = 0},
                             {.pawns = {white, 0}},
                             {.pawns = {0, black}},
                             {.piece = {queen}, .pieces = 1},
                             {.pawns = {white, 0}, .piece = {queen}, .pieces = 1},
                             {.pawns = {0, black}, .piece = {queen}, .pieces = 1},
                             {.pawns = {white, black}, .piece = {queen}, .pieces = 1}};
    const ProofGraphLimits limits = {
        .memory = UINT64_C(100) << 20, .pieces = 1, .no_win_search = true};
    ProofGraph *graph = proof_graph_new(&limits);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ck_assert(proof_graph_add(graph, &keys[i], true,
                                  keys[i].pieces > 0 ? only : BOTH_WINNERS) != NULL);
    ck_assert(proof_graph_update(graph, true));
    return graph;
}

/* The sure wins of one winner are the same as in a complete structure, are the same after saving
 * and reading, and the structure can be made complete. */
START_TEST(one_winner_alone)
{
    const treb_position pos = read_fen("8/5p2/8/2k5/8/8/4P3/4K2Q w - - 0 1");
    treb_error error;
    bool found;
    ProofGraph *all = graph_of_queens(BOTH_WINNERS);
    make_folder();
    for (int winner = 0; winner < 2; winner++) {
        ProofGraph *one = graph_of_queens(winner), *read = proof_graph_new(&one->limits);
        uint64_t wins = 0;
        ck_assert_uint_lt(one->bytes, all->bytes);
        ck_assert_int_eq(saved_search_write(one, &pos, path, &error), TREB_OK);
        ck_assert_int_eq(saved_search_read(read, &pos, path, &found, &error), TREB_OK);
        assert_same(one, read);
        for (int p = 0; p < PROOF_GRAPH_POTENTIALS; p++)
            for (int i = 0; i < one->count[p]; i++) {
                Structure *f = one->by_potential[p][i];
                const Structure *whole = proof_graph_find(all, &f->key);
                ck_assert_int_eq(proof_graph_find(read, &f->key)->only_winner, f->only_winner);
                if (f->only_winner == BOTH_WINNERS) continue;
                for (size_t w = 0; w < 2 * cells_words(&f->key); w++) {
                    const int side = w & 1;
                    const uint64_t sure = f->won[SURE][winner][side][w >> 1];
                    ck_assert_uint_eq(sure, whole->won[SURE][winner][side][w >> 1]);
                    wins += sure != 0;
                }
                ck_assert(proof_graph_widen(one, f));
            }
        if (winner == TREB_WHITE) ck_assert_uint_gt(wins, 10000);
        ck_assert(proof_graph_update(one, true));
        assert_same(all, one);
        proof_graph_free(one);
        proof_graph_free(read);
    }
    proof_graph_free(all);
    remove_folder();
}
END_TEST

/* Proofs that rest on tables need them again when they are read. */
START_TEST(tables_are_needed_again)
{
    const treb_position pos = read_fen("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1");
    ProofGraphLimits limits = {.memory = 100 << 20, .pieces = 1, .covers = covers_kings};
    treb_error error;
    bool found;
    limits.oracle.value = kings_draw;
    make_folder();
    Solve *s = solve_position(&pos, &limits, &error);
    ck_assert(s != NULL);
    const CellsKey kings = {.pieces = 0};
    ck_assert(proof_graph_find(s->graph, &kings) != NULL ||
              proof_graph_add(s->graph, &kings, true, BOTH_WINNERS) != NULL);
    ck_assert_int_eq(saved_search_write(s->graph, &pos, path, &error), TREB_OK);
    solve_free(s);
    s = solve_new(&pos, &limits, &error);
    ck_assert_int_eq(load(s, &found, &error), TREB_OK);
    solve_free(s);
    ck_assert_int_eq(try_load(&pos, 100 << 20, &error), TREB_ERR_NO_TABLE);
    ck_assert_ptr_nonnull(strstr(error.text, "--tables"));
    remove_folder();
}
END_TEST

/* The old file stays if the new one cannot be written; unfinished files of killed processes are
 * removed. */
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
    ck_assert_int_eq(saved_search_write(s->graph, &pos, "/nowhere/saved", &error), TREB_ERR_IO);
    solve_free(s);
    remove_folder();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("saved_search");
    TCase *keep = tcase_create("saved_search");
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
