/* tally.c - see tally.h. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

#include "bitboard.h"
#include "kernel.h"
#include "position.h"

/* The lanes of a slice whose pawns are their own mirror image: every position of theirs stands
 * there twice. */
static uint64_t mirrored_lanes(const Slice *slice)
{
    uint64_t lanes = 0;
    for (int i = 0; i < slice->lanes; i++)
        if (index_pawns_mirror(&slice->shape->index, slice->pawns[i]) < 0)
            lanes |= UINT64_C(1) << i;
    return lanes;
}

/* On how many arrangements of the board a cell of a plane stands; in mirrored lanes one fewer. */
static unsigned plane_weight(const Shape *shape, uint32_t kings)
{
    if (shape->pawns) return 2;
    return shape->king[kings][0] % 9 == 0 && shape->king[kings][1] % 9 == 0 ? 4 : 8;
}

/* The cells of a word that the 50-move rule spoils. */
static uint64_t word_cursed(const Slice *slice, int side, size_t w)
{
    const Plies *dtz = slice->distance[TABLE_DTZ][side] + 64 * w;
    uint64_t decided = slice->won[side][w] | slice->lost[side][w], over = 0;
    if (!slice->cursed) return 0;
    for (; decided; decided &= decided - 1) {
        int b = bit_first(decided);
        if (dtz[b] > SOLVE_RULE_PLIES) over |= square_bit(b);
    }
    return over;
}

/* One word's cells by verdict. */
static void word_verdicts(const Slice *slice, int side, size_t w, uint64_t out[WDL_VALUES])
{
    uint64_t won = slice->won[side][w], lost = slice->lost[side][w];
    uint64_t over = word_cursed(slice, side, w);
    out[WDL_LOSS] = lost & ~over;
    out[WDL_BLESSED] = lost & over;
    out[WDL_DRAW] = slice->legal[side][w] & ~won & ~lost;
    out[WDL_CURSED] = won & over;
    out[WDL_WIN] = won & ~over;
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
    char fen[POSITION_FEN_SIZE];
    position_to_fen(&pos, fen);
    memcpy(out, fen, strlen(fen) + 1);
}

/* The cells of a word that are in mirrored lanes. */
static uint64_t word_mirrored(const Shape *shape, uint64_t lanes, size_t w)
{
    if (shape->men == 0 || lanes == 0) return lanes;
    return shape->men > 1 || (lanes >> w % KERNEL_LANES & 1) ? UINT64_MAX : 0;
}

/* What one plane has. */
typedef struct PlaneTally {
    uint64_t count[WDL_VALUES];
    Plies most[TABLE_METRICS][WDL_VALUES];
    uint32_t present; /* verdicts that occur */
} PlaneTally;

static const Plies *distances(const Slice *slice, int metric, int side)
{
    if (metric == TABLE_DTC && slice->dtc_is_dtz) metric = TABLE_DTZ;
    return slice->distance[metric][side];
}

/* Counters of one thread. Neighbouring cells tend to have the same distance, and a counter that has
 * just been written is slow to be had again: they take turns. */
enum { TURNS = 4 };

typedef struct Counters {
    Histograms turn[TURNS];
} Counters;

/* Enters the cells of one word, by each metric that has numbers of its own. */
static void word_histogram(const Slice *slice, int side, size_t w, int verdict, uint64_t set,
                           unsigned weight, Counters *out)
{
    for (int m = TABLE_DTZ; m < TABLE_METRICS; m++) {
        const Plies *plies = slice->distance[m][side];
        if (plies == NULL || (m == TABLE_DTC && slice->dtc_is_dtz)) continue;
        plies += 64 * w;
        unsigned i = 0;
        for (uint64_t bits = set; bits; bits &= bits - 1)
            out->turn[i++ % TURNS].of[m][side][verdict][plies[bit_first(bits)]] += weight;
    }
}

static void tally_plane(const Slice *slice, const Kernel *kernel, uint64_t mirrored, int side,
                        uint32_t kings, PlaneTally *out, Counters *counters)
{
    const Shape *shape = slice->shape;
    size_t words = shape->plane_words, first = kings * words;
    unsigned weight = plane_weight(shape, kings);
    memset(out, 0, sizeof *out);
    for (size_t w = first; w < first + words; w++) {
        uint64_t set[WDL_VALUES], half = word_mirrored(shape, mirrored, w);
        word_verdicts(slice, side, w, set);
        for (int v = 0; v < WDL_VALUES; v++) {
            if (set[v] == 0) continue;
            out->present |= 1u << v;
            out->count[v] += (uint64_t)weight * bit_count(set[v]) - bit_count(set[v] & half);
            if (v == WDL_DRAW) continue;
            word_histogram(slice, side, w, v, set[v] & ~half, weight, counters);
            word_histogram(slice, side, w, v, set[v] & half, weight - 1, counters);
            for (int m = TABLE_DTZ; m < TABLE_METRICS; m++) {
                const Plies *found = distances(slice, m, side);
                unsigned d = found ? kernel->most(&set[v], 1, found + 64 * w) : 0;
                if (d > out->most[m][v]) out->most[m][v] = d;
            }
        }
    }
}

