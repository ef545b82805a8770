/* bench_fathom.c - measures the nanoseconds of a probe, beside libfathom's, on the same positions.
 *
 *     bench_fathom [-n POSITIONS] SYZYGY_DIR TABLES_DIR MATERIAL...
 *
 * Draws random legal positions, half with either side to move. Every run draws identical ones.
 * Probes all of them once to bring the data into memory, then times ROUNDS rounds of all, and
 * reports the fastest round. It uses one thread. The exit status is 1 if any verdicts differ; their
 * number is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tbprobe.h>
#include <time.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "tests/support/draw.h"

enum { ROUNDS = 5, POSITIONS_DEFAULT = 200000, ROOT_SHARE = 20 };

static const uint64_t cache_bytes = UINT64_C(256) << 20;

typedef struct Bench {
    const treb_tables *tables;
    treb_position *pos;
    size_t count;
    uint64_t sum; /* sum of all answers, so that the compiler keeps every probe */
    uint64_t failed;
} Bench;

typedef void Prober(Bench *bench, const treb_position *pos);

/* ---- Probes ---------------------------------------------------------------------------------- */

static unsigned fathom_wdl(const treb_position *pos)
{
    const uint64_t *type = pos->by_type;
    return tb_probe_wdl(pos->by_color[0], pos->by_color[1], type[TREB_KING], type[TREB_QUEEN],
                        type[TREB_ROOK], type[TREB_BISHOP], type[TREB_KNIGHT], type[TREB_PAWN], 0,
                        0, pos->ep, pos->turn == TREB_WHITE);
}

static void probe_fathom_wdl(Bench *bench, const treb_position *pos)
{
    unsigned wdl = fathom_wdl(pos);
    bench->failed += wdl == TB_RESULT_FAILED;
    bench->sum += wdl;
}

static void probe_treb_wdl(Bench *bench, const treb_position *pos)
{
    treb_wdl wdl = TREB_DRAW;
    bench->failed += treb_probe_wdl(bench->tables, pos, &wdl, NULL) != TREB_OK;
    bench->sum += wdl;
}

static void probe_fathom_root(Bench *bench, const treb_position *pos)
{
    const uint64_t *type = pos->by_type;
    unsigned root =
        tb_probe_root(pos->by_color[0], pos->by_color[1], type[TREB_KING], type[TREB_QUEEN],
                      type[TREB_ROOK], type[TREB_BISHOP], type[TREB_KNIGHT], type[TREB_PAWN], 0, 0,
                      pos->ep, pos->turn == TREB_WHITE, NULL);
    bench->failed += root == TB_RESULT_FAILED;
    bench->sum += TB_GET_DTZ(root);
}

static void probe_treb_dtz(Bench *bench, const treb_position *pos)
{
    treb_distance d = {TREB_DRAW, 0, 0};
    bench->failed += treb_probe_dtz(bench->tables, pos, &d, NULL) != TREB_OK;
    bench->sum += (uint64_t)d.plies;
}

static void probe_treb_root(Bench *bench, const treb_position *pos)
{
    treb_value value;
    memset(&value, 0, sizeof value);
    bench->failed += treb_probe_root(bench->tables, pos, &value, NULL) != TREB_OK;
    bench->sum += (uint64_t)value.plies[TREB_DTZ];
}

/* Probes the value of every move, as tb_probe_root does. */
static void probe_treb_moves(Bench *bench, const treb_position *pos)
{
    treb_move move[TREB_MOVES_MAX];
    size_t count = 0;
    bench->failed += treb_probe_moves(bench->tables, pos, TREB_DTZ, TREB_RULE_50, move,
                                      TREB_MOVES_MAX, &count, NULL) != TREB_OK;
    bench->sum += count;
}

/* ---- Timing ---------------------------------------------------------------------------------- */

/* Returns the nanoseconds of a probe, on the first `count` positions. */
static double measure(Bench *bench, Prober *probe, size_t count)
{
    double best = 0;
    for (int round = 0; round <= ROUNDS; round++) {
        double start = clock_seconds();
        for (size_t i = 0; i < count; i++) probe(bench, &bench->pos[i]);
        double took = clock_seconds() - start;
        /* Round 0 only warms up. */
        if (round == 1 || (round > 1 && took < best)) best = took;
    }
    return 1e9 * best / (double)count;
}

