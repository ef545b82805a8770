/* mate50_full.c - see mate50_full.h.
 *
 * How much the rule delays a mate, as a function of the plies left (mate50_functions.h), has a number.
 * Quiet moves leave the pawns where they are, and after other moves a value with 100 plies left is
 * enough, which is read from the files. So these numbers are kept for a group of slices at a time.
 * Passes over the group fill them in and judge them:
 *
 *   claims   of the stored sides, as the file has them
 *   moves    of a side that is not stored: its functions follow from its moves, which all lead to a
 *            stored side or to other slices and tables. Then of the stored sides, which are judged by
 *            theirs.
 *
 * If the sides have the same men, a move leads to a position with colors swapped, which has other
 * pawns. Then the group is the whole table. */
#include <stdlib.h>

#include "check/verify/mate50_full.h"
#include "check/verify/mate50_moves.h"
#include "check/verify/passes.h"

enum { GROUP_CELLS = 1 << 22 /* A group has so many at least, so that passes are worth beginning. */ };

/* ---- sizes ------------------------------------------------------------------------------------- */

/* Returns the number of cells of a group. */
static uint64_t group_cells(const VerifyFullCheck *full)
{
    const Index *index = full->index;
    const uint64_t slices = (GROUP_CELLS + index->slice_size - 1) / index->slice_size;
    return full->sides == 1 || slices > index->slices ? index->size : slices * index->slice_size;
}

/* Returns the bytes that the functions of a group are expected to take. The file lists the steps of
 * many functions, for all groups. Others are with cells, where a step takes a byte or more on either
 * side; a group may have several times as many of them as another. */
static uint64_t functions_bytes(const VerifyFullCheck *full)
{
    enum { TIMES = 4, MORE = 1 << 12 };
    const TableHeader *header = full->entry->file[TREB_DTM50].header;
    const uint64_t groups = full->index->size / group_cells(full);
    const uint64_t own = (uint64_t)header->side[1].code.pages * TABLE_PAGE_SIZE;
    return mate50_functions_bytes(2 * header->profiles.count +
                                  (groups > TIMES ? own * TIMES / groups : own) + MORE);
}

/* ---- what each pass does with a position ------------------------------------------------------- */

static uint32_t *own_number(const VerifyWorker *w)
{
    const Mate50Group *group = w->full->mate50;
    return &group->number[w->side][w->walk.at.cell - group->first];
}

/* Returns the number of the function with these delays. */
static uint32_t number_of(const VerifyWorker *w, const Mate50Distances *of,
                          const int delay[MATE50_CLOCKS])
{
    VerifyReport *report = w->full->report;
    for (int left = of->dtz + 1; left < mate50_end(of); left++) {
        if (delay[left] <= delay[left - 1]) continue;
        verify_report_error(report, verify_error_key(w),
                            "%s: with %d plies left the winner needs more than with fewer",
                            table_metric_name(TREB_DTM50), left);
        return MATE50_NO_DELAY;
    }
    const uint32_t number = mate50_functions_number(w->full->mate50->functions, of, delay);
    if (number != MATE50_NO_NUMBER) return number;
    verify_report_need(report, w->full->store->memory.limit + functions_bytes(w->full));
    return MATE50_NO_DELAY;
}

/* Returns the number of the function that the file has. */
static uint32_t claimed_number(const VerifyWorker *w, const treb_position *pos,
                               const Mate50Distances *of)
{
    int delay[MATE50_CLOCKS], zeroing = MATE50_ZEROING;
    if (verify_mate50_claim(w->reader, w->full->entry, pos, of, delay)) return MATE50_NO_DELAY;
    for (int left = of->dtz; left < mate50_end(of) && !verify_read_failed(w); left++) {
        if (delay[left] != MATE50_ZEROING) continue;
        if (zeroing == MATE50_ZEROING) zeroing = verify_mate50_zeroing(w, pos, of);
        delay[left] = zeroing;
    }
    return verify_read_failed(w) ? (uint32_t)MATE50_NO_DELAY : number_of(w, of, delay);
}

static void do_claim(VerifyWorker *w, const treb_position *pos)
{
    Mate50Distances of;
    const bool known = verify_mate50_known(w->full, verify_own_word(w), &of);
    *own_number(w) = known ? claimed_number(w, pos, &of) : (uint32_t)MATE50_NO_DELAY;
}

static int value_of(const VerifyWorker *w, uint32_t number, const Mate50Distances *of, int left)
{
    const int delay =
        left < of->dtm ? mate50_delay(w->full->mate50->functions, number, of, left) : 0;
    return delay == VERIFY_NONE ? 0 : mate50_in(of->win, (unsigned)(of->dtm + delay));
}

