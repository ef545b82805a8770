/* format_index.h - the numbering of positions in docs/format.md, written a second time in the
 * plainest way, to check core/format/index.c. */
#ifndef TREB_TESTS_CORE_FORMAT_INDEX_H
#define TREB_TESTS_CORE_FORMAT_INDEX_H

#include <stdlib.h>

#include "core/chess/position.h"
#include "core/format/index.h"
#include "core/format/kings.h"

static inline bool above_diagonal(int sq) { return sq >> 3 > (sq & 7); }

static inline uint64_t choose(int n, int k)
{
    uint64_t c = 1;
    if (k > n || n < 0) return 0;
    for (int i = 1; i <= k; i++) c = c * (uint64_t)(n - k + i) / (uint64_t)i;
    return c;
}

static inline int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static inline int place_of(int sq)
{
    int rank = sq >> 3, file = sq & 7;
    return file < 4 ? 2 * (4 * (rank - 1) + file) : 2 * (4 * (rank - 1) + 7 - file) + 1;
}

/* Returns the sum of C(v1, 1) + C(v2, 2) + ... over values in ascending order. */
static inline uint64_t rank_of(int *value, int n)
{
    uint64_t sum = 0;
    qsort(value, (size_t)n, sizeof *value, by_number);
    for (int i = 0; i < n; i++) sum += choose(value[i], i + 1);
    return sum;
}

/* Returns the number of a set of squares in the order by colour of squares: first the sets without
 * a light square, then those with one, and so on; among these by the light squares, then by the
 * dark ones. */
static inline uint64_t squares_number_by_color(const int *square, int n)
{
    int light[64], dark[64], lights = 0, darks = 0;
    for (int i = 0; i < n; i++) {
        if ((square[i] / 8 + square[i] % 8) % 2)
            light[lights++] = square[i] / 2;
        else
            dark[darks++] = square[i] / 2;
    }
    uint64_t before = 0;
    for (int i = 0; i < lights; i++) before += choose(32, i) * choose(32, n - i);
    return before + rank_of(light, lights) * choose(32, darks) + rank_of(dark, darks);
}

/* Lists the squares of the men of one colour and type after a symmetry. */
static inline int listed(const treb_position *pos, int color, int type, int symmetry, int *out)
{
    int n = 0;
    for (int sq = 0; sq < 64; sq++)
        if (position_men_of(pos, color, type) >> sq & 1)
            out[n++] = index_symmetry_square(symmetry, sq);
    return n;
}

/* Returns whether the pair of places 2t, 2t + 1 comes before pair u: by rank, then by file (scheme
 * 1), or by file, then by rank (scheme 3). */
static inline bool pair_before(int t, int u, bool by_file)
{
    return by_file ? t % 4 < u % 4 || (t % 4 == u % 4 && t / 4 < u / 4) : t < u;
}

/* Returns the slice of a position after `mirror`, or UINT64_MAX if its p0 is odd. */
static inline uint64_t format_slice(const treb_position *pos, int mirror, bool by_file)
{
    int lead[64], other[64];
    int color = position_men_of(pos, TREB_WHITE, TREB_PAWN) ? TREB_WHITE : TREB_BLACK;
    int n = listed(pos, color, TREB_PAWN, mirror, lead);
    int m = listed(pos, !color, TREB_PAWN, mirror, other);
    if (n == 0) return 0;
    for (int i = 0; i < n; i++) lead[i] = place_of(lead[i]);
    qsort(lead, (size_t)n, sizeof *lead, by_number);
    int p0 = lead[0];
    if (p0 % 2) return UINT64_MAX;
    uint64_t sum = 0;
    for (int t = 0; t < 24; t++)
        if (pair_before(t, p0 / 2, by_file)) sum += choose(47 - 2 * t, n - 1);
    for (int i = 1; i < n; i++) lead[i] -= p0 + 1;
    sum += rank_of(lead + 1, n - 1);
    for (int i = 0; i < m; i++) other[i] -= 8;
    return sum * choose(48, m) + rank_of(other, m);
}

static inline uint64_t format_slice_size(const Index *index, unsigned pad,
                                         uint64_t stride[INDEX_AXES_MAX])
{
    uint64_t next = 1;
    for (int i = index->axes - 1; i >= 0; i--) {
        int axis = index->order[i];
        uint64_t radix = axis ? choose(64, index->group[axis - 1].count)
                              : (index->pawns ? INDEX_KINGS_FREE : INDEX_KINGS_SYMMETRIC);
        if (i == index->axes - 1) radix = (radix + pad - 1) / pad * pad;
        stride[axis] = next;
        next *= radix;
    }
    return next;
}

/* Returns the number of a position in one orientation, or UINT64_MAX if that is not allowed. Uses
 * scheme 3 if `pad` is 0. */
static inline uint64_t format_cell(const Index *index, const treb_position *pos, int symmetry,
                                   unsigned pad)
{
    uint64_t stride[INDEX_AXES_MAX], size = format_slice_size(index, pad ? pad : 1, stride);
    int white = index_symmetry_square(symmetry, position_king(pos, TREB_WHITE));
    int black = index_symmetry_square(symmetry, position_king(pos, TREB_BLACK)), axis = 1;
    if (!index->pawns && (((white & 7) > 3) || above_diagonal(white))) return UINT64_MAX;
    if (!index->pawns && white >> 3 > 3) return UINT64_MAX;
    if (!index->pawns && white % 9 == 0 && above_diagonal(black)) return UINT64_MAX;
    uint64_t slice = format_slice(pos, symmetry, pad == 0), coordinate = 0;
    if (slice == UINT64_MAX) return UINT64_MAX;
    const uint16_t *pair =
        index->pawns ? kings_tables()->free_squares : kings_tables()->symmetric_squares;
    while (pair[coordinate] != white * 64 + black) coordinate++;
    uint64_t cell = slice * size + coordinate * stride[0];
    for (int color = 0; color < 2; color++) {
        for (int type = TREB_QUEEN; type >= TREB_KNIGHT; type--) {
            int square[64], n = listed(pos, color, type, symmetry, square);
            if (n == 0) continue;
            bool by_color = index->group[axis - 1].by_square_color;
            cell += (by_color ? squares_number_by_color(square, n) : rank_of(square, n)) *
                    stride[axis++];
        }
    }
    return cell;
}

/* Returns the least number of all allowed orientations. */
static inline uint64_t format_index(const Index *index, const treb_position *pos, unsigned pad)
{
    uint64_t least = UINT64_MAX;
    for (int s = 0; s < (index->pawns ? 2 : 8); s++) {
        uint64_t cell = format_cell(index, pos, s, pad);
        if (cell < least) least = cell;
    }
    return least;
}

#endif
