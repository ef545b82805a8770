/* paged.h - a large array in a file without a name that is mapped, for work that has too little memory: what of
 * it is in memory, and for how long, is the system's to decide, and the process gives pages back when it holds
 * too many. They are then read again when they are touched. */
#ifndef TREB_CORE_PAGED_H
#define TREB_CORE_PAGED_H

#include <stdint.h>

#include "trebuchet.h"

typedef struct Paged {
    void *at; /* NULL: none */
    uint64_t bytes;
    uint64_t most;  /* bytes of mapped files that the process may hold */
    uint64_t left;  /* of them when pages were given back last: what is not this array's */
    uint64_t since; /* bytes worked on since it was asked how many those are */
    int file, held; /* descriptors; `held`: see machine_held */
} Paged;

/* An array of zeros, with room for all of it in a folder. TREB_ERR_IO, TREB_ERR_MEMORY. */
treb_status paged_open(Paged *paged, const char *directory, uint64_t bytes, uint64_t most,
                       treb_error *error);
void paged_close(Paged *paged);

/* To be called now and then, by any thread, with the bytes that it has worked on since: gives pages back if there are
 * too many. The system is asked how many there are, which takes microseconds, only when 1/64 of `most` may be new. */
void paged_mind(Paged *paged, uint64_t bytes);

#endif
