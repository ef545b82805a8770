/* set.h - a set of tables (treb_tables): which files it has, and how a position leads to its files.
 * Private to probe/.
 *
 * set_find turns the men of a position into a 64-bit key, looks that up in a hash table, and finds
 * the entry of the material, which has a file for each metric. The men of both colour assignments
 * (KQvKR, KRvKQ) lead to one entry. Once the set is open only the pool changes. */
#ifndef TREB_PROBE_SET_H
#define TREB_PROBE_SET_H

#include "core/chess/position.h"
#include "core/system/hash.h"
#include "probe/file.h"
#include "probe/reader.h"

/* What a set knows about one material. */
typedef struct SetEntry {
    Material material;             /* canonical */
    bool symmetric;                /* both sides have the same men: files hold only White to move */
    bool drawn;                    /* neither side can mate: no table is needed */
    ProbeFile *file[TREB_DTM50 + 1]; /* by metric; NULL: not installed, or not needed */
} SetEntry;

/* A place in the hash table from keys to materials. */
typedef struct SetPlace {
    uint64_t key;
    const SetEntry *entry; /* NULL: empty */
    bool swapped;          /* White in the position is Black in the table */
} SetPlace;

/* A set of tables. */
struct treb_tables {
    ProbeReader waiting; /* of probes that wait. It waits for everything (WAIT_FOR_ALL), or, if a
                          * source has files, only for disks (WAIT_LOCAL_ONLY), as such probes fetch
                          * all that is missing at once (probe/prefetch.h) */
    ProbePool *pool;     /* what changes while threads probe; all else stays as it was opened */
    SetPlace *places;    /* a hash table with open addressing */
    size_t mask;         /* number of places - 1 */
    unsigned shift;      /* a hash's top 64 - shift bits are its place */
    treb_format first;   /* the format that answers where a material has files in both */
    ProbeFile *files;
    size_t file_count;
    SetEntry *entries;
    size_t entry_count;
    ProbeFile *pawn_files; /* see probe/pawn_file.h */
    size_t pawn_file_count;
};

/* The reader of a probe that waits for what it needs. */
static inline const ProbeReader *set_reader(const treb_tables *set) { return &set->waiting; }

/* A key has four bits for each colour and kind of man except the king: the number of such men. This
 * is one of them. */
static inline uint64_t set_unit(int color, int type)
{
    return UINT64_C(1) << (32 * color + 4 * type);
}

static inline uint64_t set_key_of_material(const Material *m)
{
    uint64_t key = 0;
    for (int color = 0; color < 2; color++)
        for (int type = TREB_PAWN; type < TREB_KING; type++)
            key += m->count[color][type] * set_unit(color, type);
    return key;
}

/* The 28 bits of a key for `men`, which are all men of one colour, as if they were White. */
static inline uint64_t set_key_of_men(const treb_position *pos, uint64_t men)
{
    const uint64_t *type = pos->by_type;
    uint64_t odd = type[TREB_KNIGHT] | type[TREB_ROOK], two = type[TREB_BISHOP] | type[TREB_ROOK];
    uint64_t key = 0;
    men &= ~type[TREB_KING];
    while (men) {
        int sq = bit_pop(&men);
        unsigned kind = type[TREB_QUEEN] >> sq & 1;
        kind = 2 * kind + (two >> sq & 1);
        kind = 2 * kind + (odd >> sq & 1);
        key += UINT64_C(1) << 4 * kind;
    }
    return key;
}

/* The key of a position of at most TREB_MEN_MAX men. Goes through the men one by one, as processors
 * without a population count instruction count bits slowly. */
static inline uint64_t set_key(const treb_position *pos)
{
    return set_key_of_men(pos, pos->by_color[TREB_WHITE]) |
           set_key_of_men(pos, pos->by_color[TREB_BLACK]) << 32;
}

static inline size_t set_hash(const treb_tables *set, uint64_t key)
{
    return (size_t)(key * HASH_FACTOR >> set->shift);
}

/* The place of a material. Its entry is NULL if the set does not know the material. */
static inline const SetPlace *set_place(const treb_tables *set, uint64_t key)
{
    size_t at = set_hash(set, key);
    while (set->places[at].entry != NULL && set->places[at].key != key) at = (at + 1) & set->mask;
    return &set->places[at];
}

static inline const SetPlace *set_find(const treb_tables *set, const treb_position *pos)
{
    return set_place(set, set_key(pos));
}

/* Whether the file of a metric is installed. */
static inline bool set_has(const SetPlace *place, treb_metric metric)
{
    return place->entry != NULL && place->entry->file[metric] != NULL;
}

/* Returns the position as the tables of `place` store it: `pos` itself or, with the colours
 * exchanged, `room`. */
static inline const treb_position *set_orient(const SetPlace *place, const treb_position *pos,
                                              treb_position *room)
{
    if (!place->swapped && !(place->entry->symmetric && pos->turn == TREB_BLACK)) return pos;
    position_swap_colors(pos, room);
    return room;
}

/* treb_tables_open with a choice of the format that answers where a material has files in both. */
treb_tables *set_open(const char *const *directories, size_t count, treb_format first,
                      treb_error *error);

/* The file of a metric for a material by name, either colour first; NULL with *error filled. */
ProbeFile *set_find_file(const treb_tables *set, const char *name, treb_metric metric,
                         treb_error *error);

/* Fills in the error "KRPvKR.dtz.treb is not installed". Returns minus TREB_ERR_NO_TABLE. */
int set_fail_missing(const treb_position *pos, treb_metric metric, treb_error *error);

/* Fills in the error "the tables of KRPvKR contradict each other". Returns minus
 * TREB_ERR_DAMAGED. */
int set_fail_contradiction(const treb_position *pos, treb_error *error);

#endif
