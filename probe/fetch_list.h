/* fetch_list.h - what probes found missing in memory, listed so that it can be read later. Private
 * to probe/.
 *
 * A probe that may not wait for a disk or a server puts a FetchJob for each missing piece into a
 * list. The list belongs either to the fetcher thread (probe/fetcher.h) or to one probe
 * (probe/prefetch.h). */
#ifndef TREB_PROBE_FETCH_LIST_H
#define TREB_PROBE_FETCH_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct ProbeFile;

typedef enum FetchKind {
    FETCH_OPEN,  /* the file is to be opened */
    FETCH_BLOCK, /* a block is to be read into the cache */
    FETCH_PAGES  /* bytes of the file itself: of a mapped file, or of one that a source has */
} FetchKind;

typedef struct FetchJob {
    struct ProbeFile *file;
    FetchKind kind;
    int side;      /* the side to move, for FETCH_BLOCK */
    uint64_t at;   /* FETCH_BLOCK: first byte of a cache page in the side's unpacked bytes;
                    * FETCH_PAGES: offset in the file */
    uint64_t size; /* FETCH_PAGES: number of bytes */
} FetchJob;

enum { FETCH_JOBS = 256 }; /* capacity of a list */

typedef struct FetchList {
    unsigned count;
    FetchJob jobs[FETCH_JOBS]; /* the newest last */
} FetchList;

/* Whether the list has an equal job. */
bool fetch_list_has(const FetchList *list, const FetchJob *job);

/* Adds a job unless the list has an equal one. A full list stays as it is. */
void fetch_list_add(FetchList *list, const FetchJob *job);

#endif
