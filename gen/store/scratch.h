/* scratch.h - solved slices in memory and in a scratch file: what the store is made of.
 *
 * A unit is what is put at once: one slice or, of kings and pawns alone, up to 64 of them. A
 * scratch file holds the units' codes in chunks that are compressed by themselves, so that they can
 * be read in parallel, and at its end the list of units and chunks with a checksum. */
#ifndef TREB_GEN_SCRATCH_H
#define TREB_GEN_SCRATCH_H

#include "gen/solve/solve.h"

enum { NO_UNIT = 0xffffffff };

/* One side of one unit. */
typedef struct Side {
    uint64_t offset; /* of the first chunk in the file */
    uint32_t *chunk; /* compressed sizes */
    bool cursed;     /* the set of cursed cells follows the codes */
    bool filed;      /* is in the file */
    Solved solved;   /* in memory, if not NULL */
    int references;
    uint64_t used; /* when it was last asked for */
} Side;

typedef struct Unit {
    uint64_t *slice; /* by lane */
    int lanes;
    int level; /* while solving */
    Side side[2];
} Unit;

typedef struct Entry {
    Shape shape;
    uint32_t *unit_of; /* by slice */
    uint8_t *lane_of;
    Unit **unit; /* each by itself: they must not move while in use */
    uint32_t units, capacity;
    int file;       /* descriptor, -1 if there is none */
    uint64_t end;   /* of what was written */
    unsigned sides; /* in the file: a bit for each side to move */
    bool complete;
} Entry;

/* An entry without units. NULL: out of memory. */
Entry *entry_new(const Material *material);
void entry_free(Entry *entry);

/* Adds a unit of `lanes` slices; not thread-safe. NULL: out of memory. */
Unit *entry_add(Entry *entry, const uint64_t *slice, int lanes);

/* Frees the codes of a side; says whether there were any. */
bool side_unload(Side *side, int color);

/* Compresses one side's codes and appends them to the entry's file: those in memory, or else the
 * ones of `slice`. */
bool side_write(Entry *entry, Side *side, int color, const Slice *slice);

/* Reads one side back into memory, in parallel. */
bool side_read(Entry *entry, Side *side, int color);

/* Ends the file with the list of its units. */
bool entry_write_list(Entry *entry);

/* Opens a complete scratch file. NULL if there is none that can be used. */
Entry *entry_open(const char *path, const Material *material);

#endif
