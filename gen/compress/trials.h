/* trials.h - which of many orders of cells takes least bytes, found by samples, in rounds. */
#ifndef TREB_GEN_TRIALS_H
#define TREB_GEN_TRIALS_H

#include <stdbool.h>

#include "core/system/ledger.h"
#include "core/system/stop.h"
#include "gen/compress/form.h"

enum {
    TRIALS_FEW = 12, /* orders, of which none is given up before the last round */
    TRIALS_LEFT = 6  /* that are in the last round if there are more */
};

/* What is tried: orders known by number. The functions are called by several threads. */
typedef struct TrialOrders {
    size_t count;
    const void *context;
    /* How many cells there are in that order. 0: never choose it. */
    uint64_t (*size)(const void *context, size_t number);
    /* Writes `count` cells from `first` on. */
    void (*some)(const void *context, size_t number, uint64_t first, size_t count, uint8_t *out);
    const atomic_bool *stop; /* NULL allowed */
} TrialOrders;

typedef struct Trial {
    uint64_t bytes;   /* that all cells take in this order, about, */
    uint64_t sampled; /* and those cells that tell so; UINT64_MAX: they are all */
    size_t number;    /* of the order */
} Trial;

/* Fills `trial`, one for each order, those with the fewest bytes first, in parallel. The first
 * trials_left are in each round. False: out of memory, or asked to stop. */
bool trials_sort(const TrialOrders *orders, const CodeForm *form, Ledger *ledger, Trial *trial);
size_t trials_left(size_t count);

/* Bytes that it claims with so many threads. */
uint64_t trials_memory(int threads);

#endif
