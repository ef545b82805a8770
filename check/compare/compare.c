/* compare.c - all positions of a material, asked of two sets.
 *
 * The library answers one position at a time. Where a file has the side to move that costs a
 * cell or a few; where it has not, ten times as much. So cells are gone through twice, as many
 * slices (placements of the pawns) at a time as memory allows: what the files have is asked of the
 * library and noted, and the rest is found from what was noted (search.c). Where even one slice
 * would take too much memory the library is asked for everything.
 *
 * Threads take rows of cells, a bundle at a time, and count for themselves. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check/compare/cases.h"
#include "check/compare/search.h"
#include "probe/file_open.h"
#include "core/system/error.h"

enum {
    BUNDLE = 1 << 14, /* cells that a thread takes at a time, or a row if that is more */
    BATCH = 1 << 22,  /* cells to be noted at a time, or a slice if that is more */
    CACHE_LEAST = 16 << 20
};

typedef struct Work {
    Cases cases;
    ProbeFile *file[2][TREB_METRICS];
    unsigned metrics;
    unsigned searched; /* metrics of which a file has not all sides to move */
    Index index;
    int sides;       /* 1: both have the same men, and White to move says all */
    bool en_passant; /* both have pawns */
    bool again;      /* positions and verdicts were counted before */
    uint64_t rows, row_cells;
    uint64_t batch; /* rows */
    Notes notes;    /* of a batch; nothing is noted if `searched` is 0 */
    const CompareOptions *options;
    uint64_t done, total; /* rows; each counts twice if it is searched */
    atomic_bool stop;
} Work;

/* A row, and the thread that is at it. */
typedef struct RowWork {
    Work *work;
    CompareCounts *counts;
    WalkRow row;
    Stored stored;
} RowWork;

/* ---- Sides to move --------------------------------------------------------------------------- */

/* Whether a file has the side to move of a position, as far as its pawns tell. Where it cannot be
 * opened the library will say so. */
static bool file_stores(ProbeFile *file, const treb_position *pos)
{
    const OpenFile *open;
    const Syzygy *syzygy;
    const ProbeReader reader = reader_waiting();
    if (file->format == TREB_FORMAT_SYZYGY)
        return file_get_syzygy(&reader, file, &syzygy, NULL) < 0 || syzygy_stores(syzygy, pos);
    return file_get(&reader, file, &open, NULL) < 0 || open->stored[pos->turn];
}

static void find_stored(RowWork *w)
{
    treb_position pos = w->row.rest;
    memset(&w->stored, true, sizeof w->stored);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        for (int s = 0; s < 2 && w->work->searched >> m & 1; s++)
            for (int turn = 0; turn < 2; turn++) {
                pos.turn = (uint8_t)turn;
                w->stored.at[s][m][turn] = file_stores(w->work->file[s][m], &pos);
            }
}

/* ---- One position ---------------------------------------------------------------------------- */

static int ask_verdict(const Work *work, int s, const treb_position *pos)
{
    const ProbeReader *reader = set_reader(work->cases.tables[s]);
    return wdl_value(reader, pos, NULL);
}

static int ask_distance(const Work *work, int s, int metric, const treb_position *pos, int verdict)
{
    if (verdict < 0) return verdict;
    const ProbeReader *reader = set_reader(work->cases.tables[s]);
    return distance_value(reader, (treb_metric)metric, pos, verdict, NULL);
}

/* Counts a position by verdicts and those distances that both files have; notes what they say. */
static void ask_position(RowWork *w, const treb_position *pos, uint64_t key, uint64_t at)
{
    Work *work = w->work;
    Notes *notes = &work->notes;
    int verdict[2], distance[2];
    for (int s = 0; s < 2; s++) {
        int v = verdict[s] = ask_verdict(work, s, pos);
        if (work->searched != 0)
            notes->verdict[s][pos->turn][at] = v < 0 ? NOTE_UNKNOWN : (uint8_t)v;
    }
    w->counts->positions++;
    if (work->metrics & 1u << TREB_WDL)
        cases_count(&work->cases, w->counts, TREB_WDL, pos, key, verdict, verdict);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        bool both = true;
        for (int s = 0; s < 2 && work->metrics >> m & 1; s++) {
            bool stored = w->stored.at[s][m][pos->turn];
            both = both && stored;
            if (!stored) continue;
            distance[s] = ask_distance(work, s, m, pos, verdict[s]);
            if (work->searched >> m & 1) notes->word[s][m][at] = note_word(verdict[s], distance[s]);
        }
        if (both && work->metrics >> m & 1)
            cases_count(&work->cases, w->counts, (treb_metric)m, pos, key, verdict, distance);
    }
}

