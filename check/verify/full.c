/* full.c - checks every position of a table.
 *
 * Verdict and distances of each position are a word (full.h). The words of both sides to move are
 * filled in passes over all cells:
 *
 *   verdicts    of both sides: what is stored, or what a capture does if that is better
 *   distances   of the side that is stored; where a table leaves out what is won at once, 1; where
 *               it has bounds, completed
 *   moves       of the other side first: its distances follow from its moves, which all lead to the
 *               stored side or to other tables, and its verdicts are judged; then of the stored
 *               side, whose distances are judged as well
 *
 * What a capture or promotion leads to is worked out from other tables, which takes by far the
 * longest: of draws its distance is not asked, of others only where it may matter. Where captures and
 * the queen complete a bound the word keeps whether one of them attains the distance, so that they need
 * not be asked again; and where mates are not asked, whether a move was found that wins at once, as by far
 * most wins with pawns do.
 *
 * Where metrics have different sides stored, the distances that one side lacks are filled in before
 * the others are judged by it.
 *
 * Of a table with a scratch file and one leading pawn these passes are made for one place of that pawn
 * after the other.
 *
 * Of Syzygy's files the distances are filled in for both sides before any is judged, and settled
 * (round.c). What is then judged is one distance for each position. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/error.h"
#include "core/system/io.h"
#include "check/verify/full.h"
#include "check/verify/fill.h"
#include "check/verify/passes.h"
#include "check/verify/round.h"
#include "check/verify/unpack.h"

/* ---- memory ---------------------------------------------------------------------------------- */

enum { PLIES_BITS = 12 /* of a distance, at most: VERIFY_PLIES */ };

/* The longest distance that the files of a metric have or speak of. */
static unsigned longest_of(const TableHeader *h)
{
    unsigned longest = 0;
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < WDL_VALUES; v++) {
            const TableSide *side = &h->side[s];
            if (side->longest[v] > longest) longest = side->longest[v];
            for (unsigned c = 0; c < side->codes[v]; c++)
                if (side->plies[v][c] > longest) longest = side->plies[v][c];
        }
    return longest;
}

/* A distance of the side that is not stored may be a ply longer, and one number stands for none. */
static unsigned bits_for(unsigned longest)
{
    unsigned bits = 1;
    while (bits < PLIES_BITS && (1u << bits) - 1 <= longest + 1) bits++;
    return bits;
}

static void choose_words(VerifyFull *full)
{
    unsigned bits[TREB_METRICS] = {3, 0, 0, 0};
    if (full->syzygy) {
        bits[TREB_DTZ] = bits[VERIFY_SAID] = 13; /* in half plies */
    } else {
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            if (full->metrics & metric_bit(m))
                bits[m] = bits_for(longest_of(full->entry->file[m].header));
    }
    bool mates = full->metrics & metric_bit(TREB_DTM),
         zeroing = full->metrics & metric_bit(TREB_DTZ);
    bool completed = mates && full->entry->file[TREB_DTM].header->bounds;
    verify_words_layout(&full->words, bits, completed);
    for (int s = 0; s < 2 && !full->syzygy && full->words.attained != 0; s++) {
        if (completed && full->stored[s] & metric_bit(TREB_DTM))
            full->attained[s] = ATTAINED_MATE;
        else if (!mates && zeroing && full->stored[s] == full->metrics)
            full->attained[s] = ATTAINED_ONCE;
    }
}

/* Of what the planes of a batch come in: positions that stand in two orientations have their code
 * in one of two planes of a slice if pawns can be their own mirror image. */
static uint64_t batch_unit(const Index *index)
{
    int pawns =
        index->material.count[TREB_WHITE][TREB_PAWN] + index->material.count[TREB_BLACK][TREB_PAWN];
    return pawns > 1 ? index->slice_size : index->stride[INDEX_KINGS_AXIS];
}

static bool fail_need(VerifyReport *report, uint64_t bytes)
{
    treb_error error;
    fail(&error, TREB_ERR_MEMORY, "a full check of this table needs more memory: --memory %lluMiB",
         (unsigned long long)((bytes >> 20) + 1));
    verify_report_fail(report, &error);
    return false;
}

/* Memory for the codes of a batch: as many as half of what there is has room for. */
static bool claim_batch(VerifyFull *full)
{
    uint64_t unit = batch_unit(full->index), most = (full->store->memory.limit - full->store->memory.used) / 2;
    uint64_t units = most / verify_batch_bytes(full, unit);
    uint64_t all = full->index->size / (uint64_t)full->stages / unit;
    if (units > all) units = all;
    full->batch_cells = (units > 0 ? units : 1) * unit;
    if (!verify_claim(&full->store->memory, verify_batch_bytes(full, full->batch_cells))) return false;
    full->batch.memory = malloc(verify_batch_bytes(full, full->batch_cells));
    return full->batch.memory != NULL;
}

