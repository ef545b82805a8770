/* bench_search.c - measures probes a second over positions in the order in which a search probed
 * them.
 *
 *     bench_search [-p] [-s SYZYGY_DIR [-l LIBFATHOM]] TRACE TABLES_DIR
 *
 * TRACE is written by tests/probe/record_trace.sh. It has two lists: verdicts and distances to
 * mate. Each list is run by 1 and by 2 threads; the second thread starts in the middle. "cold" is
 * the first run after the set was opened, with the files in the memory of the system. "warm" is the
 * fastest of ROUNDS more runs. With -p the time is the processor time of the threads, for a machine
 * that has other work. With Syzygy's tables, libfathom answers the verdicts as well, loaded from
 * the library LIBFATHOM. The exit status is 1 if answers differ or probes fail; their numbers are
 * printed. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <trebuchet.h>
#include <unistd.h>

enum { ROUNDS = 9, THREADS_MAX = 2 };

static const uint64_t memory = UINT64_C(512) << 20;

typedef struct List {
    treb_position *pos;
    size_t count, capacity;
} List;

/* libfathom keeps its state in global variables. */
typedef struct Fathom {
    bool (*init)(const char *path);
    unsigned (*wdl)(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens, uint64_t rooks,
                    uint64_t bishops, uint64_t knights, uint64_t pawns, unsigned ep, bool turn);
    const unsigned *largest;
} Fathom;

typedef struct Bench {
    const char *folder, *syzygy;
    treb_tables *tables;
    Fathom fathom; /* loaded if syzygy is not NULL */
    List wdl, dtm;
    bool processor_time;
} Bench;

/* Returns the answer, or a negative number on failure. */
typedef int Prober(const Bench *bench, const treb_position *pos);

static int probe_wdl(const Bench *bench, const treb_position *pos)
{
    treb_wdl wdl;
    return treb_probe_wdl(bench->tables, pos, &wdl, NULL) == TREB_OK ? (int)wdl : -1;
}

static int probe_dtm(const Bench *bench, const treb_position *pos)
{
    treb_distance d;
    return treb_probe_dtm(bench->tables, pos, &d, NULL) == TREB_OK ? d.plies : -1;
}

static int probe_fathom(const Bench *bench, const treb_position *pos)
{
    const uint64_t *type = pos->by_type;
    return (int)bench->fathom.wdl(
        pos->by_color[0], pos->by_color[1], type[TREB_KING], type[TREB_QUEEN], type[TREB_ROOK],
        type[TREB_BISHOP], type[TREB_KNIGHT], type[TREB_PAWN], pos->ep, pos->turn == TREB_WHITE);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

typedef struct Worker {
    const Bench *bench;
    Prober *probe;
    const List *list;
    size_t start;
    double seconds;       /* processor time */
    uint64_t failed, sum; /* `sum`: sum of the answers, so that the compiler keeps every probe */
} Worker;

static double clock_now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *work(void *context)
{
    Worker *w = context;
    size_t at = w->start;
    double start = clock_now(CLOCK_THREAD_CPUTIME_ID);
    for (size_t i = 0; i < w->list->count; i++) {
        int answer = w->probe(w->bench, &w->list->pos[at]);
        w->failed += answer < 0;
        w->sum += (uint64_t)answer;
        if (++at == w->list->count) at = 0;
    }
    w->seconds = clock_now(CLOCK_THREAD_CPUTIME_ID) - start;
    return NULL;
}

/* Returns millions of probes a second of all threads together; -1 if a probe failed. */
static double pass(const Bench *bench, Prober *probe, const List *list, unsigned threads)
{
    pthread_t thread[THREADS_MAX];
    Worker worker[THREADS_MAX];
    uint64_t failed = 0;
    double speed = 0;
    unsigned started = 1;
    for (unsigned i = 0; i < threads; i++)
        worker[i] = (Worker){bench, probe, list, list->count / threads * i, 0, 0, 0};
    double start = clock_now(CLOCK_MONOTONIC);
    while (started < threads && pthread_create(&thread[started], NULL, work, &worker[started]) == 0)
        started++;
    work(&worker[0]);
    for (unsigned i = 1; i < started; i++) pthread_join(thread[i], NULL);
    double seconds = clock_now(CLOCK_MONOTONIC) - start;
    for (unsigned i = 0; i < started; i++) {
        failed += worker[i].failed;
        speed += (double)list->count / (bench->processor_time ? worker[i].seconds : seconds);
    }
    return failed > 0 || started < threads ? -1 : 1e-6 * speed;
}

/* Opens the tables anew, without anything in the memory of the set. */
static bool open_afresh(Bench *bench, Prober *probe)
{
    treb_error error;
    if (probe == probe_fathom) {
        if (bench->fathom.init(bench->syzygy) && *bench->fathom.largest > 0) return true;
        fprintf(stderr, "%s: no Syzygy tables\n", bench->syzygy);
        return false;
    }
    bench->tables = treb_tables_open(&bench->folder, 1, &error);
    if (bench->tables != NULL)
        treb_tables_set_memory(bench->tables, memory);
    else
        fprintf(stderr, "%s\n", error.text);
    return bench->tables != NULL;
}

/* Measures the cold and the warm rate. Returns false if a probe failed. */
static bool measure_here(Bench *bench, Prober *probe, const List *list, unsigned threads,
                         double rate[2])
{
    if (!open_afresh(bench, probe)) return false;
    rate[0] = pass(bench, probe, list, threads);
    rate[1] = 0;
    for (int i = 0; i < ROUNDS && rate[0] > 0; i++) {
        double again = pass(bench, probe, list, threads);
        if (again > rate[1]) rate[1] = again;
    }
    return rate[0] > 0 && rate[1] > 0;
}

/* Measures in a new process, because libfathom cannot be opened twice. */
static bool measure_apart(Bench *bench, Prober *probe, const List *list, unsigned threads,
                          double rate[2])
{
    int ends[2], status = 1;
    if (pipe(ends) != 0) return false;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        bool ok = measure_here(bench, probe, list, threads, rate) &&
                  write(ends[1], rate, 2 * sizeof *rate) == 2 * sizeof *rate;
        _exit(ok ? 0 : 1);
    }
    close(ends[1]);
    bool ok = pid > 0 && read(ends[0], rate, 2 * sizeof *rate) == 2 * sizeof *rate;
    close(ends[0]);
    if (pid > 0) waitpid(pid, &status, 0);
    return ok && status == 0;
}

