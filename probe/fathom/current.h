/* current.h - the one set of tables that Fathom's interface knows: opened, replaced, closed, and
 * lent to probes meanwhile. Private to the drop-in.
 *
 * Fathom forbids to call tb_init or tb_free while others probe; engines do it all the same, when a
 * GUI changes an option in the middle of a search. So each probe goes through a gate: it counts
 * itself in, takes the set, and counts itself out. Who replaces the set takes it away first and
 * then waits until nobody is inside; probes that come meanwhile fail, as they do without tables.
 *
 * One counter for all threads would travel between the cores with every probe. There are many, each
 * with a cache line of its own, and threads are spread over them in the order in which they come.
 * Two threads that share one are slower by a little, and still right. */
#ifndef TREB_PROBE_FATHOM_CURRENT_H
#define TREB_PROBE_FATHOM_CURRENT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "trebuchet.h"

enum { CURRENT_GATES = 64, CURRENT_LINE = 128 };

typedef struct CurrentGate {
    _Alignas(CURRENT_LINE) _Atomic unsigned inside;
} CurrentGate;

typedef struct Current {
    _Atomic(treb_tables *) tables; /* NULL: none */
    CurrentGate gate[CURRENT_GATES];
} Current;

extern Current current;

/* Which gate this thread uses, from 1; 0 before its first probe. The library is there when the
 * program starts or takes a few bytes of what is kept for later ones, so that the quick way to such
 * variables may be asked for. */
extern _Thread_local unsigned current_own_gate __attribute__((tls_model("initial-exec")));

unsigned current_choose_gate(void);

/* The set, until current_leave; NULL if there is none, and then there is nothing to leave. */
static inline const treb_tables *current_enter(void)
{
    if (atomic_load_explicit(&current.tables, memory_order_relaxed) == NULL) return NULL;
    unsigned own = current_own_gate != 0 ? current_own_gate : current_choose_gate();
    _Atomic unsigned *inside = &current.gate[own - 1].inside;
    /* In one order with the taking away: either that sees the count, or this sees no set. */
    atomic_fetch_add_explicit(inside, 1, memory_order_seq_cst);
    const treb_tables *tables = atomic_load_explicit(&current.tables, memory_order_seq_cst);
    if (tables == NULL) atomic_fetch_sub_explicit(inside, 1, memory_order_release);
    return tables;
}

static inline void current_leave(void)
{
    atomic_fetch_sub_explicit(&current.gate[current_own_gate - 1].inside, 1, memory_order_release);
}

/* Replaces the set by the tables of `path`, folders with colons between, and says in TB_LARGEST
 * how many men they have. True without tables if there are none; false, and no tables, if the
 * system fails. */
bool current_open(const char *path);
void current_close(void);

#endif
