/* verify.c - see verify.h: the headers, the sample, and the steps of a verification. */
#include "check/verify/verify.h"
#include "check/verify/checksum.h"
#include "check/verify/full_check.h"
#include "check/verify/mate50.h"
#include "check/verify/walk.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/hash.h"

enum { SAMPLE_CHUNK = 256, SAMPLE_CELLS = 1 << 16, SMALL_SIDE = 8 << 20 };

/* ---- checksums ------------------------------------------------------------------------------- */

static void check_syzygy(VerifyReport *report, const VerifyEntry *entry)
{
    uint64_t total = 0;
    treb_error error;
    for (int m = TREB_WDL; m <= TREB_DTZ; m++)
        if (entry->syzygy[m] != NULL) total += syzygy_file_size(entry->syzygy[m]);
    verify_report_phase(report, "checksums", total);
    for (int m = TREB_WDL; m <= TREB_DTZ; m++) {
        if (entry->syzygy[m] == NULL || atomic_load(&report->stop)) continue;
        if (syzygy_check(entry->syzygy[m], &error) != TREB_OK) verify_report_fail(report, &error);
        verify_report_progress(report, syzygy_file_size(entry->syzygy[m]));
    }
}

static void check_ours(VerifyReport *report, VerifyStore *store)
{
    VerifyEntry *entry = store->entry[0];
    uint64_t total = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int m = 0; m <= TREB_DTM50; m++) {
            const VerifyFile *file = &entry->file[m];
            for (int side = 0; side < 2; side++) {
                if (file->table == NULL || !file->header->side[side].stored) continue;
                const uint64_t parts = table_side_parts(file->table, side);
                treb_error error;
                if (pass == 0) total += parts;
                if (pass == 0 || atomic_load(&report->stop)) continue;
                if (verify_side_checksums(report, file->table, side,
                                          verify_threads(report->options), 1, &error) != TREB_OK)
                    verify_report_fail(report, &error);
                report->result->blocks += table_side_blocks(file->header);
            }
        }
        if (pass == 0) verify_report_phase(report, "checksums", total);
    }
}

/* ---- the sample ------------------------------------------------------------------------------ */

/* Returns a pseudorandom number from 0 to 1 that depends only on the material, the side and the
 * chunk. */
static double chunk_draw(const Material *material, int side, uint64_t chunk)
{
    char name[MATERIAL_NAME_SIZE];
    uint64_t hash = hash_mix(chunk * 2 + (uint64_t)side + 1);
    material_name(material, name);
    for (const char *c = name; *c != '\0'; c++) hash = hash_mix(hash ^ (unsigned char)*c);
    return (double)(hash >> 11) / (double)(UINT64_C(1) << 53);
}

typedef struct Sample {
    VerifyReport *report;
    VerifyEntry *entry;
    unsigned metrics, stored[2];
    double share;
    uint64_t chunks;
} Sample;

static void judge_sample(const Sample *sample, VerifyReader *reader, const treb_position *pos,
                         uint64_t key)
{
    VerifyMoveSummary summary;
    Move moves[MOVES_MAX];
    int count = movegen_legal(pos, moves);
    /* Only stored sides are evaluated. The value of a side that is not stored would be computed
     * from the very moves that it is compared with. */
    unsigned stored = sample->stored[pos->turn], metrics = sample->metrics;
    const Syzygy *table = sample->entry->syzygy[TREB_DTZ];
    if (table != NULL && syzygy_stores(table, pos)) stored |= metric_bit(TREB_DTZ);
    VerifyValue claim = verify_evaluate(reader, sample->entry, pos, stored);
    /* A draw has no distance to compare. Its verdict depends only on the 50-move rule, which needs
     * DTZ. */
    if (claim.verdict == TREB_DRAW) metrics &= metric_bit(TREB_DTZ);
    verify_summary_init(&summary, reader->store->ply);
    for (int i = 0; i < count; i++) {
        VerifyKind kind = verify_kind(pos, moves[i]);
        VerifyValue child = verify_child(reader, sample->entry, pos, moves[i], kind, metrics);
        verify_summary_add(&summary, kind, &child);
    }
    VerifyCase c = {.pos = pos,
                    .key = key,
                    .claim = claim,
                    .summary = &summary,
                    .stated_dtz = VERIFY_NONE,
                    .compare = stored,
                    .known = sample->metrics};
    if (reader->error.status == TREB_OK) verify_judge(sample->report, &c);
    if (reader->error.status == TREB_OK)
        verify_mate50_sample(sample->report, reader, sample->entry, pos, key);
}

