/* compare.c - all positions of a material, asked of two sets.
 *
 * Threads take rows of cells, a bundle at a time, and count for themselves. */
#include "compare/compare.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compare/walk.h"
#include "core/error.h"
#include "probe/probe.h"

enum { BUNDLE = 1 << 14 }; /* cells that a thread takes at a time, or a row if that is more */

/* What a thread counts. */
typedef struct Tally {
    uint64_t positions, en_passant;
    struct {
        uint64_t equal, rounded, different, unknown;
    } of[TREB_METRICS];
} Tally;

typedef struct Work {
    const treb_tables *tables[2];
    unsigned metrics;
    Index index;
    int sides;       /* 1: both have the same men, and White to move says all */
    bool en_passant; /* both have pawns */
    uint64_t rows, bundle, bundles;
    const CompareOptions *options;
    CompareResult *result;
    uint64_t done;
    atomic_bool stop, no_memory;
    /* Differences that come later than this are not kept. */
    _Atomic uint64_t key_limit[TREB_METRICS];
} Work;

/* ---- What is kept of a difference ------------------------------------------------------------ */

/* An answer in full, with what the library says where there is none. */
static CompareValue value_of(const treb_tables *tables, const treb_position *pos, treb_metric metric)
{
    treb_error why;
    CompareValue value = {0};
    value.status = treb_probe_distance(tables, pos, metric, &value.distance, &why);
    if (value.status != TREB_OK) value.text = strdup(why.text);
    return value;
}

static void case_free(CompareCase *one)
{
    for (int s = 0; s < 2; s++) free(one->value[s].text);
}

/* Puts a difference where it belongs in order; the last gives way if there are enough. */
static void keep_case(Work *work, treb_metric metric, const treb_position *pos, uint64_t key)
{
    CompareCount *count = &work->result->count[metric];
    size_t most = work->options->shown, at = count->shown_count;
    if (at == most && (most == 0 || count->shown[most - 1].key < key)) return;
    CompareCase one = {.key = key};
    position_to_fen(pos, one.fen);
    for (int s = 0; s < 2; s++) one.value[s] = value_of(work->tables[s], pos, metric);
    if (at == most) case_free(&count->shown[--at]);
    for (; at > 0 && count->shown[at - 1].key > key; at--) count->shown[at] = count->shown[at - 1];
    count->shown[at] = one;
    if (count->shown_count < most) count->shown_count++;
    if (count->shown_count == most) work->key_limit[metric] = count->shown[most - 1].key;
}

static void keep(Work *work, treb_metric metric, const treb_position *pos, uint64_t key)
{
    if (key >= work->key_limit[metric]) return;
#pragma omp critical(compare_keep)
    keep_case(work, metric, pos, key);
}

/* ---- One position ---------------------------------------------------------------------------- */

/* Counts two answers of a metric: distances as probe.h has them or, for verdicts, these; or minus a
 * status. */
static void count_pair(Work *work, Tally *tally, treb_metric metric, const treb_position *pos,
                       uint64_t key, const int verdict[2], const int answer[2])
{
    bool unknown = answer[0] < 0 || answer[1] < 0;
    if (unknown) {
        tally->of[metric].unknown++;
        if (answer[0] == -(int)TREB_ERR_MEMORY || answer[1] == -(int)TREB_ERR_MEMORY)
            work->no_memory = work->stop = true;
    } else if (verdict[0] == verdict[1]) {
        if (answer[0] == answer[1]) {
            tally->of[metric].equal++;
            return;
        }
        int least = distance_plies(answer[0]), most = least + distance_rounded(answer[0]);
        int low = distance_plies(answer[1]), high = low + distance_rounded(answer[1]);
        if (metric != TREB_WDL && low <= most && least <= high) {
            tally->of[metric].rounded++;
            return;
        }
    }
    tally->of[metric].different++;
    keep(work, metric, pos, key);
}

static void compare_position(Work *work, Tally *tally, const treb_position *pos, uint64_t key)
{
    int verdict[2], answer[2];
    tally->positions++;
    for (int s = 0; s < 2; s++) verdict[s] = wdl_value(work->tables[s], pos, NULL);
    if (work->metrics & 1u << TREB_WDL)
        count_pair(work, tally, TREB_WDL, pos, key, verdict, verdict);
    for (int m = TREB_DTZ; m < TREB_METRICS; m++) {
        if (!(work->metrics >> m & 1)) continue;
        for (int s = 0; s < 2; s++)
            answer[s] = verdict[s] < 0 ? verdict[s]
                                       : distance_value(work->tables[s], (treb_metric)m, pos,
                                                        verdict[s], NULL);
        count_pair(work, tally, (treb_metric)m, pos, key, verdict, answer);
    }
}

/* The same men with every en passant capture that can be: pawns of those who moved last stand two
 * ranks from their first. */
