/* test_kernel.c - tests every build of the kernel that this processor can run. The expected results
 * come from moves made one square and one position at a time. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/format/index.h"
#include "gen/solve/kernel.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

/* An assertion for hot loops. Every ck_assert that holds costs a system call. */
#define REQUIRE(condition, kernel)                                                                 \
    do {                                                                                           \
        if (!(condition)) ck_abort_msg("%s: %s", (kernel)->name, #condition);                      \
    } while (0)

enum { CLOSED = 5 }; /* largest number of kings and pawns in a random plane */

/* State of the random numbers. Every run gets identical ones. */
static uint64_t seed = 0x2545f4914f6cdd1d;

static uint64_t *new_set(size_t words)
{
    uint64_t *set = aligned_alloc(64, (words * sizeof *set + 63) & ~(size_t)63);
    ck_assert_ptr_nonnull(set);
    memset(set, 0, words * sizeof *set);
    return set;
}

/* Stores the squares of the men of a cell, man 0 first. */
static void cell_squares(size_t cell, int men, int square[KERNEL_MEN_MAX])
{
    for (int man = men - 1; man >= 0; man--, cell >>= 6) square[man] = cell & 63;
}

static size_t squares_cell(const int square[KERNEL_MEN_MAX], int men)
{
    size_t cell = 0;
    for (int man = 0; man < men; man++) cell = cell << 6 | (size_t)square[man];
    return cell;
}

/* Returns the squares of kings and pawns for a word. With one man each word has its own pawns. */
static uint64_t word_occupied(const KernelPlane *plane, size_t word)
{
    return plane->men == 1 ? plane->lane[word] : plane->occupied;
}

/* Returns which bits of a word are positions: all men are on different squares, and none is on a
 * king's or pawn's. */
static uint64_t word_valid(const KernelPlane *plane, size_t word)
{
    uint64_t occupied = word_occupied(plane, word);
    for (int man = plane->men - 2; man >= 0; man--, word >>= 6) {
        uint64_t bit = square_bit(word & 63);
        if (occupied & bit) return 0;
        occupied |= bit;
    }
    return ~occupied;
}

/* Returns the square of man 0 or 1 in a word of a plane with three or four men. */
static size_t word_square(const KernelPlane *plane, size_t word, int man)
{
    return word >> 6 * (plane->men - 2 - man) & 63;
}

/* Returns whether the row is stored: of a pair of like men only the order with the lower square
 * first is. */
static bool row_kept(const KernelPlane *plane, size_t word)
{
    return !plane->pair || word_square(plane, word, 0) < word_square(plane, word, 1);
}

/* Returns whether a row mask includes a word. `of`: see kernel.h. */
static bool row_allowed(const KernelPlane *plane, size_t word, KernelRows rows)
{
    if (plane->men < 3) return rows.row_blocks != 0;
    size_t first = word_square(plane, word, 0), second = word_square(plane, word, 1);
    bool row_block = rows.row_blocks >> first & 1;
    if (rows.of != NULL) return row_block && row_kept(plane, word) && rows.of[first] >> second & 1;
    return row_block && row_kept(plane, word) && (!plane->pair || rows.row_blocks >> second & 1);
}

/* Returns the stored cell of a position: of a pair only one order of its men is stored. */
static size_t kept_cell(const KernelPlane *plane, size_t cell)
{
    int square[KERNEL_MEN_MAX];
    if (row_kept(plane, cell >> 6)) return cell;
    cell_squares(cell, plane->men, square);
    const int low = square[1];
    square[1] = square[0];
    square[0] = low;
    return squares_cell(square, plane->men);
}

static KernelPlane random_plane(int men, bool pair)
{
    KernelPlane plane = {.men = men, .pair = pair};
    for (int closed = 2 + (int)(next_random(&seed) % (CLOSED - 1)); closed > 0; closed--) {
        plane.occupied |= square_bit(next_random(&seed) % 64);
        for (int i = 0; i < KERNEL_LANES; i++) plane.lane[i] |= square_bit(next_random(&seed) % 64);
    }
    return plane;
}

static uint64_t random_rows(int men)
{
    uint64_t r = next_random(&seed);
    if (men < 3 || r % 4 == 0) return KERNEL_ALL;
    if (r % 4 == 1) return next_random(&seed) & next_random(&seed) & next_random(&seed);
    return next_random(&seed);
}

/* Fills a set with random positions: one in 2^(thin + 1). */
static void fill_set(const KernelPlane *plane, uint64_t rows, int thin, uint64_t *set)
{
    size_t words = kernel_plane_words(plane->men);
    for (size_t w = 0; w < words; w++) {
        bool allowed = row_allowed(plane, w, (KernelRows){rows, NULL});
        uint64_t bits = allowed ? word_valid(plane, w) : 0;
        for (int i = 0; i <= thin && bits; i++) bits &= next_random(&seed);
        set[w] = bits;
    }
}

/* ---- Retro-moves ----------------------------------------------------------------------------- */

/* Returns the squares that a man reaches, walking one step at a time. */
static uint64_t walk_squares(int type, int from, uint64_t occupied)
{
    static const int line[8][2] = {{0, 1}, {1, 0},  {0, -1},  {-1, 0},
                                   {1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
    static const int jump[8][2] = {{1, 2},   {2, 1},   {2, -1}, {1, -2},
                                   {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};
    uint64_t seen = 0;
    for (int d = 0; d < 8; d++) {
        const int *step = type == TREB_KNIGHT ? jump[d] : line[d];
        if ((type == TREB_ROOK && d >= 4) || (type == TREB_BISHOP && d < 4)) continue;
        int file = square_file(from) + step[0], rank = square_rank(from) + step[1];
        while (file >= 0 && file < 8 && rank >= 0 && rank < 8) {
            uint64_t bit = square_bit(square_at(file, rank));
            if (occupied & bit) break;
            seen |= bit;
            if (type == TREB_KNIGHT) break;
            file += step[0];
            rank += step[1];
        }
    }
    return seen;
}

static void naive_retro_move(const KernelPlane *plane, int man, int type, const uint64_t *in,
                             uint64_t *out, KernelRows out_rows)
{
    size_t words = kernel_plane_words(plane->men);
    for (size_t w = 0; w < words; w++) {
        for (uint64_t bits = in[w]; bits;) {
            int square[KERNEL_MEN_MAX];
            uint64_t occupied = word_occupied(plane, w);
            cell_squares(w << 6 | (size_t)bit_pop(&bits), plane->men, square);
            for (int m = 0; m < plane->men; m++) occupied |= square_bit(square[m]);
            uint64_t targets = walk_squares(type, square[man], occupied);
            while (targets) {
                square[man] = bit_pop(&targets);
                size_t cell = squares_cell(square, plane->men) + (plane->men == 1 ? 64 * w : 0);
                cell = kept_cell(plane, cell);
                if (row_allowed(plane, cell >> 6, out_rows))
                    out[cell >> 6] |= square_bit(cell & 63);
            }
        }
    }
}

/* With four men or a pair, limits the rows: of `in` to those that are not empty, of `out` to a
 * random choice. */
static void random_row_masks(const KernelPlane *plane, const uint64_t *in, uint64_t masks[2][64],
                             KernelRows rows[2])
{
    if ((plane->men != 4 && !plane->pair) || next_random(&seed) % 4 == 0) return;
    memset(masks[0], 0, sizeof masks[0]);
    for (size_t row_block = 0; row_block < 64; row_block++)
        masks[1][row_block] = next_random(&seed) | next_random(&seed);
    for (size_t w = 0; w < kernel_plane_words(plane->men); w++)
        if (in[w]) masks[0][word_square(plane, w, 0)] |= UINT64_C(1) << word_square(plane, w, 1);
    rows[0].of = masks[0];
    rows[1].of = masks[1];
}

/* Tests one set with all builds. The earlier bits of `out` and the rows outside the mask must not
 * change. */
static void check_retro_move(int men, bool pair, int man, int type, int thin)
{
    const Kernel *build[4];
    int builds = kernel_builds(build);
    size_t words = kernel_plane_words(men);
    KernelPlane plane = random_plane(men, pair);
    KernelRows rows[2] = {{random_rows(men), NULL}, {random_rows(men), NULL}};
    uint64_t *in = new_set(words), *want = new_set(words), *out = new_set(words);
    uint64_t *before = new_set(words);
    fill_set(&plane, rows[0].row_blocks, thin, in);
    fill_set(&plane, KERNEL_ALL, 4, before);
    memcpy(want, before, words * sizeof *want);
    uint64_t masks[2][64];
    random_row_masks(&plane, in, masks, rows);
    if (!pair || man != 1) naive_retro_move(&plane, man, type, in, want, rows[1]);
    if (pair && man == 0) naive_retro_move(&plane, 1, type, in, want, rows[1]);
    for (int b = 0; b < builds; b++) {
        memcpy(out, before, words * sizeof *out);
        build[b]->retro_move(&plane, man, type, in, rows[0], out, rows[1]);
        for (size_t w = 0; w < words; w++) {
            bool asked = row_allowed(&plane, w, rows[1]);
            if (!asked) REQUIRE(out[w] == before[w], build[b]);
            uint64_t valid = asked ? word_valid(&plane, w) : UINT64_MAX;
            REQUIRE(((out[w] ^ want[w]) & valid) == 0, build[b]);
        }
    }
    free(in);
    free(want);
    free(out);
    free(before);
}

START_TEST(retro_moves)
{
    static const int rounds[] = {0, 2000, 150, 12, 2}, thin[] = {0, 3, 3, 3, 7};
    int men = _i;
    for (int man = 0; man < men; man++)
        for (int type = TREB_KNIGHT; type <= TREB_QUEEN; type++)
            for (int round = 0; round < rounds[men]; round++)
                check_retro_move(men, men >= 3 && round % 2, man, type,
                                 men < 4 ? round % (thin[men] + 1) : thin[men]);
}
END_TEST

/* ---- Symmetries ------------------------------------------------------------------------------ */

static bool naive_seen(const KernelPlane *plane, int symmetry, const uint64_t *in, size_t cell)
{
    int men = plane->men;
    int square[KERNEL_MEN_MAX];
    size_t lane = men == 1 ? cell & ~(size_t)63 : 0; /* no symmetry leads out of a word's part */
    cell_squares(cell, men, square);
    for (int m = 0; m < men; m++) square[m] = index_symmetry_square(symmetry, square[m]);
    cell = kept_cell(plane, squares_cell(square, men) | lane);
    return in[cell >> 6] >> (cell & 63) & 1;
}

static void check_merge(int men, bool pair, int symmetry)
{
    KernelPlane plane = {.men = men, .pair = pair};
    const Kernel *build[4];
    int builds = kernel_builds(build);
    size_t words = kernel_plane_words(men), stride = men < 4 ? 1 : 61;
    KernelRows rows[2] = {KERNEL_ROWS_ALL, {random_rows(men), NULL}};
    uint64_t *in = new_set(words), *out = new_set(words), masks[2][64];
    for (size_t w = 0; w < words; w++)
        in[w] = w / 64 % 7 == 0 || !row_kept(&plane, w) ? 0 : next_random(&seed);
    random_row_masks(&plane, in, masks, rows);
    for (int b = 0; b < builds; b++) {
        for (size_t w = 0; w < words; w++) out[w] = square_bit(w % 64);
        build[b]->merge(&plane, symmetry, in, rows[0], out, rows[1]);
        for (size_t w = 0; w < words; w += stride) {
            uint64_t want = square_bit(w % 64);
            bool asked = row_allowed(&plane, w, rows[1]);
            for (size_t bit = 0; bit < 64 && asked; bit++)
                want |= (uint64_t)naive_seen(&plane, symmetry, in, w << 6 | bit) << bit;
            REQUIRE(out[w] == want, build[b]);
        }
    }
    free(in);
    free(out);
}

START_TEST(merges)
{
    for (int symmetry = 0; symmetry < 8; symmetry++)
        for (int round = 0; round < (_i < 4 ? 4 : 2); round++)
            check_merge(_i, _i >= 3 && round % 2, symmetry);
}
END_TEST

/* Without men the bits of a word are slices (gen/solve/slice_provider.h). No symmetry moves them. */
START_TEST(merge_without_men)
{
    const Kernel *build[4];
    int builds = kernel_builds(build);
    for (int b = 0; b < builds; b++) {
        for (int symmetry = 0; symmetry < 8; symmetry++) {
            uint64_t *in = new_set(1), *out = new_set(1);
            in[0] = next_random(&seed);
            out[0] = 1;
            const KernelPlane plane = {.men = 0};
            build[b]->merge(&plane, symmetry, in, KERNEL_ROWS_ALL, out, KERNEL_ROWS_ALL);
            REQUIRE(out[0] == (in[0] | 1), build[b]);
            free(in);
            free(out);
        }
    }
}
END_TEST

/* ---- Distances ------------------------------------------------------------------------------- */

typedef struct Distances {
    size_t words;
    uint64_t *set;
    Plies *plies, *want;
} Distances;

/* Some words are full, some empty, and some neither. */
static Distances new_distances(size_t words)
{
    Distances b = {words, new_set(words), (Plies *)new_set(8 * words * sizeof(Plies)),
                   (Plies *)new_set(8 * words * sizeof(Plies))};
    unsigned span = 1 + next_random(&seed) % PLIES_OPEN;
    for (size_t w = 0; w < words; w++) {
        uint64_t kind = next_random(&seed) % 4;
        b.set[w] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : next_random(&seed) & next_random(&seed);
    }
    for (size_t i = 0; i < 64 * words; i++)
        b.plies[i] = b.want[i] = next_random(&seed) % (span + 1);
    return b;
}

static void free_distances(Distances *b)
{
    free(b->set);
    free(b->plies);
    free(b->want);
}

static bool in_set(const uint64_t *set, size_t i) { return set[i >> 6] >> (i & 63) & 1; }

static void check_mark(const Kernel *kernel, Distances *b, Plies value)
{
    kernel->mark(b->set, b->words, value, b->plies);
    for (size_t i = 0; i < 64 * b->words; i++)
        REQUIRE(b->plies[i] == (in_set(b->set, i) ? value : b->want[i]), kernel);
}

START_TEST(distances)
{
    static const size_t words[] = {1, 2, 7, 64, 193};
    const Kernel *build[4];
    int builds = kernel_builds(build);
    for (int round = 0; round < 600; round++) {
        uint64_t start = next_random(&seed);
        for (int b = 0; b < builds; b++) {
            seed = start;
            Distances d = new_distances(words[round % 5]);
            Plies value = d.plies[next_random(&seed) % (64 * d.words)];
            check_mark(build[b], &d, round % 7 == 0 ? 0 : value);
            free_distances(&d);
        }
    }
}
END_TEST

/* ---- Staging --------------------------------------------------------------------------------- */

static void check_pick(const Kernel *kernel, const Distances *b, unsigned shift)
{
    Plies *out = (Plies *)new_set(8 * b->words * sizeof *out);
    kernel->pick(b->set, b->words, shift, b->plies, out);
    for (size_t i = 0; i < 64 * b->words; i++)
        REQUIRE(out[i] == (in_set(b->set, i) ? b->plies[i] >> shift : PLIES_OPEN), kernel);
    free(out);
}

/* Returns runs of cells of all lengths, up to more than the kernel copies at once. */
static void random_cells(Plies *cells, int count)
{
    unsigned often = 1 + next_random(&seed) % 40;
    Plies code = PLIES_OPEN;
    for (int i = 0; i < count; i++) {
        uint64_t r = next_random(&seed);
        if (r % often == 0)
            code = r >> 32 & 1 ? PLIES_OPEN : (r >> 33 & 3) ? r >> 40 & 7 : KERNEL_CAPPED;
        cells[i] = code;
    }
}

static void check_fill(const Kernel *kernel, Plies cap)
{
    enum { ROWS = 5 };
    Plies in[64 * ROWS], out[64 * ROWS], before = next_random(&seed) % 8, last = before;
    random_cells(in, 64 * ROWS);
    for (int row = 0; row < ROWS; row++)
        last = kernel->fill(in + 64 * row, last, cap, out + 64 * row);
    for (int i = 0; i < 64 * ROWS; i++) {
        if (in[i] < KERNEL_CAPPED)
            before = in[i];
        else if (in[i] == KERNEL_CAPPED && before > cap)
            before = cap;
        REQUIRE(out[i] == before, kernel);
    }
    REQUIRE(last == before, kernel);
}

START_TEST(staging)
{
    const Kernel *build[4];
    int builds = kernel_builds(build);
    for (int round = 0; round < 2000; round++) {
        uint64_t start = next_random(&seed);
        for (int b = 0; b < builds; b++) {
            seed = start;
            Distances d = new_distances(1 + round % 3);
            check_pick(build[b], &d, round % 2);
            free_distances(&d);
            check_fill(build[b], round % 3 ? 2 : PLIES_OPEN);
        }
    }
}
END_TEST

START_TEST(builds_listed)
{
    const Kernel *build[4];
    int builds = kernel_builds(build);
    ck_assert_int_ge(builds, 1);
    ck_assert_str_eq(build[0]->name, "portable");
    ck_assert_ptr_eq(kernel_best(), build[builds - 1]);
    for (int b = 1; b < builds; b++) ck_assert_str_ne(build[b]->name, build[b - 1]->name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernel");
    TCase *kernel = tcase_create("kernel");
    tcase_add_test(kernel, builds_listed);
    tcase_add_loop_test(kernel, retro_moves, 1, 5);
    tcase_add_loop_test(kernel, merges, 1, 5);
    tcase_add_test(kernel, merge_without_men);
    tcase_add_test(kernel, distances);
    tcase_add_test(kernel, staging);
    tcase_set_timeout(kernel, 300);
    suite_add_tcase(suite, kernel);
    return run_suite(suite);
}
