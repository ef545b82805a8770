/* statistics.c - see statistics.h. */
#include "gen/write/statistics.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/chess/bitboard.h"
#include "core/chess/position.h"
#include "core/system/error.h"
#include "gen/solve/plane.h"

/* Splits the cells of a word by verdict. */
static void word_verdicts(const Plane *plane, size_t w, uint64_t out[WDL_VALUES])
{
    uint64_t won = plane->won[w], lost = plane->lost[w], over = plane->cursed[w];
    out[TREB_LOSS] = lost & ~over;
    out[TREB_BLESSED_LOSS] = lost & over;
    out[TREB_DRAW] = plane->legal[w] & ~won & ~lost;
    out[TREB_CURSED_WIN] = won & over;
    out[TREB_WIN] = won & ~over;
}

void statistics_fen(const SolvedSlice *slice, int side, uint32_t kings, size_t cell, unsigned clock,
                    char out[TABLE_FEN_SIZE])
{
    const Layout *layout = slice->layout;
    treb_position pos;
    memset(&pos, 0, sizeof pos);
    const uint64_t *pawns = slice->pawns[layout->men < 2 ? cell / layout_lane_cells(layout) : 0];
    for (int color = 0; color < 2; color++) {
        position_put(&pos, color, TREB_KING, layout->king[kings][color]);
        pos.by_color[color] |= pawns[color];
        pos.by_type[TREB_PAWN] |= pawns[color];
    }
    for (int i = 0; i < layout->men; i++)
        position_put(&pos, layout->man[i].color, layout->man[i].type,
                     cell >> 6 * (layout->men - 1 - i) & 63);
    pos.turn = side;
    pos.fullmove = 1;
    pos.halfmove = (uint16_t)clock;
    char fen[TREB_FEN_SIZE];
    position_to_fen(&pos, fen);
    memcpy(out, fen, strlen(fen) + 1);
}

static uint64_t positions(const SolvedSlice *slice, uint32_t kings, size_t w, uint64_t set)
{
    const uint64_t weight = slice_weight(slice, kings);
    uint64_t count = weight * bit_count(set) - bit_count(set & slice_mirrored(slice, w));
    return count << slice->layout->pair;
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static void count_verdicts(const SolvedSlice *slice, int side, uint64_t count[WDL_VALUES])
{
    const PlyCounts *counts = &slice->counts[TREB_DTZ];
    memset(count, 0, WDL_VALUES * sizeof *count);
    for (unsigned n = 0; n <= slice->plies[TREB_DTZ]; n++) {
        count[n > RULE_PLIES ? TREB_BLESSED_LOSS : TREB_LOSS] += counts->of[side][0][n];
        count[n > RULE_PLIES ? TREB_CURSED_WIN : TREB_WIN] += counts->of[side][1][n];
    }
    count[TREB_DRAW] = slice->legal[side];
    for (int v = 0; v < WDL_VALUES; v++)
        if (v != TREB_DRAW) count[TREB_DRAW] -= count[v];
}

/* ---- Distances ------------------------------------------------------------------------------- */

/* Number of positions by verdict and plies. */
typedef struct PlyHistogram {
    uint64_t of[WDL_VALUES][PLIES_MOST + 1];
} PlyHistogram;

/* Wins and losses that the 50-move rule turns into draws, by metric and side. The solver does
 * not know them when it counts other distances than DTZ. Each thread has its own. */
typedef PlyHistogram CursedHistograms[TREB_METRICS][2];

struct PlaneStatistics {
    const SolvedSlice *slice;
    int threads;
    CursedHistograms cursed[];
};

bool plane_statistics_new(const SolvedSlice *slice, PlaneStatistics **out)
{
    const int threads = omp_get_max_threads();
    *out = NULL;
    if (!slice->cursed || !(slice->metrics & (1u << TREB_DTC | 1u << TREB_DTM))) return true;
    PlaneStatistics *planes = calloc(1, sizeof *planes + (size_t)threads * sizeof *planes->cursed);
    if (planes == NULL) return false;
    planes->slice = slice;
    planes->threads = threads;
    *out = planes;
    return true;
}

void plane_statistics_free(PlaneStatistics *planes) { free(planes); }

void statistics_add_plane(PlaneStatistics *planes, const Plane *plane, int side, uint32_t kings)
{
    const SolvedSlice *slice = planes->slice;
    const size_t words = slice->layout->plane_words;
    CursedHistograms *mine = &planes->cursed[omp_get_thread_num()];
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = plane->cursed[w]; bits; bits &= bits - 1) {
            uint64_t cell = bits & -bits, count = positions(slice, kings, kings * words + w, cell);
            int verdict = plane->won[w] & cell ? TREB_CURSED_WIN : TREB_BLESSED_LOSS;
            for (int m = TREB_DTC; m < TREB_METRICS; m++)
                if (plane->distance[m] != NULL)
                    (*mine)[m][side].of[verdict][plane->distance[m][64 * w + bit_first(bits)]] +=
                        count;
        }
}