static void release_batch(VerifyFull *full)
{
    free(full->batch.memory);
    full->batch.memory = NULL;
    verify_release(&full->store->memory, verify_batch_bytes(full, full->batch_cells));
    verify_store_retry(full->store);
}

/* The larger of the two files, unpacked, and what is to be settled. */
static bool claim_syzygy(VerifyFull *full)
{
    uint64_t most = 0;
    for (int m = TREB_WDL; m <= TREB_DTZ; m++) {
        const Syzygy *table = full->entry->syzygy[m];
        uint64_t bytes = table != NULL ? verify_flat_bytes(table, m == TREB_WDL) : 0;
        if (bytes > most) most = bytes;
    }
    if (!verify_claim(&full->store->memory, most))
        return fail_need(full->report, full->store->memory.used + most + most / 2);
    if (verify_settle_claim(full)) return true;
    verify_report_no_memory(full->report);
    return false;
}

/* Where a scratch file goes: the folder that was named, or the table's. To be freed. */
static char *scratch_folder(const VerifyFull *full)
{
    const char *named = full->report->options->scratch;
    const VerifyEntry *entry = full->entry;
    if (named != NULL) return strdup(named);
    return io_folder(full->syzygy ? syzygy_path(entry->syzygy[TREB_WDL])
                                  : table_path(entry->file[TREB_WDL].table));
}

/* A table with one leading pawn is checked by where that is, the most advanced first: all that its
 * pushes lead to has then been looked at, and three stages need be on the disk at a time. Of
 * a symmetric material the other side's pushes lead to other stages. */
enum { STAGES_KEPT = 3 };

static bool has_stages(const VerifyFull *full)
{
    const Index *index = full->index;
    return !full->syzygy && full->sides == 2 && index->pawns &&
           index->material.count[index->lead_color][TREB_PAWN] == 1;
}

/* Words that leave a quarter of memory for all else are in memory, others in a scratch file. */
static bool claim_words(VerifyFull *full)
{
    VerifyStore *store = full->store;
    uint64_t room = store->memory.limit - store->memory.used, cells = full->index->size;
    uint64_t bytes = cells * full->words.bytes * (uint64_t)full->sides;
    treb_error error = {0};
    treb_status status;
    if (bytes <= room - room / 4 && verify_claim(&store->memory, bytes)) {
        status = verify_words_in_memory(&full->words, cells, full->sides, &error);
    } else {
        if (has_stages(full)) full->stages = INDEX_PLACES;
        uint64_t most = full->stages > 1 ? bytes / INDEX_PLACES * STAGES_KEPT : bytes;
        full->folder = scratch_folder(full);
        status = full->folder == NULL
                     ? fail_memory(&error)
                     : verify_words_on_disk(&full->words, store, cells, full->sides, full->folder,
                                            most, &error);
    }
    /* Half of the rest is for what may be given back: words that are looked at, memos. */
    verify_claim(&store->memory, (store->memory.limit - store->memory.used) / 2);
    if (status != TREB_OK) verify_report_fail(full->report, &error);
    return status == TREB_OK;
}

