/* bench_wait.c - measures what a slow disk costs a search. The example engine runs without tables,
 * with probes that wait for the disk, and with probes that do not wait.
 *
 *     bench_wait [-d MS] [-t MS] TABLES
 *
 * The disk is that of slow_disk.h. At first nothing is in the memory of the system. A read of bytes
 * that are not in memory takes -d milliseconds (default 10), and so does a fetch. Each search has
 * -t milliseconds (default 100). It continues with the tables and the cache of the searches before
 * it, as in a game. Prints a table. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/support/slow_disk.h"

#include <stdio.h>

#include "examples/uci/search.h"

/* Positions one or two captures away from tables of up to five men. */
static const char *const positions[] = {
    "2k5/6r1/3K4/8/8/4R1P1/1P6/8 w - - 0 1",  "R7/8/8/4K1k1/7r/P2P4/8/8 w - - 0 1",
    "1r6/6R1/8/k7/6P1/5K2/7p/8 w - - 0 1",    "8/2R5/3P4/8/3r4/8/k3p3/4K3 w - - 0 1",
    "7K/8/k1P5/4p2p/4P3/8/8/8 w - - 0 1",     "8/1k6/1p4p1/8/3K4/1P4P1/8/8 w - - 0 1",
    "8/3b4/3k1p2/8/3KP3/3B4/5P2/8 w - - 0 1", "8/5k2/3q1p2/8/8/4Q1P1/5PK1/8 w - - 0 1",
};
enum { POSITIONS = sizeof positions / sizeof *positions, TIMES = 3 };

/* The ways in which an engine can use tables. */
typedef enum Way { WITHOUT, WAITING, TRYING, TRYING_WARM, WAYS } Way;
static const char *const way_text[WAYS] = {"without tables", "waits", "does not wait",
                                           "does not wait, warmed"};

typedef struct Sum {
    uint64_t nodes, hits, lacked;
    double seconds, worst;
} Sum;

static void hear(const SearchInfo *info) { (void)info; }

static double seconds_now(void) { return 1e-9 * (double)disk_now(); }

static void search_one(Tables *tables, Tt *tt, const char *fen, Way way, double seconds, Sum *sum)
{
    Board board;
    Game game;
    treb_error error;
    atomic_bool stop = false;
    Limits limits = {.seconds = seconds};
    if (!tables_read_fen(fen, &board, &error)) abort();
    game_start(&game, &board);
    tt_clear(tt);
    uint64_t nodes = 0;
    SearchSetup setup = {.game = &game,
                         .limits = &limits,
                         .tables = tables,
                         .tt = tt,
                         .stop = &stop,
                         .report = hear,
                         .always_wait = way == WAITING,
                         .nodes = &nodes};
    double start = seconds_now();
    search_run(&setup);
    double took = seconds_now() - start;
    sum->nodes += nodes;
    sum->hits += tables->hits;
    sum->lacked += tables->lacked;
    sum->seconds += took;
    if (took > sum->worst) sum->worst = took;
}

static Sum search_all(const char *folder, Way way, double seconds)
{
    enum { MEMORY_MIB = 64, HASH_MIB = 16 };
    Tables tables = {.limit = way == WITHOUT ? 0 : TREB_MEN_MAX};
    Tt tt = {0};
    Sum sum = {0};
    treb_error error;
    disk_forget();
    if (!tables_open(&tables, folder, MEMORY_MIB, &error)) {
        fprintf(stderr, "bench_wait: %s\n", error.text);
        exit(EXIT_FAILURE);
    }
    if (tt_resize(&tt, HASH_MIB) == 0) abort();
    if (way == TRYING_WARM) {
        int64_t delay = disk.read_delay;
        disk.read_delay = 0; /* set at the start of the program, before any clock runs */
        tables_warm(&tables, 1u << 20);
        disk.read_delay = delay;
    }
    for (int time = 0; time < TIMES; time++)
        for (int i = 0; i < POSITIONS; i++)
            search_one(&tables, &tt, positions[i], way, seconds, &sum);
    tables_close(&tables);
    tt_free(&tt);
    return sum;
}

int main(int argc, char **argv)
{
    double delay_ms = 10, move_ms = 100;
    int option;
    while ((option = getopt(argc, argv, "d:t:")) != -1) {
        if (option == 'd')
            delay_ms = atof(optarg);
        else if (option == 't')
            move_ms = atof(optarg);
        else
            optind = argc;
    }
    if (optind != argc - 1) {
        fprintf(stderr, "usage: bench_wait [-d MS] [-t MS] TABLES\n");
        return 2;
    }
    board_init();
    disk_start();
    disk.delay = disk.read_delay = (int64_t)(delay_ms * 1e6);
    printf("a disk that takes %g ms a read; %d searches of %g ms each\n", delay_ms,
           TIMES * POSITIONS, move_ms);
    printf("%-22s %12s %12s %12s %10s %10s\n", "", "nodes/s", "hits", "not ready", "mean ms",
           "worst ms");
    for (Way way = 0; way < WAYS; way++) {
        Sum sum = search_all(argv[optind], way, move_ms / 1000);
        printf("%-22s %12.0f %12llu %12llu %10.1f %10.1f\n", way_text[way],
               (double)sum.nodes / sum.seconds, (unsigned long long)sum.hits,
               (unsigned long long)sum.lacked, 1000 * sum.seconds / (TIMES * POSITIONS),
               1000 * sum.worst);
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