static uint64_t sample_chunk(const Sample *sample, VerifyReader *reader, int side, uint64_t from)
{
    const Index *index = &sample->entry->index;
    uint64_t to = index->size - from < SAMPLE_CHUNK ? index->size : from + SAMPLE_CHUNK;
    uint64_t positions = 0;
    VerifyWalk walk;
    verify_walk_seek(&walk, index, from);
    for (uint64_t cell = from; cell < to; cell++, verify_walk_next(&walk)) {
        if (!verify_walk_valid(&walk)) continue;
        treb_position pos = *verify_walk_position(&walk);
        pos.turn = (uint8_t)side;
        if (!verify_legal(&pos)) continue;
        positions++;
        judge_sample(sample, reader, &pos, cell * 2 + (uint64_t)side);
        if (reader->error.status != TREB_OK) break;
    }
    return positions;
}

static bool chunk_drawn(const Sample *sample, int side, uint64_t chunk)
{
    return chunk_draw(&sample->entry->material, side, chunk) < sample->share;
}

static void run_sample_side(const Sample *sample, VerifyStore *store, int side)
{
    VerifyReport *report = sample->report;
    uint64_t positions = 0;
#pragma omp parallel num_threads(verify_threads(report->options)) reduction(+ : positions)
    {
        VerifyReader *reader = verify_reader_new(store);
        if (reader == NULL) verify_report_no_memory(report);
#pragma omp for schedule(dynamic, 64)
        for (uint64_t i = 0; i < sample->chunks; i++) {
            if (reader == NULL || !chunk_drawn(sample, side, i)) continue;
            if (atomic_load(&report->stop)) continue;
            positions += sample_chunk(sample, reader, side, i * SAMPLE_CHUNK);
            if (reader->error.status != TREB_OK) verify_report_fail(report, &reader->error);
            verify_report_progress(report, 1);
        }
        verify_reader_free(reader);
    }
    report->result->positions += positions;
}

static void run_sample(VerifyReport *report, VerifyStore *store, unsigned metrics)
{
    VerifyEntry *entry = store->entry[0];
    uint64_t cells = entry->index.size, total = 0;
    int sides = entry->symmetric ? 1 : 2;
    Sample sample = {.report = report,
                     .entry = entry,
                     .metrics = metrics & VERIFY_DISTANCES,
                     .share = report->options->share,
                     .chunks = (cells + SAMPLE_CHUNK - 1) / SAMPLE_CHUNK};
    if (!(sample.share > 0)) sample.share = (double)SAMPLE_CELLS / (double)cells;
    for (int side = 0; side < 2; side++)
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            if (entry->file[m].table != NULL && entry->file[m].header->side[side].stored)
                sample.stored[side] |= metric_bit(m);
    for (int side = 0; side < sides; side++)
        for (uint64_t i = 0; i < sample.chunks; i++) total += chunk_drawn(&sample, side, i);
    verify_report_phase(report, "sample", total);
    for (int side = 0; side < sides; side++) run_sample_side(&sample, store, side);
}

/* ---- headers --------------------------------------------------------------------------------- */

static const char *const verdict_words[WDL_VALUES] = {"losses", "blessed losses", "draws",
                                                      "cursed wins", "wins"};

typedef struct Headers {
    VerifyReport *report;
    VerifyEntry *entry;
    VerifyReader *reader;
    const VerifyCount *count; /* NULL in a sample */
} Headers;

/* Compares the counts that a header states for one side. */
static void check_counts(const Headers *h, const VerifyFile *file, int side)
{
    const TableSide *stated = &file->header->side[side];
    /* For a symmetric material, the numbers of White's side hold for Black's. */
    int real = h->entry->symmetric ? 0 : side;
    const uint64_t *found = h->count != NULL ? h->count->count[real]
                                             : h->entry->file[TREB_WDL].header->side[real].count;
    for (int v = 0; v < WDL_VALUES; v++) {
        if (stated->count[v] == found[v]) continue;
        verify_report_error(
            h->report, VERIFY_KEY_LAST, "%.300s: says %llu %s with %s to move, but there are %llu",
            table_path(file->table), (unsigned long long)stated->count[v], verdict_words[v],
            side == TREB_WHITE ? "White" : "Black", (unsigned long long)found[v]);
        return;
    }
}

