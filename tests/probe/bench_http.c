/* bench_http.c - measures probes of tables on a web server, beside the same files in a folder.
 *
 *     bench_http ADDRESS FOLDER MATERIAL [POSITIONS]
 *
 * Random positions are probed for the verdict and the three distances. "cold": the tables are open,
 * but nothing of the position was read before. "warm": the same probe a second time. The answers
 * are compared, too. The program uses the library as any other program would. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/system/clock.h"
#include "tests/support/random.h"
#include "trebuchet-http.h"

enum { COLD, WARM, TIMES };

typedef struct Sum {
    uint64_t requests, bytes, most;
} Sum;

/* Times of probes, cold and warm. The median is reported, because other work disturbs some
 * probes. */
typedef struct Times {
    double *seconds[TIMES];
} Times;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    return 1e6 * seconds[count / 2];
}

static Times times_new(int count)
{
    Times t;
    for (int k = 0; k < TIMES; k++)
        if ((t.seconds[k] = calloc((size_t)count, sizeof(double))) == NULL) exit(1);
    return t;
}

static void die(const treb_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

/* Returns a random position of the men of a material such as "KRPvKR". It may be illegal. */
static treb_position draw(const char *material, uint64_t *seed)
{
    static const char letters[] = "PNBRQK";
    treb_position pos;
    do {
        uint64_t occupied = 0;
        int color = TREB_WHITE;
        memset(&pos, 0, sizeof pos);
        pos.fullmove = 1;
        for (const char *c = material; *c != '\0'; c++) {
            if (*c == 'v') color = TREB_BLACK;
            if (*c == 'v') continue;
            uint64_t square;
            do square = UINT64_C(1) << next_random31(seed) % 64;
            while (occupied & square);
            occupied |= square;
            pos.by_color[color] |= square;
            pos.by_type[strchr(letters, *c) - letters] |= square;
        }
        pos.turn = next_random31(seed) & 1;
    } while (treb_position_check(&pos, NULL) != TREB_OK);
    return pos;
}

static int probe(const treb_tables *tables, const treb_position *pos, treb_metric metric)
{
    treb_error error;
    treb_wdl wdl;
    treb_distance distance;
    if (metric == TREB_WDL) {
        if (treb_probe_wdl(tables, pos, &wdl, &error) != TREB_OK) die(&error);
        return (int)wdl;
    }
    if (treb_probe_distance(tables, pos, metric, &distance, &error) != TREB_OK) die(&error);
    return 10 * distance.plies + (int)distance.wdl;
}

static treb_tables *open_all(const treb_source *source)
{
    treb_error error;
    treb_tables *tables = treb_tables_open_sources(source, 1, &error);
    if (tables == NULL) die(&error);
    for (int m = TREB_WDL; m < TREB_METRICS; m++)
        if (treb_tables_warm(tables, (treb_metric)m, 0, NULL, NULL, &error) != TREB_OK) die(&error);
    return tables;
}

/* Measures one metric in all positions. Verdicts come first, so that they do not count as a cost of
 * the distances. */
static void measure(const treb_source *source, const treb_tables *far, const treb_tables *near,
                    const treb_position *pos, int count, treb_metric metric)
{
    Sum sum = {0};
    Times remote = times_new(count), local = times_new(count);
    for (int i = 0; i < count; i++) {
        treb_http_counts before, after;
        treb_http_get_counts(source, &before);
        double t0 = clock_seconds();
        int answer = probe(far, &pos[i], metric);
        double t1 = clock_seconds();
        treb_http_get_counts(source, &after);
        double t2 = clock_seconds();
        (void)probe(far, &pos[i], metric);
        double t3 = clock_seconds();
        int expected = probe(near, &pos[i], metric);
        double t4 = clock_seconds();
        (void)probe(near, &pos[i], metric);
        double t5 = clock_seconds();
        if (answer != expected) {
            fprintf(stderr, "the answers differ\n");
            exit(1);
        }
        uint64_t requests = after.requests - before.requests;
        remote.seconds[COLD][i] = t1 - t0;
        remote.seconds[WARM][i] = t3 - t2;
        local.seconds[COLD][i] = t4 - t3;
        local.seconds[WARM][i] = t5 - t4;
        sum.requests += requests;
        sum.bytes += after.bytes - before.bytes;
        if (requests > sum.most) sum.most = requests;
    }
    printf("| %s | %.0f | %.1f | %.1f | %.1f | %.2f | %" PRIu64 " | %.1f |\n",
           treb_metric_text(metric), median(remote.seconds[COLD], count),
           median(remote.seconds[WARM], count), median(local.seconds[COLD], count),
           median(local.seconds[WARM], count), (double)sum.requests / count, sum.most,
           (double)sum.bytes / 1024 / count);
    for (int k = 0; k < TIMES; k++) free(remote.seconds[k]), free(local.seconds[k]);
}

int main(int argc, char **argv)
{
    treb_error error;
    treb_source source;
    uint64_t seed = 1;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_http ADDRESS FOLDER MATERIAL [POSITIONS]\n");
        return 2;
    }
    int count = argc > 4 ? atoi(argv[4]) : 500;
    treb_position *pos = malloc((size_t)count * sizeof *pos);
    if (pos == NULL || treb_http_source(argv[1], NULL, &source, &error) != TREB_OK) die(&error);
    const treb_source folder = {.name = argv[2]};
    double begin = clock_seconds();
    treb_tables *far = open_all(&source);
    treb_http_counts opened;
    treb_http_get_counts(&source, &opened);
    printf("%zu tables opened in %.0f ms: %" PRIu64 " requests, %.0f KiB\n", treb_tables_count(far),
           1e3 * (clock_seconds() - begin), opened.requests, (double)opened.bytes / 1024);
    treb_tables *near = open_all(&folder);
    for (int i = 0; i < count; i++) pos[i] = draw(argv[3], &seed);
    printf("| %s | cold, us | warm | folder, first | again | requests | at most | KiB |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
           argv[3]);
    for (int m = TREB_WDL; m < TREB_METRICS; m++)
        measure(&source, far, near, pos, count, (treb_metric)m);
    treb_tables_close(far);
    treb_tables_close(near);
    free(pos);
    return 0;
}
