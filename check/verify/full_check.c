/* full_check.c - checks every position of a table.
 *
 * The verdict and the distances of each position are packed into a word (words.h). Passes over all
 * cells fill in the words of both sides to move:
 *
 *   verdicts    of both sides: the stored verdict, completed; of a side that is not stored the
 *               best of its moves
 *   distances   of the side that is stored. Where a table omits wins at once, the distance is 1.
 *               Where it stores bounds, they are completed.
 *   moves       of the other side first: its distances follow from its moves, which all lead to
 *               the stored side or to other tables, and its verdicts are judged. Then of the
 *               stored side: its verdicts and distances are judged.
 *
 * The value after a capture or promotion comes from other tables. Computing it takes by far the
 * most time. So a check does not compute the distance if the position is a draw, and otherwise only
 * if the distance can matter. If captures and the promotion to a queen complete a bound, the word
 * records whether one of them leads to exactly that distance, so that the moves pass need not
 * compute them again. If there is no DTM table, the word records instead whether a move was found
 * that wins at once, as in most wins with pawns.
 *
 * If the metrics have different sides stored, the distances that one side lacks are filled in
 * before the other side is judged by them.
 *
 * If the words are in a scratch file and the table has one leading pawn, these passes run in
 * stages: one stage for each square of that pawn.
 *
 * For Syzygy files, the distances of both sides are filled in before any is judged, and rounded
 * distances are resolved (rounding.c). Then one distance is judged for each position. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/verify/fill.h"
#include "check/verify/full_check.h"
#include "check/verify/mate50_full.h"
#include "check/verify/passes.h"
#include "check/verify/rounding.h"
#include "check/verify/unpack.h"
#include "core/system/error.h"
#include "core/system/io.h"

/* ---- memory ---------------------------------------------------------------------------------- */

enum { PLIES_BITS = 12 /* maximum number of bits of a distance: VERIFY_PLIES */ };

/* Returns the longest distance that a file contains or claims in its header. */
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

/* Returns the number of bits for a distance. A distance of the side that is not stored may be a ply
 * longer, and one number stands for VERIFY_NONE. */
static unsigned bits_for(unsigned longest)
{
    unsigned bits = 1;
    while (bits < PLIES_BITS && (1u << bits) - 1 <= longest + 1) bits++;
    return bits;
}

static void choose_words(VerifyFullCheck *full)
{
    unsigned bits[TREB_METRICS] = {3, 0, 0, 0};
    if (full->syzygy) {
        bits[TREB_DTZ] = bits[VERIFY_STATED_DTZ] = 13; /* distances are in half plies */
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
            full->attained[s] = ATTAINED_AT_ONCE;
    }
}

/* Returns the number of cells by which batches grow: a plane, or a slice if the pawns can be their
 * own mirror image. Such a slice has positions in two orientations, and the file may have the code
 * of a position in the plane of the other orientation. */
static uint64_t batch_unit(const Index *index)
{
    int pawns =
        index->material.count[TREB_WHITE][TREB_PAWN] + index->material.count[TREB_BLACK][TREB_PAWN];
    return pawns > 1 ? index->slice_size : index->stride[INDEX_KINGS_AXIS];
}

/* Allocates memory for the codes of a batch: as many cells as fit in half of the memory that is
 * left. */
static bool claim_batch(VerifyFullCheck *full)
{
    uint64_t unit = batch_unit(full->index),
             most = (full->store->memory.limit - full->store->memory.used) / 2;
    uint64_t units = most / verify_batch_bytes(full, unit);
    uint64_t all = full->index->size / (uint64_t)full->stages / unit;
    if (units > all) units = all;
    full->batch_cells = (units > 0 ? units : 1) * unit;
    if (!verify_claim(&full->store->memory, verify_batch_bytes(full, full->batch_cells)))
        return false;
    full->batch.memory = malloc(verify_batch_bytes(full, full->batch_cells));
    return full->batch.memory != NULL;
}

static void release_batch(VerifyFullCheck *full)
{
    free(full->batch.memory);
    full->batch.memory = NULL;
    verify_release(&full->store->memory, verify_batch_bytes(full, full->batch_cells));
    verify_store_retry(full->store);
}

/* Claims memory for the larger of the two unpacked files, and for resolving rounded distances. */
static bool claim_syzygy(VerifyFullCheck *full)
{
    uint64_t most = 0;
    for (int m = TREB_WDL; m <= TREB_DTZ; m++) {
        const Syzygy *table = full->entry->syzygy[m];
        uint64_t bytes = table != NULL ? verify_flat_bytes(table, m == TREB_WDL) : 0;
        if (bytes > most) most = bytes;
    }
    if (!verify_claim(&full->store->memory, most)) {
        verify_report_need(full->report, full->store->memory.used + most + most / 2);
        return false;
    }
    if (verify_rounding_claim(full)) return true;
    verify_report_no_memory(full->report);
    return false;
}

/* Returns the folder for the scratch file: the one in the options, or the folder of the table. The
 * caller frees it. NULL: out of memory. */
static char *scratch_folder(const VerifyFullCheck *full)
{
    const char *named = full->report->options->scratch;
    const VerifyEntry *entry = full->entry;
    if (named != NULL) return strdup(named);
    return io_folder(full->syzygy ? syzygy_path(entry->syzygy[TREB_WDL])
                                  : table_path(entry->file[TREB_WDL].table));
}

/* A table with one leading pawn is checked in stages, one for each square of that pawn, the most
 * advanced square first. All positions that a pawn push leads to have then been checked, and only
 * three stages need to be on disk at a time. This does not work for a symmetric material, because
 * the pushes of the other side lead to other stages. */
