/* crosscheck.c - compares every position of 3 and 4 men with Syzygy tables, read through libfathom.
 *
 *     crosscheck [-d DROPIN] [-e EVERY] [-j JOBS] [-r POSITIONS] SYZYGY_DIR TABLES_DIR
 *
 * It goes through every cell of every table, with both sides to move, and through every position
 * with an en passant capture. It compares the verdicts (WDL) of all. It compares the distances
 * (DTZ) of one position in EVERY (identical ones in every run; 1 compares all), and of all with en
 * passant. Fathom gives distances only by tb_probe_root, which looks at every move. That function
 * may be called from one thread only, so JOBS processes share the work.
 *
 * DROPIN is our own libfathom.so.1. With it, its answers are compared with those of libfathom and
 * of libtrebuchet, in the positions above and in POSITIONS random positions of 5 men. In these,
 * libfathom is compared only where SYZYGY_DIR has the table.
 *
 * `trebuchet compare` compares all distances, with Syzygy's files as libtrebuchet reads them. This
 * program checks that libtrebuchet reads them as Fathom does.
 *
 * Syzygy stores some distances in moves instead of plies. Where the table's flags say so, Fathom's
 * n may mean n or n + 1. Both are counted, and everything else is an error. Materials without a
 * table on either side are skipped. Exit status: 0 if all agree and something was compared. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/chess/movegen.h"
#include "core/format/index.h"
#include "core/system/hash.h"
#include "probe/syzygy/syzygy.h"
#include "tests/probe/crosscheck_dropin.h"
#include "tests/probe/fathom_lib.h"
#include "tests/support/draw.h"

enum { MATERIALS = 145, CHUNK = 4096, SHOWN = 20, EVERY_DEFAULT = 64, PATH_SIZE = 4200 };

/* Results for one material. Each process has its own. */
typedef struct Counts {
    uint64_t positions, en_passant;
    uint64_t distances, exact,
        rounded; /* distances compared, equal ones, and those one ply off by Syzygy's rounding */
    uint64_t wrong, failed;
    DropinCounts dropin;
} Counts;

typedef struct Check {
    const FathomLib *fathom;
    const treb_tables *tables;
    Dropin dropin; /* `ours` is NULL if the drop-in is not tested */
    Index index;   /* index of the table, if all its cells are compared */
    Material material;
    bool loose; /* distances may be rounded */
    uint64_t every;
    uint64_t positions; /* number of positions to draw, if not all cells are compared */
    Counts *counts;
} Check;

typedef struct Options {
    const char *syzygy, *directory;
    const FathomLib *fathom,
        *dropin; /* Debian's library and ours; `dropin` is NULL if it is not tested */
    uint64_t every, positions;
    int jobs;
} Options;

/* Reads from a file's flags whether any distance of a material is stored in moves. Returns false
 * without such a file. */
static bool read_loose(const char *directory, const Material *m, bool *loose)
{
    static SyzygyMaps maps;
    char name[SYZYGY_NAME_SIZE], path[PATH_SIZE];
    treb_error error;
    syzygy_maps_fill(&maps);
    if (!syzygy_file_name(m, TREB_DTZ, name)) return false;
    snprintf(path, sizeof path, "%.4000s/%s", directory, name);
    Syzygy *table = syzygy_open(path, m, TREB_DTZ, &maps, &error);
    if (table == NULL) return false;
    SyzygySummary summary = syzygy_summary(table);
    *loose = !summary.exact_wins || !summary.exact_losses;
    syzygy_close(table);
    return true;
}

/* ---- One position ---------------------------------------------------------------------------- */

static void complain(uint64_t *counter, const treb_position *pos, const char *what, long ours,
                     long theirs)
{
    char fen[TREB_FEN_SIZE];
    if ((*counter)++ >= SHOWN) return;
    position_to_fen(pos, fen);
    fprintf(stderr, "%s: %s %ld, Fathom says %ld\n", fen, what, ours, theirs);
}

