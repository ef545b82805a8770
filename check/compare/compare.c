/* compare.c - compares the answers of two sets for all positions of a material.
 *
 * The library answers one position at a time. That takes reading one or a few cells if the file
 * stores the side to move, and about ten times as long if not. So the cells are visited twice, as
 * many slices (placements of the pawns) at a time as memory allows. The first time the library is
 * probed for what the files store, and the answers are noted. The second time the other distances
 * are computed from the notes (search.c). If even one slice needs too much memory, the library is
 * probed for everything.
 *
 * Each thread takes a bundle of rows of cells at a time and has its own counts. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check/compare/cases.h"
#include "check/compare/search.h"
#include "core/system/error.h"
#include "probe/file_open.h"

enum {
    BUNDLE = 1 << 14, /* number of cells that a thread takes at a time, or a row if that is more */
    BATCH = 1 << 22,  /* number of cells to note at a time, or a slice if that is more */
    CACHE_LEAST = 16 << 20
};

typedef struct CompareRun {
    Cases cases;
    ProbeFile *file[2][TREB_DTM50 + 1]; /* by set and metric */
    unsigned metrics;
    unsigned searched; /* bits of the metrics for which a file does not store all sides to move */
    Index index;
    int sides;       /* 1: both sides have the same men, so that White to move is enough */
    bool en_passant; /* both sides have pawns */
    bool counted;    /* positions and verdicts have been counted already */
    uint64_t rows, row_cells;
    uint64_t batch; /* number of rows in a batch */
    Notes notes;    /* answers for a batch; not used if `searched` is 0 */
    const CompareOptions *options;
    uint64_t done, total; /* number of rows; each counts twice if it is searched */
    atomic_bool stop;
} CompareRun;

/* A row, and what its thread needs. */
typedef struct RowWork {
    CompareRun *run;
    CompareCounts *counts;
    WalkRow row;
    Stored stored;
} RowWork;

/* ---- Sides to move --------------------------------------------------------------------------- */

/* Whether a file stores the side to move of a position, as far as its pawns decide that. Returns
 * true if the file cannot be opened; probing it then reports the error. */
static bool file_stores(ProbeFile *file, const treb_position *pos)
{
    const OpenTable *open;
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
        for (int s = 0; s < 2 && w->run->searched >> m & 1; s++)
            for (int turn = 0; turn < 2; turn++) {
                pos.turn = (uint8_t)turn;
                w->stored.at[s][m][turn] = file_stores(w->run->file[s][m], &pos);
            }
}

/* ---- One position ---------------------------------------------------------------------------- */

static int verdict_in_set(const CompareRun *run, int s, const treb_position *pos)
{
    const ProbeReader *reader = set_reader(run->cases.tables[s]);
    return wdl_value(reader, pos, NULL);
}

static int distance_in_set(const CompareRun *run, int s, int metric, const treb_position *pos,
                           int verdict)
{
    if (verdict < 0) return verdict;
    const ProbeReader *reader = set_reader(run->cases.tables[s]);
    return distance_value(reader, (treb_metric)metric, pos, verdict, NULL);
}

/* Finds the mate under the 50-move rule with some plies left. Writes the verdict with that clock, and the
 * distance, which is minus a status if it is not known. */
static void mate50_in_set(const CompareRun *run, int s, const treb_position *pos, int verdict,
                          const Mate50Known *known, int left, int *rule, int *distance)
{
    int value = 0;
    const ProbeReader *reader = set_reader(run->cases.tables[s]);
    const int found =
        verdict < 0 ? verdict : mate50_value(reader, pos, verdict, left, known, &value, NULL);
    *rule = verdict < 0 || value != 0 ? verdict : (int)TREB_DRAW;
    *distance = found < 0 ? found : 2 * mate50_plies(value);
}

/* Whether one of the sets stores the side to move by DTM50. */
static bool mate50_is_stored(const CompareRun *run, const treb_position *pos)
{
    const OpenTable *open;
    const ProbeReader reader = reader_waiting();
    for (int s = 0; s < 2; s++)
        if (file_get(&reader, run->file[s][TREB_DTM50], &open, NULL) == 0 &&
            open->header->profiles.turn == pos->turn)
            return true;
    return false;
}