static bool claim_memory(VerifyFull *full)
{
    VerifyStore *store = full->store;
    uint64_t least = full->syzygy ? 0 : 4 * verify_batch_bytes(full, batch_unit(full->index));
    choose_words(full);
    if (least > store->memory.limit) return fail_need(full->report, least);
    verify_claim_held(&store->memory);
    if (full->syzygy && !claim_syzygy(full)) return false;
    if (!claim_words(full)) return false;
    if ((full->syzygy || claim_batch(full)) && verify_order_planes(full)) return true;
    verify_report_no_memory(full->report);
    return false;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void run_stage(VerifyFull *full)
{
    int sides = full->sides;
    for (int s = 0; s < sides; s++)
        verify_run_batches(full, verify_do_verdict, metric_bit(TREB_WDL), s, "verdicts");
    for (int s = 0; s < sides; s++)
        if (full->stored[s] != 0)
            verify_run_batches(full, verify_do_distances, full->stored[s], s, "distances");
    if (full->stages == 1) release_batch(full);
    /* A side's distances have to be filled in before the other is judged. */
    bool whole[2] = {full->stored[0] == full->metrics, full->stored[1] == full->metrics};
    int first = whole[0] ? 1 : 0;
    if (sides == 1) {
        verify_run_pass(full, verify_do_moves, 0, "moves");
        return;
    }
    if (!whole[0] && !whole[1]) {
        verify_run_pass(full, verify_do_fill, 0, "distances");
        first = 1;
    }
    verify_run_pass(full, verify_do_moves, first, "moves");
    verify_run_pass(full, verify_do_moves, first ^ 1, "moves");
}

/* The cells with the leading pawn on a file and so many ranks from its last one. */
static void stage_cells(const VerifyFull *full, int file, int ranks, uint64_t *first, uint64_t *end)
{
    enum { FILES = 4, RANKS = INDEX_PLACES / FILES };
    const Index *index = full->index;
    int rank = index->lead_color == TREB_WHITE ? RANKS - 1 - ranks : ranks;
    *first = index->lead_first[FILES * rank + file] * index->second_radix * index->slice_size;
    *end = *first + index->second_radix * index->slice_size;
}

static void drop_stage(const VerifyFull *full, int file, int ranks)
{
    uint64_t first, end;
    stage_cells(full, file, ranks, &first, &end);
    verify_words_drop(&full->words, first, end);
}

/* A pawn's step leads to the stage before, and its double step to that before it: that from the
 * second rank leads to the fourth. */
static void run_stages(VerifyFull *full)
{
    enum { RANKS = 6, HOME = RANKS - 1, DOUBLE = HOME - 2 };
    treb_error error;
    for (; full->stage < full->stages && !atomic_load(&full->report->stop); full->stage++) {
        int file = full->stage / RANKS, ranks = full->stage % RANKS;
        stage_cells(full, file, ranks, &full->first, &full->end);
        if (verify_words_take(&full->words, full->first, full->end, &error) != TREB_OK) {
            verify_report_fail(full->report, &error);
            return;
        }
        run_stage(full);
        if (ranks > 0 && ranks - 1 != DOUBLE) drop_stage(full, file, ranks - 1);
        if (ranks != HOME) continue;
        drop_stage(full, file, DOUBLE);
        drop_stage(full, file, HOME);
    }
}

static void run_ours(VerifyFull *full)
{
    treb_error error;
    if (full->stages > 1)
        run_stages(full);
    else if (verify_words_take(&full->words, full->first, full->end, &error) != TREB_OK)
        verify_report_fail(full->report, &error);
    else
        run_stage(full);
}

static void run_syzygy_distances(VerifyFull *full)
{
    const Syzygy *table = full->entry->syzygy[TREB_DTZ];
    verify_flat_load(full->report, table, false, &full->flat);
    for (int s = 0; s < full->sides; s++)
        if (syzygy_has_side(table, s))
            verify_run_pass(full, verify_do_syzygy_distance, s, "distances");
    verify_flat_free(&full->flat);
    for (int s = 0; s < full->sides; s++)
        if (full->sides == 2 && syzygy_has_side(table, s ^ 1))
            verify_run_pass(full, verify_do_syzygy_fill, s, "distances");
    verify_settle(full);
}

static void run_syzygy(VerifyFull *full)
{
    treb_error error;
    if (verify_words_take(&full->words, full->first, full->end, &error) != TREB_OK) {
        verify_report_fail(full->report, &error);
        return;
    }
    verify_flat_load(full->report, full->entry->syzygy[TREB_WDL], true, &full->flat);
    for (int s = 0; s < full->sides; s++) verify_run_pass(full, verify_do_verdict, s, "verdicts");
    verify_flat_free(&full->flat);
    if (full->metrics != 0 && !atomic_load(&full->report->stop)) run_syzygy_distances(full);
    for (int s = 0; s < full->sides; s++) verify_run_pass(full, verify_do_syzygy_moves, s, "moves");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void full_free(VerifyFull *full)
{
    verify_words_free(&full->words);
    free(full->folder);
    free(full->batch.memory);
    free(full->rounds);
    for (int s = 0; s < 2; s++) {
        free(full->open[s]);
        free(full->planes[s]);
    }
}

void verify_full(VerifyReport *report, VerifyStore *store, unsigned metrics, VerifyCount *count)
{
    VerifyEntry *entry = store->entry[0];
    VerifyFull full = {.report = report,
                       .store = store,
                       .entry = entry,
                       .index = &entry->index,
                       .syzygy = report->options->syzygy,
                       .ply = store->ply,
                       .sides = entry->symmetric ? 1 : 2,
                       .stages = 1,
                       .end = entry->index.size,
                       .metrics = metrics & VERIFY_DISTANCES,
                       .count = count};
    for (int g = 0; g < full.index->groups; g++)
        full.group[full.index->group[g].color][full.index->group[g].type] = (uint8_t)g;
    for (int s = 0; s < 2 && !full.syzygy; s++)
        for (int m = TREB_DTZ; m < TREB_METRICS; m++)
            if (full.metrics & metric_bit(m) && entry->file[m].header->side[s].stored)
                full.stored[s] |= metric_bit(m);
    if (claim_memory(&full)) {
        if (full.syzygy)
            run_syzygy(&full);
        else
            run_ours(&full);
    }
    full_free(&full);
}