static void compare_distance(Check *check, const treb_position *pos)
{
    Counts *counts = check->counts;
    treb_distance ours;
    treb_status status = treb_probe_dtz(check->tables, pos, &ours, NULL);
    unsigned root = fathom_root(check->fathom, pos, NULL), theirs = TB_GET_DTZ(root),
             verdict = TB_GET_WDL(root);
    if (status != TREB_OK || root == TB_RESULT_FAILED) {
        complain(&counts->failed, pos, "probe of DTZ fails:", status, root);
        return;
    }
    counts->distances++;
    /* Fathom says "win" for a mate, without a distance: the side to move has lost in 0 plies. */
    if (root == TB_RESULT_CHECKMATE) verdict = TB_LOSS;
    if (verdict != (unsigned)ours.wdl) {
        complain(&counts->wrong, pos, "verdict at the root is", ours.wdl, verdict);
    } else if (ours.plies == (int)theirs) {
        counts->exact++;
    } else if (check->loose && ours.wdl != TREB_DRAW && ours.plies == (int)theirs + 1) {
        counts->rounded++;
    } else {
        complain(&counts->wrong, pos, "DTZ is", ours.plies, theirs);
    }
}

static void compare_dropin(Check *check, const treb_position *pos, bool distance)
{
    if (check->dropin.ours == NULL) return;
    dropin_compare_wdl(&check->dropin, pos);
    uint64_t number = pos->by_color[0] ^ pos->by_color[1] << 1 ^ pos->turn;
    if (distance) dropin_compare_root(&check->dropin, pos, number);
}

static void compare(Check *check, const treb_position *pos, bool distance)
{
    treb_wdl ours;
    Counts *counts = check->counts;
    treb_status status = treb_probe_wdl(check->tables, pos, &ours, NULL);
    unsigned theirs = fathom_wdl(check->fathom, pos);
    counts->positions++;
    if (status != TREB_OK || theirs == TB_RESULT_FAILED)
        complain(&counts->failed, pos, "probe of WDL fails:", status, theirs);
    else if (theirs != (unsigned)ours)
        complain(&counts->wrong, pos, "WDL is", ours, theirs);
    if (distance) compare_distance(check, pos);
    compare_dropin(check, pos, distance);
}

/* ---- All positions --------------------------------------------------------------------------- */

/* Compares positions of these men with en passant, where the last move can have been a double
 * step. */
static void compare_en_passant(Check *check, const treb_position *pos)
{
    uint64_t theirs = position_men_of(pos, !pos->turn, TREB_PAWN);
    theirs &= rank_bits(pos->turn == TREB_WHITE ? 4 : 3);
    while (theirs) {
        treb_position with = *pos;
        int sq = bit_pop(&theirs);
        with.ep = (uint8_t)(pos->turn == TREB_WHITE ? sq + 8 : sq - 8);
        if (position_check(&with, NULL) != TREB_OK || !position_ep_legal(&with)) continue;
        check->counts->en_passant++;
        compare(check, &with, true);
    }
}

/* Returns true for one number in `every`. The numbers are scattered, because a plain remainder
 * would keep one man on the same square. */
static bool in_sample(const Check *check, uint64_t number)
{
    return (number * HASH_FACTOR >> 32) % check->every == 0;
}

static void compare_cells(Check *check, int job, int jobs)
{
    IndexMen men;
    treb_position pos;
    bool both =
        check->index.material.count[0][TREB_PAWN] && check->index.material.count[1][TREB_PAWN];
    for (uint64_t cell = 0; cell < check->index.size; cell++) {
        if (cell % CHUNK == 0 && cell / CHUNK % (uint64_t)jobs != (uint64_t)job) {
            cell += CHUNK - 1;
            continue;
        }
        if (!index_to_men(&check->index, cell, &men)) continue;
        for (int turn = 0; turn < 2; turn++) {
            index_men_to_position(&check->index, &men, turn, &pos);
            if (position_check(&pos, NULL) != TREB_OK) continue;
            compare(check, &pos, in_sample(check, 2 * cell + (uint64_t)turn));
            if (both) compare_en_passant(check, &pos);
        }
    }
}

