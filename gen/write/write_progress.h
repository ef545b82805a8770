/* write_progress.h - how far the files of a table are, for other threads. */
#ifndef TREB_GEN_WRITE_WRITE_PROGRESS_H
#define TREB_GEN_WRITE_WRITE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

/* In cells. */
typedef struct WriteProgress {
    _Atomic uint64_t added; /* cells of both sides to move that were added and wait */
    _Atomic uint64_t all,
        written; /* cells of all files to write, 0 until writing begins; cells written */
} WriteProgress;

static inline void progress_add(_Atomic uint64_t *count, uint64_t cells)
{
    atomic_fetch_add_explicit(count, cells, memory_order_relaxed);
}

#endif
