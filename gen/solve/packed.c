/* packed.c - see packed.h.
 *
 * A packed set is a tree. A node is a byte with a bit for each eighth of its cells that is not empty, followed by
 * these eighths. An eighth of a word is the byte itself. So a single cell of 16 million takes 8 bytes, and
 * neighbouring cells share all of these but the last. The kernel packs the lowest levels, 64 words. */
#include "gen/solve/packed.h"

#include <string.h>

enum {
    TREE_WORDS = 64,           /* smaller sets are not packed */
    ROW_BLOCK_SET_WORDS = 4096 /* smaller sets have no blocks of rows */
};

/* The nodes down to words have eight parts each, and a word has one byte more. */
size_t packed_most(size_t words) { return words * 9 + words / 7 + 16 + PACKED_SLACK; }

/* ---- Packing --------------------------------------------------------------------------------- */

/* Writes a tree; nothing if it is empty. */
static uint8_t *put_tree(const Kernel *kernel, const uint64_t *set, size_t words, uint8_t *out)
{
    if (words == 64) return kernel->pack(set, out);
    uint8_t *at = out + 1;
    unsigned mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint8_t *end = put_tree(kernel, set + i * (words / 8), words / 8, at);
        mask |= (unsigned)(end != at) << i;
        at = end;
    }
    *out = (uint8_t)mask;
    return mask ? at : out;
}

/* Writes a tree of which only some blocks of rows are read. The 64 blocks are two levels of the tree. */
static uint8_t *put_row_blocks(const Kernel *kernel, const uint64_t *set, size_t words,
                               uint64_t row_blocks, uint8_t *out)
{
    uint8_t *at = out + 1;
    unsigned mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint8_t *node = at++;
        *node = 0;
        for (unsigned row_block = 8 * i; row_block < 8 * i + 8; row_block++) {
            if (!(row_blocks >> row_block & 1)) continue;
            uint8_t *end = put_tree(kernel, set + row_block * (words / 64), words / 64, at);
            *node |= (uint8_t)((end != at) << (row_block - 8 * i));
            at = end;
        }
        if (*node)
            mask |= 1u << i;
        else
            at = node;
    }
    *out = (uint8_t)mask;
    return mask ? at : out;
}

/* Writes the tree of cells in ascending order that are all in the same node. `shift` selects its eighths. */
static uint8_t *put_cells(const Kernel *kernel, const uint32_t *cell, size_t count, int shift,
                          uint8_t *out)
{
    enum { PACKED = 9 /* the shift for a set that the kernel packs */ };
    if (shift == PACKED) {
        uint64_t set[TREE_WORDS] = {0};
        for (size_t i = 0; i < count; i++)
            set[cell[i] >> 6 & (TREE_WORDS - 1)] |= UINT64_C(1) << (cell[i] & 63);
        return kernel->pack(set, out);
    }
    uint8_t *at = out + 1;
    unsigned mask = 0;
    for (size_t i = 0; i < count;) {
        unsigned part = cell[i] >> shift & 7;
        size_t first = i++;
        mask |= 1u << part;
        while (i < count && (cell[i] >> shift & 7) == part) i++;
        at = put_cells(kernel, cell + first, i - first, shift - 3, at);
    }
    *out = (uint8_t)mask;
    return at;
}

/* Sets of less than 64 words are copied; nothing is written if they are empty. */
static uint8_t *put_small(const uint64_t *set, size_t words, uint8_t *out)
{
    uint64_t any = 0;
    for (size_t w = 0; w < words; w++) any |= set[w];
    if (any == 0) return out;
    memcpy(out, set, words * sizeof *set);
    return out + words * sizeof *set;
}

uint8_t *packed_put(const Kernel *kernel, const uint64_t *set, size_t words, uint64_t row_blocks,
                    uint8_t *out)
{
    if (words < TREE_WORDS) return put_small(set, words, out);
    if (row_blocks == KERNEL_ALL || words < ROW_BLOCK_SET_WORDS)
        return put_tree(kernel, set, words, out);
    return put_row_blocks(kernel, set, words, row_blocks, out);
}

uint8_t *packed_put_cells(const Kernel *kernel, const uint32_t *cell, size_t count, size_t words,
                          uint8_t *out)
{
    uint64_t set[TREE_WORDS] = {0};
    if (count == 0) return out;
    if (words >= TREE_WORDS) return put_cells(kernel, cell, count, 3 + __builtin_ctzll(words), out);
    for (size_t i = 0; i < count; i++) set[cell[i] / 64] |= UINT64_C(1) << cell[i] % 64;
    return put_small(set, words, out);
}

/* ---- Unpacking ------------------------------------------------------------------------------- */

/* What to do with a packed set: add its cells to `set`, or, if `plies` is not NULL, set their distances. */
typedef struct Use {
    const Kernel *kernel;
    uint64_t *set;
    Plies value, *plies;
} Use;

static const uint8_t *use_tree(const Use *use, const uint8_t *at, size_t first, size_t words)
{
    if (words == 64)
        return use->plies != NULL
                   ? use->kernel->unpack_mark(at, use->value, use->plies + 64 * first)
                   : use->kernel->unpack(at, use->set + first);
    words /= 8;
    for (unsigned mask = *at++; mask; mask &= mask - 1)
        at = use_tree(use, at, first + __builtin_ctz(mask) * words, words);
    return at;
}

static void use_all(const Use *use, const uint8_t *packed, size_t words)
{
    uint64_t set[TREE_WORDS];
    if (words >= TREE_WORDS) {
        use_tree(use, packed, 0, words);
        return;
    }
    memcpy(set, packed, words * sizeof *set);
    if (use->plies != NULL)
        use->kernel->mark(set, words, use->value, use->plies);
    else
        for (size_t w = 0; w < words; w++) use->set[w] |= set[w];
}

void packed_or(const Kernel *kernel, const uint8_t *packed, size_t words, uint64_t *set)
{
    use_all(&(Use){kernel, set, 0, NULL}, packed, words);
}

void packed_mark(const Kernel *kernel, const uint8_t *packed, size_t words, Plies value,
                 Plies *plies)
{
    use_all(&(Use){kernel, NULL, value, plies}, packed, words);
}

uint64_t packed_get(const Kernel *kernel, const uint8_t *at, size_t words, uint64_t *set)
{
    const Use use = {kernel, set, 0, NULL};
    const size_t row_block_words = words / 64;
    uint64_t row_blocks = 0;
    if (words < ROW_BLOCK_SET_WORDS) {
        memset(set, 0, words * sizeof *set);
        use_all(&use, at, words);
        return KERNEL_ALL;
    }
    for (unsigned mask = *at++; mask; mask &= mask - 1)
        for (unsigned node = *at++, i = 8 * __builtin_ctz(mask); node; node &= node - 1) {
            size_t row_block = i + __builtin_ctz(node);
            row_blocks |= UINT64_C(1) << row_block;
            memset(set + row_block * row_block_words, 0, row_block_words * sizeof *set);
            at = use_tree(&use, at, row_block * row_block_words, row_block_words);
        }
    return row_blocks;
}
