/* scratch.h - solved slices in memory and in a scratch file: what the store is made of.
 *
 * An entry has the slices of one material, all their cells or a cut of them (gen/solve/solved.h), batch
 * by batch as they were solved. One side to move of a batch has two parts: what any parent asks for, and
 * what only the table's own pushes do. In the file a part is cut into chunks of some planes, which are
 * compressed by themselves: so they can be written and read in parallel, and one by one. At the end of
 * the file stands the list of batches and chunks with a checksum. */
#ifndef TREB_GEN_SCRATCH_H
#define TREB_GEN_SCRATCH_H

#include "core/system/state.h"
#include "gen/solve/plane.h"

enum { NO_BATCH = 0xffffffff };

/* Of a side. */
enum { PART_VALUES, PART_PUSHES, PARTS };

/* What a side's arrays are like. */
typedef struct SideKind {
    bool cursed; /* there is a set of cursed cells */
    bool wide;   /* distances take two bytes */
    bool dtc;    /* pushes ask for distances to conversion */
} SideKind;

SideKind side_kind(const Slice *slice);

typedef struct ScratchChunk {
    uint64_t offset;
    uint32_t size; /* compressed */
} ScratchChunk;

/* One side to move of one batch. */
typedef struct Side {
    SideKind kind;
    ScratchChunk *chunk[PARTS]; /* in the file; NULL: are not */
    void *kept[PARTS];          /* in memory; NULL: are not */
    Solved solved;              /* points into these */
    int references;             /* users of `solved` */
    uint64_t used;              /* when it was last asked for */
} Side;

/* A batch that was put into the store. */
typedef struct StoreBatch {
    uint64_t *slice; /* by lane */
    int lanes;
    int level; /* while solving */
    Side side[2];
} StoreBatch;

/* The solved slices of one material, or a cut of them. */
typedef struct StoreEntry {
    Shape shape;     /* first: an entry is found by it */
    unsigned wanted; /* what it is for: WANT_... */
    Cut cut;         /* of no squares: none */
    uint32_t planes; /* of a slice, or of those that a rank keeps, and their size */
    size_t plane_words, plane_cells;
    RankShare share; /* of what a rank keeps; of no planes: all */
    Ledger *ledger;
    char *path;         /* of the file; NULL: none */
    uint32_t *batch_of; /* by slice */
    uint8_t *lane_of;
    StoreBatch **batch; /* each by itself: they must not move while in use */
    uint32_t batches, capacity;
    bool lasting;         /* the file outlives a run that is cut short */
    int file;             /* descriptor, -1 if there is none */
    _Atomic uint64_t end; /* of what was written */
    bool complete;
} StoreEntry;

/* What an entry for sides or a cut would be like, without anything in it; the shape remains the caller's. */
StoreEntry entry_layout(const Shape *shape, unsigned wanted);

/* An entry without batches, for sides or a cut. NULL: out of memory. */
StoreEntry *entry_new(const Material *material, unsigned wanted, Ledger *ledger);
void entry_free(StoreEntry *entry);

/* Has a rank keep its own planes alone, before anything is in the entry; of no ranks (NULL) all. False: out of
 * memory. */
bool entry_divide(StoreEntry *entry, const Ranks *ranks);

/* Adds a batch of `lanes` slices; not thread-safe. NULL: out of memory. */
StoreBatch *entry_add(StoreEntry *entry, const uint64_t *slice, int lanes);

/* Bytes that a part claims in memory, and that those of a side hold now. */
uint64_t part_cost(const StoreEntry *entry, SideKind kind, int part);
uint64_t side_held(const StoreEntry *entry, const Side *side);

/* Gives parts of a side room in memory and fills them from a slice, in parallel. `pushes`: both parts. The
 * caller unloads it after a failure. */
treb_status side_fill(const StoreEntry *entry, Side *side, int color, const Slice *slice,
                      bool pushes, treb_error *error);

/* Frees the memory of a part. */
void part_unload(Side *side, int part);

/* Compresses a part and appends it to the entry's file: the one in memory, or else that of
 * `slice`. */
treb_status part_write(StoreEntry *entry, Side *side, int color, int part, const Slice *slice,
                       treb_error *error);

/* Reads a part back into memory, in parallel. */
treb_status part_read(StoreEntry *entry, Side *side, int color, int part, treb_error *error);

/* Reads one plane of a side that is not in memory, its values and if `push` what pushes ask for; thread-safe. */
treb_status plane_fetch(const StoreEntry *entry, const Side *side, int color, uint32_t plane,
                        bool push, SolvedRoom *room, Solved *out, treb_error *error);

/* Bytes that part_write claims at most, with so many threads. */
uint64_t part_write_cost(const Shape *shape, int threads);

/* What an entry has in its file: to be remembered, and to be known again by a new entry. False: it makes no
 * sense, or out of memory. */
void entry_put(const StoreEntry *entry, State *state);
bool entry_get(StoreEntry *entry, State *state);

/* Ends the file with the list of its batches. */
treb_status entry_write_list(StoreEntry *entry, treb_error *error);

/* Opens a complete scratch file. NULL if there is none that can be used. */
StoreEntry *entry_open(const char *path, const Material *material, unsigned wanted, Ledger *ledger);

#endif
