/* bench_coder.c - measures the size and the speed of the code of our own arrays.
 *
 *     bench_coder [-b BYTES] [-p PART] [-s SYMBOLS] [-t THREADS] FILE...
 *
 * BYTES is the size of a block. The code is learned from one in PART cells. A FILE has cells in the
 * form of gen/compress/values.h. */
#include "gen/compress/coder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STRETCH = 1 << 13, SLICE = 1 << 20 };

static unsigned block_bytes = 512, part = 3, symbols;
static int threads = 2;

/* Processor time of all threads together, in seconds. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static uint8_t *read_cells(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) die(path, strerror(errno));
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *cells = malloc(*size + 1);
    if (cells == NULL || fread(cells, 1, *size, file) != *size) die(path, "cannot be read");
    fclose(file);
    return cells;
}

static Coder *learn(const uint8_t *cells, size_t size)
{
    treb_error error;
    CoderCells *stretch = malloc((size / STRETCH + 1) * sizeof *stretch);
    CoderSample sample = {.stretch = stretch, .size = size};
    CoderOptions options = {.threads = threads, .symbols = symbols};
    if (stretch == NULL) die("bench_coder", "out of memory");
    for (size_t at = 0; at < size; at += (size_t)part * STRETCH)
        stretch[sample.count++] =
            (CoderCells){cells + at, size - at < STRETCH ? size - at : STRETCH};
    for (size_t i = 0; i < size; i++)
        if (cells[i] < ENCODE_VALUES) sample.present[cells[i]] = true;
    Coder *coder = coder_learn(&sample, &options, &error);
    if (coder == NULL) die("bench_coder", error.text);
    free(stretch);
    return coder;
}

/* Encodes slice after slice, as the writer of a table does. Returns the bytes of the blocks. */
static size_t encode(const Coder *coder, const uint8_t *cells, size_t size)
{
    treb_error error;
    CodedBlocks blocks = {0};
    CoderBuffer *buffer = coder_buffer_make(coder);
    size_t bytes = 0;
    if (buffer == NULL) die("bench_coder", "out of memory");
    for (size_t at = 0; at < size; at += SLICE) {
        size_t length = size - at < SLICE ? size - at : SLICE;
        if (coder_encode(coder, buffer, cells + at, length, block_bytes, &blocks, &error) !=
            TREB_OK)
            die("bench_coder", error.text);
        bytes += blocks.count * block_bytes;
    }
    coder_blocks_free(&blocks);
    coder_buffer_free(buffer);
    return bytes;
}

static void measure(const char *path)
{
    size_t size;
    uint8_t *cells = read_cells(path, &size);
    double start = now();
    Coder *coder = learn(cells, size);
    double learned = now();
    size_t bytes = encode(coder, cells, size), code = coder_code(coder, NULL);
    double encoded = now();
    const char *slash = strrchr(path, '/');
    printf("%-24s %11zu cells: code %6zu, longest word %2u; blocks %10zu; learning %6.2f s, "
           "encoding %6.2f s\n",
           slash ? slash + 1 : path, size, code, coder_longest(coder), bytes, learned - start,
           encoded - learned);
    fflush(stdout);
    coder_free(coder);
    free(cells);
}

int main(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "b:p:s:t:")) != -1) {
        if (option == '?') return 2;
        int number = atoi(optarg);
        if (number < 1) die(optarg, "not a number from 1 on");
        if (option == 'b') block_bytes = (unsigned)number;
        if (option == 'p') part = (unsigned)number;
        if (option == 's') symbols = (unsigned)number;
        if (option == 't') threads = number;
    }
    for (int i = optind; i < argc; i++) measure(argv[i]);
    return 0;
}