/* Counts a position by the mate under the 50-move rule. */
static void probe_mate50(RowWork *w, const treb_position *pos, uint64_t key)
{
    CompareRun *run = w->run;
    treb_position with_clock = *pos;
    Mate50Known known[2];
    int verdict[2], rule[2], distance[2];
    if (!(run->metrics >> TREB_DTM50 & 1)) return;
    for (int s = 0; s < 2; s++) {
        verdict[s] = verdict_in_set(run, s, pos);
        const bool decided = verdict[s] == TREB_WIN || verdict[s] == TREB_LOSS;
        known[s].dtm = decided ? distance_in_set(run, s, TREB_DTM, pos, verdict[s]) : -1;
        known[s].dtz = decided ? distance_in_set(run, s, TREB_DTZ, pos, verdict[s]) : -1;
    }
    const int least = pos->ep == 0 && mate50_is_stored(run, pos) ? 1 : (int)RULE_PLIES;
    for (int left = RULE_PLIES; left >= least; left--) {
        with_clock.halfmove = (uint16_t)(RULE_PLIES - left);
        for (int s = 0; s < 2; s++)
            mate50_in_set(run, s, pos, verdict[s], &known[s], left, &rule[s], &distance[s]);
        if (distance[0] < 0 || distance[0] != distance[1] || rule[0] != rule[1]) break;
    }
    cases_count(&run->cases, w->counts, TREB_DTM50, &with_clock, key, rule, distance);
}

/* Counts a position by the verdicts and by the distances that both files store. Notes the
 * answers. */
static void probe_position(RowWork *w, const treb_position *pos, uint64_t key, uint64_t at)
{
    CompareRun *run = w->run;
    Notes *notes = &run->notes;
    int verdict[2], distance[2];
    for (int s = 0; s < 2; s++) {
        int v = verdict[s] = verdict_in_set(run, s, pos);
        if (run->searched != 0)
            notes->verdict[s][pos->turn][at] = v < 0 ? NOTE_UNKNOWN : (uint8_t)v;
    }
    w->counts->positions++;
    probe_mate50(w, pos, key);
    if (run->metrics & 1u << TREB_WDL)
        cases_count(&run->cases, w->counts, TREB_WDL, pos, key, verdict, verdict);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        bool both = true;
        for (int s = 0; s < 2 && run->metrics >> m & 1; s++) {
            bool stored = w->stored.at[s][m][pos->turn];
            both = both && stored;
            if (!stored) continue;
            distance[s] = distance_in_set(run, s, m, pos, verdict[s]);
            if (run->searched >> m & 1) notes->word[s][m][at] = note_word(verdict[s], distance[s]);
        }
        if (both && run->metrics >> m & 1)
            cases_count(&run->cases, w->counts, (treb_metric)m, pos, key, verdict, distance);
    }
}

/* Counts a position by all metrics, with answers from the library alone. */
static void probe_all_metrics(RowWork *w, const treb_position *pos, uint64_t key)
{
    CompareRun *run = w->run;
    int verdict[2], distance[2];
    w->counts->positions++;
    probe_mate50(w, pos, key);
    for (int s = 0; s < 2; s++) verdict[s] = verdict_in_set(run, s, pos);
    for (int m = 0; m < TREB_METRICS; m++) {
        if (!(run->metrics >> m & 1)) continue;
        for (int s = 0; s < 2; s++)
            distance[s] = m == TREB_WDL ? verdict[s] : distance_in_set(run, s, m, pos, verdict[s]);
        cases_count(&run->cases, w->counts, (treb_metric)m, pos, key, verdict, distance);
    }
}

/* Counts the position once for each possible capture en passant: the pawns of the side that moved
 * last must stand two ranks from their first rank. */
static void probe_en_passant(RowWork *w, const treb_position *pos, uint64_t key)
{
    uint64_t pawns = position_men_of(pos, !pos->turn, TREB_PAWN);
    for (pawns &= rank_bits(pos->turn == TREB_WHITE ? 4 : 3); pawns != 0;) {
        treb_position with = *pos;
        int sq = bit_pop(&pawns);
        with.ep = (uint8_t)(pos->turn == TREB_WHITE ? sq + 8 : sq - 8);
        if (position_check(&with, NULL) != TREB_OK || !position_ep_legal(&with)) continue;
        w->counts->en_passant++;
        probe_all_metrics(w, &with, key + 1 + (uint64_t)square_file(sq));
    }
}

/* Returns the noted distance of a cell if the note is about this side to move. Otherwise probes the
 * library. */
static int distance_noted_or_probed(const RowWork *w, int s, int metric, const treb_position *pos,
                                    int verdict, uint64_t at)
{
    uint16_t word = w->run->notes.word[s][metric][at];
    bool other = w->stored.at[s][metric][pos->turn ^ 1];
    if (!other && word != NOTE_NONE) return word & NOTE_MOST;
    return distance_in_set(w->run, s, metric, pos, verdict);
}