/* Compares random positions of 5 men. Every other one has en passant if there is a square for
 * it. */
static void compare_drawn(Check *check, int job, int jobs)
{
    uint64_t seed = UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)job;
    treb_position pos;
    for (uint64_t n = (uint64_t)job; n < check->positions; n += (uint64_t)jobs) {
        while (!draw_position(&check->material, &seed, &pos)) continue;
        treb_position with = pos;
        uint64_t behind = position_men_of(&pos, !pos.turn, TREB_PAWN);
        behind &= rank_bits(pos.turn == TREB_WHITE ? 4 : 3);
        if (behind != 0 && n & 1) {
            with.ep = (uint8_t)(bit_first(behind) ^ 8);
            if (position_check(&with, NULL) == TREB_OK && position_ep_legal(&with)) pos = with;
        }
        if (check->fathom != NULL)
            compare(check, &pos, in_sample(check, n));
        else
            compare_dropin(check, &pos, in_sample(check, n));
    }
}

/* Starts a process for a part of the work, because the state of Fathom cannot be shared by
 * threads. */
static pid_t start_job(const Options *o, Check check, int job, int jobs)
{
    pid_t child = fork();
    if (child != 0) return child;
    if (check.fathom != NULL && !check.fathom->init(o->syzygy)) _exit(EXIT_FAILURE);
    if (check.dropin.ours != NULL && !check.dropin.ours->init(o->directory)) _exit(EXIT_FAILURE);
    if (check.positions > 0)
        compare_drawn(&check, job, jobs);
    else
        compare_cells(&check, job, jobs);
    _exit(EXIT_SUCCESS);
}

static bool run_jobs(const Options *o, const Check *check, Counts *counts)
{
    bool ok = true;
    memset(counts, 0, (size_t)o->jobs * sizeof *counts);
    fflush(NULL);
    for (int j = 0; j < o->jobs; j++) {
        Check mine = *check;
        mine.counts = &counts[j];
        mine.dropin.counts = &counts[j].dropin;
        if (start_job(o, mine, j, o->jobs) < 0) ok = false;
    }
    for (int status; wait(&status) > 0;)
        ok = ok && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    return ok;
}

static void tally_add(Counts *sum, const Counts *more)
{
    sum->positions += more->positions;
    sum->en_passant += more->en_passant;
    sum->distances += more->distances;
    sum->exact += more->exact;
    sum->rounded += more->rounded;
    sum->wrong += more->wrong;
    sum->failed += more->failed;
    sum->dropin.verdicts += more->dropin.verdicts;
    sum->dropin.beside_fathom += more->dropin.beside_fathom;
    sum->dropin.roots += more->dropin.roots;
    sum->dropin.moves += more->dropin.moves;
    sum->dropin.rounded += more->dropin.rounded;
    sum->dropin.wrong += more->dropin.wrong;
}

/* ---- The program ----------------------------------------------------------------------------- */

static void print_tally(const char *name, const char *kind, const Counts *t)
{
    printf("%-8s %-6s %10llu %9llu %10llu %10llu %9llu %6llu\n", name, kind,
           (unsigned long long)t->positions, (unsigned long long)t->en_passant,
           (unsigned long long)t->distances, (unsigned long long)t->exact,
           (unsigned long long)t->rounded, (unsigned long long)(t->wrong + t->failed));
    fflush(stdout);
}

static bool has_tables(const treb_tables *tables, const char *name)
{
    treb_table_info info;
    return treb_tables_find(tables, name, TREB_WDL, &info, NULL) == TREB_OK &&
           treb_tables_find(tables, name, TREB_DTZ, &info, NULL) == TREB_OK;
}