/* Returns what is wrong with the example position of a longest line, or NULL. */
static const char *longest_fault(const Headers *h, const TableSide *stated, int metric, int side,
                                 int verdict)
{
    treb_position pos;
    const char *fen = stated->longest_fen[verdict];
    if (stated->count[verdict] == 0)
        return fen[0] != '\0' || stated->longest[verdict] != 0 ? "there is no such position" : NULL;
    if (fen[0] == '\0') return "its position is missing";
    if (position_from_fen(fen, &pos, NULL) != TREB_OK) return "its FEN is invalid";
    Material m = material_of_position(&pos);
    if (!material_equal(&m, &h->entry->material) || pos.turn != side || pos.ep != 0 ||
        pos.castling != 0)
        return "its position does not belong to the table";
    const bool mate50 = metric == TREB_DTM50;
    VerifyValue value = verify_evaluate(h->reader, h->entry, &pos, mate50 ? 0 : metric_bit(metric));
    const unsigned plies = mate50
                               ? mate50_plies(verify_mate50(h->reader, h->entry, &pos, RULE_PLIES))
                               : value.plies[metric];
    /* If a table cannot be read, the position is not at fault. */
    if (h->reader->error.status != TREB_OK) return NULL;
    if (value.verdict != verdict) return "its position has another verdict";
    return plies != stated->longest[verdict] ? "its position has another distance" : NULL;
}

/* Returns the counts of a side's positions by plies. */
static const uint64_t *counted(const Headers *h, int metric, int side, int verdict)
{
    const int real = h->entry->symmetric ? 0 : side;
    return metric == TREB_DTM50 ? h->count->mate50[real][verdict]
                                : h->count->histogram[metric][real][verdict];
}

/* Whether positions of a verdict have distances. */
static bool has_distances(int metric, int verdict)
{
    if (metric == TREB_DTM50) return verdict == TREB_WIN || verdict == TREB_LOSS;
    return metric != TREB_WDL && verdict != TREB_DRAW;
}

static unsigned longest_found(const uint64_t histogram[VERIFY_PLIES])
{
    unsigned plies = VERIFY_PLIES - 1;
    while (plies > 0 && histogram[plies] == 0) plies--;
    return plies;
}

/* Returns what is wrong with a histogram, or NULL. Opening the file has already checked its sum. */
static const char *histogram_fault(const Headers *h, const TableSide *stated, int metric, int side,
                                   int verdict)
{
    const uint64_t *entry = stated->histogram[verdict];
    if (entry == NULL) return stated->count[verdict] ? "is missing" : NULL;
    if (h->count == NULL) return NULL;
    const uint64_t *found = counted(h, metric, side, verdict);
    for (uint32_t p = 0; p <= stated->longest[verdict] && p < VERIFY_PLIES; p++)
        if (entry[p] != found[p]) return "does not match the positions";
    return NULL;
}

static void check_histograms(const Headers *h, int metric, int side)
{
    const VerifyFile *file = &h->entry->file[metric];
    for (int v = 0; v < WDL_VALUES; v++) {
        if (!has_distances(metric, v)) continue;
        const char *fault = histogram_fault(h, &file->header->side[side], metric, side, v);
        if (fault == NULL) continue;
        verify_report_error(h->report, VERIFY_KEY_LAST,
                            "%.300s: histogram of the %s with %s to move %s",
                            table_path(file->table), verdict_words[v],
                            side == TREB_WHITE ? "White" : "Black", fault);
    }
}

static void check_longest(const Headers *h, int metric, int side)
{
    const VerifyFile *file = &h->entry->file[metric];
    const TableSide *stated = &file->header->side[side];
    for (int v = 0; v < WDL_VALUES; v++) {
        const char *fault = NULL;
        const bool counts = has_distances(metric, v);
        if (!counts)
            fault = stated->longest[v] != 0 ? "there can be none" : NULL;
        else
            fault = longest_fault(h, stated, metric, side, v);
        if (fault == NULL && counts && h->count != NULL &&
            stated->longest[v] != longest_found(counted(h, metric, side, v)))
            fault = "the longest line has another length";
        if (fault == NULL) continue;
        verify_report_error(h->report, VERIFY_KEY_LAST,
                            "%.250s: longest of the %s with %s to move, %u plies, \"%.95s\": %s",
                            table_path(file->table), verdict_words[v],
                            side == TREB_WHITE ? "White" : "Black", (unsigned)stated->longest[v],
                            stated->longest_fen[v], fault);
    }
}

