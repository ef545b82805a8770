/* kernel.h - retro-moves of one man, in 64 positions at a time.
 *
 * A plane is the set of positions that have the same squares of both kings, and the same pawns (layout.h). Its other
 * men are numbered 0 to k-1. The square of man k-1 is the bit within a word, that of man k-2 is the word within a row
 * of 64 words, and the squares of the other men number the rows: that of man k-3 changes fastest.
 *
 *     k = 4      row number 64 * a + b, word c, bit d:   man 0 on a, man 1 on b, man 2 on c, man 3 on d
 *
 * With one man most of a vector register would be unused: such a plane has KERNEL_LANES words, each of which is a
 * plane of its own with other pawns. A plane without men is bit 0 of a single word.
 *
 * A retro-move takes a set of positions to the positions from which the man reaches the set by a move that captures
 * nothing: along lines it passes over empty squares only. The result is meaningless for cells in which two men share
 * a square; the caller masks them away.
 *
 * If men 0 and 1 of three or four are of the same kind (a pair), a position is kept once: in the row where man 0 is
 * on the lower square. Other rows are empty, and nothing is written there. With three men, a word of man 0 and man 1
 * counts as a row in this sense.
 *
 * There are several builds of the same source, for registers of different width; kernel_best picks one. */
#ifndef TREB_GEN_SOLVE_KERNEL_H
#define TREB_GEN_SOLVE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chess/material.h"
#include "gen/solve/plies.h"

enum { KERNEL_MEN_MAX = 6, KERNEL_ROW = 64, KERNEL_LANES = 8 };

/* The men of a plane. */
typedef struct KernelPlane {
    int men;                     /* number of men, k */
    bool pair;                   /* men 0 and 1 are of the same kind, and kept once */
    uint64_t occupied;           /* squares of kings and pawns */
    uint64_t lane[KERNEL_LANES]; /* with one man, instead of `occupied`: these squares by word */
} KernelPlane;

/* Returns the number of words of a plane with k men. */
static inline size_t kernel_plane_words(int men)
{
    return men == 0 ? 1 : men == 1 ? KERNEL_LANES : (size_t)1 << 6 * (men - 1);
}

/* All words in which man 0 is on the same square are a *block of rows*. A mask of blocks has bit s for man 0 on
 * square s. With fewer than three men there are no separate blocks, and a mask is KERNEL_ALL or 0. */
#define KERNEL_ALL UINT64_MAX

/* The rows of a plane to work on: those of the blocks in `row_blocks`. With four men or a pair `of` can restrict them
 * further: of[a] has bit b if the row with man 0 on a and man 1 on b is included. `of` NULL: all rows of these
 * blocks; with a pair, the rows with both men on squares in `row_blocks`. */
typedef struct KernelRows {
    uint64_t row_blocks;
    const uint64_t *of;
} KernelRows;

#define KERNEL_ROWS_ALL ((KernelRows){KERNEL_ALL, NULL})

enum { KERNEL_CAPPED = PLIES_OPEN - 1 };

typedef struct Kernel {
    const char *name;

    /* Adds to `out`, in the rows out_rows, the retro-moves of man `man` of type `type` from `in`. `in` must be empty
     * outside the rows in_rows. Of a pair, man 0 stands for both men, and nothing is done for man 1. */
    void (*retro_move)(const KernelPlane *plane, int man, int type, const uint64_t *in,
                       KernelRows in_rows, uint64_t *out, KernelRows out_rows);

    /* Adds to `out`, in the rows out_rows, the plane `in` seen through a symmetry: cell p of `out` takes cell
     * symmetry(p) of `in`. `in` must be empty outside the rows in_rows. Of `plane` only the number of men and the
     * pair are used. */
    void (*merge)(const KernelPlane *plane, int symmetry, const uint64_t *in, KernelRows in_rows,
                  uint64_t *out, KernelRows out_rows);

    /* Sets plies[i] = value where bit i of the set is set. The set has `words` words. */
    void (*mark)(const uint64_t *set, size_t words, Plies value, Plies *plies);

    uint64_t (*count)(const uint64_t *set, size_t words);

    /* Packs a set of 64 words: a byte with a bit for each eighth that is not empty, followed by these eighths. Each
     * is a byte with a bit for each word that is not empty, followed by these words; each is a byte with a bit for
     * each byte that is not 0, followed by these bytes. Returns the end of what was written; `out` if the set is
     * empty. Up to 8 bytes behind the end may be overwritten. */
    uint8_t *(*pack)(const uint64_t *set, uint8_t *out);
    /* Adds such a packed set to another set, or sets the distances of its cells. Both return the end of the packed
     * set. Up to 8 bytes behind the end may be read. */
    const uint8_t *(*unpack)(const uint8_t *packed, uint64_t *set);
    const uint8_t *(*unpack_mark)(const uint8_t *packed, Plies value, Plies *plies);

    /* Sets out[i] = plies[i] >> shift where the set is, PLIES_OPEN elsewhere. */
    void (*pick)(const uint64_t *set, size_t words, unsigned shift, const Plies *plies, Plies *out);
    /* Copies 64 cells. A PLIES_OPEN becomes the cell before it. A KERNEL_CAPPED becomes the smaller of the cell
     * before it and `cap`. `before` is the cell before the first. Returns the last cell. */
    Plies (*fill)(const Plies *in, Plies before, Plies cap, Plies *out);
} Kernel;

/* Returns the widest build that this processor runs. */
const Kernel *kernel_best(void);

/* Writes all builds that this processor runs, the portable one first. Returns their number (at most 4). */
int kernel_builds(const Kernel *out[4]);

#endif
