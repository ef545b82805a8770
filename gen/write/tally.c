/* tally.c - see tally.h. */
#include "gen/write/tally.h"

#include <stdlib.h>
#include <string.h>

#include "core/bitboard.h"
#include "core/position.h"
#include "gen/solve/kernel.h"

/* One word's cells by verdict. */
static void word_verdicts(const Slice *slice, int side, size_t w, uint64_t out[WDL_VALUES])
{
    uint64_t won = slice->won[side][w], lost = slice->lost[side][w];
    uint64_t over = slice_cursed(slice, side, w);
    out[TREB_LOSS] = lost & ~over;
    out[TREB_BLESSED_LOSS] = lost & over;
    out[TREB_DRAW] = slice->legal[side][w] & ~won & ~lost;
    out[TREB_CURSED_WIN] = won & over;
    out[TREB_WIN] = won & ~over;
}

static void cell_fen(const Slice *slice, int side, size_t cell, char out[TABLE_FEN_SIZE])
{
    const Shape *shape = slice->shape;
    treb_position pos;
    memset(&pos, 0, sizeof pos);
    size_t kings = cell / shape->plane_cells, rest = cell % shape->plane_cells;
    const uint64_t *pawns = slice->pawns[shape->men < 2 ? rest / shape_lane_cells(shape) : 0];
    for (int color = 0; color < 2; color++) {
        position_put(&pos, color, TREB_KING, shape->king[kings][color]);
        pos.by_color[color] |= pawns[color];
        pos.by_type[TREB_PAWN] |= pawns[color];
    }
    for (int i = 0; i < shape->men; i++)
        position_put(&pos, shape->man[i].color, shape->man[i].type,
                     rest >> 6 * (shape->men - 1 - i) & 63);
    pos.turn = side;
    pos.fullmove = 1;
    char fen[TREB_FEN_SIZE];
    position_to_fen(&pos, fen);
    memcpy(out, fen, strlen(fen) + 1);
}

static const Plies *distances(const Slice *slice, int metric, int side)
{
    if (metric == TREB_DTC && slice->dtc_is_dtz) metric = TREB_DTZ;
    return slice->distance[metric][side];
}

