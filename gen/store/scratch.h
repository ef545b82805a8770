/* scratch.h - solved slices in memory and in a scratch file: what the store is made of.
 *
 * A scratch file has the slices of one material, batch by batch as they were solved. One side to
 * move of a batch is its values, its legal cells and, if there are any, its cursed ones, the same
 * bytes in memory and in the file, where they are cut into chunks that are compressed by
 * themselves: so they can be written and read in parallel. At the end of the file stands the list
 * of batches and chunks with a checksum. */
#ifndef TREB_GEN_SCRATCH_H
#define TREB_GEN_SCRATCH_H

#include "gen/solve/plane.h"

enum { NO_BATCH = 0xffffffff };

/* What a side's arrays are like. */
typedef struct SideKind {
    bool cursed; /* the set of cursed cells follows the legal ones */
    bool wide;   /* values of two bytes */
} SideKind;

SideKind side_kind(const Slice *slice);

/* One side to move of one batch. */
typedef struct Side {
    uint64_t offset; /* of the first chunk in the file */
    uint32_t *chunk; /* compressed sizes */
    SideKind kind;
    bool filed;     /* is in the file */
    Solved solved;  /* points into these two: */
    void *kept;     /* what is also in the file; NULL: not in memory */
    void *pushes;   /* what only the table's own pushes ask for */
    int references; /* users of `solved` */
    uint64_t used;  /* when it was last asked for */
} Side;

/* A batch that was put into the store. */
typedef struct StoreBatch {
    uint64_t *slice; /* by lane */
    int lanes;
    int level; /* while solving */
    Side side[2];
} StoreBatch;

/* The solved slices of one material. */
typedef struct StoreEntry {
    Shape shape; /* first: an entry is found by it */
    Ledger *ledger;
    char *path;         /* of the file; NULL: none */
    uint32_t *batch_of; /* by slice */
    uint8_t *lane_of;
    StoreBatch **batch; /* each by itself: they must not move while in use */
    uint32_t batches, capacity;
    int file;       /* descriptor, -1 if there is none */
    uint64_t end;   /* of what was written */
    unsigned sides; /* in the file: a bit for each side to move */
    bool complete;
} StoreEntry;

/* An entry without batches. NULL: out of memory. */
StoreEntry *entry_new(const Material *material, Ledger *ledger);
void entry_free(StoreEntry *entry);

/* Adds a batch of `lanes` slices; not thread-safe. NULL: out of memory. */
StoreBatch *entry_add(StoreEntry *entry, const uint64_t *slice, int lanes);

/* Bytes that a side claims in memory; and what only pushes ask for, with distances to conversion if
 * there are any. */
uint64_t side_cost(const Shape *shape, SideKind kind);
uint64_t pushes_cost(const Shape *shape, SideKind kind, bool dtc);

/* Gives a side room in memory and fills it from a slice, in parallel, with what pushes ask for if
 * wanted. The caller unloads it after a failure. */
treb_status side_fill(const Slice *slice, Ledger *ledger, Side *side, int color, bool pushes,
                      treb_error *error);

/* Bytes that a side holds now. */
uint64_t side_held(const Shape *shape, const Side *side);

/* Frees the memory of a side. */
void side_unload(Side *side);

/* Compresses one side and appends it to the entry's file: the one in memory, or else that of
 * `slice`. */
treb_status side_write(StoreEntry *entry, Side *side, int color, const Slice *slice,
                       treb_error *error);

/* Bytes that side_write claims at most, with so many threads. */
uint64_t side_write_cost(const Shape *shape, int threads);

/* Reads one side back into memory, in parallel. */
treb_status side_read(StoreEntry *entry, Side *side, int color, treb_error *error);

/* Ends the file with the list of its batches. */
treb_status entry_write_list(StoreEntry *entry, treb_error *error);

/* Opens a complete scratch file. NULL if there is none that can be used. */
StoreEntry *entry_open(const char *path, const Material *material, Ledger *ledger);

#endif