enum { STAGES_KEPT = 3 };

static bool has_stages(const VerifyFullCheck *full)
{
    const Index *index = full->index;
    return !full->syzygy && full->sides == 2 && index->pawns &&
           index->material.count[index->lead_color][TREB_PAWN] == 1;
}

/* Allocates the words: in memory if they leave a quarter of it for everything else, otherwise in a
 * scratch file. */
static bool claim_words(VerifyFullCheck *full)
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
    /* Half of the remaining memory is for reclaimable memory: the pages of the words in use, and
     * memos. */
    verify_claim(&store->memory, (store->memory.limit - store->memory.used) / 2);
    if (status != TREB_OK) verify_report_fail(full->report, &error);
    return status == TREB_OK;
}

static bool claim_memory(VerifyFullCheck *full)
{
    VerifyStore *store = full->store;
    const uint64_t mate50 = full->syzygy ? 0 : verify_mate50_bytes(full);
    uint64_t least = full->syzygy ? 0 : 4 * verify_batch_bytes(full, batch_unit(full->index));
    choose_words(full);
    least += 2 * mate50;
    if (least > store->memory.limit) {
        verify_report_need(full->report, least);
        return false;
    }
    verify_claim_held(&store->memory);
    verify_claim(&store->memory, mate50);
    if (full->syzygy && !claim_syzygy(full)) return false;
    if (!claim_words(full)) return false;
    if ((full->syzygy || claim_batch(full)) && verify_mate50_open(full) && verify_order_planes(full))
        return true;
    verify_report_no_memory(full->report);
    return false;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void run_four_metrics(VerifyFullCheck *full)
{
    int sides = full->sides;
    /* If the file has one side to move, the other's verdicts follow from that. */
    const int begin = sides == 2 && verify_lacks_verdicts(full->entry, TREB_WHITE);
    for (int i = 0; i < sides; i++) {
        const int s = i ^ begin;
        const unsigned files =
            verify_lacks_verdicts(full->entry, s) ? 0 : metric_bit(TREB_WDL);
        verify_run_batches(full, verify_do_verdict, files, s, "verdicts");
    }
    for (int s = 0; s < sides; s++)
        if (full->stored[s] != 0)
            verify_run_batches(full, verify_do_distances, full->stored[s], s, "distances");
    if (full->stages == 1) release_batch(full);
    /* The distances of one side must be filled in before the other side is judged. */
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

static void run_stage(VerifyFullCheck *full)
{
    run_four_metrics(full);
    verify_mate50_stage(full);
}

/* Computes the cells whose leading pawn is on `file` and `ranks` ranks before its last rank (the
 * seventh for White). */
static void stage_cells(const VerifyFullCheck *full, int file, int ranks, uint64_t *first,
                        uint64_t *end)
{
    enum { FILES = 4, RANKS = INDEX_PLACES / FILES };
    const Index *index = full->index;
    int rank = index->lead_color == TREB_WHITE ? RANKS - 1 - ranks : ranks;
    *first = index->lead_first[FILES * rank + file] * index->second_radix * index->slice_size;
    *end = *first + index->second_radix * index->slice_size;
}

static void discard_stage(const VerifyFullCheck *full, int file, int ranks)
{
    uint64_t first, end;
    stage_cells(full, file, ranks, &first, &end);
    verify_words_discard(&full->words, first, end);
}

/* A pawn's single step leads to the stage before this one, and the double step from the second rank
 * to the fourth rank leads to the stage before that. */
static void run_stages(VerifyFullCheck *full)
{
    enum { RANKS = 6, HOME = RANKS - 1, DOUBLE = HOME - 2 };
    treb_error error;
    for (; full->stage < full->stages && !atomic_load(&full->report->stop); full->stage++) {
        int file = full->stage / RANKS, ranks = full->stage % RANKS;
        stage_cells(full, file, ranks, &full->first, &full->end);
        if (verify_words_reserve(&full->words, full->first, full->end, &error) != TREB_OK) {
            verify_report_fail(full->report, &error);
            return;
        }
        run_stage(full);
        if (ranks > 0 && ranks - 1 != DOUBLE) discard_stage(full, file, ranks - 1);
        if (ranks != HOME) continue;
        discard_stage(full, file, DOUBLE);
        discard_stage(full, file, HOME);
    }
}

static void run_ours(VerifyFullCheck *full)
{
    treb_error error;
    if (full->stages > 1)
        run_stages(full);
    else if (verify_words_reserve(&full->words, full->first, full->end, &error) != TREB_OK)
        verify_report_fail(full->report, &error);
    else
        run_stage(full);
}

static void run_syzygy_distances(VerifyFullCheck *full)
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
    verify_resolve_rounding(full);
}

static void run_syzygy(VerifyFullCheck *full)
{
    treb_error error;
    if (verify_words_reserve(&full->words, full->first, full->end, &error) != TREB_OK) {
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

static void full_free(VerifyFullCheck *full)
{
    verify_mate50_close(full);
    verify_words_free(&full->words);
    free(full->folder);
    free(full->batch.memory);
    free(full->distances_unresolved);
    for (int s = 0; s < 2; s++) {
        free(full->unresolved[s]);
        free(full->planes[s]);
    }
}

void verify_full(VerifyReport *report, VerifyStore *store, unsigned metrics, VerifyCount *count)
{
    VerifyEntry *entry = store->entry[0];
    VerifyFullCheck full = {.report = report,
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