/* Counts a position by the distances that not both files store. */
static void search_position(RowWork *w, const treb_position *pos, uint32_t place, uint64_t key,
                            uint64_t at)
{
    CompareRun *run = w->run;
    SearchMoves moves = {.count = -1};
    int verdict[2], distance[2];
    for (int s = 0; s < 2; s++) {
        verdict[s] = run->notes.verdict[s][pos->turn][at];
        if (verdict[s] == NOTE_UNKNOWN) verdict[s] = verdict_in_set(run, s, pos);
    }
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        const bool *stored[2] = {w->stored.at[0][m], w->stored.at[1][m]};
        if (stored[0][pos->turn] && stored[1][pos->turn]) continue;
        for (int s = 0; s < 2; s++) {
            if (verdict[s] < 0 || verdict[s] == TREB_DRAW) {
                distance[s] = verdict[s] < 0 ? verdict[s] : 0;
            } else if (stored[s][pos->turn]) {
                distance[s] = distance_noted_or_probed(w, s, m, pos, verdict[s], at);
            } else {
                if (moves.count < 0) search_list(&w->row, place, pos, &moves);
                distance[s] =
                    search_distance(run->cases.tables[s], run->notes.word[s][m], run->notes.first,
                                    (treb_metric)m, pos, verdict[s], &moves);
            }
        }
        cases_count(&run->cases, w->counts, (treb_metric)m, pos, key, verdict, distance);
    }
}

/* ---- All positions --------------------------------------------------------------------------- */

/* Whether any metric must be searched for a side to move. */
static bool side_needs_search(const RowWork *w, int turn)
{
    for (int m = TREB_DTZ; m < TREB_METRICS; m++)
        if (!w->stored.at[0][m][turn] || !w->stored.at[1][m][turn]) return true;
    return false;
}

static void do_row(RowWork *w, uint64_t number, bool search)
{
    CompareRun *run = w->run;
    treb_position pos;
    if (!walk_row(&run->index, number, &w->row)) return;
    find_stored(w);
    bool wanted[2] = {!search || side_needs_search(w, TREB_WHITE),
                      !search || side_needs_search(w, TREB_BLACK)};
    if (!wanted[0] && !wanted[1]) return;
    for (uint32_t place = 0; place < w->row.cells; place++) {
        if (!walk_cell(&w->row, place, &pos)) continue;
        uint64_t cell = w->row.cell + place, at = cell - run->notes.first;
        for (int turn = 0; turn < run->sides; turn++) {
            uint64_t key = (cell * 2 + (unsigned)turn) * 16;
            pos.turn = (uint8_t)turn;
            if (!wanted[turn] || square_attacked(&pos, position_king(&pos, turn ^ 1), turn))
                continue;
            if (search)
                search_position(w, &pos, place, key, at);
            else
                probe_position(w, &pos, key, at);
            if (run->en_passant && !search) probe_en_passant(w, &pos, key);
        }
    }
}

/* Adds work done and calls the progress callback. */
static void report(CompareRun *run, uint64_t rows)
{
    const CompareOptions *o = run->options;
#pragma omp critical(compare_progress)
    {
        run->done += rows;
        if (o->progress != NULL && !o->progress(o->context, run->done, run->total))
            run->stop = true;
    }
}

/* Probes a batch of rows, or searches it. */
static void do_rows(CompareRun *run, uint64_t first, uint64_t end, bool search)
{
    uint64_t step = run->row_cells < BUNDLE ? BUNDLE / run->row_cells : 1;
    int threads = run->options->threads > 0 ? (int)run->options->threads : omp_get_max_threads();
#pragma omp parallel num_threads(threads)
    {
        CompareCounts counts = {0};
        RowWork w = {.run = run, .counts = &counts};
#pragma omp for schedule(dynamic) nowait
        for (uint64_t begin = first; begin < end; begin += step) {
            uint64_t after = end - begin < step ? end : begin + step;
            for (uint64_t row = begin; row < after; row++)
                if (!run->stop && !run->cases.no_memory) do_row(&w, row, search);
            report(run, after - begin);
        }
        if (run->counted) counts.positions = counts.en_passant = 0;
#pragma omp critical(compare_counts)
        cases_add(&run->cases, &counts);
    }
}