/* Returns what is wrong with the example of a delay, or NULL. */
static const char *delay_fault(const Headers *h, const TableDelayed *stated, int clocks)
{
    treb_position pos;
    if (stated->count == 0) return NULL;
    if (position_from_fen(stated->fen, &pos, NULL) != TREB_OK) return "its FEN is invalid";
    const Material m = material_of_position(&pos);
    if (!material_equal(&m, &h->entry->material) || pos.ep != 0 || pos.castling != 0)
        return "its position does not belong to the table";
    const VerifyValue value =
        verify_evaluate(h->reader, h->entry, &pos, metric_bit(TREB_DTZ) | metric_bit(TREB_DTM));
    if (h->reader->error.status != TREB_OK) return NULL;
    if (value.verdict != TREB_WIN && value.verdict != TREB_LOSS) return "its position has another verdict";
    if (pos.halfmove != (clocks == DELAYED_FRESH ? 0 : RULE_PLIES - value.plies[TREB_DTZ]))
        return "its position has another clock";
    const int made = verify_mate50(h->reader, h->entry, &pos, RULE_PLIES - pos.halfmove);
    if (h->reader->error.status != TREB_OK) return NULL;
    return value.plies[TREB_DTM] != stated->dtm || mate50_plies(made) != stated->dtm50
               ? "its position has another distance"
               : NULL;
}

static void check_delayed(const Headers *h)
{
    const VerifyFile *file = &h->entry->file[TREB_DTM50];
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        const TableDelayed *stated = &file->header->delayed[i];
        const char *fault = delay_fault(h, stated, i);
        if (fault == NULL && h->count != NULL && stated->count != h->count->delayed[i])
            fault = "there is another number of them";
        if (fault == NULL && h->count != NULL && stated->dtm50 - stated->dtm != h->count->longest_delay[i])
            fault = "the longest delay has another length";
        if (fault == NULL) continue;
        verify_report_error(h->report, VERIFY_KEY_LAST, "%.250s: %llu delayed mates, one of them \"%.95s\": %s",
                            table_path(file->table), (unsigned long long)stated->count, stated->fen, fault);
    }
}

static void check_headers(VerifyReport *report, VerifyStore *store, const VerifyCount *count)
{
    Headers h = {report, store->entry[0], verify_reader_new(store), count};
    if (h.reader == NULL) {
        verify_report_no_memory(report);
        return;
    }
    /* Only a few positions follow, for which it is not worth unpacking a large side. */
    store->whole_limit = SMALL_SIDE;
    for (int m = 0; m <= TREB_DTM50; m++) {
        for (int side = 0; side < 2 && h.entry->file[m].table != NULL; side++) {
            check_counts(&h, &h.entry->file[m], side);
            check_longest(&h, m, side);
            check_histograms(&h, m, side);
        }
    }
    if (h.entry->file[TREB_DTM50].table != NULL) check_delayed(&h);
    if (h.reader->error.status != TREB_OK) verify_report_fail(report, &h.reader->error);
    verify_reader_free(h.reader);
}

/* ---- the interface --------------------------------------------------------------------------- */

/* Checks that a file of Trebuchet stores the sides to move that are needed. */
static treb_status check_sides(const VerifyEntry *entry, int metric, treb_error *error)
{
    const VerifyFile *file = &entry->file[metric];
    if (entry->symmetric && !file->header->side[TREB_WHITE].stored)
        return fail(error, TREB_ERR_DAMAGED, "%.400s: a side to move is missing",
                    table_path(file->table));
    return TREB_OK;
}