void plane_statistics_sum(PlaneStatistics *planes, const Processes *processes)
{
    static const int verdicts[] = {TREB_BLESSED_LOSS, TREB_CURSED_WIN};
    if (planes == NULL) return;
    for (int i = 0; i < 2 * 2 * TREB_METRICS; i++) {
        const int m = i / 4, side = i / 2 % 2, v = verdicts[i % 2];
        if (m < TREB_DTC || !(planes->slice->metrics >> m & 1)) continue;
        const unsigned longest = planes->slice->plies[slice_metric(planes->slice, (treb_metric)m)];
        uint64_t *sum = planes->cursed[0][m][side].of[v];
        for (int t = 1; t < planes->threads; t++)
            for (unsigned p = 0; p <= longest; p++) {
                sum[p] += planes->cursed[t][m][side].of[v][p];
                planes->cursed[t][m][side].of[v][p] = 0;
            }
        processes->all_sum(processes->context, sum, longest + 1);
    }
}

/* Counts the distances of a slice by verdict: the solver's counts, with cursed wins and blessed
 * losses under their own verdicts. */
static void find_histogram(const SolvedSlice *slice, treb_metric metric, int side,
                           const PlaneStatistics *planes, PlyHistogram *out)
{
    const treb_metric as = slice_metric(slice, metric);
    const PlyCounts *counts = &slice->counts[as];
    memset(out, 0, sizeof *out);
    for (unsigned n = 0; n <= slice->plies[as]; n++) {
        bool over = as == TREB_DTZ && n > RULE_PLIES;
        out->of[over ? TREB_BLESSED_LOSS : TREB_LOSS][n] = counts->of[side][0][n];
        out->of[over ? TREB_CURSED_WIN : TREB_WIN][n] = counts->of[side][1][n];
        for (int t = 0; as != TREB_DTZ && planes != NULL && t < planes->threads; t++) {
            const PlyHistogram *cursed = &planes->cursed[t][metric][side];
            for (int v = 0; v < 2; v++) {
                uint64_t some = cursed->of[v ? TREB_CURSED_WIN : TREB_BLESSED_LOSS][n];
                out->of[v ? TREB_CURSED_WIN : TREB_BLESSED_LOSS][n] += some;
                out->of[v ? TREB_WIN : TREB_LOSS][n] -= some;
            }
        }
    }
}

/* Returns the number of a cell if the men were in the order of the index. */
static size_t cell_place(const Layout *layout, size_t cell)
{
    size_t place = 0;
    for (int g = 0; g < layout->index.groups && layout->pair; g++)
        for (int i = 0, count = layout->index.group[g].count; i < count; i++)
            place = place << 6 | (cell >> 6 * (layout->men - 1 - layout->first[g] - i) & 63);
    return layout->pair ? place : cell;
}

/* Finds the first cell of a plane with a verdict and a distance. Returns false if there is none. */
static bool find_cell(const Plane *plane, const Layout *layout, int verdict, const Plies *found,
                      unsigned plies, size_t *cell)
{
    bool any = false;
    for (size_t w = 0; w < layout->plane_words && (layout->pair || !any); w++) {
        uint64_t of[WDL_VALUES];
        word_verdicts(plane, w, of);
        for (uint64_t bits = of[verdict]; bits; bits &= bits - 1) {
            size_t here = 64 * w + (size_t)bit_first(bits);
            if (found[here] != plies ||
                (any && cell_place(layout, here) >= cell_place(layout, *cell)))
                continue;
            *cell = here;
            any = true;
        }
    }
    return any;
}

/* Sets `fen` in all processes to that of the process that found the first position. */
static void agree_on_first(const Processes *processes, uint32_t found, char fen[TABLE_FEN_SIZE])
{
    uint64_t words[(TABLE_FEN_SIZE + 7) / 8] = {0};
    if (processes->all_min(processes->context, found) == found) memcpy(words, fen, TABLE_FEN_SIZE);
    processes->all_sum(processes->context, words, sizeof words / sizeof *words);
    memcpy(fen, words, TABLE_FEN_SIZE);
}

/* Finds the first position with a verdict and its longest distance. Threads take planes in
 * ascending order and stop behind a plane that has such a position. A thread without memory for
 * a plane leaves the planes to the others. */