static uint64_t positions(const Slice *slice, uint32_t kings, size_t w, uint64_t set)
{
    return (uint64_t)slice_weight(slice, kings) * bit_count(set) -
           bit_count(set & slice_mirrored(slice, w));
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static void count_verdicts(const Slice *slice, int side, uint64_t count[WDL_VALUES])
{
    size_t words = slice->shape->plane_words;
    uint64_t sum[WDL_VALUES] = {0};
#pragma omp parallel for reduction(+ : sum)
    for (uint32_t k = 0; k < slice->shape->kings; k++)
        for (size_t w = k * words; w < (k + 1) * words; w++) {
            uint64_t set[WDL_VALUES];
            word_verdicts(slice, side, w, set);
            for (int v = 0; v < WDL_VALUES; v++) sum[v] += positions(slice, k, w, set[v]);
        }
    memcpy(count, sum, sizeof sum);
}

/* ---- Distances ------------------------------------------------------------------------------- */

/* By verdict and plies. */
typedef struct Spread {
    uint64_t of[WDL_VALUES][PLIES_MOST + 1];
} Spread;

/* What the solver has counted. */
static void spread_counted(const PlyCounts *counts, int side, bool zeroing, Spread *out)
{
    for (unsigned n = 0; n <= PLIES_MOST; n++) {
        bool over = zeroing && n > RULE_PLIES;
        out->of[over ? TREB_BLESSED_LOSS : TREB_LOSS][n] = counts->of[side][0][n];
        out->of[over ? TREB_CURSED_WIN : TREB_WIN][n] = counts->of[side][1][n];
    }
}

static void spread_plane(const Slice *slice, const Plies *plies, int side, uint32_t kings,
                         Spread *out)
{
    size_t words = slice->shape->plane_words;
    for (size_t w = kings * words; w < (kings + 1) * words; w++) {
        uint64_t set[WDL_VALUES];
        word_verdicts(slice, side, w, set);
        for (int v = 0; v < WDL_VALUES; v++)
            for (uint64_t bits = v == TREB_DRAW ? 0 : set[v]; bits; bits &= bits - 1)
                out->of[v][plies[64 * w + bit_first(bits)]] +=
                    positions(slice, kings, w, bits & -bits);
    }
}

/* The solver does not know which of the wins that it counts the 50-move rule spoils. */
static void spread_cells(const Slice *slice, const Plies *plies, int side, Spread *out)
{
#pragma omp parallel
    {
        Spread mine;
        memset(&mine, 0, sizeof mine);
#pragma omp for schedule(dynamic, 8)
        for (uint32_t k = 0; k < slice->shape->kings; k++)
            spread_plane(slice, plies, side, k, &mine);
#pragma omp critical(spread)
        for (int v = 0; v < WDL_VALUES; v++)
            for (int p = 0; p <= PLIES_MOST; p++) out->of[v][p] += mine.of[v][p];
    }
}

static void spread_find(const Slice *slice, int metric, int side, Spread *out)
{
    memset(out, 0, sizeof *out);
    bool zeroing = metric == TREB_DTZ || (metric == TREB_DTC && slice->dtc_is_dtz);
    if (zeroing || !slice->cursed)
        spread_counted(&slice->counts[zeroing ? TREB_DTZ : metric], side, zeroing, out);
    else
        spread_cells(slice, distances(slice, metric, side), side, out);
}

/* The first cell with a verdict and the longest distance that it has. */
static size_t find_longest(const Slice *slice, int metric, int side, int verdict, unsigned plies)
{
    enum { PART = 64 };
    const Kernel *kernel = kernel_best();
    const Plies *found = distances(slice, metric, side);
    for (size_t w = 0; w < slice->shape->words; w += PART) {
        uint64_t set[PART], of[WDL_VALUES];
        size_t part = slice->shape->words - w < PART ? slice->shape->words - w : PART;
        for (size_t i = 0; i < part; i++) {
            word_verdicts(slice, side, w + i, of);
            set[i] = of[verdict];
        }
        if (kernel->most(set, part, found + 64 * w) < plies) continue;
        for (size_t i = 0; i < part; i++)
            for (uint64_t bits = set[i]; bits; bits &= bits - 1) {
                size_t cell = 64 * (w + i) + bit_first(bits);
                if (found[cell] == plies) return cell;
            }
    }
    return 0;
}

/* Takes over a slice's longest line where it beats that so far. */
static void tally_longest(Tally *tally, uint64_t number, const Slice *slice, int metric, int side,
                          int verdict, const uint64_t *spread)
{
    uint32_t *longest = &tally->longest[metric][side][verdict];
    uint64_t *where = &tally->where[metric][side][verdict];
    char *fen = tally->fen[metric][side][verdict];
    int most = PLIES_MOST;
    while (most >= 0 && spread[most] == 0) most--;
    if (most < 0) return;
    bool first = fen[0] == '\0', tie = (uint32_t)most == *longest && number < *where;
    if (!first && !tie && (uint32_t)most <= *longest) return;
    *longest = most;
    *where = number;
    cell_fen(slice, side, find_longest(slice, metric, side, verdict, most), fen);
}

bool tally_slice(Tally *tally, Histograms *histograms, uint64_t number, const Slice *slice)
{
    Spread *spread = malloc(sizeof *spread);
    for (int side = 0; side < 2 && spread; side++) {
        uint64_t count[WDL_VALUES];
        count_verdicts(slice, side, count);
#pragma omp critical(tally)
        for (int v = 0; v < WDL_VALUES; v++) tally->count[side][v] += count[v];
        for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
            if (distances(slice, m, side) == NULL) continue;
            spread_find(slice, m, side, spread);
#pragma omp critical(tally)
            for (int v = 0; v < WDL_VALUES; v++) {
                if (v == TREB_DRAW) continue;
                for (int p = 0; p <= PLIES_MOST; p++)
                    histograms->of[m][side][v][p] += spread->of[v][p];
                tally_longest(tally, number, slice, m, side, v, spread->of[v]);
            }
        }
    }
    free(spread);
    return spread != NULL;
}

void tally_finish(Tally *tally, Histograms *histograms, const Shape *shape)
{
    unsigned like = 1;
    for (int g = 0; g < shape->index.groups; g++)
        for (unsigned i = 2; i <= shape->index.group[g].count; i++) like *= i;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) {
            tally->count[side][v] /= like;
            for (int m = TREB_DTZ; m < TREB_METRICS; m++)
                for (int p = 0; p <= PLIES_MOST; p++) histograms->of[m][side][v][p] /= like;
        }
}