/* Checks that the files are there and complete enough to be verified. */
static treb_status check_files(const VerifyStore *store, VerifyResult *result, treb_error *error)
{
    const VerifyEntry *entry = store->entry[0];
    char name[TABLE_NAME_SIZE];
    for (int m = 0; m <= TREB_DTM50; m++) {
        bool syzygy = m <= TREB_DTZ && entry->syzygy[m] != NULL;
        if (entry->file[m].table != NULL) {
            treb_status status = check_sides(entry, m, error);
            if (status != TREB_OK) return status;
        }
        if (syzygy || entry->file[m].table != NULL) result->metrics |= metric_bit(m);
        if (m > TREB_WDL || result->metrics != 0) continue;
        verify_file_name(store, &entry->material, TREB_WDL, name);
        fail(error, TREB_ERR_NO_TABLE, "%s is not installed", name);
        material_name(&entry->material, name);
        return fail_missing_table(error, name, TREB_WDL);
    }
    for (int m = TREB_DTZ; m <= TREB_DTM && result->metrics & metric_bit(TREB_DTM50); m++)
        if (m != TREB_DTC && !(result->metrics & metric_bit(m)))
            return verify_fail_missing(store, &entry->material, m, error);
    result->wdl_only = (result->metrics & VERIFY_DISTANCES) == 0;
    result->rule_proved = (result->metrics & metric_bit(TREB_DTZ)) != 0;
    return TREB_OK;
}

static bool all_drawn(const TableHeader *wdl)
{
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < WDL_VALUES; v++)
            if (v != TREB_DRAW && wdl->side[side].count[v] > 0) return false;
    return true;
}

/* Checks that the tables of a sub-ending are installed. */
static treb_status check_sub_ending(const VerifyStore *store, const VerifyEntry *sub_ending,
                                    unsigned metrics, treb_error *error)
{
    const VerifyFile *wdl = &sub_ending->file[TREB_WDL];
    if (wdl->table == NULL && sub_ending->syzygy[TREB_WDL] == NULL)
        return verify_fail_missing(store, &sub_ending->material, TREB_WDL, error);
    if (!(metrics & metric_bit(TREB_DTM)) || sub_ending->file[TREB_DTM].table != NULL)
        return TREB_OK;
    return all_drawn(wdl->header)
               ? TREB_OK
               : verify_fail_missing(store, &sub_ending->material, TREB_DTM, error);
}

/* A full check reads the tables of all sub-endings. It should not fail after an hour because one is
 * missing. */
static treb_status check_sub_endings(const VerifyStore *store, unsigned metrics, treb_error *error)
{
    for (size_t i = 1; i <= store->sub_endings; i++) {
        treb_status status = check_sub_ending(store, store->entry[i], metrics, error);
        if (status != TREB_OK) return status;
    }
    return TREB_OK;
}

static void check_store(VerifyReport *report, VerifyStore *store)
{
    VerifyCount *count = NULL;
    unsigned metrics = report->result->metrics;
    bool syzygy = report->options->syzygy;
    if (syzygy) check_syzygy(report, store->entry[0]);
    if (atomic_load(&report->stop)) return;
    if (report->options->full) {
        count = calloc(1, sizeof *count);
        if (count == NULL) {
            verify_report_no_memory(report);
            return;
        }
        verify_full(report, store, metrics, count);
        report->result->positions = count->positions;
    } else {
        check_ours(report, store);
        if (!atomic_load(&report->stop)) run_sample(report, store, metrics);
    }
    /* The headers of Syzygy files have no counts. */
    if (!syzygy && !atomic_load(&report->stop)) check_headers(report, store, count);
    free(count);
}

treb_status verify_material(const Material *material, const VerifyOptions *options,
                            VerifyResult *result)
{
    VerifyStore store = {0};
    treb_error error = {0};
    VerifyReport report = {.options = options, .result = result};
    Material m = *material;
    memset(result, 0, sizeof *result);
    material_canonical(&m);
    treb_status status = TREB_ERR_ARGUMENT;
    if (material_men(&m) < 3)
        fail(&error, status, "bare kings have no table");
    else
        status = verify_store_open(&store, &m, options, &error);
    if (status == TREB_OK) status = check_files(&store, result, &error);
    if (status == TREB_OK && options->full)
        status = check_sub_endings(&store, result->metrics, &error);
    if (status != TREB_OK)
        verify_report_fail(&report, &error);
    else
        check_store(&report, &store);
    if (material_men(&m) >= 3) verify_store_close(&store);
    if (report.status == TREB_ERR_DAMAGED) result->errors++;
    if (report.status != TREB_OK) return report.status;
    return result->errors > 0 ? TREB_ERR_DAMAGED : TREB_OK;
}
