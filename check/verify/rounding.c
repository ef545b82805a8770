/* rounding.c - see rounding.h.
 *
 * The positions whose distance is n or n + 1 are resolved in the order of n. When it is the turn of
 * n, all children that are nearer to their end are resolved. The distance is n if the moves result
 * in n, otherwise n + 1. */
#include <stdlib.h>

#include "check/verify/moves.h"
#include "check/verify/passes.h"
#include "check/verify/rounding.h"

enum {
    RUN = 64,     /* number of words that are scanned together */
    ROUNDS = 4096 /* larger than any distance in a Syzygy file */
};

static void resolve_position(VerifyWorker *w, const treb_position *pos)
{
    const VerifyFullCheck *full = w->full;
    uint64_t word = verify_own_word(w);
    VerifyMoveSummary summary;
    VerifyValue made = {.verdict = (uint8_t)verify_word_verdict(word)};
    verify_summarise_moves(w, pos, &summary);
    verify_summary_plies(&summary, &made);
    unsigned plies = full->ply * (full->round + (made.plies[TREB_DTZ] > full->ply * full->round));
    verify_put_own(w, verify_word_set(&full->words, word, TREB_DTZ, plies));
}

/* Moves the walk forward to a cell. */
static void walk_to(VerifyWalk *walk, uint64_t cell)
{
    enum { NEAR = 16 };
    if (cell - walk->at.cell > NEAR) verify_walk_seek(walk, walk->index, cell);
    while (walk->at.cell < cell) verify_walk_next(walk);
}

static bool any_word(const uint32_t *words, uint32_t mask, uint32_t bits)
{
    uint32_t found = 0;
    for (int i = 0; i < RUN; i++) found |= (words[i] & mask) == bits;
    return found != 0;
}

/* Resolves the cells of a chunk whose rounded distance is that of the current round. */
static void resolve_chunk(VerifyWorker *w, uint64_t from, uint64_t to)
{
    const VerifyFullCheck *full = w->full;
    const VerifyField *field = &full->words.field[TREB_DTZ];
    const uint32_t *words = full->words.side[w->side], mask = (uint32_t)field->mask;
    uint32_t bits = (full->ply * full->round + 1) << field->shift;
    if (!(full->unresolved[w->side][from / VERIFY_CHUNK] >> full->round % 64 & 1)) return;
    verify_memory_reclaim(&full->store->memory);
    verify_walk_seek(&w->walk, full->index, from);
    for (uint64_t cell = from; cell < to; cell++) {
        if (cell % RUN == 0 && to - cell >= RUN && !any_word(words + cell, mask, bits)) {
            cell += RUN - 1;
            continue;
        }
        if ((words[cell] & mask) != bits) continue;
        walk_to(&w->walk, cell);
        treb_position pos = *verify_walk_position(&w->walk);
        pos.turn = (uint8_t)w->side;
        resolve_position(w, &pos);
        if (verify_read_failed(w)) return;
    }
}

/* Records which rounded distances a chunk has. */
static void find_unresolved(VerifyWorker *w, uint64_t from, uint64_t to)
{
    const VerifyFullCheck *full = w->full;
    uint64_t open = 0;
    verify_memory_reclaim(&full->store->memory);
    for (uint64_t cell = from; cell < to; cell++) {
        unsigned plies =
            verify_word_get(&full->words, verify_word(&full->words, w->side, cell), TREB_DTZ);
        if (plies == VERIFY_NONE || plies % full->ply == 0) continue;
        plies /= full->ply;
        open |= UINT64_C(1) << plies % 64;
        if (!atomic_load_explicit(&full->distances_unresolved[plies], memory_order_relaxed))
            atomic_store(&full->distances_unresolved[plies], true);
    }
    full->unresolved[w->side][from / VERIFY_CHUNK] = open;
}

bool verify_rounding_claim(VerifyFullCheck *full)
{
    uint64_t chunks = (full->index->size + VERIFY_CHUNK - 1) / VERIFY_CHUNK;
    if (!verify_claim(&full->store->memory, 2 * chunks * sizeof **full->unresolved)) return false;
    full->distances_unresolved = calloc(ROUNDS, sizeof *full->distances_unresolved);
    for (int s = 0; s < full->sides; s++)
        full->unresolved[s] = calloc(chunks, sizeof **full->unresolved);
    return full->distances_unresolved != NULL && full->unresolved[0] != NULL &&
           full->unresolved[full->sides - 1] != NULL;
}

void verify_resolve_rounding(VerifyFullCheck *full)
{
    unsigned before = 0, last = 0;
    if (atomic_load(&full->report->stop)) return;
    for (int s = 0; s < full->sides; s++)
        verify_run_threads(full,
                           &(VerifyPass){.chunk = find_unresolved,
                                         .end = full->end,
                                         .side = s,
                                         .silent = true});
    for (unsigned n = 0; n < ROUNDS; n++)
        if (atomic_load(&full->distances_unresolved[n])) last = n;
    verify_report_phase(full->report, "rounding", last);
    for (full->round = 0; full->round <= last; full->round++) {
        if (!atomic_load(&full->distances_unresolved[full->round])) continue;
        for (int s = 0; s < full->sides; s++)
            verify_run_threads(full,
                               &(VerifyPass){.chunk = resolve_chunk,
                                             .end = full->end,
                                             .side = s,
                                             .silent = true});
        verify_report_progress(full->report, full->round - before);
        before = full->round;
    }
}