/* The library alone. */
static void ask_all(RowWork *w, const treb_position *pos, uint64_t key)
{
    Work *work = w->work;
    int verdict[2], distance[2];
    w->counts->positions++;
    for (int s = 0; s < 2; s++) verdict[s] = ask_verdict(work, s, pos);
    for (int m = 0; m < TREB_METRICS; m++) {
        if (!(work->metrics >> m & 1)) continue;
        for (int s = 0; s < 2; s++)
            distance[s] = m == TREB_WDL ? verdict[s] : ask_distance(work, s, m, pos, verdict[s]);
        cases_count(&work->cases, w->counts, (treb_metric)m, pos, key, verdict, distance);
    }
}

/* The same men with every en passant capture that can be: pawns of those who moved last stand two
 * ranks from their first. */
static void ask_en_passant(RowWork *w, const treb_position *pos, uint64_t key)
{
    uint64_t pawns = position_men_of(pos, !pos->turn, TREB_PAWN);
    for (pawns &= rank_bits(pos->turn == TREB_WHITE ? 4 : 3); pawns != 0;) {
        treb_position with = *pos;
        int sq = bit_pop(&pawns);
        with.ep = (uint8_t)(pos->turn == TREB_WHITE ? sq + 8 : sq - 8);
        if (position_check(&with, NULL) != TREB_OK || !position_ep_legal(&with)) continue;
        w->counts->en_passant++;
        ask_all(w, &with, key + 1 + (uint64_t)square_file(sq));
    }
}

/* A distance of which the cell was noted, if that was of this side to move. */
static int noted_distance(const RowWork *w, int s, int metric, const treb_position *pos,
                          int verdict, uint64_t at)
{
    uint16_t word = w->work->notes.word[s][metric][at];
    bool other = w->stored.at[s][metric][pos->turn ^ 1];
    if (!other && word != NOTE_NONE) return word & NOTE_MOST;
    return ask_distance(w->work, s, metric, pos, verdict);
}

/* Counts a position by those distances that not both files have. */
static void search_position(RowWork *w, const treb_position *pos, uint32_t place, uint64_t key,
                            uint64_t at)
{
    Work *work = w->work;
    SearchMoves moves = {.count = -1};
    int verdict[2], distance[2];
    for (int s = 0; s < 2; s++) {
        verdict[s] = work->notes.verdict[s][pos->turn][at];
        if (verdict[s] == NOTE_UNKNOWN) verdict[s] = ask_verdict(work, s, pos);
    }
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        const bool *stored[2] = {w->stored.at[0][m], w->stored.at[1][m]};
        if (stored[0][pos->turn] && stored[1][pos->turn]) continue;
        for (int s = 0; s < 2; s++) {
            if (verdict[s] < 0 || verdict[s] == TREB_DRAW) {
                distance[s] = verdict[s] < 0 ? verdict[s] : 0;
            } else if (stored[s][pos->turn]) {
                distance[s] = noted_distance(w, s, m, pos, verdict[s], at);
            } else {
                if (moves.count < 0) search_list(&w->row, place, pos, &moves);
                distance[s] =
                    search_distance(work->cases.tables[s], work->notes.word[s][m],
                                    work->notes.first, (treb_metric)m, pos, verdict[s], &moves);
            }
        }
        cases_count(&work->cases, w->counts, (treb_metric)m, pos, key, verdict, distance);
    }
}

/* ---- All positions --------------------------------------------------------------------------- */