/* Prints a row of the table: cold and warm, by 1 and by 2 threads. */
static bool row(Bench *bench, const char *name, Prober *probe, const List *list, double rate[4])
{
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++) {
        if (measure_apart(bench, probe, list, threads, rate + 2 * (threads - 1))) continue;
        fprintf(stderr, "%s: probes fail\n", name);
        return false;
    }
    printf("%-16s%12.2f%12.2f%12.2f%12.2f\n", name, rate[0], rate[1], rate[2], rate[3]);
    fflush(stdout);
    return true;
}

static bool compare(Bench *bench)
{
    size_t wrong = 0;
    if (!open_afresh(bench, probe_wdl) || !open_afresh(bench, probe_fathom)) return false;
    for (size_t i = 0; i < bench->wdl.count; i++)
        wrong += probe_wdl(bench, &bench->wdl.pos[i]) != probe_fathom(bench, &bench->wdl.pos[i]);
    if (wrong > 0) fprintf(stderr, "%zu verdicts differ\n", wrong);
    return wrong == 0;
}

static bool measure(Bench *bench)
{
    double ours[4], theirs[4], dtm[4];
    bool ok;
    printf(
        "%zu verdicts and %zu distances to mate, as a search asked for them; millions a second\n",
        bench->wdl.count, bench->dtm.count);
    printf("%-16s%12s%12s%12s%12s\n", "", "1, cold", "1, warm", "2, cold", "2, warm");
    ok = row(bench, "Trebuchet WDL", probe_wdl, &bench->wdl, ours);
    if (ok && bench->syzygy != NULL) {
        ok = row(bench, "libfathom WDL", probe_fathom, &bench->wdl, theirs) && compare(bench);
        if (ok)
            printf("%-16s%12.2f%12.2f%12.2f%12.2f\n", "times as fast", ours[0] / theirs[0],
                   ours[1] / theirs[1], ours[2] / theirs[2], ours[3] / theirs[3]);
    }
    if (ok && bench->dtm.count > 0) ok = row(bench, "Trebuchet DTM", probe_dtm, &bench->dtm, dtm);
    return ok;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool append(List *list, const treb_position *pos)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        treb_position *grown = realloc(list->pos, capacity * sizeof *grown);
        if (grown == NULL) return false;
        list->pos = grown;
        list->capacity = capacity;
    }
    list->pos[list->count++] = *pos;
    return true;
}

/* Verdicts are probed with a clock of 0, which libfathom requires. */
static bool read_trace(Bench *bench, const char *path)
{
    char line[256];
    treb_position pos;
    treb_error error;
    FILE *file = fopen(path, "r");
    bool ok = file != NULL;
    if (!ok) perror(path);
    while (ok && fgets(line, sizeof line, file) != NULL) {
        ok = treb_position_from_fen(line + 4, &pos, &error) == TREB_OK;
        pos.halfmove = 0;
        if (ok) ok = append(strncmp(line, "wdl", 3) == 0 ? &bench->wdl : &bench->dtm, &pos);
        if (!ok) fprintf(stderr, "%s: not a trace: %s", path, line);
    }
    if (file != NULL) fclose(file);
    if (ok && bench->wdl.count == 0) {
        fprintf(stderr, "%s: nothing was asked\n", path);
        ok = false;
    }
    return ok;
}

/* ISO C cannot convert the address of an object to that of a function. Copying the bytes works. */
static bool find(void *library, const char *name, void *out)
{
    void *address = dlsym(library, name);
    memcpy(out, &address, sizeof address);
    return address != NULL;
}

static bool load_fathom(Fathom *f, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL && find(library, "tb_init", &f->init) &&
        find(library, "tb_probe_wdl_impl", &f->wdl) && find(library, "TB_LARGEST", &f->largest))
        return true;
    fprintf(stderr, "%s\n", dlerror());
    return false;
}

int main(int argc, char **argv)
{
    const char *library = "libfathom.so.1";
    Bench bench = {0};
    for (int option; (option = getopt(argc, argv, "ps:l:")) != -1;) {
        if (option == 'p') bench.processor_time = true;
        if (option == 's') bench.syzygy = optarg;
        if (option == 'l') library = optarg;
        if (option == '?') return 2;
    }
    if (argc - optind != 2) {
        fprintf(stderr, "usage: %s [-p] [-s SYZYGY_DIR [-l LIBFATHOM]] TRACE TABLES_DIR\n",
                argv[0]);
        return 2;
    }
    bench.folder = argv[optind + 1];
    bool ok = read_trace(&bench, argv[optind]);
    if (ok && bench.syzygy != NULL) ok = load_fathom(&bench.fathom, library);
    if (ok) ok = measure(&bench);
    treb_tables_close(bench.tables);
    free(bench.wdl.pos);
    free(bench.dtm.pos);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
