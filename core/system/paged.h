/* paged.h - a large array in a file without a name that is mapped, for work that has too little
 * memory. The system decides which of its pages are in memory; the process gives pages back when it
 * holds too many. They are read again when they are touched. */
#ifndef TREB_CORE_SYSTEM_PAGED_H
#define TREB_CORE_SYSTEM_PAGED_H

#include <stdint.h>

#include "trebuchet.h"

typedef struct Paged {
    void *at; /* the array; NULL if there is none */
    uint64_t bytes;
    uint64_t most;  /* bytes of mapped files that the process may hold */
    uint64_t left;  /* bytes of mapped files that remained when pages were given back last: not
                       this array's */
    uint64_t since; /* bytes worked on since the system was last asked how many the process holds */
    int file, held; /* descriptors; `held` is that of machine_held_open */
} Paged;

/* Creates an array of zeros in a file in `directory`, which reserves the disk space for all of it.
 * Pages are given back when mapped files hold more than `most` bytes. Errors: TREB_ERR_IO,
 * TREB_ERR_MEMORY. */
treb_status paged_open(Paged *paged, const char *directory, uint64_t bytes, uint64_t most,
                       treb_error *error);
void paged_close(Paged *paged);

/* Gives pages back to the system if there are too many. Any thread calls it now and then, with the
 * bytes that it has worked on since its last call. The system is asked for the number of pages,
 * which takes microseconds, only when 1/64 of `most` may be new. */
void paged_mind(Paged *paged, uint64_t bytes);

#endif
