/* mapped.h - a file that is mapped into memory, and which of its pages can be read without waiting
 * for a disk.
 *
 * A page of a mapped file that is not in the system's memory is read from the disk when it is
 * touched, and the thread waits. So who does not wait asks first. The system is not asked by
 * mincore, which says that all is there if the file belongs to somebody else, but by reading a byte
 * of the page with a descriptor (core/system/nowait.h). That takes a microsecond or so, as long as a probe
 * itself; so what was there within the last second or two is taken to be there still. */
#ifndef TREB_CORE_MAPPED_H
#define TREB_CORE_MAPPED_H

#include <stdatomic.h>

#include "core/format/table_files.h"

enum { MAPPED_PAGE = 4096 /* bytes that are asked after at once */ };

typedef struct Mapped {
    const uint8_t *bytes; /* NULL: nothing is mapped */
    uint64_t size;
    TableFile *file; /* to ask with, not owned; NULL: nobody asks */
    /* By page: the second in which it was last found in memory. */
    _Atomic uint32_t *seen;
} Mapped;

/* A run of bytes of a file. */
typedef struct MappedBytes {
    uint64_t at, size;
} MappedBytes;

/* Maps all of an open file of `size` bytes; where single pages will be read here and there. False:
 * see errno. */
bool mapped_open(Mapped *map, int descriptor, uint64_t size);

/* Makes it possible to ask. `file` lasts longer. False: out of memory. */
bool mapped_prepare(Mapped *map, TableFile *file);

void mapped_close(Mapped *map);

/* The time by which what was seen is judged. */
uint32_t mapped_now(void);

/* Whether a run of bytes is in memory; bytes beyond the end are. If not, *missing is what is to be
 * brought, from the first page that is not there on. Never waits. */
bool mapped_has(const Mapped *map, uint64_t at, uint64_t size, uint32_t now, MappedBytes *missing);

/* Asks the system to bring bytes; and reads them, which waits for a disk. */
void mapped_fetch(const Mapped *map, MappedBytes bytes);
void mapped_touch(const Mapped *map, MappedBytes bytes);

#endif
