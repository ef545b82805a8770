/* main.c - the trebuchet-mpi command: tables made by several processes together, under mpirun. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/gen_words.h"
#include "gen/mpi/transport.h"

static const char usage[] =
    "Usage: mpirun -n N trebuchet-mpi gen [options] MATERIAL... | --men N | --book\n"
    "\n"
    "Makes the same tables as 'trebuchet gen', byte for byte, by N processes, the\n"
    "ranks: each has a part of the positions in its memory. The first has the\n"
    "files. What is there is kept; after a run that was cut short the same command,\n"
    "with as many ranks as you like, makes the rest.\n"
    "\n"
    "  -n, --men N          all materials of up to N men\n"
    "  -b, --book           KRPvKR, KQPvKQ, KBNvK, KRvKB and all below them: those of\n"
    "                       the 1983 book (docs/reproduction.md)\n"
    "  -m, --metric LIST    wdl,dtz,dtc,dtm or all (default all; wdl is always made)\n"
    "  -t, --tables DIR     where tables go, on the machine of the first rank\n"
    "                       (default: the first of TREBUCHET_PATH, or tables)\n"
    "      --scratch DIR    where each rank makes a folder rank-R for what it has no\n"
    "                       memory for, best on a disk of its own (default: folders\n"
    "                       .rank-R beside the tables)\n"
    "      --divide N       divide tables with N men or more beside kings and pawns\n"
    "                       (default 2); others each rank solves by itself\n"
    "      --save N         save every table each N seconds while it is made, with 0\n"
    "                       whenever that can be done (default: large ones, each four\n"
    "                       minutes); as many ranks go on from there\n"
    "      --large N        treat slices of more than N cells as too large to be in\n"
    "                       memory, as those of six men are: for tests\n"
    "      --stats          after each table: bytes, messages, time spent waiting\n"
    "  -j, --threads N      threads of a rank (default: one a processor)\n"
    "  -M, --memory SIZE    each rank stays below SIZE, as 2GiB, or refuses (default:\n"
    "                       7/8 of what is free, shared by the ranks of a machine)\n"
    "  -c, --codec CODEC    how cells are packed: symbols (the default) or zstd\n"
    "  -l, --level N        zstd level, 1 to 19, and codec zstd\n"
    "  -e, --estimate       say what it would take, and stop\n"
    "      --json           one JSON object a line as tables are made; with\n"
    "                       --estimate one object\n"
    "      --force          begin even if the disk seems to have too little room\n"
    "      --keep-scratch   leave the scratch files, for a later run to use\n"
    "  -q, --quiet          no progress\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit codes: 0 all is made, otherwise another, which mpirun hands on.\n";

/* As the trebuchet command does: see cli/main.c. */
static void wait_quietly(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")) return;
    if (setenv("OMP_WAIT_POLICY", "passive", 0) == 0) execv("/proc/self/exe", argv);
}

/* By the first rank alone, before there is anything to do. -1: go on. */
static int look_at_words(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "gen") == 0) return -1;
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    bool version = argc > 1 && strcmp(argv[1], "--version") == 0;
    if (version) puts("trebuchet-mpi " TREB_VERSION);
    if (!version) fputs(usage, help ? stdout : stderr);
    return help || version ? CLI_OK : CLI_USAGE;
}

int main(int argc, char **argv)
{
    int threads, code = CLI_FAILED;
    Ranks ranks;
    wait_quietly(argv);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
    Transport *transport = transport_new(&ranks);
    cli_program = "trebuchet-mpi";
    if (threads < MPI_THREAD_SERIALIZED)
        ranks.end_job(ranks.context, "this MPI library knows no threads (MPI_THREAD_SERIALIZED)");
    if (ranks.count > RANKS_MOST)
        ranks.end_job(ranks.context, "more than 64 ranks: give each more threads instead");
    if (ranks.rank == 0) code = look_at_words(argc, argv);
    ranks.tell(ranks.context, &code, sizeof code);
    if (code < 0) code = cli_gen_ranks(argc - 1, argv + 1, usage, &ranks);
    transport_free(transport);
    MPI_Finalize();
    return code;
}
