/* kernel.h - un-moving one man in 64 positions at a time.
 *
 * A plane is the set of positions that share both kings' squares (and all pawns). Its other men
 * are numbered 0 to k-1. Man k-1 is the bit within a word, man k-2 the word within a row of 64
 * words, and the men before them number the rows: man k-3 changes fastest. One man leaves most of
 * a register unused: there a plane has KERNEL_LANES words, each of which is a plane of its own with
 * other pawns. With none a plane is bit 0 of a single word.
 *
 * Un-moving takes a set of positions to those from which the man reaches it by a move that
 * captures nothing: along lines it passes over empty squares only. What comes out for cells in
 * which two men share a square means nothing; the caller masks it away.
 *
 * Where men 0 and 1 of three or four are alike (a pair), a position is kept once: in the row where man 0 is on the
 * lower square. Other rows are empty, and nothing is written there. Of three men a row in this sense is one word.
 *
 * There are several builds of the same source, for wider registers; kernel_best picks one. */
#ifndef TREB_GEN_KERNEL_H
#define TREB_GEN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/chess/material.h"
#include "gen/solve/plies.h"

enum { KERNEL_MEN_MAX = 6, KERNEL_ROW = 64, KERNEL_LANES = 8 };

/* What stands where in a plane. */
typedef struct KernelPlane {
    int men;                     /* k */
    bool pair;                   /* men 0 and 1 are alike, and kept once */
    uint64_t occupied;           /* kings and pawns */
    uint64_t lane[KERNEL_LANES]; /* with one man, instead: the same by word */
} KernelPlane;

/* Words of a plane with k men. */
static inline size_t kernel_plane_words(int men)
{
    return men == 0 ? 1 : men == 1 ? KERNEL_LANES : (size_t)1 << 6 * (men - 1);
}

/* Rows are masked by the square of man 0: bit s of a mask stands for all words with man 0 on s, a slab.
 * With fewer than three men there is nothing to mask and a mask is all or nothing. */
#define KERNEL_ALL UINT64_MAX

/* Which rows of a plane count: those of some slabs and, with four men or a pair, in each of them those with man 1
 * on the squares of an entry of `of`. NULL: all, or of a pair those with both men on squares in `slabs`. */
typedef struct KernelRows {
    uint64_t slabs;
    const uint64_t *of;
} KernelRows;

#define KERNEL_ROWS_ALL ((KernelRows){KERNEL_ALL, NULL})

enum { KERNEL_CAPPED = PLIES_OPEN - 1 };

typedef struct Kernel {
    const char *name;

    /* Ors into `out`, in these rows, the un-moves of man `man` of type `type` from `in`, of which all
     * other rows than in_rows are empty. Of a pair man 0 stands for both, and man 1 is passed over. */
    void (*unmove)(const KernelPlane *plane, int man, int type, const uint64_t *in,
                   KernelRows in_rows, uint64_t *out, KernelRows out_rows);

    /* Ors into `out`, in these rows, the plane `in` seen through a symmetry: cell p of `out` takes cell
     * symmetry(p) of `in`, which is empty but for in_rows. Of `plane` only the men are looked at. */
    void (*merge)(const KernelPlane *plane, int symmetry, const uint64_t *in, KernelRows in_rows,
                  uint64_t *out, KernelRows out_rows);

    /* For `words` words of cells: plies[i] = value where bit i of set is. */
    void (*mark)(const uint64_t *set, size_t words, Plies value, Plies *plies);

    uint64_t (*count)(const uint64_t *set, size_t words);

    /* A set of 64 words, packed: a byte with a bit for each eighth that is not empty, then these: a byte
     * for its words, and each of those as a byte for its bytes, then these. Returns the end of what it
     * wrote, and may write 8 bytes more; nothing if the set is empty. */
    uint8_t *(*pack)(const uint64_t *set, uint8_t *out);
    /* Ors such a set into another, or writes a distance where it is: returns the end of what was
     * read. Up to 8 bytes more are looked at. */
    const uint8_t *(*unpack)(const uint8_t *packed, uint64_t *set);
    const uint8_t *(*unpack_mark)(const uint8_t *packed, Plies value, Plies *plies);

    /* out[i] = plies[i] >> shift where set is, PLIES_OPEN elsewhere. */
    void (*pick)(const uint64_t *set, size_t words, unsigned shift, const Plies *plies, Plies *out);
    /* Copies 64 cells. What is PLIES_OPEN takes the cell before it, what is KERNEL_CAPPED too, but
     * `cap` at most; before the first is `before`. Returns the last. */
    Plies (*fill)(const Plies *in, Plies before, Plies cap, Plies *out);
} Kernel;

/* The widest build that this processor runs. */
const Kernel *kernel_best(void);

/* All builds that this processor runs, the portable one first; returns their number (at most 4). */
int kernel_builds(const Kernel *out[4]);

#endif