/* Whether there is anything to search with a side to move. */
static bool open_side(const RowWork *w, int turn)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (!w->stored.at[0][m][turn] || !w->stored.at[1][m][turn]) return true;
    return false;
}

static void do_row(RowWork *w, uint64_t number, bool search)
{
    Work *work = w->work;
    treb_position pos;
    if (!walk_row(&work->index, number, &w->row)) return;
    find_stored(w);
    bool wanted[2] = {!search || open_side(w, TREB_WHITE), !search || open_side(w, TREB_BLACK)};
    if (!wanted[0] && !wanted[1]) return;
    for (uint32_t place = 0; place < w->row.cells; place++) {
        if (!walk_cell(&w->row, place, &pos)) continue;
        uint64_t cell = w->row.cell + place, at = cell - work->notes.first;
        for (int turn = 0; turn < work->sides; turn++) {
            uint64_t key = (cell * 2 + (unsigned)turn) * 16;
            pos.turn = (uint8_t)turn;
            if (!wanted[turn] || square_attacked(&pos, position_king(&pos, turn ^ 1), turn))
                continue;
            if (search)
                search_position(w, &pos, place, key, at);
            else
                ask_position(w, &pos, key, at);
            if (work->en_passant && !search) ask_en_passant(w, &pos, key);
        }
    }
}

/* Adds work done, and tells of it. */
static void report(Work *work, uint64_t rows)
{
    const CompareOptions *o = work->options;
#pragma omp critical(compare_progress)
    {
        work->done += rows;
        if (o->progress != NULL && !o->progress(o->context, work->done, work->total))
            work->stop = true;
    }
}

/* Asks for a batch of rows, or searches them. */
static void do_rows(Work *work, uint64_t first, uint64_t end, bool search)
{
    uint64_t step = work->row_cells < BUNDLE ? BUNDLE / work->row_cells : 1;
    int threads = work->options->threads > 0 ? (int)work->options->threads : omp_get_max_threads();
#pragma omp parallel num_threads(threads)
    {
        CompareCounts counts = {0};
        RowWork w = {.work = work, .counts = &counts};
#pragma omp for schedule(dynamic) nowait
        for (uint64_t begin = first; begin < end; begin += step) {
            uint64_t after = end - begin < step ? end : begin + step;
            for (uint64_t row = begin; row < after; row++)
                if (!work->stop && !work->cases.no_memory) do_row(&w, row, search);
            report(work, after - begin);
        }
        if (work->again) counts.positions = counts.en_passant = 0;
#pragma omp critical(compare_counts)
        cases_add(&work->cases, &counts);
    }
}