/* Counts the value with 100 plies left. */
static void count_value(const VerifyWorker *w, uint32_t number, const Mate50Distances *of)
{
    const int value = value_of(w, number, of, RULE_PLIES);
    const unsigned plies = mate50_plies(value);
    if (value == 0 || plies >= VERIFY_PLIES) return;
    w->count->mate50[w->side][of->win ? TREB_WIN : TREB_LOSS][plies] +=
        index_weight(w->full->index, &w->walk.men);
}

/* Counts the position if the rule delays its mate at the last clock, and at a clock of 0. */
static void count_delays(const VerifyWorker *w, uint32_t number, const Mate50Distances *of)
{
    const int left[DELAYED_CLOCKS] = {[DELAYED_FRESH] = RULE_PLIES, [DELAYED_LATE] = of->dtz};
    VerifyCount *count = w->count;
    if (number == MATE50_NO_DELAY) return;
    for (int i = 0; i < DELAYED_CLOCKS; i++) {
        const int value = value_of(w, number, of, left[i]), delay = (int)mate50_plies(value) - of->dtm;
        if (value == 0 || delay == 0) continue;
        count->delayed[i] += (unsigned)(1 + (w->full->sides == 1)) * index_weight(w->full->index, &w->walk.men);
        if (delay > count->longest_delay[i]) count->longest_delay[i] = delay;
    }
}

static void report_difference(const VerifyWorker *w, const treb_position *pos,
                              const Mate50Distances *of, uint32_t made)
{
    for (int left = of->dtz; left < mate50_end(of); left++) {
        const int claim = value_of(w, *own_number(w), of, left), by_moves = value_of(w, made, of, left);
        if (claim == by_moves) continue;
        verify_mate50_report(w->full->report, pos, verify_error_key(w), left, claim, by_moves);
        return;
    }
}

static void do_moves(VerifyWorker *w, const treb_position *pos)
{
    Mate50Distances of;
    int delay[MATE50_CLOCKS];
    uint32_t number = MATE50_NO_DELAY;
    const bool known = verify_mate50_known(w->full, verify_own_word(w), &of);
    if (known && of.dtz < mate50_end(&of) &&
        verify_mate50_delays(w, w->full->mate50, pos, &of, delay))
        number = number_of(w, &of, delay);
    if (verify_read_failed(w) || atomic_load(&w->full->report->stop)) return;
    if (known) {
        count_value(w, number, &of);
        count_delays(w, number, &of);
    }
    if (!verify_mate50_stored(w->full->entry, w->side))
        *own_number(w) = number;
    else if (*own_number(w) != number)
        report_difference(w, pos, &of, number);
}

/* ---- passes ------------------------------------------------------------------------------------ */

static void run_group(VerifyFullCheck *full)
{
    Mate50Group *group = full->mate50;
    const int stored = verify_mate50_stored(full->entry, TREB_WHITE) ? TREB_WHITE : TREB_BLACK;
    VerifyPass pass = {.work = do_claim, .first = group->first, .side = stored};
    pass.end = full->end - group->first < group->cells ? full->end : group->first + group->cells;
    group->functions = mate50_functions_new(&full->store->memory, functions_bytes(full));
    if (group->functions == NULL) {
        verify_report_no_memory(full->report);
        return;
    }
    verify_run_threads(full, &pass);
    pass.work = do_moves;
    for (int s = full->sides - 1; s >= 0; s--) {
        pass.side = stored ^ s;
        verify_run_threads(full, &pass);
    }
    mate50_functions_free(group->functions);
}

void verify_mate50_stage(VerifyFullCheck *full)
{
    Mate50Group *group = full->mate50;
    const uint64_t passes = 1 + (uint64_t)full->sides;
    if (group == NULL || atomic_load(&full->report->stop)) return;
    verify_begin_phase(full, "DTM50", -1, (full->end - full->first) * passes);
    for (group->first = full->first; group->first < full->end; group->first += group->cells)
        run_group(full);
}

/* ---- memory ------------------------------------------------------------------------------------ */

uint64_t verify_mate50_bytes(const VerifyFullCheck *full)
{
    if (full->entry->file[TREB_DTM50].table == NULL) return 0;
    return group_cells(full) * (uint64_t)full->sides * sizeof(uint32_t) + functions_bytes(full);
}

bool verify_mate50_open(VerifyFullCheck *full)
{
    if (full->entry->file[TREB_DTM50].table == NULL) return true;
    Mate50Group *group = full->mate50 = calloc(1, sizeof *group);
    if (group == NULL) return false;
    group->cells = group_cells(full);
    for (int s = 0; s < full->sides; s++) {
        group->number[s] = calloc(group->cells, sizeof *group->number[s]);
        if (group->number[s] == NULL) return false;
    }
    return true;
}

void verify_mate50_close(VerifyFullCheck *full)
{
    if (full->mate50 == NULL) return;
    for (int s = 0; s < 2; s++) free(full->mate50->number[s]);
    free(full->mate50);
    full->mate50 = NULL;
}
