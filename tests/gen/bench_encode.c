/* bench_encode.c - measures the size and the speed of the encoder for Syzygy arrays.
 *
 *     bench_encode [-t THREADS] FILE...
 *
 * A FILE is a Syzygy table, whose arrays are read and encoded again, or NAME.raw with cells in the
 * form of encode.h. The encoded arrays are read back and compared. */
#include "gen/syzygy/array_encode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/gen/decode.h"

static int threads = 2;
static bool check = true;
static uint64_t all_cells, all_theirs, all_ours;
static double all_seconds;

/* Processor time of all threads together, in seconds. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void print_line(const char *name, uint64_t cells, uint64_t theirs, uint64_t ours,
                       double seconds)
{
    printf("%-28s %11llu cells %10llu %10llu %7.2f%% %8.3f s %7.1f M/s\n", name,
           (unsigned long long)cells, (unsigned long long)theirs, (unsigned long long)ours,
           theirs ? 100.0 * (double)ours / (double)theirs : 0.0, seconds,
           (double)cells / seconds / 1e6);
    fflush(stdout);
}

/* Encodes an array, reads it back and compares. `theirs`: bytes of the original array; 0 if not
 * known. */
static void measure(const char *name, const uint8_t *cells, uint64_t size, bool dtz,
                    uint64_t theirs)
{
    treb_error error;
    Encoded out;
    EncodeOptions options = {.threads = threads, .only_zero = dtz, .block_bits = dtz ? 10 : 6};
    double start = now();
    if (encode_array(cells, size, &options, &out, &error) != TREB_OK) {
        fprintf(stderr, "%s: %s\n", name, error.text);
        exit(1);
    }
    double seconds = now() - start;
    uint64_t ours = out.code_size + out.sparse_size + out.lengths_size + out.blocks_size;
    if (check) {
        Decoder decoder;
        const char *wrong = decode_open(&decoder, &out, size);
        if (wrong == NULL) wrong = decode_compare(&decoder, cells, size, size / 20000000 * 30 + 1);
        if (wrong != NULL) {
            fprintf(stderr, "%s: %s\n", name, wrong);
            exit(1);
        }
        decode_close(&decoder);
    }
    print_line(name, size, theirs, ours, seconds);
    all_cells += size;
    all_theirs += theirs;
    all_ours += ours;
    all_seconds += seconds;
    encode_free(&out);
}

static uint64_t array_bytes(const SyzygyArray *array)
{
    if (array->flags & SYZYGY_CONSTANT) return 2;
    uint64_t step = UINT64_C(1) << array->sparse_bits;
    uint64_t longest = array->code.shortest;
    while (longest < CODE_WORD_MAX && array->code.base[longest] != 0) longest++;
    return 12 + 2 * (longest - array->code.shortest + 1) + 3u * array->code.symbols +
           6 * ((array->index.size + step - 1) / step) + 2 * array->lengths +
           ((uint64_t)array->blocks << array->block_bits);
}

static void measure_table(const char *path)
{
    static SyzygyMaps maps;
    syzygy_maps_fill(&maps);
    Material material;
    treb_metric metric;
    treb_error error;
    if (!syzygy_parse_name(path, &material, &metric)) {
        fprintf(stderr, "%s is not named like a Syzygy table\n", path);
        exit(2);
    }
    Syzygy *table = syzygy_open(path, &material, metric, &maps, &error);
    if (table == NULL) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    const char *slash = strrchr(path, '/');
    for (int file = 0; file < table->files; file++)
        for (int side = 0; side < table->sides; side++) {
            const SyzygyArray *array = &table->array[side][file];
            if (array->flags & SYZYGY_CONSTANT) continue;
            char name[64];
            snprintf(name, sizeof name, "%s %c%c", slash ? slash + 1 : path, "wb"[side],
                     "abcd"[file]);
            uint8_t *cells = malloc(array->index.size);
            if (cells == NULL) abort();
            for (uint64_t i = 0; i < array->index.size; i++) {
                int value = syzygy_cell(table, array, i);
                if (value < 0 || value >= ENCODE_VALUES) {
                    fprintf(stderr, "%s: value %d\n", name, value);
                    exit(1);
                }
                cells[i] = (uint8_t)value;
            }
            measure(name, cells, array->index.size, metric == TREB_DTZ, array_bytes(array));
            free(cells);
        }
    syzygy_close(table);
}

static void measure_raw(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s: %s\n", path, strerror(errno));
        exit(1);
    }
    uint64_t size = (uint64_t)ftell(file);
    rewind(file);
    uint8_t *cells = malloc(size);
    if (cells == NULL || fread(cells, 1, size, file) != size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    const char *slash = strrchr(path, '/');
    /* In NAME.BYTES.raw, BYTES is the size to compare with. */
    uint64_t theirs = 0;
    for (const char *dot = path; (dot = strchr(dot, '.')) != NULL; dot++)
        if (dot[1] >= '0' && dot[1] <= '9') theirs = strtoull(dot + 1, NULL, 10);
    measure(slash ? slash + 1 : path, cells, size, strstr(path, ".dtz") != NULL, theirs);
    free(cells);
}

int main(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "nt:")) != -1) {
        if (option == 't')
            threads = atoi(optarg);
        else if (option == 'n')
            check = false;
        else
            return 2;
    }
    for (int i = optind; i < argc; i++) {
        const char *dot = strrchr(argv[i], '.');
        if (dot != NULL && strcmp(dot, ".raw") == 0)
            measure_raw(argv[i]);
        else
            measure_table(argv[i]);
    }
    print_line("all", all_cells, all_theirs, all_ours, all_seconds);
    return 0;
}