static void compare_en_passant(Work *work, Tally *tally, const treb_position *pos, uint64_t key)
{
    uint64_t pawns = position_men_of(pos, !pos->turn, TREB_PAWN);
    for (pawns &= rank_bits(pos->turn == TREB_WHITE ? 4 : 3); pawns != 0;) {
        treb_position with = *pos;
        int sq = bit_pop(&pawns);
        with.ep = (uint8_t)(pos->turn == TREB_WHITE ? sq + 8 : sq - 8);
        if (position_check(&with, NULL) != TREB_OK || !position_ep_legal(&with)) continue;
        tally->en_passant++;
        compare_position(work, tally, &with, key + 1 + (uint64_t)square_file(sq));
    }
}

/* ---- All positions --------------------------------------------------------------------------- */

static void compare_row(Work *work, Tally *tally, uint64_t number)
{
    WalkRow row;
    treb_position pos;
    if (!walk_row(&work->index, number, &row)) return;
    for (uint32_t place = 0; place < row.cells; place++) {
        if (!walk_cell(&row, place, &pos)) continue;
        for (int turn = 0; turn < work->sides; turn++) {
            uint64_t key = ((row.cell + place) * 2 + (unsigned)turn) * 16;
            pos.turn = (uint8_t)turn;
            if (square_attacked(&pos, position_king(&pos, turn ^ 1), turn)) continue;
            compare_position(work, tally, &pos, key);
            if (work->en_passant) compare_en_passant(work, tally, &pos, key);
        }
    }
}

/* Adds work done, and tells of it. */
static void report(Work *work)
{
    const CompareOptions *o = work->options;
#pragma omp critical(compare_progress)
    {
        work->done++;
        if (o->progress != NULL && !o->progress(o->context, work->done, work->bundles))
            work->stop = true;
    }
}

static void add_tally(CompareResult *result, const Tally *tally)
{
    result->positions += tally->positions;
    result->en_passant += tally->en_passant;
    for (int m = 0; m < TREB_METRICS; m++) {
        result->count[m].equal += tally->of[m].equal;
        result->count[m].rounded += tally->of[m].rounded;
        result->count[m].different += tally->of[m].different;
        result->count[m].unknown += tally->of[m].unknown;
    }
}

static void compare_all(Work *work)
{
    unsigned threads = work->options->threads;
#pragma omp parallel num_threads(threads > 0 ? (int)threads : omp_get_max_threads())
    {
        Tally tally = {0};
#pragma omp for schedule(dynamic) nowait
        for (uint64_t b = 0; b < work->bundles; b++) {
            uint64_t first = b * work->bundle, end = first + work->bundle;
            if (end > work->rows) end = work->rows;
            for (uint64_t row = first; row < end && !work->stop; row++)
                compare_row(work, &tally, row);
            report(work);
        }
#pragma omp critical(compare_tally)
        add_tally(work->result, &tally);
    }
}

/* The order in which cells are looked at: that of a file of our own, so that its blocks are read
 * once. */
static bool choose_index(Work *work, const Material *material)
{
    uint64_t key = set_key_of_material(material);
    for (int s = 0; s < 2; s++)
        for (int m = TREB_METRICS - 1; m >= 0; m--) {
            const OpenFile *open;
            ProbeFile *file = set_place(work->tables[s], key)->entry->file[m];
            if (!(work->metrics >> m & 1) || file->format != TREB_FORMAT_TREBUCHET) continue;
            if (file_get(file, &open, NULL) < 0) continue;
            work->index = open->index;
            return true;
        }
    return index_init(&work->index, material, NULL, 1);
}

static bool make_room(Work *work)
{
    for (int m = 0; m < TREB_METRICS; m++) {
        CompareCount *count = &work->result->count[m];
        work->key_limit[m] = work->options->shown > 0 ? UINT64_MAX : 0;
        if (!(work->metrics >> m & 1) || work->options->shown == 0) continue;
        count->shown = calloc(work->options->shown, sizeof *count->shown);
        if (count->shown == NULL) return false;
    }
    return true;
}

treb_status compare_material(const CompareSet *a, const CompareSet *b, const Material *material,
                             unsigned metrics, const CompareOptions *options,
                             CompareResult *result, treb_error *error)
{
    Work work = {.tables = {a->tables, b->tables},
                 .metrics = metrics,
                 .sides = material_symmetric(material) ? 1 : 2,
                 .en_passant = material->count[TREB_WHITE][TREB_PAWN] > 0 &&
                               material->count[TREB_BLACK][TREB_PAWN] > 0,
                 .options = options,
                 .result = result};
    memset(result, 0, sizeof *result);
    if (!make_room(&work) || !choose_index(&work, material)) return fail_memory(error);
    work.rows = walk_rows(&work.index);
    uint64_t row_cells = work.index.size / work.rows;
    work.bundle = row_cells < BUNDLE ? BUNDLE / row_cells : 1;
    work.bundles = (work.rows + work.bundle - 1) / work.bundle;
    compare_all(&work);
    return work.no_memory ? fail_memory(error) : TREB_OK;
}

void compare_result_free(CompareResult *result)
{
    for (int m = 0; m < TREB_METRICS; m++) {
        CompareCount *count = &result->count[m];
        for (size_t i = 0; i < count->shown_count; i++) case_free(&count->shown[i]);
        free(count->shown);
        count->shown = NULL;
        count->shown_count = 0;
    }
}