/* Returns whether all is well. Adds the results to `sum`. */
static bool check_material(const Options *o, const treb_tables *tables, const Material *m,
                           uint64_t positions, Counts *shared, Counts *sum)
{
    char name[MATERIAL_NAME_SIZE];
    Check check = {.fathom = o->fathom,
                   .tables = tables,
                   .material = *m,
                   .every = o->every,
                   .positions = positions};
    Counts all = {0};
    material_name(m, name);
    bool theirs = read_loose(o->syzygy, m, &check.loose);
    if (!theirs && positions > 0) check.fathom = NULL;
    if (!has_tables(tables, name) || (!theirs && positions == 0)) {
        printf("%-8s no tables\n", name);
        return true;
    }
    check.dropin = (Dropin){o->dropin, check.fathom, tables, check.loose, NULL};
    if (positions == 0 && !index_init(&check.index, m, NULL, 1)) return false;
    bool ok = run_jobs(o, &check, shared);
    for (int j = 0; j < o->jobs; j++) tally_add(&all, &shared[j]);
    if (positions == 0) print_tally(name, check.loose ? "moves" : "plies", &all);
    tally_add(sum, &all);
    if (!ok) fprintf(stderr, "%s: a process failed\n", name);
    return ok;
}

static void print_dropin(const char *what, const DropinCounts *t)
{
    printf("drop-in, %s: %llu verdicts (%llu beside libfathom), %llu roots with %llu moves "
           "(%llu rounded), %llu errors\n",
           what, (unsigned long long)t->verdicts, (unsigned long long)t->beside_fathom,
           (unsigned long long)t->roots, (unsigned long long)t->moves,
           (unsigned long long)t->rounded, (unsigned long long)t->wrong);
}

/* Compares random positions of 5 men, the same number for each material. */
static bool check_drawn(const Options *o, treb_tables *tables, Counts *shared, Counts *sum)
{
    Material list[MATERIALS];
    size_t n = material_list(5, list, MATERIALS);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t positions = o->positions / n + (i < o->positions % n);
        if (positions > 0) ok = check_material(o, tables, &list[i], positions, shared, sum) && ok;
    }
    print_dropin("5 men", &sum->dropin);
    return ok;
}

static bool check_all(const Options *o, treb_tables *tables, Counts *shared, Counts *sum)
{
    Material list[MATERIALS];
    bool ok = true;
    size_t n = material_list(3, list, MATERIALS);
    n += material_list(4, list + n, MATERIALS - n);
    printf("%-8s %-6s %10s %9s %10s %10s %9s %6s\n", "table", "DTZ in", "positions", "with e.p.",
           "DTZ", "equal", "rounded", "errors");
    for (size_t i = 0; i < n; i++) ok = check_material(o, tables, &list[i], 0, shared, sum) && ok;
    print_tally("all", "", sum);
    if (o->dropin != NULL) print_dropin("3 and 4 men", &sum->dropin);
    return ok;
}

static bool good(const Counts *sum) { return sum->wrong + sum->failed + sum->dropin.wrong == 0; }

