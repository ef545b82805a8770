/* round.c - Syzygy's files: distances that may be a ply longer settled.
 *
 * By rising n, of positions whose distance is n or n + 1: it is n if the moves say so, where all
 * children that are nearer to their end have been settled; else n + 1. */
#include <stdlib.h>

#include "check/verify/round.h"
#include "check/verify/moves.h"
#include "check/verify/passes.h"

enum {
    RUN = 64,     /* words looked through at a stroke */
    ROUNDS = 4096 /* more than any distance of a Syzygy file's */
};

static void do_settle(VerifyWorker *w, const treb_position *pos)
{
    const VerifyFull *full = w->full;
    uint64_t word = verify_own_word(w);
    VerifyTally tally;
    VerifyValue made = {.verdict = (uint8_t)verify_word_verdict(word)};
    verify_tally_moves(w, pos, &tally);
    verify_tally_plies(&tally, &made);
    unsigned plies = full->ply * (full->round + (made.plies[TREB_DTZ] > full->ply * full->round));
    verify_put_own(w, verify_word_set(&full->words, word, TREB_DTZ, plies));
}

/* Goes to a cell further on. */
static void walk_to(VerifyWalk *walk, uint64_t cell)
{
    enum { NEAR = 16 };
    if (cell - walk->cell > NEAR) verify_walk_seek(walk, walk->index, cell);
    while (walk->cell < cell) verify_walk_next(walk);
}

static bool any_word(const uint32_t *words, uint32_t mask, uint32_t bits)
{
    uint32_t found = 0;
    for (int i = 0; i < RUN; i++) found |= (words[i] & mask) == bits;
    return found != 0;
}

/* Settles those cells of a chunk whose turn it is. */
static void settle_chunk(VerifyWorker *w, uint64_t from, uint64_t to)
{
    const VerifyFull *full = w->full;
    const VerifyField *field = &full->words.field[TREB_DTZ];
    const uint32_t *words = full->words.side[w->side], mask = (uint32_t)field->mask;
    uint32_t bits = (full->ply * full->round + 1) << field->shift;
    if (!(full->open[w->side][from / VERIFY_CHUNK] >> full->round % 64 & 1)) return;
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
        do_settle(w, &pos);
        if (verify_unread(w)) return;
    }
}

/* Finds what is to be settled in a chunk. */
static void find_open(VerifyWorker *w, uint64_t from, uint64_t to)
{
    const VerifyFull *full = w->full;
    uint64_t open = 0;
    verify_memory_reclaim(&full->store->memory);
    for (uint64_t cell = from; cell < to; cell++) {
        unsigned plies =
            verify_word_get(&full->words, verify_word(&full->words, w->side, cell), TREB_DTZ);
        if (plies == VERIFY_NONE || plies % full->ply == 0) continue;
        plies /= full->ply;
        open |= UINT64_C(1) << plies % 64;
        if (!atomic_load_explicit(&full->rounds[plies], memory_order_relaxed))
            atomic_store(&full->rounds[plies], true);
    }
    full->open[w->side][from / VERIFY_CHUNK] = open;
}

bool verify_settle_claim(VerifyFull *full)
{
    uint64_t chunks = (full->index->size + VERIFY_CHUNK - 1) / VERIFY_CHUNK;
    if (!verify_claim(&full->store->memory, 2 * chunks * sizeof **full->open)) return false;
    full->rounds = calloc(ROUNDS, sizeof *full->rounds);
    for (int s = 0; s < full->sides; s++) full->open[s] = calloc(chunks, sizeof **full->open);
    return full->rounds != NULL && full->open[0] != NULL && full->open[full->sides - 1] != NULL;
}

void verify_settle(VerifyFull *full)
{
    unsigned before = 0, last = 0;
    if (atomic_load(&full->report->stop)) return;
    for (int s = 0; s < full->sides; s++)
        verify_run_threads(full, &(VerifyPass){.chunk = find_open, .side = s, .silent = true});
    for (unsigned n = 0; n < ROUNDS; n++)
        if (atomic_load(&full->rounds[n])) last = n;
    verify_report_phase(full->report, "rounding", last);
    for (full->round = 0; full->round <= last; full->round++) {
        if (!atomic_load(&full->rounds[full->round])) continue;
        for (int s = 0; s < full->sides; s++)
            verify_run_threads(full,
                               &(VerifyPass){.chunk = settle_chunk, .side = s, .silent = true});
        verify_report_progress(full->report, full->round - before);
        before = full->round;
    }
}