static uint64_t differences(const Bench *bench)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bench->count; i++) {
        treb_wdl wdl;
        if (treb_probe_wdl(bench->tables, &bench->pos[i], &wdl, NULL) != TREB_OK ||
            fathom_wdl(&bench->pos[i]) != (unsigned)wdl)
            n++;
    }
    return n;
}

static void print_row(const char *material, const char *ours, const char *theirs, double our_ns,
                      double their_ns)
{
    printf("%-9s %-17s %10.0f   %-14s %10.0f   %6.2f\n", material, ours, our_ns, theirs, their_ns,
           their_ns / our_ns);
    fflush(stdout);
}

/* Returns whether all probes succeeded and agreed. */
static bool bench_material(Bench *bench, const char *name)
{
    Material m;
    uint64_t seed = UINT64_C(0x2545f4914f6cdd1d), wrong;
    size_t roots = bench->count / ROOT_SHARE + 1;
    if (!material_parse(name, &m)) {
        fprintf(stderr, "%s: no material\n", name);
        return false;
    }
    for (size_t i = 0; i < bench->count;) i += draw_position(&m, &seed, &bench->pos[i]);
    bench->failed = 0;
    wrong = differences(bench);
    double theirs = measure(bench, probe_fathom_wdl, bench->count);
    print_row(name, "treb_probe_wdl", "tb_probe_wdl", measure(bench, probe_treb_wdl, bench->count),
              theirs);
    theirs = measure(bench, probe_fathom_root, roots);
    print_row(name, "treb_probe_dtz", "tb_probe_root", measure(bench, probe_treb_dtz, roots),
              theirs);
    print_row(name, "treb_probe_root", "tb_probe_root", measure(bench, probe_treb_root, roots),
              theirs);
    print_row(name, "treb_probe_moves", "tb_probe_root", measure(bench, probe_treb_moves, roots),
              theirs);
    if (wrong || bench->failed)
        fprintf(stderr, "%s: %llu verdicts differ, %llu probes failed\n", name,
                (unsigned long long)wrong, (unsigned long long)bench->failed);
    return wrong == 0 && bench->failed == 0;
}

static int bench_all(const char *directory, char **names, int count, size_t positions)
{
    treb_error error;
    bool ok = true;
    treb_tables *tables = treb_tables_open(&directory, 1, &error);
    if (tables == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    treb_tables_set_memory(tables, cache_bytes);
    /* One more: a position is drawn in its place in the array before it is known to be legal. */
    Bench bench = {.tables = tables, .count = positions};
    bench.pos = malloc((positions + 1) * sizeof *bench.pos);
    if (bench.pos == NULL) {
        fprintf(stderr, "out of memory\n");
        treb_tables_close(tables);
        return EXIT_FAILURE;
    }
    printf("%-9s %-17s %10s   %-14s %10s   %6s\n", "table", "Trebuchet", "ns", "Fathom", "ns",
           "ratio");
    for (int i = 0; i < count; i++) ok = bench_material(&bench, names[i]) && ok;
    free(bench.pos);
    treb_tables_close(tables);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    size_t positions = POSITIONS_DEFAULT;
    for (int option; (option = getopt(argc, argv, "n:")) != -1;) {
        if (option != 'n') return 2;
        positions = strtoull(optarg, NULL, 10);
    }
    if (argc - optind < 3 || positions == 0) {
        fprintf(stderr, "usage: %s [-n POSITIONS] SYZYGY_DIR TABLES_DIR MATERIAL...\n", argv[0]);
        return 2;
    }
    if (!tb_init(argv[optind]) || TB_LARGEST == 0) {
        fprintf(stderr, "%s: no Syzygy tables\n", argv[optind]);
        return EXIT_FAILURE;
    }
    return bench_all(argv[optind + 1], argv + optind + 2, argc - optind - 2, positions);
}
