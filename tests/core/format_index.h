/* format_index.h - docs/format.md's numbering of positions, written again the slow and plain way,
 * to judge core/format/index.c by. */
#ifndef TREB_TESTS_FORMAT_INDEX_H
#define TREB_TESTS_FORMAT_INDEX_H

#include <stdlib.h>

#include "core/format/index.h"
#include "core/format/kings.h"
#include "core/chess/position.h"

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

/* The sum of C(v1, 1) + C(v2, 2) + ... over values in ascending order. */
static inline uint64_t rank_of(int *value, int n)
{
    uint64_t sum = 0;
    qsort(value, (size_t)n, sizeof *value, by_number);
    for (int i = 0; i < n; i++) sum += choose(value[i], i + 1);
    return sum;
}

/* The number of a set of squares that are numbered by shade: first those sets with no light square,
 * then those with one, and so on; among these by the light ones, then by the dark ones. */
static inline uint64_t rank_by_shade(const int *square, int n)
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

/* Men of one colour and type seen through a symmetry. */
static inline int listed(const treb_position *pos, int color, int type, int symmetry, int *out)
{
    int n = 0;
    for (int sq = 0; sq < 64; sq++)
        if (position_men_of(pos, color, type) >> sq & 1)
            out[n++] = index_symmetry_square(symmetry, sq);
    return n;
}

/* Whether the pairs of places 2t, 2t + 1 come in the order t, u: by rank, then by file (scheme 1), or
 * by file, then by rank (scheme 3). */
static inline bool pair_before(int t, int u, bool by_file)
{
    return by_file ? t % 4 < u % 4 || (t % 4 == u % 4 && t / 4 < u / 4) : t < u;
}

/* The slice of a position as it stands after `mirror`, or UINT64_MAX if its p0 is odd. */
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

/* The number of a position in one orientation, or UINT64_MAX if that is not allowed. By scheme 3 if
 * `pad` is 0. */
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
    const uint16_t *pair = index->pawns ? kings_free_squares : kings_symmetric_squares;
    while (pair[coordinate] != white * 64 + black) coordinate++;
    uint64_t cell = slice * size + coordinate * stride[0];
    for (int color = 0; color < 2; color++) {
        for (int type = TREB_QUEEN; type >= TREB_KNIGHT; type--) {
            int square[64], n = listed(pos, color, type, symmetry, square);
            if (n == 0) continue;
            bool shades = index->group[axis - 1].by_shade;
            cell += (shades ? rank_by_shade(square, n) : rank_of(square, n)) * stride[axis++];
        }
    }
    return cell;
}

/* The least number of all orientations that are allowed: least slice first, as it weighs most. */
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