/* The first cell of a plane with a verdict and distance. */
static size_t plane_find(const Slice *slice, int side, uint32_t kings, int metric, int verdict,
                         unsigned plies)
{
    size_t words = slice->shape->plane_words;
    const Plies *found = distances(slice, metric, side);
    for (size_t w = kings * words; w < (kings + 1) * words; w++) {
        uint64_t set[WDL_VALUES];
        word_verdicts(slice, side, w, set);
        for (uint64_t bits = set[verdict]; bits; bits &= bits - 1)
            if (found[64 * w + bit_first(bits)] == plies) return 64 * w + bit_first(bits);
    }
    return 0;
}

/* Takes over a plane's longest lines where they beat those so far. */
static void tally_longest(Tally *tally, uint64_t number, const Slice *slice, int side,
                          uint32_t kings, const PlaneTally *plane)
{
    for (int m = TABLE_DTZ; m < TABLE_METRICS; m++) {
        if (distances(slice, m, side) == NULL) continue;
        for (int v = 0; v < WDL_VALUES; v++) {
            if (v == WDL_DRAW || !(plane->present >> v & 1)) continue;
            uint32_t *longest = &tally->longest[m][side][v];
            uint64_t *where = &tally->where[m][side][v];
            bool first = tally->fen[m][side][v][0] == '\0';
            bool tie = plane->most[m][v] == *longest && number < *where;
            if (!first && !tie && plane->most[m][v] <= *longest) continue;
            *longest = plane->most[m][v];
            *where = number;
            cell_fen(slice, side, plane_find(slice, side, kings, m, v, plane->most[m][v]),
                     tally->fen[m][side][v]);
        }
    }
}

/* Adds one side of a slice, as one thread saw it, to the table's. */
static void add_histograms(Histograms *sum, const Histograms *part, int side, bool dtc_is_dtz)
{
    for (int m = TABLE_DTZ; m < TABLE_METRICS; m++) {
        int from = m == TABLE_DTC && dtc_is_dtz ? TABLE_DTZ : m;
        for (int v = 0; v < WDL_VALUES; v++)
            for (int p = 0; p <= CODE_MOST; p++)
                sum->of[m][side][v][p] += part->of[from][side][v][p];
    }
}

static bool tally_planes(Histograms *histograms, const Slice *slice, int side, PlaneTally *plane)
{
    const Kernel *kernel = kernel_best();
    uint64_t mirrored = mirrored_lanes(slice);
    bool ok = true;
#pragma omp parallel
    {
        Counters *part = calloc(1, sizeof *part);
        if (part == NULL) {
#pragma omp atomic write
            ok = false;
        }
#pragma omp for schedule(dynamic, 8)
        for (uint32_t k = 0; k < slice->shape->kings; k++)
            if (part) tally_plane(slice, kernel, mirrored, side, k, &plane[k], part);
#pragma omp critical(tally)
        for (int i = 0; i < TURNS && part; i++)
            add_histograms(histograms, &part->turn[i], side, slice->dtc_is_dtz);
        free(part);
    }
    return ok;
}

bool tally_slice(Tally *tally, Histograms *histograms, uint64_t number, const Slice *slice)
{
    uint32_t kings = slice->shape->kings;
    PlaneTally *plane = malloc(kings * sizeof *plane);
    bool ok = plane != NULL;
    for (int side = 0; side < 2 && ok; side++) {
        ok = tally_planes(histograms, slice, side, plane);
#pragma omp critical(tally)
        for (uint32_t k = 0; k < kings && ok; k++) {
            for (int v = 0; v < WDL_VALUES; v++) tally->count[side][v] += plane[k].count[v];
            tally_longest(tally, number, slice, side, k, &plane[k]);
        }
    }
    free(plane);
    return ok;
}

void tally_finish(Tally *tally, Histograms *histograms, const Shape *shape)
{
    unsigned like = 1;
    for (int g = 0; g < shape->index.groups; g++)
        for (unsigned i = 2; i <= shape->index.group[g].count; i++) like *= i;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) {
            tally->count[side][v] /= like;
            for (int m = TABLE_DTZ; m < TABLE_METRICS; m++)
                for (int p = 0; p <= CODE_MOST; p++) histograms->of[m][side][v][p] /= like;
        }
}