static void compare_all(Work *work)
{
    for (uint64_t first = 0; first < work->rows && !work->stop; first += work->batch) {
        uint64_t end = work->rows - first < work->batch ? work->rows : first + work->batch;
        work->notes.first = first * work->row_cells;
        do_rows(work, first, end, false);
        if (work->searched != 0 && !work->stop) do_rows(work, first, end, true);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void notes_free(Notes *notes)
{
    for (int s = 0; s < 2; s++) {
        for (int turn = 0; turn < 2; turn++) free(notes->verdict[s][turn]);
        for (int m = 0; m < TREB_METRICS; m++) free(notes->word[s][m]);
    }
    memset(notes, 0, sizeof *notes);
}

static bool notes_init(Notes *notes, unsigned metrics, uint64_t cells)
{
    bool ok = true;
    memset(notes, 0, sizeof *notes);
    for (int s = 0; s < 2; s++) {
        for (int turn = 0; turn < 2; turn++)
            ok = (notes->verdict[s][turn] = malloc(cells)) != NULL && ok;
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            if (metrics >> m & 1)
                ok = (notes->word[s][m] = malloc(cells * sizeof *notes->word[s][m])) != NULL && ok;
    }
    return ok;
}

/* Bytes that are noted of a cell. */
static uint64_t notes_cost(unsigned metrics)
{
    return metrics != 0 ? 4 + 4 * (uint64_t)bit_count(metrics) : 0;
}

/* Compares by some metrics, of which `searched` are searched. */
static bool compare_by(Work *work, unsigned metrics, unsigned searched)
{
    uint64_t slice = work->index.slice_size, memory = work->options->memory;
    uint64_t cost = notes_cost(searched), most = cost ? memory / 4 * 3 / cost : work->index.size;
    uint64_t cells = cost && most > BATCH ? BATCH : most;
    cells = cells < slice ? slice : cells / slice * slice;
    if (cells > work->index.size) cells = work->index.size;
    work->metrics = metrics;
    work->searched = searched;
    work->batch = cells / work->row_cells;
    work->done = 0;
    work->total = work->rows * (searched != 0 ? 2 : 1);
    uint64_t cache = (memory - (cost * cells < memory ? cost * cells : memory)) / 2;
    for (int s = 0; s < 2; s++)
        treb_tables_set_memory((treb_tables *)work->cases.tables[s],
                               cache > CACHE_LEAST ? cache : CACHE_LEAST);
    bool ok = searched == 0 || notes_init(&work->notes, searched, cells);
    if (ok) compare_all(work);
    notes_free(&work->notes);
    return ok;
}

/* Whether notes of a slice fit into memory. */
static bool fits(const Work *work, unsigned searched)
{
    return notes_cost(searched) * work->index.slice_size <= work->options->memory / 4 * 3;
}

/* All metrics at once if memory suffices, else one by one. */
static bool compare_metrics_of(Work *work, unsigned metrics, unsigned searched)
{
    if (fits(work, searched)) return compare_by(work, metrics, searched);
    unsigned rest = metrics & ~searched;
    bool ok = rest == 0 || compare_by(work, rest, 0);
    work->again = rest != 0;
    for (int m = 0; m < TREB_METRICS && ok && !work->stop; m++) {
        unsigned one = searched & 1u << m;
        if (one == 0) continue;
        ok = compare_by(work, one, fits(work, one) ? one : 0);
        work->again = true;
    }
    return ok;
}

/* ---- The interface --------------------------------------------------------------------------- */

/* The order in which cells are looked at. */
static bool choose_index(Work *work, const Material *material)
{
    for (int s = 0; s < 2; s++)
        for (int m = TREB_METRICS - 1; m >= 0; m--)
            if (walk_order(work->file[s][m], &work->index)) return true;
    return index_init(&work->index, material, NULL, 1);
}

/* The metrics of which a file has but one side to move. */
static unsigned find_searched(const Work *work, unsigned metrics)
{
    unsigned searched = 0;
    for (int m = TREB_DTZ; m < TREB_METRICS && work->sides == 2; m++)
        for (int s = 0; s < 2 && metrics >> m & 1; s++)
            for (int turn = 0; turn < 2; turn++) {
                treb_position pos = {.turn = (uint8_t)turn};
                ProbeFile *file = work->file[s][m];
                if (file->format == TREB_FORMAT_SYZYGY || !file_stores(file, &pos))
                    searched |= 1u << m;
            }
    return searched;
}

treb_status compare_material(const CompareSet *a, const CompareSet *b, const Material *material,
                             unsigned metrics, const CompareOptions *options, CompareResult *result,
                             treb_error *error)
{
    Work work = {.cases = {.tables = {a->tables, b->tables}, .result = result},
                 .sides = material_symmetric(material) ? 1 : 2,
                 .en_passant = material->count[TREB_WHITE][TREB_PAWN] > 0 &&
                               material->count[TREB_BLACK][TREB_PAWN] > 0,
                 .options = options};
    memset(result, 0, sizeof *result);
    for (int s = 0; s < 2; s++)
        for (int m = 0; m < TREB_METRICS; m++)
            if (metrics >> m & 1)
                work.file[s][m] =
                    set_place(work.cases.tables[s], set_key_of_material(material))->entry->file[m];
    bool ok = cases_init(&work.cases, metrics, options->shown) && choose_index(&work, material);
    if (ok) {
        work.rows = walk_rows(&work.index);
        work.row_cells = work.index.size / work.rows;
        ok = compare_metrics_of(&work, metrics, find_searched(&work, metrics));
    }
    return ok && !work.cases.no_memory ? TREB_OK : fail_memory(error);
}
