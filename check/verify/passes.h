/* passes.h - runs a pass over all positions of a side in several threads. Private to
 * check/verify/. */
#ifndef TREB_CHECK_VERIFY_PASSES_H
#define TREB_CHECK_VERIFY_PASSES_H

#include "check/verify/full_state.h"

enum { VERIFY_CHUNK = 1 << 14 /* number of cells that a thread takes at a time */ };

typedef void (*VerifyChunk)(VerifyWorker *w, uint64_t from, uint64_t to);

/* A pass calls `work` for each position, or `chunk` for each chunk of cells. It covers the current
 * stage, or with `batch` only the current batch. With `silent` it reports no progress. */
typedef struct VerifyPass {
    VerifyWork work;
    VerifyChunk chunk;
    int side;
    bool silent, batch;
} VerifyPass;

void verify_run_threads(const VerifyFullCheck *full, const VerifyPass *pass);

/* Calls `work` for each position of a side. Reports it as a phase of its own. */
void verify_run_pass(VerifyFullCheck *full, VerifyWork work, int side, const char *phase);

/* Calls `work` for each position of a side, batch by batch. Before each batch the codes of
 * `metrics` are unpacked. Reports it as a phase of its own. */
void verify_run_batches(VerifyFullCheck *full, VerifyWork work, unsigned metrics, int side,
                        const char *phase);

/* Chooses the order in which passes visit the planes (see passes.c). Returns false if out of
 * memory. */
bool verify_order_planes(VerifyFullCheck *full);

#endif
