/* watch.h - what other threads are told of the files that are made. */
#ifndef TREB_GEN_WRITE_WRITE_PROGRESS_H
#define TREB_GEN_WRITE_WRITE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

/* How far the files of a table are, in cells. */
typedef struct WriteProgress {
    _Atomic uint64_t added;        /* of both sides to move, that wait */
    _Atomic uint64_t all, written; /* of all files, when they are made; before 0 */
} WriteProgress;

static inline void progress_add(_Atomic uint64_t *count, uint64_t cells)
{
    atomic_fetch_add_explicit(count, cells, memory_order_relaxed);
}

#endif
