/* passes.h - runs a pass over all positions of a side in several threads. Private to
 * check/verify/. */
#ifndef TREB_CHECK_VERIFY_PASSES_H
#define TREB_CHECK_VERIFY_PASSES_H

#include "check/verify/full_state.h"

enum { VERIFY_CHUNK = 1 << 14 /* number of cells that a thread takes at a time */ };

typedef void (*VerifyChunk)(VerifyWorker *w, uint64_t from, uint64_t to);

/* A pass calls `work` for each position, or `chunk` for each chunk of cells. In a `batch` it visits
 * the planes in the order of the cells. With `silent` it reports no progress. */
typedef struct VerifyPass {
    VerifyWork work;
    VerifyChunk chunk;
    uint64_t first, end; /* cells, `end` exclusive; if it is no batch, of whole planes */
    int side;
    bool silent, batch;
} VerifyPass;

/* Begins a phase of the current stage, for the progress report. `side` is -1 if it has both sides to
 * move. `total` is the number of cells that its passes visit. */
void verify_begin_phase(VerifyFullCheck *full, const char *phase, int side, uint64_t total);

void verify_run_threads(const VerifyFullCheck *full, const VerifyPass *pass);

/* Calls `work` for each position of a side in the current stage. Reports it as a phase of its own. */
void verify_run_pass(VerifyFullCheck *full, VerifyWork work, int side, const char *phase);

/* Does the same batch by batch. Before each batch the codes of
 * `metrics` are unpacked. */
void verify_run_batches(VerifyFullCheck *full, VerifyWork work, unsigned metrics, int side,
                        const char *phase);

/* Chooses the order in which passes visit the planes (see passes.c). Returns false if out of
 * memory. */
bool verify_order_planes(VerifyFullCheck *full);

#endif
