/* passes.h - a pass over all positions of a side, by several threads. Private to check/verify/. */
#ifndef TREB_CHECK_VERIFY_PASSES_H
#define TREB_CHECK_VERIFY_PASSES_H

#include "check/verify/full_check.h"

enum { VERIFY_CHUNK = 1 << 14 /* cells that a thread takes at a time */ };

typedef void (*VerifyChunk)(VerifyWorker *w, uint64_t from, uint64_t to);

/* What a pass does: something with each position, or with each chunk; of the stage, or of the batch
 * alone. */
typedef struct VerifyPass {
    VerifyWork work;
    VerifyChunk chunk;
    int side;
    bool silent, batch;
} VerifyPass;

void verify_run_threads(const VerifyFull *full, const VerifyPass *pass);

/* Something with each position of a side: a phase of its own. */
void verify_run_pass(VerifyFull *full, VerifyWork work, int side, const char *phase);

/* The same with the codes of these metrics, batch by batch. */
void verify_run_batches(VerifyFull *full, VerifyWork work, unsigned metrics, int side,
                        const char *phase);

/* Chooses in which order planes are looked at. False: out of memory. */
bool verify_order_planes(VerifyFull *full);

#endif
