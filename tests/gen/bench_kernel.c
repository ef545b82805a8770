/* bench_kernel.c - measures the solver's steps on slices of five and six men. All slices have the
 * same number of cells. Their planes have two, three or four men beside the kings, or four of which
 * two are alike. Each step moves a random half of all positions back by one move. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/chess/bitboard.h"
#include "core/format/index.h"
#include "core/system/clock.h"
#include "gen/solve/kernel.h"
#include "tests/support/random.h"

enum { WORDS = 1 << 18, ROUNDS = 8 };

static uint64_t seed = 0x2545f4914f6cdd1d;

typedef struct Bench {
    const Kernel *kernel;
    KernelPlane plane;
    uint64_t *in, *out;
    uint64_t cells; /* cells in use */
} Bench;

/* Fills the rows that are in use: for a pair of like men, half of them. */
static void fill(Bench *b)
{
    b->cells = 0;
    for (size_t w = 0; w < WORDS; w++) {
        const int shift = 6 * (b->plane.men - 3); /* bits of man 1 */
        bool used = !b->plane.pair || (w >> (shift + 6) & 63) < (w >> shift & 63);
        b->in[w] = used ? next_random(&seed) & ~b->plane.occupied : 0;
        b->cells += used ? 64 : 0;
    }
    memset(b->out, 0, WORDS * sizeof *b->out);
}

/* Returns million cells a second for all planes. The step moves `man` back, or moves the king: with
 * man = -1 the plane stays as it is, with -2 the board is mirrored. */
static double rate(const Bench *b, int man, int type)
{
    const size_t words = kernel_plane_words(b->plane.men);
    const int symmetry = man == -1 ? 0 : SYM_FILES;
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = clock_seconds();
        for (size_t at = 0; at < WORDS; at += words) {
            const uint64_t *in = b->in + at;
            uint64_t *out = b->out + at;
            if (man >= 0)
                b->kernel->retro_move(&b->plane, man, type, in, KERNEL_ROWS_ALL, out,
                                      KERNEL_ROWS_ALL);
            else
                b->kernel->merge(&b->plane, symmetry, in, KERNEL_ROWS_ALL, out, KERNEL_ROWS_ALL);
        }
        double seconds = clock_seconds() - start;
        if (seconds < best) best = seconds;
    }
    return 1e-6 * (double)b->cells / best;
}

static void bench(Bench *b, int men, bool pair)
{
    static const char *const place[] = {"bit", "word", "row", "row_block"};
    static const struct {
        const char *name;
        int type;
    } piece[] = {{"rook", TREB_ROOK}, {"bishop", TREB_BISHOP}, {"knight", TREB_KNIGHT}};
    b->plane = (KernelPlane){.men = men, .pair = pair, .occupied = square_bit(3) | square_bit(42)};
    fill(b);
    printf("%d men beside the kings%s\n", men, pair ? ", two alike" : "");
    for (int man = men - 1; man >= (pair ? 2 : 0); man--) {
        printf("  %-5s", place[men - 1 - man]);
        for (int p = 0; p < 3; p++)
            printf("  %s %6.0f", piece[p].name, rate(b, man, piece[p].type));
        putchar('\n');
    }
    if (pair) {
        fputs("  both ", stdout);
        for (int p = 0; p < 3; p++) printf("  %s %6.0f", piece[p].name, rate(b, 0, piece[p].type));
        putchar('\n');
    }
    printf("  king   %6.0f  turned %6.0f\n", rate(b, -1, 0), rate(b, -2, 0));
}

int main(void)
{
    Bench b = {.kernel = kernel_best()};
    b.in = aligned_alloc(64, WORDS * sizeof *b.in);
    b.out = aligned_alloc(64, WORDS * sizeof *b.out);
    if (b.in == NULL || b.out == NULL) return 1;
    printf("million cells a second, one thread, %s\n", b.kernel->name);
    for (int men = 2; men <= 4; men++) bench(&b, men, false);
    for (int men = 3; men <= 4; men++) bench(&b, men, true);
    free(b.in);
    free(b.out);
    return 0;
}