static int crosscheck(const Options *o, treb_tables *tables)
{
    Counts sum = {0}, drawn = {0};
    Counts *shared = mmap(NULL, (size_t)o->jobs * sizeof *shared, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return EXIT_FAILURE;
    }
    bool ok = check_all(o, tables, shared, &sum);
    if (o->dropin != NULL && o->positions > 0) ok = check_drawn(o, tables, shared, &drawn) && ok;
    munmap(shared, (size_t)o->jobs * sizeof *shared);
    return ok && sum.positions > 0 && good(&sum) && good(&drawn) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Compares the helper functions, which need no tables, for every square and this `occupied`. */
static bool same_helpers(const FathomLib *a, const FathomLib *b)
{
    static const char *const sliders[] = {"tb_rook_attacks", "tb_bishop_attacks",
                                          "tb_queen_attacks"};
    static const char *const leapers[] = {"tb_king_attacks", "tb_knight_attacks"};
    uint64_t seed = 1, wrong = 0, (*slide[2])(unsigned, uint64_t), (*leap[2])(unsigned);
    uint64_t (*pawn[2])(unsigned, bool), (*pop[2])(uint64_t);
    unsigned (*count[2])(uint64_t), (*first[2])(uint64_t);
    const FathomLib *lib[2] = {a, b};
    /* Fathom builds its attack tables when it is first initialised. */
    for (int i = 0; i < 2; i++)
        if (!lib[i]->init("") || !fathom_symbol(lib[i], "tb_pawn_attacks", &pawn[i]) ||
            !fathom_symbol(lib[i], "tb_pop_lsb", &pop[i]) ||
            !fathom_symbol(lib[i], "tb_pop_count", &count[i]) ||
            !fathom_symbol(lib[i], "tb_lsb", &first[i]))
            return false;
    for (int f = 0; f < 3; f++) {
        for (int i = 0; i < 2; i++)
            if (!fathom_symbol(lib[i], sliders[f], &slide[i]) ||
                !fathom_symbol(lib[i], leapers[f % 2], &leap[i]))
                return false;
        for (unsigned n = 0; n < 1 << 16; n++) {
            uint64_t occupied = next_random(&seed) & next_random(&seed) & next_random(&seed);
            unsigned sq = n % 64;
            wrong += slide[0](sq, occupied) != slide[1](sq, occupied);
            wrong += leap[0](sq) != leap[1](sq) || pawn[0](sq, n & 64) != pawn[1](sq, n & 64);
            wrong += count[0](occupied) != count[1](occupied);
            if (occupied == 0) continue;
            wrong += first[0](occupied) != first[1](occupied);
            wrong += pop[0](occupied) != pop[1](occupied);
        }
    }
    if (wrong)
        fprintf(stderr, "%llu answers of helper functions differ\n", (unsigned long long)wrong);
    return wrong == 0;
}

/* Reads the options and loads Debian's library and ours. Prints an error and returns false on
 * failure. */
static bool parse(Options *o, FathomLib lib[2], int argc, char **argv)
{
    const char *dropin = NULL;
    for (int option; (option = getopt(argc, argv, "d:e:j:r:")) != -1;) {
        if (option == 'd') dropin = optarg;
        if (option == 'e') o->every = strtoull(optarg, NULL, 10);
        if (option == 'j') o->jobs = atoi(optarg);
        if (option == 'r') o->positions = strtoull(optarg, NULL, 10);
        if (option == '?') return false;
    }
    if (argc - optind != 2 || o->every < 1 || o->jobs < 1) {
        fprintf(stderr,
                "usage: %s [-d DROPIN] [-e EVERY] [-j JOBS] [-r POSITIONS] SYZYGY_DIR TABLES_DIR\n",
                argv[0]);
        return false;
    }
    o->syzygy = argv[optind];
    o->directory = argv[optind + 1];
    if (!fathom_load(&lib[0], "libfathom.so.1")) return false;
    o->fathom = &lib[0];
    if (dropin == NULL) return true;
    if (!fathom_load(&lib[1], dropin)) return false;
    o->dropin = &lib[1];
    if (lib[0].wdl != lib[1].wdl) return true;
    fprintf(stderr, "%s is the system's library itself\n", dropin);
    return false;
}

int main(int argc, char **argv)
{
    Options o = {.every = EVERY_DEFAULT, .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    FathomLib lib[2];
    treb_error error;
    if (!parse(&o, lib, argc, argv)) return 2;
    if (o.dropin != NULL && !same_helpers(o.fathom, o.dropin)) return EXIT_FAILURE;
    treb_tables *tables = treb_tables_open(&o.directory, 1, &error);
    if (tables == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    int status = crosscheck(&o, tables);
    treb_tables_close(tables);
    return status;
}
