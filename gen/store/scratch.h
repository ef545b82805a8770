/* scratch.h - solved slices in memory and in a scratch file: what the store is made of.
 *
 * An entry has the slices of one material, whole or one subset of them (gen/solve/subset.h), in groups as they were
 * solved. One side to move of a group has two parts: PART_VALUES, which any table reads, and PART_PUSHES, which only
 * the table's own pushes read. In the file (core/system/spill_file.h) a part consists of chunks of some
 * planes, so that chunks can be written and read in parallel and one by one. The list at the end of the file has all
 * groups and chunks. */
#ifndef TREB_GEN_STORE_SCRATCH_H
#define TREB_GEN_STORE_SCRATCH_H

#include "core/system/spill_file.h"
#include "gen/solve/partition.h"
#include "gen/solve/plane.h"
#include "gen/solve/promoted.h"

enum { NO_GROUP = 0xffffffff };

/* Parts of a side. */
enum { PART_VALUES, PART_PUSHES, PARTS };

/* Which arrays a side has. */
typedef struct StoredFormat {
    bool cursed; /* there are cursed cells */
    bool wide;   /* distances take two bytes */
    bool dtc;    /* there are distances to conversion for pushes */
} StoredFormat;

StoredFormat stored_format(const SolvedSlice *slice);

/* One side to move of one group. */
typedef struct Side {
    StoredFormat format;
    SpillChunk *chunk[PARTS]; /* in the file; NULL: not there */
    void *kept[PARTS];          /* in memory; NULL: not there */
    SolvedArrays solved;        /* points into `kept` */
    int references;             /* number of users of `solved` */
    uint64_t used;              /* clock of the store when it was last used */
} StoredSide;

/* A group of slices that was put into the store. */
typedef struct StoredGroup {
    uint64_t *slice; /* by lane: number of the slice */
    int lanes;
    int level; /* while the table is being solved: its level, see store_level */
    StoredSide side[2];
} StoredGroup;

/* The solved slices of one material, or a subset of them. */
typedef struct StoreEntry {
    Layout layout;   /* must be first: the store finds an entry by the address of its layout */
    unsigned wanted; /* what other tables read of it: WANT_... */
    PromotionSubset subset; /* no squares: whole slices */
    /* Number and size of planes: those of a slice, or the own ones of this process. */
    uint32_t planes;
    size_t plane_words, plane_cells;
    /* If not all words of a plane are kept, by word: its number in the solver's plane; and see SolvedArrays. NULL: all. */
    uint32_t *word;
    uint32_t step[KERNEL_MEN_MAX][64];
    PlanePartition partition; /* the own planes of this process; no planes: it keeps all */
    MemoryBudget *budget;
    uint32_t *group_of; /* by slice: number of its group, or NO_GROUP */
    uint8_t *lane_of;
    StoredGroup **group; /* each allocated by itself: groups must not move while they are in use */
    uint32_t groups, capacity;
    SpillFile spill;
    bool persistent; /* the file is kept if the run is stopped */
    bool nameless;   /* the file disappears when it is closed */
    bool complete;
} StoreEntry;

/* Returns an entry for sides or a subset, without data or memory. The layout remains the caller's. */
StoreEntry entry_layout(const Layout *layout, unsigned wanted);

/* Creates an entry without groups, for sides or a subset. NULL: out of memory. */
StoreEntry *entry_new(const Material *material, unsigned wanted, MemoryBudget *budget);
void entry_free(StoreEntry *entry);

/* Makes the entry, which must be empty, keep only the own planes of this process; without processes (NULL) all.
 * False: out of memory. */
bool entry_divide(StoreEntry *entry, const Processes *processes);

/* Makes the entry, which must be empty and have whole slices, keep only the words with cells that are read, by side to
 * move. False: out of memory. entry_resize sets the size alone, for an entry without data. */
bool entry_restrict(StoreEntry *entry, const Promoted read[2]);
void entry_resize(StoreEntry *entry, const Promoted read[2]);

/* Returns the group of `lanes` slices; adds it if there is none. Not thread-safe. NULL: out of memory. */
StoredGroup *entry_group(StoreEntry *entry, const uint64_t *slice, int lanes);

/* Returns the bytes that a part claims in memory, and those that a side holds in memory now. */
uint64_t part_cost(const StoreEntry *entry, StoredFormat format, int part);
uint64_t stored_side_bytes(const StoreEntry *entry, const StoredSide *side);

/* Allocates a side's PART_VALUES in memory, and with `pushes` its PART_PUSHES too, and fills them from a slice, in
 * parallel. After an error the caller unloads both. */
treb_status side_fill(const StoreEntry *entry, StoredSide *side, int color,
                      const SolvedSlice *slice, bool pushes, treb_error *error);

/* Frees the memory of a part. */
void part_unload(StoredSide *side, int part);

/* Compresses a part and appends it to the entry's file. The data are those in memory if the part is there, otherwise
 * those of `slice`. */
treb_status part_write(StoreEntry *entry, StoredSide *side, int color, int part,
                       const SolvedSlice *slice, treb_error *error);

/* Reads a part into memory, in parallel. */
treb_status part_read(StoreEntry *entry, StoredSide *side, int color, int part, treb_error *error);

/* Reads one plane of a side that is in the file: its values and, with `push`, what pushes read. Thread-safe. */
treb_status plane_fetch(const StoreEntry *entry, const StoredSide *side, int color, uint32_t plane,
                        bool push, SolvedBuffer *buffer, SolvedArrays *out, treb_error *error);

/* Returns the most bytes that part_write claims with `threads` threads. */
uint64_t part_write_cost(const Layout *layout, int threads);

/* Mark of the file. */
extern const uint64_t scratch_mark;

/* Appends to `state` the list of what is in the file, and restores an entry from it. False: it is invalid, or out of
 * memory. */
void entry_put(const StoreEntry *entry, State *state);
bool entry_get(StoreEntry *entry, State *state);

/* Ends the file with the list of its groups. */
treb_status entry_write_list(const StoreEntry *entry, treb_error *error);

/* Opens a complete scratch file. NULL if there is none that can be used. */
StoreEntry *entry_open(const char *path, const Material *material, unsigned wanted,
                       MemoryBudget *budget);

#endif