static void compare_all(CompareRun *run)
{
    for (uint64_t first = 0; first < run->rows && !run->stop; first += run->batch) {
        uint64_t end = run->rows - first < run->batch ? run->rows : first + run->batch;
        run->notes.first = first * run->row_cells;
        do_rows(run, first, end, false);
        if (run->searched != 0 && !run->stop) do_rows(run, first, end, true);
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

/* Returns the number of bytes that the notes of a cell take. */
static uint64_t notes_cost(unsigned metrics)
{
    return metrics != 0 ? 4 + 4 * (uint64_t)bit_count(metrics) : 0;
}

/* Compares by `metrics`, of which `searched` are searched. */
static bool compare_by(CompareRun *run, unsigned metrics, unsigned searched)
{
    uint64_t slice = run->index.slice_size, memory = run->options->memory;
    uint64_t cost = notes_cost(searched), most = cost ? memory / 4 * 3 / cost : run->index.size;
    uint64_t cells = cost && most > BATCH ? BATCH : most;
    cells = cells < slice ? slice : cells / slice * slice;
    if (cells > run->index.size) cells = run->index.size;
    run->metrics = metrics;
    run->searched = searched;
    run->batch = cells / run->row_cells;
    run->done = 0;
    run->total = run->rows * (searched != 0 ? 2 : 1);
    uint64_t cache = (memory - (cost * cells < memory ? cost * cells : memory)) / 2;
    for (int s = 0; s < 2; s++)
        treb_tables_set_memory((treb_tables *)run->cases.tables[s],
                               cache > CACHE_LEAST ? cache : CACHE_LEAST);
    bool ok = searched == 0 || notes_init(&run->notes, searched, cells);
    if (ok) compare_all(run);
    notes_free(&run->notes);
    return ok;
}

/* Whether the notes of a slice fit in memory. */
static bool notes_fit(const CompareRun *run, unsigned searched)
{
    return notes_cost(searched) * run->index.slice_size <= run->options->memory / 4 * 3;
}

/* Compares by all metrics at once if there is enough memory, otherwise one by one. */
static bool compare_metrics_of(CompareRun *run, unsigned metrics, unsigned searched)
{
    if (notes_fit(run, searched)) return compare_by(run, metrics, searched);
    unsigned rest = metrics & ~searched;
    bool ok = rest == 0 || compare_by(run, rest, 0);
    run->counted = rest != 0;
    for (int m = 0; m < TREB_METRICS && ok && !run->stop; m++) {
        unsigned one = searched & 1u << m;
        if (one == 0) continue;
        ok = compare_by(run, one, notes_fit(run, one) ? one : 0);
        run->counted = true;
    }
    return ok;
}

/* ---- The interface --------------------------------------------------------------------------- */

/* Chooses the order in which cells are visited. */
static bool choose_index(CompareRun *run, const Material *material)
{
    for (int s = 0; s < 2; s++)
        for (int m = TREB_METRICS - 1; m >= 0; m--)
            if (walk_order(run->file[s][m], &run->index)) return true;
    return index_init(&run->index, material, NULL, 1);
}

/* Returns the bits of the metrics for which a file stores only one side to move. */
static unsigned find_searched(const CompareRun *run, unsigned metrics)
{
    unsigned searched = 0;
    for (int m = TREB_DTZ; m < TREB_METRICS && run->sides == 2; m++)
        for (int s = 0; s < 2 && metrics >> m & 1; s++)
            for (int turn = 0; turn < 2; turn++) {
                treb_position pos = {.turn = (uint8_t)turn};
                ProbeFile *file = run->file[s][m];
                if (file->format == TREB_FORMAT_SYZYGY || !file_stores(file, &pos))
                    searched |= 1u << m;
            }
    return searched;
}

treb_status compare_material(const CompareSet *a, const CompareSet *b, const Material *material,
                             unsigned metrics, const CompareOptions *options, CompareResult *result,
                             treb_error *error)
{
    CompareRun run = {.cases = {.tables = {a->tables, b->tables}, .result = result},
                      .sides = material_symmetric(material) ? 1 : 2,
                      .en_passant = material->count[TREB_WHITE][TREB_PAWN] > 0 &&
                                    material->count[TREB_BLACK][TREB_PAWN] > 0,
                      .options = options};
    memset(result, 0, sizeof *result);
    for (int s = 0; s < 2; s++)
        for (int m = 0; m <= TREB_DTM50; m++)
            if (metrics >> m & 1)
                run.file[s][m] =
                    set_place(run.cases.tables[s], set_key_of_material(material))->entry->file[m];
    bool ok = cases_init(&run.cases, metrics, options->shown) && choose_index(&run, material);
    if (ok) {
        run.rows = walk_rows(&run.index);
        run.row_cells = run.index.size / run.rows;
        ok = compare_metrics_of(&run, metrics, find_searched(&run, metrics));
    }
    return ok && !run.cases.no_memory ? TREB_OK : fail_memory(error);
}