static treb_status find_longest(const SolvedSlice *slice, treb_metric metric, int side, int verdict,
                                unsigned plies, MemoryBudget *budget, const Processes *processes,
                                char fen[TABLE_FEN_SIZE], treb_error *error)
{
    const Layout *layout = slice->layout;
    _Atomic(uint32_t) next = 0, found = UINT32_MAX;
    size_t first = 0; /* the cell in plane `found` */
    bool any = false;
    treb_status status = TREB_OK;
    memset(fen, 0, TABLE_FEN_SIZE);
#pragma omp parallel
    {
        Plane plane;
        treb_error own_error;
        treb_status own = TREB_OK;
        const bool enough = plane_init(&plane, layout, PLANE_DISTANCE << metric, budget);
        while (enough && own == TREB_OK) {
            const uint32_t k = atomic_fetch_add(&next, 1);
            size_t cell = 0;
            if (k >= layout->kings || k > atomic_load(&found)) break;
            if (processes != NULL && !plane_is_own(slice, k)) continue;
            if (!plane_may_decide(slice, metric, side, k, verdict > TREB_DRAW, plies)) continue;
            own = plane_read(&plane, slice, side, k, &own_error);
            if (own != TREB_OK ||
                !find_cell(&plane, layout, verdict, plane.distance[metric], plies, &cell))
                continue;
#pragma omp critical(statistics_found)
            if (k < atomic_load(&found)) {
                atomic_store(&found, k);
                first = cell;
            }
        }
        if (enough) plane_free(&plane);
#pragma omp critical(statistics_found)
        {
            any |= enough;
            if (own != TREB_OK) {
                status = own;
                *error = own_error;
            }
        }
    }
    if (!any) return fail_memory(error);
    const uint32_t at = atomic_load(&found);
    if (status == TREB_OK && at != UINT32_MAX) statistics_fen(slice, side, at, first, 0, fen);
    if (processes != NULL && status == TREB_OK) agree_on_first(processes, at, fen);
    return status;
}

/* Takes over the longest line of a slice if it is longer than the longest so far. */
static treb_status add_longest(TableStatistics *statistics, uint64_t number,
                               const SolvedSlice *slice, treb_metric metric, int side, int verdict,
                               const PlyHistogram *histogram, MemoryBudget *budget,
                               const Processes *processes, treb_error *error)
{
    int most = (int)slice->plies[slice_metric(slice, metric)];
    while (most >= 0 && histogram->of[verdict][most] == 0) most--;
    if (most < 0) return TREB_OK;
    char fen[TABLE_FEN_SIZE], *best = statistics->fen[metric][side][verdict];
    uint32_t *longest = &statistics->longest[metric][side][verdict];
    uint64_t *where = &statistics->where[metric][side][verdict];
    bool better;
    treb_status status = TREB_OK;
#pragma omp critical(statistics)
    better = best[0] == '\0' || (uint32_t)most > *longest ||
             ((uint32_t)most == *longest && number < *where);
    if (better)
        status = find_longest(slice, metric, side, verdict, (unsigned)most, budget, processes, fen,
                              error);
    if (!better || status != TREB_OK) return status;
        /* Another thread may have found a longer one meanwhile. */
#pragma omp critical(statistics)
    if (best[0] == '\0' || (uint32_t)most > *longest ||
        ((uint32_t)most == *longest && number < *where)) {
        *longest = (uint32_t)most;
        *where = number;
        memcpy(best, fen, sizeof fen);
    }
    return TREB_OK;
}

static treb_status add_metric(TableStatistics *statistics, Histograms *histograms, uint64_t number,
                              const SolvedSlice *slice, treb_metric metric, int side,
                              const PlaneStatistics *planes, PlyHistogram *histogram,
                              MemoryBudget *budget, const Processes *processes, treb_error *error)
{
    treb_status status = TREB_OK;
    find_histogram(slice, metric, side, planes, histogram);
    const unsigned longest = slice->plies[slice_metric(slice, metric)];
#pragma omp critical(statistics)
    for (int v = 0; v < WDL_VALUES; v++)
        for (unsigned p = 0; v != TREB_DRAW && p <= longest; p++)
            histograms->of[metric][side][v][p] += histogram->of[v][p];
    for (int v = 0; v < WDL_VALUES && status == TREB_OK; v++)
        if (v != TREB_DRAW)
            status = add_longest(statistics, number, slice, metric, side, v, histogram, budget,
                                 processes, error);
    return status;
}

treb_status statistics_add_slice(TableStatistics *statistics, Histograms *histograms,
                                 uint64_t number, const SolvedSlice *slice,
                                 const PlaneStatistics *planes, MemoryBudget *budget,
                                 const Processes *processes, treb_error *error)
{
    PlyHistogram *histogram = malloc(sizeof *histogram);
    treb_status status = histogram ? TREB_OK : fail_memory(error);
    for (int side = 0; side < 2 && status == TREB_OK; side++) {
        uint64_t count[WDL_VALUES];
        count_verdicts(slice, side, count);
#pragma omp critical(statistics)
        for (int v = 0; v < WDL_VALUES; v++) statistics->count[side][v] += count[v];
        for (int m = TREB_DTZ; m < TREB_METRICS && status == TREB_OK; m++)
            if (slice->metrics >> m & 1)
                status = add_metric(statistics, histograms, number, slice, (treb_metric)m, side,
                                    planes, histogram, budget, processes, error);
    }
    free(histogram);
    return status;
}

void statistics_finish(TableStatistics *statistics, Histograms *histograms, const Layout *layout)
{
    unsigned like = 1;
    for (int g = 0; g < layout->index.groups; g++)
        for (unsigned i = 2; i <= layout->index.group[g].count; i++) like *= i;
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++) {
            statistics->count[side][v] /= like;
            for (int m = TREB_DTZ; m < TREB_METRICS; m++)
                for (int p = 0; p <= PLIES_MOST; p++) histograms->of[m][side][v][p] /= like;
        }
}
