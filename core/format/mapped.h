/* mapped.h - a file mapped into memory, and which of its pages can be read without waiting for a
 * disk.
 *
 * When a thread touches a page of a mapped file that is not in the system's memory, it waits until
 * the system has read the page from the disk. A thread that must not wait therefore asks first. It
 * does not ask mincore, which reports that everything is in memory if the file belongs to another
 * user, but reads a byte of the page with a descriptor (core/system/nowait.h). That takes about a
 * microsecond, as long as a probe; so a page that was in memory within the last second or two is
 * assumed to be there still. */
#ifndef TREB_CORE_FORMAT_MAPPED_H
#define TREB_CORE_FORMAT_MAPPED_H

#include <stdatomic.h>

#include "core/format/table_files.h"

enum { MAPPED_PAGE = 4096 /* bytes of a page, for which the system is asked together */ };

typedef struct Mapped {
    const uint8_t *bytes; /* the file; NULL: nothing is mapped */
    uint64_t size;
    TableFile *file; /* the file to ask with, not owned; NULL: nobody asks */
    /* By page: the second when it was last found in memory; of a copy, whether it has its bytes. */
    _Atomic(uint32_t) *seen;
    bool copy; /* of a source's file: see mapped_open_source */
} Mapped;

/* A run of bytes of a file. */
typedef struct MappedBytes {
    uint64_t at, size;
} MappedBytes;

/* Maps all of an open file of `size` bytes, for reading single pages at random. Returns false on
 * failure: see errno. */
bool mapped_open(Mapped *map, int descriptor, uint64_t size);

/* Prepares the map for mapped_has. `file` must stay open as long as the map. Returns false if
 * memory is out. */
bool mapped_prepare(Mapped *map, TableFile *file);

/* For a file of a source, which cannot be mapped: takes addresses for all of it, to which mapped_bring
 * copies the pages that are needed. They stay until the map is closed. `file` must stay open as long
 * as the map. Returns false if memory is out. */
bool mapped_open_source(Mapped *map, TableFile *file);

/* Copies bytes of a source's file that are not there yet. With WAIT_NEVER_FETCH it asks the source to
 * read them, and copies nothing. */
treb_status mapped_bring(const Mapped *map, TableWait wait, MappedBytes bytes, treb_error *error);

void mapped_close(Mapped *map);

/* Returns the time in seconds that mapped_has compares with. */
uint32_t mapped_now(void);

/* Returns whether a run of bytes is in memory; bytes beyond the end count as present. If not,
 * *missing gets the bytes to fetch, from the first missing page on. Never waits. */
bool mapped_has(const Mapped *map, uint64_t at, uint64_t size, uint32_t now, MappedBytes *missing);

/* mapped_fetch asks the system to read bytes into memory. mapped_touch reads them, and waits for
 * the disk. */
void mapped_fetch(const Mapped *map, MappedBytes bytes);
void mapped_touch(const Mapped *map, MappedBytes bytes);

#endif
